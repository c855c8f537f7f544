//! Reads over a working link between two processes on this host, beside frames without state machines.

mod bare;
pub mod bare_loop;
pub(crate) mod children;
pub(crate) mod in_process;
mod processors;
pub(crate) mod site;

use std::path::Path;

use serde::Serialize;

use self::children::Serving;
use self::site::{Load, Site};
use crate::bench_error::BenchError;
use crate::calibration::calibration_ns;
use crate::rounds::{Rounds, median};

pub use self::bare::serve as serve_bare_loop;

/// Figures that a round has.
pub const FIGURES: usize = 9;

/// Rounds whose medians can be compared.
pub const FULL: Rounds = Rounds { count: 5, measured_s: 1.2 };

/// Medians of the rounds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figures {
    /// Reads of 4 KiB a second in transport mode, 128 at a time.
    pub zhpf_4k_read_per_s: f64,
    /// Reads of 128 KiB in transport mode, 16 at a time, in 10^6 bytes a second.
    pub zhpf_128k_read_mb_per_s: f64,
    /// Reads of 4 KiB a second in command mode, 128 at a time.
    pub ficon_4k_read_per_s: f64,
    /// 99th percentile of the response of 4 KiB reads in transport mode, one at a time, us.
    pub p99_qd1_us: f64,
    /// Reads of 4 KiB a second over FCP, 128 at a time.
    pub fcp_4k_read_per_s: f64,
    /// Reads of 128 KiB over FCP, 16 at a time, in 10^6 bytes a second.
    pub fcp_128k_read_mb_per_s: f64,
    /// 99th percentile of the response of 4 KiB reads over FCP, one at a time, us.
    pub fcp_p99_qd1_us: f64,
    /// Processor time of both processes for each 4 KiB read in transport mode, us.
    pub cpu_us_per_io: f64,
    /// Reads of 4 KiB a second as frames only.
    pub bare_loop_4k_per_s: f64,
    /// Reads of 4 KiB a second in transport mode between two threads of one process.
    pub in_process_4k_per_s: f64,
    /// Octets of all reads, all of them compared.
    pub bytes_verified: u64,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Measures all figures round by round. `command` is the `halftrack` command that serves, drives and answers the bare loop;
/// `stage` is called with the name of each stage as it begins.
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
    let mut figures = Figures { calibration_ns: calibration_ns(), ..Figures::default() };
    stage("making the volume");
    let site = Site::make()?;
    in_process::format(&site)?;
    let filling = Serving::start(command, &site)?;
    filling.drive(&site, Load::FcpFill, seconds)?;
    filling.end()?;
    let mut found: [Vec<f64>; FIGURES + 1] = Default::default();
    for _ in 0..rounds.count {
        let serving = Serving::start(command, &site)?;
        stage("4K reads in transport mode");
        let run = serving.drive(&site, Load::Transport4K, seconds)?;
        found[0].push(run.ios_per_s);
        found[6].push(run.cpu_us_per_io);
        figures.bytes_verified += run.bytes_verified;
        stage("128K reads in transport mode");
        let run = serving.drive(&site, Load::Transport128K, seconds)?;
        found[1].push(run.mb_per_s);
        figures.bytes_verified += run.bytes_verified;
        stage("4K reads in command mode");
        let run = serving.drive(&site, Load::Command4K, seconds)?;
        found[2].push(run.ios_per_s);
        figures.bytes_verified += run.bytes_verified;
        stage("one 4K read at a time");
        let run = serving.drive(&site, Load::OneAtATime, seconds)?;
        found[3].push(run.p99_us);
        figures.bytes_verified += run.bytes_verified;
        stage("4K reads over FCP");
        let run = serving.drive(&site, Load::Fcp4K, seconds)?;
        found[7].push(run.ios_per_s);
        figures.bytes_verified += run.bytes_verified;
        stage("128K reads over FCP");
        let run = serving.drive(&site, Load::Fcp128K, seconds)?;
        found[8].push(run.mb_per_s);
        figures.bytes_verified += run.bytes_verified;
        stage("one 4K read at a time over FCP");
        let run = serving.drive(&site, Load::FcpOneAtATime, seconds)?;
        found[9].push(run.p99_us);
        figures.bytes_verified += run.bytes_verified;
        serving.end()?;
        stage("the bare loop");
        found[4].push(bare::measure(command, seconds)?);
        stage("within a process");
        let (per_s, bytes) = in_process::measure(&site, seconds)?;
        found[5].push(per_s);
        figures.bytes_verified += bytes;
    }
    let [zhpf, long, ficon, p99, bare, within, cpu, fcp, fcp_long, fcp_p99] = found.map(median);
    Ok(Figures {
        zhpf_4k_read_per_s: zhpf,
        zhpf_128k_read_mb_per_s: long,
        ficon_4k_read_per_s: ficon,
        p99_qd1_us: p99,
        fcp_4k_read_per_s: fcp,
        fcp_128k_read_mb_per_s: fcp_long,
        fcp_p99_qd1_us: fcp_p99,
        cpu_us_per_io: cpu,
        bare_loop_4k_per_s: bare,
        in_process_4k_per_s: within,
        ..figures
    })
}
