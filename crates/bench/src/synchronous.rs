//! Synchronous reads of a record between two processes on this host, beside the same reads over a fibre in memory and over
//! TCP.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use serde::Serialize;

use crate::bench_error::BenchError;
use crate::calibration::calibration_ns;
use crate::link::children::Serving;
use crate::link::in_process;
use crate::link::site::{Load, Site};
use crate::rounds::{Rounds, median};

/// Figures that a round has.
pub const FIGURES: usize = 3;

/// Rounds whose medians can be compared.
pub const FULL: Rounds = Rounds { count: 5, measured_s: 1.0 };

/// Medians of the rounds, and counts of all rounds together.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figures {
    /// Median response of reads that are synchronous first, fall-backs included, us.
    pub sync_4k_read_p50_us: f64,
    /// 99th percentile of it, us.
    pub sync_4k_read_p99_us: f64,
    /// Median response over a channel path whose fibre is memory of two threads, us.
    pub fibre_4k_read_p50_us: f64,
    /// 99th percentile of it, us.
    pub fibre_4k_read_p99_us: f64,
    /// Median response over a channel path whose fibre is TCP between two processes, us.
    pub tcp_4k_read_p50_us: f64,
    /// 99th percentile of it, us.
    pub tcp_4k_read_p99_us: f64,
    /// Processor time of both processes for each read that is synchronous first, us.
    pub cpu_us_per_io: f64,
    /// Processor time of both processes for each read over TCP, us.
    pub tcp_cpu_us_per_io: f64,
    /// Synchronous attempts.
    pub attempts: u64,
    /// Attempts that brought the record.
    pub successes: u64,
    /// Reads that went over the channel path after an attempt, by reason.
    pub fall_backs: BTreeMap<String, u64>,
    /// Processors that this process may use.
    pub processors: usize,
    /// Octets of all reads, all of them compared.
    pub bytes_verified: u64,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Measures all figures round by round, one read at a time on one volume. `command` is the `halftrack` command that serves and
/// drives; `stage` is called with the name of each stage as it begins.
///
/// # Errors
/// A directory without room; a process that does not start; an I/O that failed or a record that was wrong.
pub fn measure(
    command: &Path,
    rounds: Rounds,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Figures, BenchError> {
    let seconds = rounds.measured_s;
    stage("calibrating");
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut figures = Figures { calibration_ns: calibration_ns(), processors, ..Figures::default() };
    stage("making the volume");
    let site = Site::make()?;
    in_process::format(&site)?;
    let mut found: [Vec<f64>; 8] = Default::default();
    for _ in 0..rounds.count {
        let mut of_round = [0.0; 8];
        let serving = Serving::start_with_adapter(command, &site)?;
        let loads = [("synchronous reads", Load::Synchronous), ("reads over TCP", Load::OneAtATime)];
        for (way, (name, load)) in loads.into_iter().enumerate() {
            stage(name);
            let run = serving.drive(&site, load, seconds)?;
            let [p50, p99, cpu] = [[0, 1, 6], [4, 5, 7]][way];
            (of_round[p50], of_round[p99]) = (run.p50_us, run.p99_us);
            of_round[cpu] = run.cpu_us_per_io;
            figures.bytes_verified += run.bytes_verified;
            figures.attempts += run.synchronous.attempts;
            figures.successes += run.synchronous.successes;
            for (reason, count) in run.synchronous.by_reason {
                *figures.fall_backs.entry(reason).or_default() += count;
            }
        }
        serving.end()?;
        stage("reads over a fibre in memory");
        let (quantiles, bytes) = in_process::measure_one_at_a_time(&site, seconds)?;
        [of_round[2], of_round[3]] = quantiles;
        figures.bytes_verified += bytes;
        found.iter_mut().zip(of_round).for_each(|(found, figure)| found.push(figure));
    }
    let [sync_p50, sync_p99, fibre_p50, fibre_p99, tcp_p50, tcp_p99, cpu, tcp_cpu] = found.map(median);
    Ok(Figures {
        sync_4k_read_p50_us: sync_p50,
        sync_4k_read_p99_us: sync_p99,
        fibre_4k_read_p50_us: fibre_p50,
        fibre_4k_read_p99_us: fibre_p99,
        tcp_4k_read_p50_us: tcp_p50,
        tcp_4k_read_p99_us: tcp_p99,
        cpu_us_per_io: cpu,
        tcp_cpu_us_per_io: tcp_cpu,
        ..figures
    })
}
