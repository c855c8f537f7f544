//! How long a thread spins before it sleeps: what comes while it spins is there tens of microseconds sooner.

use std::hint::spin_loop;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use halftrack_shared_memory::Pause;

/// Mean wait up to which spins are worth it (our choice: several times as long as a sleep and a wake of another processor take).
const WORTH_US: u32 = 150;
/// Longest time of a spin where they are, and where they are not (our choice).
const LONG: Duration = Duration::from_micros(200);
const SHORT: Duration = Duration::from_micros(1);
/// Time of a spin in which the processor is kept (our choice).
const ALONE: Duration = Duration::from_micros(5);
/// Part of a wait in the mean: one over a power of two.
const SHIFT: u32 = 2;
/// Pauses between two readings of the clock.
const PAUSES: u32 = 16;
/// Times that the only processor is given away before a sleep (our choice).
const YIELDS: u32 = 16;

static PAUSE: LazyLock<Pause> = LazyLock::new(Pause::default);

/// Patience of those who wait for one thing: they spin where the last waits were short.
#[derive(Debug)]
pub struct Patience {
    /// Mean of the last waits, microseconds.
    mean_us: AtomicU32,
}

impl Patience {
    /// Makes the patience of whoever has not waited yet.
    pub const fn new() -> Self {
        Self { mean_us: AtomicU32::new(0) }
    }

    /// Spins until `is_over`, as long as the last waits were worth; returns whether it is.
    pub fn spin(&self, mut is_over: impl FnMut() -> bool) -> bool {
        if PAUSE.shares_processor() {
            return give_away(&mut is_over);
        }
        let mean_us = self.mean_us.load(Ordering::Relaxed);
        let limit = if mean_us <= WORTH_US { LONG } else { SHORT };
        let began = Instant::now();
        loop {
            for _ in 0..PAUSES {
                if is_over() {
                    self.waited(began.elapsed());
                    return true;
                }
                spin_loop();
            }
            let spun = began.elapsed();
            if spun > limit {
                return false;
            }
            if spun > ALONE {
                // Whoever else can run does, the peer among them.
                yield_now();
            }
        }
    }

    /// Takes how long a wait was: that of a sleep with the spin before it.
    pub fn waited(&self, time: Duration) {
        let (mean, time) = (self.mean_us.load(Ordering::Relaxed), time.as_micros().min(1 << 20) as u32);
        self.mean_us.store(mean - (mean >> SHIFT) + (time >> SHIFT), Ordering::Relaxed);
    }
}

/// Gives the only processor to the peer a few times.
fn give_away(is_over: &mut impl FnMut() -> bool) -> bool {
    (0..YIELDS).any(|_| {
        let is_found = is_over();
        if !is_found {
            yield_now();
        }
        is_found
    }) || is_over()
}
