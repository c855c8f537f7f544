//! ISA-L: the fastest engine, which needs nasm and autotools to build.
//!
//! Only its stateless calls are used. The binding's streams end too early at level 0, and its whole-buffer call cannot
//! leave a stream open, so that the C functions are called here.

use std::fmt;
use std::mem::MaybeUninit;

use ::isal::isal_sys::igzip_lib::{
    COMP_OK, FULL_FLUSH, IGZIP_DEFLATE, ISAL_DECOMP_OK, ISAL_DEF_LVL1_MEDIUM, ISAL_END_INPUT,
    ISAL_OUT_OVERFLOW, NO_FLUSH, inflate_state, isal_deflate_stateless, isal_deflate_stateless_init,
    isal_inflate_init, isal_inflate_stateless, isal_zstream,
};

use super::{Engine, EngineFault, Inflated, Position};

/// Level with the best speed at the ratio of level 1 of zlib.
const LEVEL: u32 = 1;

/// ISA-L at level 1. Allocates when it is made, and never again.
pub struct Isal {
    stream: Box<MaybeUninit<isal_zstream>>,
    inflate: Box<MaybeUninit<inflate_state>>,
    level_buffer: Box<[u8]>,
}

impl fmt::Debug for Isal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Isal")
    }
}

impl Default for Isal {
    fn default() -> Self {
        Self {
            stream: Box::new(MaybeUninit::uninit()),
            inflate: Box::new(MaybeUninit::uninit()),
            level_buffer: vec![0; ISAL_DEF_LVL1_MEDIUM as usize].into(),
        }
    }
}

impl Engine for Isal {
    fn name(&self) -> &'static str {
        "ISA-L"
    }

    #[allow(unsafe_code)]
    fn deflate(&mut self, slice: &[u8], position: Position, output: &mut [u8]) -> Result<usize, EngineFault> {
        let stream = self.stream.as_mut_ptr();
        let is_last = position == Position::Last;
        // SAFETY: `stream` is memory of the structure that nobody else has. The first call sets every field that the second
        // one reads and that is not set here; fields are set through the pointer, without a reference to what is not set.
        // Input, output and level buffer are borrowed for both calls, with their own lengths, and the pointers to them that
        // stay in the structure are set anew before they are used again. The library only reads through `next_in`.
        let (result, produced) = unsafe {
            isal_deflate_stateless_init(stream);
            (*stream).next_in = slice.as_ptr().cast_mut();
            (*stream).avail_in = length(slice);
            (*stream).next_out = output.as_mut_ptr();
            (*stream).avail_out = length(output);
            (*stream).level = LEVEL;
            (*stream).level_buf = self.level_buffer.as_mut_ptr();
            (*stream).level_buf_size = length(&self.level_buffer);
            (*stream).gzip_flag = IGZIP_DEFLATE as u16;
            (*stream).end_of_stream = u16::from(is_last);
            (*stream).flush = if is_last { NO_FLUSH } else { FULL_FLUSH } as u16;
            let result = isal_deflate_stateless(stream);
            (result, (*stream).total_out)
        };
        if result == COMP_OK as i32 { Ok(produced as usize) } else { Err(EngineFault::OutputFull) }
    }

    #[allow(unsafe_code)]
    fn inflate(&mut self, stream: &[u8], output: &mut [u8]) -> Result<Inflated, EngineFault> {
        let state = self.inflate.as_mut_ptr();
        // SAFETY: as in `deflate`. The library gives back octets that it read ahead, so that `avail_in` counts what is left.
        let (result, left, produced) = unsafe {
            isal_inflate_init(state);
            (*state).crc_flag = IGZIP_DEFLATE;
            (*state).next_in = stream.as_ptr().cast_mut();
            (*state).avail_in = length(stream);
            (*state).next_out = output.as_mut_ptr();
            (*state).avail_out = length(output);
            let result = isal_inflate_stateless(state);
            (result, (*state).avail_in, (*state).total_out)
        };
        const DONE: i32 = ISAL_DECOMP_OK as i32;
        const SHORT: i32 = ISAL_END_INPUT as i32;
        const FULL: i32 = ISAL_OUT_OVERFLOW as i32;
        match result {
            DONE => Ok(Inflated {
                consumed_bytes: stream.len() - left as usize,
                produced_bytes: produced as usize,
            }),
            SHORT => Err(EngineFault::Truncated),
            FULL => Err(EngineFault::OutputFull),
            _ => Err(EngineFault::Corrupt),
        }
    }
}

/// Returns the length as ISA-L has it.
///
/// # Panics
/// When it does not fit; no buffer of a request is as long.
fn length(octets: &[u8]) -> u32 {
    u32::try_from(octets.len()).expect("a buffer of a request is shorter than 4 GiB")
}
