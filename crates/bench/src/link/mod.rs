//! Reads over a working link between two processes on this host, beside frames without state machines.

mod bare;
pub mod bare_loop;
pub(crate) mod children;
pub(crate) mod in_process;
pub(crate) mod processors;
pub(crate) mod site;

use std::path::Path;

use serde::Serialize;

use self::children::{DriveRun, Serving};
use self::site::{Load, Site};
use crate::bench_error::BenchError;
use crate::calibration::calibration_ns;
use crate::rounds::{Rounds, median};

pub use self::bare::serve as serve_bare_loop;

/// Figures that a round has.
pub const FIGURES: usize = STAGES.len() + 2;

/// A stage of a round over the link: its name, its load, and its figure.
type Stage = (&'static str, Load, fn(&DriveRun) -> f64);

/// The stages of a round over the link.
const STAGES: [Stage; 7] = [
    ("4K reads in transport mode", Load::Transport4K, |run| run.ios_per_s),
    ("128K reads in transport mode", Load::Transport128K, |run| run.mb_per_s),
    ("4K reads in command mode", Load::Command4K, |run| run.ios_per_s),
    ("one 4K read at a time", Load::OneAtATime, |run| run.p99_us),
    ("4K reads over FCP", Load::Fcp4K, |run| run.ios_per_s),
    ("128K reads over FCP", Load::Fcp128K, |run| run.mb_per_s),
    ("one 4K read at a time over FCP", Load::FcpOneAtATime, |run| run.p99_us),
];

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
    let mut found: [Vec<f64>; STAGES.len()] = Default::default();
    let [mut cpu, mut bare, mut within] = [const { Vec::new() }; 3];
    for _ in 0..rounds.count {
        let serving = Serving::start(command, &site)?;
        for ((name, load, figure), found) in STAGES.iter().zip(&mut found) {
            stage(name);
            let run = serving.drive(&site, *load, seconds)?;
            found.push(figure(&run));
            figures.bytes_verified += run.bytes_verified;
            if *load == Load::Transport4K {
                cpu.push(run.cpu_us_per_io);
            }
        }
        serving.end()?;
        stage("the bare loop");
        bare.push(bare::measure(command, seconds)?);
        stage("within a process");
        let (per_s, bytes) = in_process::measure(&site, seconds)?;
        within.push(per_s);
        figures.bytes_verified += bytes;
    }
    let [zhpf, long, ficon, p99, fcp, fcp_long, fcp_p99] = found.map(median);
    let [cpu, bare, within] = [cpu, bare, within].map(median);
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
