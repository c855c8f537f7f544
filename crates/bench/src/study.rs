//! Speed of a run in virtual time.

use std::time::{Duration, Instant};

use halftrack::{Progress, Run, RunCounters, Simulation};
use serde::Serialize;

use crate::calibration::calibration_ns;
use crate::peak_rss::peak_rss_bytes;
use crate::processor_time::{process_time, thread_time};

/// Shortest wall-clock time that speeds are computed from, s.
const SHORTEST_WALL_S: f64 = 1e-9;

/// Speed of a run. Counts are those of the whole run, warm-up included.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// I/Os ended.
    pub ios: u64,
    /// Events handled.
    pub events: u64,
    /// Virtual time, s.
    pub simulated_s: f64,
    /// Wall-clock time of reading, checking and wiring the study, s.
    pub setup_s: f64,
    /// Wall-clock time of the run, s, without that.
    pub wall_s: f64,
    /// I/Os for each second of wall clock.
    pub ios_per_wall_s: f64,
    /// Seconds simulated for each second of wall clock.
    pub real_time_factor: f64,
    /// Processor time of the run on all threads, s: what they wait for each other is in it.
    pub cpu_s: f64,
    /// Part of the first thread, which with two threads has SAPs and channels alone, s.
    pub first_thread_cpu_s: f64,
    /// Largest resident memory of the process, bytes; `null` where the system has no such figure.
    pub peak_rss_bytes: Option<u64>,
    /// Worker threads that the run used.
    pub threads: usize,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Measures `set_up`, which gives a simulation, then the run; returns the run too.
///
/// # Errors
/// Errors of `set_up`.
pub fn measure<E>(
    set_up: impl FnOnce() -> Result<Simulation, E>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Run, Figures), E> {
    let began = Instant::now();
    let mut simulation = set_up()?;
    let setup_s = began.elapsed().as_secs_f64();
    let calibration_ns = calibration_ns();
    let ((run, counters), spent) = Spent::of(|| simulation.run(progress));
    Ok((run, Figures::new(counters, setup_s, &spent, simulation.threads(), calibration_ns)))
}

/// Times of the run.
#[derive(Debug)]
struct Spent {
    /// By the clock on the wall.
    wall: Duration,
    /// On processors, all threads.
    all: Duration,
    /// On processors, this thread.
    first: Duration,
}

impl Spent {
    /// Calls `run` and times it. This thread's time is read inside that of all, of which it is a part.
    fn of<T>(run: impl FnOnce() -> T) -> (T, Self) {
        let (all, first, wall) = (process_time(), thread_time(), Instant::now());
        let result = run();
        let (wall, first) = (wall.elapsed(), thread_time() - first);
        (result, Self { wall, all: process_time() - all, first })
    }
}

impl Figures {
    fn new(counters: RunCounters, setup_s: f64, spent: &Spent, threads: usize, calibration_ns: u64) -> Self {
        let simulated_s = counters.simulated.as_s_f64();
        // A clock too coarse to see the run must not make the figures infinite, for which JSON has no number.
        let wall_s = spent.wall.as_secs_f64().max(SHORTEST_WALL_S);
        Self {
            ios: counters.ios,
            events: counters.events,
            simulated_s,
            setup_s,
            wall_s,
            ios_per_wall_s: counters.ios as f64 / wall_s,
            real_time_factor: simulated_s / wall_s,
            cpu_s: spent.all.as_secs_f64(),
            first_thread_cpu_s: spent.first.as_secs_f64(),
            peak_rss_bytes: peak_rss_bytes(),
            threads,
            calibration_ns,
        }
    }
}
