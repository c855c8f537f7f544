//! `halftrack bench STUDY`: how fast a study is simulated.

use std::io;
use std::time::Instant;

use halftrack_machine::{RunCounters, Simulation};
use serde::Serialize;

use super::table;
use crate::arguments::StudyArguments;
use crate::calibration::calibration_ns;
use crate::failure::Failure;
use crate::peak_rss::peak_rss_bytes;
use crate::precision::say_missed;
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
    /// Wall-clock time, s, reading and wiring not included.
    wall_s: f64,
    /// I/Os for each second of wall clock.
    ios_per_wall_s: f64,
    /// Seconds simulated for each second of wall clock.
    real_time_factor: f64,
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
    let configuration = study::load(arguments)?;
    let options = study::options(arguments, &configuration);
    let simulation = Simulation::new(configuration, options)?;
    let calibration_ns = calibration_ns();
    let bar = ProgressBar::new();
    let began = Instant::now();
    let (run, counters) = simulation.run(&mut |progress| bar.show(progress));
    let wall_s = began.elapsed().as_secs_f64();
    bar.clear();
    let figures = Figures::new(counters, wall_s, options.threads, calibration_ns);
    let text = if json { figures.to_json() } else { figures.to_table() };
    print(&text)?;
    say_missed(&run, &mut io::stderr().lock())?;
    Ok(laws_held(&run.checkers, &mut io::stderr().lock())?)
}

impl Figures {
    fn new(counters: RunCounters, wall_s: f64, threads: usize, calibration_ns: u64) -> Self {
        let simulated_s = counters.simulated.as_s_f64();
        // A clock too coarse to see the run must not make the figures infinite, which JSON cannot say.
        let wall_s = wall_s.max(SHORTEST_WALL_S);
        Self {
            ios: counters.ios,
            events: counters.events,
            simulated_s,
            wall_s,
            ios_per_wall_s: counters.ios as f64 / wall_s,
            real_time_factor: simulated_s / wall_s,
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
            ("wall_s", format!("{:.3}", self.wall_s)),
            ("ios_per_wall_s", format!("{:.0}", self.ios_per_wall_s)),
            ("real_time_factor", format!("{:.4}", self.real_time_factor)),
            ("peak_rss_bytes", memory),
            ("threads", self.threads.to_string()),
            ("calibration_ns", self.calibration_ns.to_string()),
        ];
        table(&rows)
    }
}
