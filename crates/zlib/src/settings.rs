//! Settings of the environment, read once.

use std::env;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Names the directory of the cards of the CPC; without it every stream is software.
const DIRECTORY: &str = "HALFTRACK_ZEDC";
/// Replaces [`DEFLATE_MINIMUM_BYTES`].
const DEFLATE_MINIMUM: &str = "HALFTRACK_ZEDC_DEFMINREQSIZE";
/// Replaces [`INFLATE_MINIMUM_BYTES`].
const INFLATE_MINIMUM: &str = "HALFTRACK_ZEDC_INFMINREQSIZE";

/// Fewest octets of the first input of a stream that a card deflates (DEFMINREQSIZE of IQPPRMxx).
const DEFLATE_MINIMUM_BYTES: usize = 4 << 10;
/// Fewest octets of the first input of a stream that a card inflates (INFMINREQSIZE of IQPPRMxx).
const INFLATE_MINIMUM_BYTES: usize = 16 << 10;

/// Settings of a process.
#[derive(Debug, PartialEq, Eq)]
pub struct Settings {
    /// Directory of the cards.
    pub directory: Option<PathBuf>,
    /// Fewest octets of the first input that a card deflates.
    pub deflate_minimum_bytes: usize,
    /// Fewest octets of the first input that a card inflates.
    pub inflate_minimum_bytes: usize,
}

impl Settings {
    /// Returns those of the process, which are read at the first call.
    ///
    /// No lock is taken, so that a child finds none that a thread of its parent held when it forked.
    #[allow(unsafe_code)]
    pub fn of_process() -> &'static Self {
        static READ: AtomicPtr<Settings> = AtomicPtr::new(ptr::null_mut());
        let mut read = READ.load(Ordering::Acquire);
        if read.is_null() {
            let own = Box::into_raw(Box::new(Self::read()));
            match READ.compare_exchange(ptr::null_mut(), own, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => read = own,
                Err(other) => {
                    // SAFETY: it came from a box, and no other thread has seen it.
                    drop(unsafe { Box::from_raw(own) });
                    read = other;
                }
            }
        }
        // SAFETY: it came from a box that is never freed nor changed once it is published, which it is by now.
        unsafe { &*read }
    }

    fn read() -> Self {
        let directory = env::var_os(DIRECTORY).filter(|directory| !directory.is_empty());
        let minimum = |name, default| env::var(name).ok().and_then(|value| bytes(&value)).unwrap_or(default);
        Self {
            directory: directory.map(PathBuf::from),
            deflate_minimum_bytes: minimum(DEFLATE_MINIMUM, DEFLATE_MINIMUM_BYTES),
            inflate_minimum_bytes: minimum(INFLATE_MINIMUM, INFLATE_MINIMUM_BYTES),
        }
    }
}

/// Returns the octets that a value means: a number of octets, or of KiB with a `K` behind it.
fn bytes(value: &str) -> Option<usize> {
    let (digits, unit) = value.strip_suffix(['K', 'k']).map_or((value, 1), |digits| (digits, 1 << 10));
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_octets_or_kib() {
        assert_eq!(bytes("0"), Some(0));
        assert_eq!(bytes("4096"), Some(4096));
        assert_eq!(bytes("4K"), Some(4096));
        assert_eq!(bytes("16k"), Some(16_384));
        for value in ["", "K", "-1", "4M", "99999999999999999999", "18446744073709551615K"] {
            assert_eq!(bytes(value), None, "{value}");
        }
    }
}
