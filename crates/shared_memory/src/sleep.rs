//! Sleep of a thread on a word that another process changes.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use rustix::fs::Timespec;
use rustix::thread::futex;

/// Sleeps while `word` is `value`, at most as long as `limit`. Returns early for no reason, too: the caller checks the word again.
pub fn sleep_while(word: &AtomicU32, value: u32, limit: Duration) {
    let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
    // A word of another value, a signal and the end of the time are all reasons to return.
    let _ = futex::wait(word, futex::Flags::empty(), value, Some(&limit));
}

/// Wakes every thread, of any process, that sleeps on `word`.
pub fn wake_all(word: &AtomicU32) {
    // Nobody who sleeps is no error.
    let _ = futex::wake(word, futex::Flags::empty(), u32::MAX >> 1);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::thread;

    use super::*;
    use crate::SealedMemory;

    #[test]
    fn a_change_in_another_map_wakes() {
        let (near, fd) = SealedMemory::create("sleep", 4096).unwrap();
        let far = SealedMemory::open(fd, 4096).unwrap();
        let sleeper = thread::spawn(move || {
            let word = &near.half_words()[1];
            while word.load(Ordering::Acquire) == 0 {
                sleep_while(word, 0, Duration::from_secs(60));
            }
            word.load(Ordering::Acquire)
        });
        let word = &far.half_words()[1];
        word.store(7, Ordering::Release);
        wake_all(word);
        assert_eq!(sleeper.join().unwrap(), 7);
    }

    #[test]
    fn sleep_ends_with_its_time() {
        sleep_while(&AtomicU32::new(3), 3, Duration::from_millis(1));
        sleep_while(&AtomicU32::new(3), 4, Duration::from_secs(60));
    }
}
