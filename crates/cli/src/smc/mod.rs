//! `halftrack smc`: TCP connections of unmodified programs over SMC-R.

mod group;
mod port;
mod program;
mod readable;
mod run;
mod stat;

use clap::{Args, Subcommand};

use crate::failure::Failure;
pub use run::LIBRARY;

/// Words at the end of `halftrack smc --help`.
pub const EXAMPLES: &str = "\
Programs of this host that are started by `halftrack smc run` speak TCP first. Where both ends of a
connection are such programs, its octets go through memory that they share; where not, over TCP as
ever, and `halftrack smc stat` shows the reason.

Examples:
  halftrack smc run redis-server --port 6400 --save '' &
  halftrack smc run redis-benchmark -p 6400 -t get -c 1
  halftrack smc stat

Exit codes: 0 fine, 1 the system failed, 2 bad input.";

/// Arguments of `halftrack smc`.
#[derive(Debug, Args)]
pub struct SmcArguments {
    #[command(subcommand)]
    command: SmcCommand,
}

/// Subcommands of `halftrack smc`.
#[derive(Debug, Subcommand)]
enum SmcCommand {
    /// Run a program whose TCP connections move to SMC-R
    #[command(after_help = run::EXAMPLES)]
    Run(run::RunArguments),
    /// Remove the control group of a program, once it is empty
    #[command(hide = true)]
    RemoveGroup(group::RemoveGroupArguments),
    /// Take a port of a process away, or give it back
    #[command(after_help = port::EXAMPLES)]
    Port(port::PortArguments),
    /// Show connections, link groups, buffers, and connections that stayed with TCP
    #[command(after_help = stat::EXAMPLES)]
    Stat(stat::StatArguments),
}

/// Runs a subcommand.
///
/// # Errors
/// Errors of the subcommand.
pub fn smc(arguments: &SmcArguments) -> Result<bool, Failure> {
    match &arguments.command {
        SmcCommand::Run(run) => run::run(run),
        SmcCommand::RemoveGroup(group) => group::remove_group(group),
        SmcCommand::Port(port) => port::port(port),
        SmcCommand::Stat(stat) => stat::stat(stat),
    }
}
