//! `halftrack bench STUDY`: how fast a study is simulated.

use std::io;
use std::time::{Duration, Instant};

use halftrack::RunCounters;
use serde::Serialize;

use super::processor_time::{process_time, thread_time};
use super::table;
use crate::arguments::StudyArguments;
use crate::calibration::calibration_ns;
use crate::failure::Failure;
use crate::peak_rss::peak_rss_bytes;
use crate::precision::report_missed;
use crate::progress::ProgressBar;
use crate::run::laws_held;
use crate::standard_output::print;
use crate::study;

/// Shortest wall-clock time that speeds are computed from, s.
const SHORTEST_WALL_S: f64 = 1e-9;

/// What is printed. Counts are those of the whole run, warm-up included.
#[derive(Debug, Serialize)]
struct Figures {
    /// I/Os ended.
    ios: u64,
    /// Events handled.
    events: u64,
    /// Virtual time, s.
    simulated_s: f64,
    /// Wall-clock time of reading, checking and wiring the study, s.
    setup_s: f64,
    /// Wall-clock time of the run, s, without that.
    wall_s: f64,
    /// I/Os for each second of wall clock.
    ios_per_wall_s: f64,
    /// Seconds simulated for each second of wall clock.
    real_time_factor: f64,
    /// Processor time of the run on all threads, s: what they wait for each other is in it.
    cpu_s: f64,
    /// Of that the first thread's, which with two threads has SAPs and channels alone, s.
    first_thread_cpu_s: f64,
    /// Largest resident memory of the process, bytes; `null` where the system does not tell.
    peak_rss_bytes: Option<u64>,
    /// Worker threads.
    threads: usize,
    /// Time of the fixed arithmetic loop, ns.
    calibration_ns: u64,
}

/// Runs the study once and prints how fast it was; true when every law held.
///
/// # Errors
/// Bad input, found before anything runs; standard output that cannot be written.
pub fn bench(arguments: &StudyArguments, json: bool) -> Result<bool, Failure> {
    let began = Instant::now();
    let study = study::load(arguments, json)?;
    let options = study::options(arguments, &study);
    let mut simulation = study.simulate(&options)?;
    let setup_s = began.elapsed().as_secs_f64();
    let calibration_ns = calibration_ns();
    let bar = ProgressBar::new();
    let ((run, counters), spent) = Spent::of(|| simulation.run(&mut |progress| bar.show(progress)));
    bar.clear();
    let figures = Figures::new(counters, setup_s, &spent, options.threads, calibration_ns);
    let text = if json { figures.to_json() } else { figures.to_table() };
    print(&text)?;
    report_missed(&run, &mut io::stderr().lock())?;
    Ok(laws_held(&run.checkers, &mut io::stderr().lock())?)
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
    /// Calls `run`, and what it took. This thread's time is read inside that of all, of which it is a part.
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
        // A clock too coarse to see the run must not make the figures infinite, which JSON cannot say.
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

    fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers serialise") + "\n"
    }

    fn to_table(&self) -> String {
        let memory = self.peak_rss_bytes.map_or("unknown".to_owned(), |bytes| bytes.to_string());
        let rows = [
            ("ios", self.ios.to_string()),
            ("events", self.events.to_string()),
            ("simulated_s", format!("{:.3}", self.simulated_s)),
            ("setup_s", format!("{:.3}", self.setup_s)),
            ("wall_s", format!("{:.3}", self.wall_s)),
            ("ios_per_wall_s", format!("{:.0}", self.ios_per_wall_s)),
            ("real_time_factor", format!("{:.4}", self.real_time_factor)),
            ("cpu_s", format!("{:.3}", self.cpu_s)),
            ("first_thread_cpu_s", format!("{:.3}", self.first_thread_cpu_s)),
            ("peak_rss_bytes", memory),
            ("threads", self.threads.to_string()),
            ("calibration_ns", self.calibration_ns.to_string()),
        ];
        table(&rows)
    }
}
