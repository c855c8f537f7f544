//! Lock in memory that processes share, taken over where its owner has died.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};

use crate::Pause;
use crate::own_thread::own_thread;
use crate::sleep::{sleep_while, wake_all};

/// No thread has the lock.
const FREE: u32 = 0;
/// Somebody sleeps for it. Numbers of threads are below.
const WAITED_FOR: u32 = 1 << 31;
/// Trials before a thread sleeps (our choice).
const SPINS: u32 = 200;
/// Longest sleep before the owner is searched (our choice).
const SLEEP_MAX: Duration = Duration::from_millis(50);

/// Lock in a half word: 0 while it is free, else the thread that has it.
#[derive(Debug, Clone, Copy)]
pub struct ProcessLock<'a>(&'a AtomicU32);

/// Lock that a thread has, until this is dropped.
#[derive(Debug)]
pub struct Held<'a> {
    word: &'a AtomicU32,
    /// The owner before died with it: what the lock guards may be half changed.
    pub was_abandoned: bool,
}

impl<'a> ProcessLock<'a> {
    /// Returns the lock in this half word.
    #[must_use]
    pub const fn new(word: &'a AtomicU32) -> Self {
        Self(word)
    }

    /// Takes the lock, as soon as whoever has it gives it back or is dead; `pause` is that between two trials.
    #[must_use]
    pub fn take(self, pause: Pause) -> Held<'a> {
        let me = own_thread();
        let word = self.0;
        for _ in 0..SPINS {
            if Self::try_change(word, FREE, me) {
                return Held { word, was_abandoned: false };
            }
            pause.wait();
        }
        loop {
            let value = word.load(Ordering::Relaxed);
            if value == FREE {
                // Others may sleep: whoever slept gives it back as one that is waited for.
                if Self::try_change(word, FREE, me | WAITED_FOR) {
                    return Held { word, was_abandoned: false };
                }
            } else if value & WAITED_FOR != 0 || Self::try_change(word, value, value | WAITED_FOR) {
                let waited_for = value | WAITED_FOR;
                sleep_while(word, waited_for, SLEEP_MAX);
                if !is_alive(value & !WAITED_FOR) && Self::try_change(word, waited_for, me | WAITED_FOR) {
                    return Held { word, was_abandoned: true };
                }
            }
        }
    }

    fn try_change(word: &AtomicU32, from: u32, to: u32) -> bool {
        word.compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.word.swap(FREE, Ordering::Release) & WAITED_FOR != 0 {
            wake_all(self.word);
        }
    }
}

/// Returns whether there is such a thread.
fn is_alive(thread: u32) -> bool {
    let thread = i32::try_from(thread).ok().and_then(Pid::from_raw);
    // A thread of another user is one.
    thread.is_some_and(|thread| test_kill_process(thread) != Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;
    use crate::SealedMemory;

    #[test]
    fn one_thread_at_a_time_has_it() {
        let (memory, _fd) = SealedMemory::create("lock", 4096).unwrap();
        let memory = Arc::new(memory);
        let add = |memory: Arc<SealedMemory>| {
            for _ in 0..20_000 {
                let held = ProcessLock::new(&memory.half_words()[0]).take(Pause::default());
                assert!(!held.was_abandoned);
                let counter = &memory.words()[1];
                counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            }
        };
        let threads: Vec<_> =
            (0..4).map(|_| Arc::clone(&memory)).map(|memory| thread::spawn(move || add(memory))).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(memory.words()[1].load(Ordering::Relaxed), 80_000);
        assert_eq!(memory.half_words()[0].load(Ordering::Relaxed), FREE);
    }

    #[test]
    fn the_lock_of_a_dead_thread_is_taken_over() {
        let (memory, _fd) = SealedMemory::create("lock", 4096).unwrap();
        let word = &memory.half_words()[0];
        thread::scope(|scope| {
            scope.spawn(|| std::mem::forget(ProcessLock::new(word).take(Pause::default()))).join().unwrap();
        });
        assert_ne!(word.load(Ordering::Relaxed), FREE);
        assert!(ProcessLock::new(word).take(Pause::default()).was_abandoned);
        assert!(!ProcessLock::new(word).take(Pause::default()).was_abandoned, "it is as any other");
    }
}
