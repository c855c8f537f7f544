//! `halftrack link`: records of links of channels, control units and directors.

mod incidents;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Arguments of `halftrack link`.
#[derive(Debug, Args)]
pub struct LinkArguments {
    #[command(subcommand)]
    command: LinkCommand,
}

/// Subcommands of `halftrack link`.
#[derive(Debug, Subcommand)]
enum LinkCommand {
    /// Show the link incidents that channels, control units and directors have recorded
    #[command(after_help = incidents::EXAMPLES)]
    Incidents(incidents::IncidentsArguments),
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input; output that cannot be written.
pub fn link(arguments: &LinkArguments) -> Result<bool, Failure> {
    match &arguments.command {
        LinkCommand::Incidents(arguments) => incidents::incidents(arguments),
    }
}
