//! The functions of the header.
//!
//! Pointers of callers are followed by the system. Where a container forbids it that, what they lead to has to be storage: that
//! is the safety section of every function.
#![allow(clippy::missing_safety_doc)]

use std::ffi::{c_char, c_void};
use std::panic::{self, AssertUnwindSafe};

use crate::caller_memory::{load, load_all, load_text, store};
use crate::codes::{Codes, Fault};
use crate::layout::{RegionName, RendezvousName, Run, RunResult};
use crate::services;

/// Longest name of a directory (Linux: PATH_MAX).
const NAME_BYTES_MAX: usize = 4096;

/// Returns the codes of a service. A panic is one of them: it does not cross into C.
fn answered(service: impl FnOnce() -> Result<(), Fault>) -> Codes {
    let result = panic::catch_unwind(AssertUnwindSafe(service)).unwrap_or(Err(Fault::Failed));
    result.err().map_or_else(Codes::default, Fault::codes)
}

/// Begins the use of the cards of the machine that has this directory (FPZ4RZV).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fpz4rzv(
    directory: *const c_char,
    application: u32,
    token: *mut RendezvousName,
) -> Codes {
    answered(|| {
        // SAFETY: that of the caller.
        let directory = unsafe {
            store(token, RendezvousName::default())?;
            load_text(directory.cast(), NAME_BYTES_MAX)?
        };
        let directory = directory.ok_or(halftrack_zedc::Answer::NoHardware)?;
        let name = services::rendezvous(directory, application)?;
        // SAFETY: that of the caller.
        unsafe { store(token, name) }
    })
}

/// Returns whether a card takes requests now (FPZ4PRB).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fpz4prb(token: *const RendezvousName) -> Codes {
    // SAFETY: that of the caller.
    answered(|| Ok(services::probe(unsafe { load(token) }?)?))
}

/// Gives memory that is registered (FPZ4RMR).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fpz4rmr(
    token: *const RendezvousName,
    bytes: usize,
    address: *mut *mut c_void,
    region: *mut RegionName,
) -> Codes {
    answered(|| {
        // SAFETY: that of the caller. An address is as long as a pointer.
        unsafe {
            let token = load(token)?;
            store(address.cast::<usize>(), 0)?;
            store(region, RegionName::default())?;
            let (place, name) = services::register(token, bytes)?;
            store(address.cast::<usize>(), place)?;
            store(region, name)
        }
    })
}

/// Deregisters memory, which is unmapped (FPZ4DMR).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fpz4dmr(token: *const RendezvousName, region: *const RegionName) -> Codes {
    // SAFETY: that of the caller.
    answered(|| unsafe { Ok(services::deregister(load(token)?, load(region)?)?) })
}

/// Does an autonomous request to its end (FPZ4ABC).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fpz4abc(
    token: *const RendezvousName,
    options: u64,
    input: *const Run,
    input_segments: u32,
    output: *const Run,
    output_segments: u32,
    result: *mut RunResult,
) -> Codes {
    answered(|| {
        // SAFETY: that of the caller.
        unsafe {
            let token = load(token)?;
            store(result, RunResult::default())?;
            let input = load_all(input, services::checked_count(input_segments)?)?;
            let output = load_all(output, services::checked_count(output_segments)?)?;
            store(result, services::compress(token, options, &input, &output)?)
        }
    })
}

/// Ends the use of the cards (FPZ4URZ).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fpz4urz(token: *const RendezvousName) -> Codes {
    // SAFETY: that of the caller.
    answered(|| Ok(services::end(unsafe { load(token) }?)?))
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        let codes = answered(|| panic!("this panic is the test's"));
        assert_eq!(codes, Fault::Failed.codes());
        assert_eq!(answered(|| Ok(())), Codes::default());
    }

    #[test]
    fn null_is_answered_everywhere() {
        let (token, bad) = (RendezvousName::default(), Fault::BadPointer.codes());
        let (mut place, mut region) = (ptr::null_mut(), RegionName::default());
        let mut result = RunResult::default();
        let run = Run { region, address: ptr::null_mut(), bytes: 1 };
        // SAFETY: whatever is not null is the test's.
        let answers = unsafe {
            [
                fpz4rzv(ptr::null(), 1, &mut { token }),
                fpz4rzv(c"/".as_ptr(), 1, ptr::null_mut()),
                fpz4prb(ptr::null()),
                fpz4rmr(ptr::null(), 4096, &mut place, &mut region),
                fpz4rmr(&token, 4096, ptr::null_mut(), &mut region),
                fpz4rmr(&token, 4096, &mut place, ptr::null_mut()),
                fpz4dmr(ptr::null(), &region),
                fpz4dmr(&token, ptr::null()),
                fpz4abc(ptr::null(), 0, &run, 1, &run, 1, &mut result),
                fpz4abc(&token, 0, ptr::null(), 1, &run, 1, &mut result),
                fpz4abc(&token, 0, &run, 1, ptr::null(), 1, &mut result),
                fpz4abc(&token, 0, &run, 1, &run, 1, ptr::null_mut()),
                fpz4urz(ptr::null()),
            ]
        };
        assert_eq!(answers, [bad; 13]);
    }
}
