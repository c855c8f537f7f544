//! `halftrack bench smc`: sockets of two processes over SMC-R, beside plain TCP.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use halftrack_bench::rounds::Rounds;
use halftrack_bench::smc::{End, FIGURES, FULL, Figures, Part, measure, run_end};

use super::stages::Stages;
use super::{json, table};
use crate::failure::Failure;
use crate::smc::LIBRARY;
use crate::standard_output::print;

/// Examples and exit codes of `halftrack bench smc --help`.
pub const EXAMPLES: &str = "\
Two processes, each this command, use TCP sockets of the standard library over loopback: with
libhalftrack_smc_preload.so in front of their libraries, and without. The receiver compares every
octet. The figures are medians of rounds in turn:
  smc_1k_rtt_us, tcp_1k_rtt_us              request of 1,024 octets and its answer of as many
  smc_stream_gb_per_s, tcp_stream_gb_per_s  octets in one direction, in writes of 64 KiB
  smc_cpu_s_per_gb, tcp_cpu_s_per_gb        processor time of both ends for 10^9 octets of it
  bytes_verified                            octets that were compared
  calibration_ns                            time of a fixed arithmetic loop, run before

Examples:
  halftrack bench smc
  halftrack bench smc --quick --json
  taskset -c 0 halftrack bench smc          with one processor

Exit codes: 0 fine, 1 an octet was another one or a process failed, 2 bad input.";

/// Arguments of `halftrack bench smc`.
#[derive(Debug, Args)]
pub struct SmcArguments {
    /// One short round
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Library of SMC-R, when it is not beside this command
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Be an end of a measurement
    #[arg(long, hide = true, value_enum)]
    end: Option<PartWord>,
    /// Server of an end that connects
    #[arg(long, hide = true, requires = "end")]
    server: Option<SocketAddr>,
    /// Time that an end measures
    #[arg(long, hide = true, requires = "server", default_value_t = 1.0)]
    seconds: f64,
}

/// Part of a measurement on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PartWord {
    RoundTrips,
    Stream,
}

/// Measures everything and prints it.
///
/// # Errors
/// No library; a process that does not start; an octet that was another one.
pub fn bench(arguments: &SmcArguments) -> Result<bool, Failure> {
    if let Some(word) = arguments.end {
        let part = match word {
            PartWord::RoundTrips => Part::RoundTrips,
            PartWord::Stream => Part::Stream,
        };
        let client = |server| End::Client { server, seconds: arguments.seconds };
        let end = arguments.server.map_or(End::Server, client);
        run_end(part, end, &mut |line| print(&format!("{line}\n")))?;
        return Ok(true);
    }
    let rounds = if arguments.quick { Rounds::QUICK } else { FULL };
    let command = std::env::current_exe()?;
    let library = LIBRARY.find(arguments.library.as_deref())?;
    let stages = Stages::new(rounds.stages(FIGURES));
    let figures = measure(&command, &library, rounds, &mut |stage| stages.next(stage))?;
    drop(stages);
    print(&if arguments.json { json(&figures) } else { to_table(&figures, rounds) })?;
    Ok(true)
}

fn to_table(figures: &Figures, rounds: Rounds) -> String {
    let times = |more: f64, less: f64| format!("{:.1} times", more / less);
    table(&[
        ("smc_1k_rtt_us", format!("{:.2}", figures.smc_1k_rtt_us)),
        ("tcp_1k_rtt_us", format!("{:.2}", figures.tcp_1k_rtt_us)),
        ("faster", times(figures.tcp_1k_rtt_us, figures.smc_1k_rtt_us)),
        ("smc_stream_gb_per_s", format!("{:.2}", figures.smc_stream_gb_per_s)),
        ("tcp_stream_gb_per_s", format!("{:.2}", figures.tcp_stream_gb_per_s)),
        ("more", times(figures.smc_stream_gb_per_s, figures.tcp_stream_gb_per_s)),
        ("smc_cpu_s_per_gb", format!("{:.3}", figures.smc_cpu_s_per_gb)),
        ("tcp_cpu_s_per_gb", format!("{:.3}", figures.tcp_cpu_s_per_gb)),
        ("bytes_verified", figures.bytes_verified.to_string()),
        ("calibration_ns", figures.calibration_ns.to_string()),
        ("rounds", rounds.count.to_string()),
    ])
}
