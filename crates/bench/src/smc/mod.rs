//! TCP sockets of two processes of this host, over SMC-R by the library that is loaded in front of theirs, beside plain TCP.

mod ends;

use std::path::Path;

use serde::Serialize;

use crate::bench_error::BenchError;
use crate::calibration::calibration_ns;
use crate::rounds::{Rounds, median};

pub use ends::{End, Part, run_end};

/// Figures that a round has.
pub const FIGURES: usize = 4;
/// Rounds whose medians can be compared.
pub const FULL: Rounds = Rounds { count: 5, measured_s: 1.0 };

/// Medians of the rounds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figures {
    /// Mean time of a request of 1,024 octets and its answer of as many over SMC-R, µs.
    pub smc_1k_rtt_us: f64,
    /// Mean time over TCP, µs.
    pub tcp_1k_rtt_us: f64,
    /// Octets of a stream in writes of 64 KiB over SMC-R, 10^9 bytes a second.
    pub smc_stream_gb_per_s: f64,
    /// Octets of a stream over TCP, 10^9 bytes a second.
    pub tcp_stream_gb_per_s: f64,
    /// Processor time of both ends for 10^9 octets of the stream over SMC-R, s.
    pub smc_cpu_s_per_gb: f64,
    /// Processor time over TCP, s.
    pub tcp_cpu_s_per_gb: f64,
    /// Octets that the receivers compared.
    pub bytes_verified: u64,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Measures all figures round by round. `command` is the `halftrack` command that each end is, `library` the one of SMC-R; `stage` is
/// called with the name of each stage as it begins.
///
/// # Errors
/// A process that does not start; an octet that was another one; a connection that was not carried.
pub fn measure(
    command: &Path,
    library: &Path,
    rounds: Rounds,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Figures, BenchError> {
    stage("calibrating");
    let mut figures = Figures { calibration_ns: calibration_ns(), ..Figures::default() };
    stage("short connections");
    let mut found: [[Vec<f64>; 3]; 2] = Default::default();
    for library in [Some(library), None] {
        ends::measure(command, library, Part::RoundTrips, Rounds::QUICK.measured_s / 10.0)?;
    }
    for _ in 0..rounds.count {
        for (found, library) in found.iter_mut().zip([Some(library), None]) {
            stage(if library.is_some() { "round trips over SMC-R" } else { "round trips over TCP" });
            let trips = ends::measure(command, library, Part::RoundTrips, rounds.measured_s)?;
            stage(if library.is_some() { "a stream over SMC-R" } else { "a stream over TCP" });
            let stream = ends::measure(command, library, Part::Stream, rounds.measured_s)?;
            found[0].push(trips.seconds * 1e6 / trips.messages as f64);
            found[1].push(stream.bytes as f64 / 1e9 / stream.seconds);
            found[2].push(stream.cpu_s * 1e9 / stream.bytes as f64);
            figures.bytes_verified += trips.bytes + stream.bytes;
        }
    }
    let [[smc_rtt, smc_stream, smc_cpu], [tcp_rtt, tcp_stream, tcp_cpu]] = found.map(|of| of.map(median));
    Ok(Figures {
        smc_1k_rtt_us: smc_rtt,
        tcp_1k_rtt_us: tcp_rtt,
        smc_stream_gb_per_s: smc_stream,
        tcp_stream_gb_per_s: tcp_stream,
        smc_cpu_s_per_gb: smc_cpu,
        tcp_cpu_s_per_gb: tcp_cpu,
        ..figures
    })
}
