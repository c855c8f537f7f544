//! A barrier for threads that meet very often: it spins before it yields, and opens for ever when poisoned.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

/// Polls before the thread yields its processor: some tens of microseconds, several windows' worth.
const SPINS: u32 = 1_000;

/// Failure of a thread: the run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Poisoned;

/// Barrier that lets `threads` threads through together, again and again.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Barrier {
    threads: u32,
    arrived: AtomicU32,
    turn: AtomicU32,
    poisoned: AtomicBool,
}

impl Barrier {
    pub(super) fn new(threads: u32) -> Self {
        Self {
            threads,
            arrived: AtomicU32::new(0),
            turn: AtomicU32::new(0),
            poisoned: AtomicBool::new(false),
        }
    }

    /// Waits until all threads are here. What each wrote before is then visible to all.
    pub(super) fn wait(&self) -> Result<(), Poisoned> {
        let turn = self.turn.load(Ordering::Relaxed);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.turn.store(turn.wrapping_add(1), Ordering::Release);
        } else {
            let mut looks = 0_u32;
            while self.turn.load(Ordering::Acquire) == turn {
                if self.poisoned.load(Ordering::Acquire) {
                    return Err(Poisoned);
                }
                if looks < SPINS {
                    looks += 1;
                    spin_loop();
                } else {
                    thread::yield_now();
                }
            }
        }
        if self.poisoned.load(Ordering::Acquire) { Err(Poisoned) } else { Ok(()) }
    }

    /// Ends all waiting, now and later.
    pub(super) fn poison(&self) {
        self.poisoned.store(true, Ordering::Release);
    }
}

/// Poisons the barrier if its thread panics.
pub(super) struct PoisonOnPanic<'a>(pub(super) &'a Barrier);

impl Drop for PoisonOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.poison();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_passes_early() {
        let barrier = Barrier::new(3);
        let counts = [const { AtomicU32::new(0) }; 3];
        thread::scope(|scope| {
            for mine in 0..3 {
                let (barrier, counts) = (&barrier, &counts);
                scope.spawn(move || {
                    for round in 1..=500 {
                        counts[mine].store(round, Ordering::Relaxed);
                        barrier.wait().unwrap();
                        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == round));
                        barrier.wait().unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn poison_frees_those_who_wait() {
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| barrier.wait());
            barrier.poison();
            assert_eq!(waiting.join().unwrap(), Err(Poisoned));
        });
        assert_eq!(barrier.wait(), Err(Poisoned));
    }
}
