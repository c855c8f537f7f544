//! Streams of the C interface as tests use them: of this library, or of the software beside which it is tested.

use std::cell::Cell;
use std::ptr;

use libc::{c_int, c_uint, c_void};
use libz_rs_sys::{Z_DEFLATED, Z_OK, gz_header, z_stream};

/// Library whose functions are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// This one.
    Own,
    /// The software alone.
    Software,
}

/// Calls a function of a library with the stream.
macro_rules! call {
    ($stream:expr, $name:ident $(, $argument:expr)*) => {{
        let strm: libz_rs_sys::z_streamp = &mut *$stream.strm;
        // SAFETY: the stream is initialized, and the arguments are the test's for as long as the call takes.
        unsafe {
            match $stream.library {
                Library::Own => z::$name(strm $(, $argument)*),
                Library::Software => libz_rs_sys::$name(strm $(, $argument)*),
            }
        }
    }};
}
pub(crate) use call;

/// Allocator of a test: memory that is not freed is found, and an allocation can fail.
#[derive(Debug, Default)]
pub struct Allocations {
    /// Allocations that are not freed.
    pub live: Cell<usize>,
    /// All allocations.
    pub made: Cell<usize>,
    /// Number of the one that fails, from 1.
    pub fails_at: Cell<usize>,
}

/// Octets by which memory is not aligned.
const UNALIGNED_BYTES: usize = 1;

extern "C" fn allocate(opaque: *mut c_void, items: c_uint, bytes: c_uint) -> *mut c_void {
    // SAFETY: `opaque` is that of `Stream::new`.
    let allocations = unsafe { &*opaque.cast::<Allocations>() };
    allocations.made.set(allocations.made.get() + 1);
    if allocations.made.get() == allocations.fails_at.get() {
        return ptr::null_mut();
    }
    allocations.live.set(allocations.live.get() + 1);
    // SAFETY: any size can be requested. The memory is not zero, and not aligned: that of nginx's allocator is not.
    unsafe {
        let room = items as usize * bytes as usize + UNALIGNED_BYTES;
        let memory = libc::malloc(room);
        libc::memset(memory, 0xA5, room).cast::<u8>().add(UNALIGNED_BYTES).cast()
    }
}

extern "C" fn free(opaque: *mut c_void, memory: *mut c_void) {
    // SAFETY: `opaque` is that of `Stream::new`.
    let allocations = unsafe { &*opaque.cast::<Allocations>() };
    allocations.live.set(allocations.live.get().checked_sub(1).expect("it was allocated"));
    // SAFETY: `allocate` returned it.
    unsafe { libc::free(memory.cast::<u8>().sub(UNALIGNED_BYTES).cast()) };
}

/// Direction of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Deflate,
    Inflate,
}

/// Stream of a test.
pub struct Stream {
    pub library: Library,
    pub strm: Box<z_stream>,
    direction: Direction,
    pub allocations: Box<Allocations>,
    is_initialized: bool,
}

/// Result of a call: the code, how much input it took, and its output.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    pub code: c_int,
    pub taken: usize,
    pub output: Vec<u8>,
}

impl Stream {
    fn new(library: Library, direction: Direction, fails_at: usize) -> Self {
        let allocations = Box::new(Allocations { fails_at: Cell::new(fails_at), ..Allocations::default() });
        let strm = z_stream {
            zalloc: Some(allocate),
            zfree: Some(free),
            opaque: (&raw const *allocations).cast_mut().cast(),
            ..z_stream::default()
        };
        Self { library, strm: Box::new(strm), direction, allocations, is_initialized: false }
    }

    fn initialized(mut self, code: c_int) -> Result<Self, c_int> {
        if code != Z_OK {
            assert_eq!(self.allocations.live.get(), 0, "an initialization that fails frees all");
            return Err(code);
        }
        self.is_initialized = true;
        Ok(self)
    }

    /// Begins to deflate, with an allocation that fails.
    pub fn deflate_with(
        library: Library,
        level: c_int,
        window_bits: c_int,
        strategy: c_int,
        fails_at: usize,
    ) -> Result<Self, c_int> {
        let mut stream = Self::new(library, Direction::Deflate, fails_at);
        let size = size_of::<z_stream>() as c_int;
        let version = libz_rs_sys::zlibVersion();
        let code = call!(stream, deflateInit2_, level, Z_DEFLATED, window_bits, 8, strategy, version, size);
        stream.initialized(code)
    }

    /// Begins to deflate by this library.
    pub fn deflate(level: c_int, window_bits: c_int) -> Self {
        Self::deflate_with(Library::Own, level, window_bits, 0, 0).expect("parameters are good")
    }

    /// Begins to inflate, with an allocation that fails.
    pub fn inflate_with(library: Library, window_bits: c_int, fails_at: usize) -> Result<Self, c_int> {
        let mut stream = Self::new(library, Direction::Inflate, fails_at);
        let size = size_of::<z_stream>() as c_int;
        let code = call!(stream, inflateInit2_, window_bits, libz_rs_sys::zlibVersion(), size);
        stream.initialized(code)
    }

    /// Begins to inflate by this library.
    pub fn inflate(window_bits: c_int) -> Self {
        Self::inflate_with(Library::Own, window_bits, 0).expect("parameters are good")
    }

    /// Makes a call with input and room for output.
    pub fn step(&mut self, input: &[u8], room_bytes: usize, flush: c_int) -> Step {
        // Octets behind the room show what is written there.
        let mut output = vec![0x5A; room_bytes + 64];
        self.strm.next_in = input.as_ptr();
        self.strm.avail_in = input.len() as c_uint;
        self.strm.next_out = output.as_mut_ptr();
        self.strm.avail_out = room_bytes as c_uint;
        let code = match self.direction {
            Direction::Deflate => call!(self, deflate, flush),
            Direction::Inflate => call!(self, inflate, flush),
        };
        assert!(
            output[room_bytes..].iter().all(|octet| *octet == 0x5A),
            "nothing is written behind the room"
        );
        let taken = input.len() - self.strm.avail_in as usize;
        let produced = room_bytes - self.strm.avail_out as usize;
        assert_eq!(self.strm.next_in, input[taken..].as_ptr(), "input and its count go together");
        assert_eq!(self.strm.next_out, output[produced..].as_mut_ptr(), "output and its count go together");
        output.truncate(produced);
        Step { code, taken, output }
    }

    /// Makes calls until all input is taken and what the flush demands is written; returns the last code.
    pub fn run(&mut self, mut input: &[u8], room_bytes: usize, flush: c_int, output: &mut Vec<u8>) -> c_int {
        loop {
            let step = self.step(input, room_bytes, flush);
            input = &input[step.taken..];
            output.extend_from_slice(&step.output);
            let is_done =
                input.is_empty() && step.output.len() < room_bytes && flush != libz_rs_sys::Z_FINISH;
            if step.code != Z_OK || is_done {
                return step.code;
            }
        }
    }

    /// Copies the stream.
    pub fn copied(&mut self) -> Result<Self, c_int> {
        let (library, direction) = (self.library, self.direction);
        let mut copy = Box::new(z_stream::default());
        let code = match direction {
            // SAFETY: both are streams; that of the copy can be written.
            Direction::Deflate => unsafe { z::deflateCopy(&mut *copy, &mut *self.strm) },
            // SAFETY: as above.
            Direction::Inflate => unsafe { z::inflateCopy(&mut *copy, &*self.strm) },
        };
        // The allocator of the copy is that of the stream, which counts for both.
        let allocations = Box::default();
        let copy = Self { library, strm: copy, direction, allocations, is_initialized: code == Z_OK };
        if code == Z_OK { Ok(copy) } else { Err(code) }
    }

    /// Ends the stream.
    pub fn end(&mut self) -> c_int {
        self.is_initialized = false;
        match self.direction {
            Direction::Deflate => call!(self, deflateEnd),
            Direction::Inflate => call!(self, inflateEnd),
        }
    }

    /// Returns the last data of the stream.
    pub fn dictionary(&mut self) -> Vec<u8> {
        let mut window = vec![0; 1 << 15];
        let mut length = 0;
        let code = match self.direction {
            Direction::Deflate => call!(self, deflateGetDictionary, window.as_mut_ptr(), &mut length),
            Direction::Inflate => call!(self, inflateGetDictionary, window.as_mut_ptr(), &mut length),
        };
        assert_eq!(code, Z_OK);
        window.truncate(length as usize);
        window
    }

    /// Sets the dictionary.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> c_int {
        let length = dictionary.len() as c_uint;
        match self.direction {
            Direction::Deflate => call!(self, deflateSetDictionary, dictionary.as_ptr(), length),
            Direction::Inflate => call!(self, inflateSetDictionary, dictionary.as_ptr(), length),
        }
    }

    /// Returns output that is not taken, and bits.
    pub fn pending(&mut self) -> (c_uint, c_int) {
        let (mut octets, mut bits) = (0, 0);
        assert_eq!(call!(self, deflatePending, &mut octets, &mut bits), Z_OK);
        (octets, bits)
    }

    /// Sets the header of gzip.
    pub fn set_header(&mut self, header: &mut gz_header) -> c_int {
        match self.direction {
            Direction::Deflate => call!(self, deflateSetHeader, header),
            Direction::Inflate => call!(self, inflateGetHeader, header),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_initialized {
            self.end();
        }
    }
}

/// Inflates by the library of the tests that is not part of this one.
pub fn inflated_elsewhere(stream: &[u8], window_bits: c_int) -> Vec<u8> {
    use std::io::Read;
    let mut data = Vec::new();
    let result = match window_bits {
        ..0 => flate2::read::DeflateDecoder::new(stream).read_to_end(&mut data),
        0..16 => flate2::read::ZlibDecoder::new(stream).read_to_end(&mut data),
        _ => flate2::read::GzDecoder::new(stream).read_to_end(&mut data),
    };
    result.expect("another library inflates it");
    data
}

/// Deflates a buffer by `compress2` into exactly so much room; returns code and output.
pub fn compress(data: &[u8], level: c_int, room_bytes: usize) -> (c_int, Vec<u8>) {
    let mut output = vec![0; room_bytes];
    let mut length = room_bytes as _;
    // SAFETY: both buffers have their lengths.
    let code =
        unsafe { z::compress2(output.as_mut_ptr(), &mut length, data.as_ptr(), data.len() as _, level) };
    output.truncate(length as usize);
    (code, output)
}

/// Inflates a buffer by `uncompress2`; returns code, output and how much was consumed.
pub fn uncompress(stream: &[u8], room_bytes: usize) -> (c_int, Vec<u8>, usize) {
    let mut output = vec![0; room_bytes];
    let (mut length, mut consumed) = (room_bytes as _, stream.len() as _);
    // SAFETY: both buffers have their lengths.
    let code = unsafe { z::uncompress2(output.as_mut_ptr(), &mut length, stream.as_ptr(), &mut consumed) };
    output.truncate(length as usize);
    (code, output, consumed as usize)
}

/// Returns the CRC-32 of data.
pub fn crc32(data: &[u8]) -> libc::c_ulong {
    // SAFETY: the data have their length.
    unsafe { z::crc32_z(0, data.as_ptr(), data.len()) }
}
