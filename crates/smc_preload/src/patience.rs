//! How long a thread spins before it sleeps: what comes while it spins is there tens of microseconds sooner.

use std::hint::spin_loop;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use halftrack_shared_memory::Pause;

/// Longest time of a spin, in microseconds (our choice: about as long as a sleep and a wake of another processor take).
const LONGEST_US: u32 = 50;
/// Time to which spins that found nothing are shortened (our choice).
const SHORTEST_US: u32 = 1;
/// Wait that is short enough to have been spun through, with the wake behind it (our choice).
const WOULD_HAVE_HELPED: Duration = Duration::from_micros(200);
/// Pauses between two looks at the clock.
const PAUSES: u32 = 16;
/// Times that the only processor is given away before a sleep (our choice).
const YIELDS: u32 = 16;

static PAUSE: LazyLock<Pause> = LazyLock::new(Pause::default);

/// Patience of those who wait for one thing.
#[derive(Debug)]
pub struct Patience {
    limit_us: AtomicU32,
}

impl Patience {
    /// Makes the patience of whoever has not waited yet.
    pub const fn new() -> Self {
        Self { limit_us: AtomicU32::new(LONGEST_US) }
    }

    /// Spins until `is_over`, at most as long as the last waits were worth; returns whether it is.
    pub fn spin(&self, mut is_over: impl FnMut() -> bool) -> bool {
        let is_found =
            if PAUSE.shares_processor() { give_away(&mut is_over) } else { self.spin_beside(&mut is_over) };
        if is_found {
            self.limit_us.store(LONGEST_US, Ordering::Relaxed);
        }
        is_found
    }

    fn spin_beside(&self, is_over: &mut impl FnMut() -> bool) -> bool {
        let limit = Duration::from_micros(self.limit_us.load(Ordering::Relaxed).into());
        let began = Instant::now();
        loop {
            for _ in 0..PAUSES {
                if is_over() {
                    return true;
                }
                spin_loop();
            }
            if began.elapsed() > limit {
                return false;
            }
        }
    }

    /// Takes how long a sleep was, behind a spin that found nothing.
    pub fn slept(&self, time: Duration) {
        let limit = self.limit_us.load(Ordering::Relaxed);
        let next = if time < WOULD_HAVE_HELPED { LONGEST_US } else { (limit / 2).max(SHORTEST_US) };
        self.limit_us.store(next, Ordering::Relaxed);
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
