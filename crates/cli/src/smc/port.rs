//! `halftrack smc port`: ports of a process that are taken away and given back.

use clap::{Args, ValueEnum};
use halftrack_smc_host::set_ports;

use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::table::counted;

/// Words at the end of `halftrack smc port --help`.
pub const EXAMPLES: &str = "\
A port that is down sends and receives nothing: its link is lost, and the connections on it go on
over the other link of their group. A port that is up again gets a new link. The process follows
within 50 ms; ports are those of its connections at this time.

Examples:
  halftrack smc port 4711 1 down
  halftrack smc port 4711 1 up

Exit codes: 0 fine, 1 the system failed, 2 bad input.";

/// Arguments of `halftrack smc port`.
#[derive(Debug, Args)]
pub struct PortArguments {
    /// Process
    process: u32,
    /// Port
    #[arg(value_parser = clap::value_parser!(u8).range(1..=2))]
    port: u8,
    /// State
    #[arg(value_enum)]
    state: StateWord,
}

/// State on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StateWord {
    Down,
    Up,
}

/// Takes the port away, or gives it back.
///
/// # Errors
/// The process is not there or another user's, or has no connections over links.
pub fn port(arguments: &PortArguments) -> Result<bool, Failure> {
    let PortArguments { process, port, state } = *arguments;
    let refused = |reason: String| Failure::Argument(format!("process {process}: {reason}"));
    let bits = 1 << (port - 1);
    let count =
        set_ports(process, bits, state == StateWord::Down).map_err(|error| refused(error.to_string()))?;
    if count == 0 {
        return Err(refused(
            "it has no connections over SMC-R (`halftrack smc stat` shows those that have)".to_owned(),
        ));
    }
    let word = if state == StateWord::Down { "down" } else { "up" };
    print(&format!("port {port} of process {process} is {word}, for {}\n", counted(count, "connection")))?;
    Ok(true)
}
