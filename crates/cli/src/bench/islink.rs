//! `halftrack bench islink`: rate of a logical link of two processes on this host.

use clap::{Args, ValueEnum};
use halftrack_bench::islink::{Answer, FIGURES, FULL, Figures, answer, measure};
use halftrack_bench::rounds::Rounds;

use super::stages::Stages;
use super::{json, table};
use crate::failure::Failure;
use crate::standard_output::print;

/// Examples and exit codes of `halftrack bench islink --help`.
pub const EXAMPLES: &str = "\
Two systems, each this command (`halftrack islink`) on a processor of its own where there are two,
move octets over one channel with four devices (FCTC) in one direction. The figures are medians of
rounds in turn, in 10^6 bytes a second:
  islink_mb_per_s      blocks of 1 MiB over the logical link; the receiver compares every octet
  tcp_mb_per_s         a bare TCP stream in writes of 1 MiB; nothing is done to the octets
  bare_loop_mb_per_s   frames of the same lengths over TCP: CRC made and checked, every octet
                       compared, credits both ways; no state machines, no adapters
  bytes_verified       octets over the link, all of them compared
  calibration_ns       time of a fixed arithmetic loop, run before

Examples:
  halftrack bench islink
  halftrack bench islink --quick --json

Exit codes: 0 fine, 1 an octet was another one or a process failed, 2 bad input.";

/// Arguments of `halftrack bench islink`.
#[derive(Debug, Args)]
pub struct IslinkArguments {
    /// One short round
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Be the answering end of a bare measurement
    #[arg(long, hide = true, exclusive = true, value_enum)]
    answer: Option<AnswerWord>,
}

/// An answering end on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerWord {
    Stream,
    Frames,
}

/// Measures everything and prints it.
///
/// # Errors
/// A process that does not start; an octet that was another one.
pub fn bench(arguments: &IslinkArguments) -> Result<bool, Failure> {
    if let Some(word) = arguments.answer {
        let kind = match word {
            AnswerWord::Stream => Answer::Stream,
            AnswerWord::Frames => Answer::Frames,
        };
        answer(kind, &mut |line| print(&format!("{line}\n")))?;
        return Ok(true);
    }
    let rounds = if arguments.quick { Rounds::QUICK } else { FULL };
    let command = std::env::current_exe()?;
    let stages = Stages::new(rounds.stages(FIGURES));
    let figures = measure(&command, rounds, &mut |stage| stages.next(stage))?;
    drop(stages);
    print(&if arguments.json { json(&figures) } else { to_table(&figures, rounds) })?;
    Ok(true)
}

fn to_table(figures: &Figures, rounds: Rounds) -> String {
    let of = |whole: f64| format!("{:.0} %", figures.islink_mb_per_s / whole * 100.0);
    table(&[
        ("islink_mb_per_s", format!("{:.0}", figures.islink_mb_per_s)),
        ("tcp_mb_per_s", format!("{:.0}", figures.tcp_mb_per_s)),
        ("of the bare stream", of(figures.tcp_mb_per_s)),
        ("bare_loop_mb_per_s", format!("{:.0}", figures.bare_loop_mb_per_s)),
        ("of the bare loop", of(figures.bare_loop_mb_per_s)),
        ("bytes_verified", figures.bytes_verified.to_string()),
        ("devices", figures.devices.to_string()),
        ("calibration_ns", figures.calibration_ns.to_string()),
        ("rounds", rounds.count.to_string()),
    ])
}
