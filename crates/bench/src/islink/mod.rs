//! A logical link of two systems on this host, each a process, beside a bare TCP stream of equal writes, and beside frames of
//! the same lengths with CRC made and checked and every octet compared.

mod answering;
mod bare_frames;
mod bare_stream;
mod systems;

use std::path::Path;

use serde::Serialize;

use crate::bench_error::BenchError;
use crate::calibration::calibration_ns;
use crate::rounds::{Rounds, median};

pub use answering::{Answer, answer};

/// Figures that a round has.
pub const FIGURES: usize = 3;
/// Rounds whose medians can be compared.
pub const FULL: Rounds = Rounds { count: 5, measured_s: 2.0 };

/// Medians of the rounds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figures {
    /// Octets over the logical link, all compared, 10^6 bytes a second.
    pub islink_mb_per_s: f64,
    /// Octets over a bare TCP stream, in writes of a block, 10^6 bytes a second.
    pub tcp_mb_per_s: f64,
    /// Octets in frames with CRC, all compared, 10^6 bytes a second.
    pub bare_loop_mb_per_s: f64,
    /// Octets of the link that were compared.
    pub bytes_verified: u64,
    /// Devices of the link.
    pub devices: u32,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Measures all figures round by round. `command` is the `halftrack` command that each system and each bare end is; `stage` is
/// called with the name of each stage as it begins.
///
/// # Errors
/// A process that does not start; an octet that was another one.
pub fn measure(
    command: &Path,
    rounds: Rounds,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Figures, BenchError> {
    stage("calibrating");
    let mut figures =
        Figures { calibration_ns: calibration_ns(), devices: systems::DEVICES, ..Figures::default() };
    let site = systems::Site::make()?;
    stage("a short transfer");
    let mut bytes = systems::FIRST_BYTES;
    let first = site.transfer(command, bytes)?;
    let [mut link, mut tcp, mut frames] = [const { Vec::new() }; 3];
    let mut mb_per_s = first.mb_per_s;
    for _ in 0..rounds.count {
        stage("the logical link");
        bytes = ((mb_per_s * 1e6 * rounds.measured_s) as u64).max(systems::FIRST_BYTES);
        let run = site.transfer(command, bytes)?;
        mb_per_s = run.mb_per_s;
        figures.bytes_verified += run.bytes_verified;
        link.push(run.mb_per_s);
        stage("the bare stream");
        tcp.push(bare_stream::measure(command, rounds.measured_s)?);
        stage("bare frames");
        frames.push(bare_frames::measure(command, rounds.measured_s)?);
    }
    let [link, tcp, frames] = [link, tcp, frames].map(median);
    Ok(Figures { islink_mb_per_s: link, tcp_mb_per_s: tcp, bare_loop_mb_per_s: frames, ..figures })
}
