//! Number of the own thread, found once.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::thread::gettid;

/// Forks for which numbers were forgotten.
static FORKS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Number of this thread, and the forks when it was found.
    static FOUND: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// Returns the number of this thread.
pub fn own_thread() -> u32 {
    let forks = FORKS.load(Ordering::Relaxed);
    let (thread, found) = FOUND.get();
    if thread != 0 && found == forks {
        return thread;
    }
    let thread = gettid().as_raw_nonzero().get().cast_unsigned();
    FOUND.set((thread, forks));
    thread
}

/// Forgets the numbers of threads, in a child behind a fork: its thread has another one than in the parent.
pub fn forget_threads() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_numbers_of_their_own_and_find_them_again() {
        let here = own_thread();
        assert_eq!(here, own_thread());
        assert_ne!(here, std::thread::spawn(own_thread).join().unwrap());
        forget_threads();
        assert_eq!(here, own_thread());
    }
}
