//! `halftrack study`: studies of whole machines made, and the models that they can be of.

mod models;
mod new;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Words at the end of `halftrack study --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack study models
  halftrack study new --model Max39 --channels 64 --bases 8192 --aliases 8192 my-study
  halftrack run my-study

Exit codes: 0 fine, 1 the study could not be put in its place, 2 bad input.";

/// Arguments of `halftrack study`.
#[derive(Debug, Args)]
pub struct SiteArguments {
    #[command(subcommand)]
    command: StudyCommand,
}

/// Subcommands of `halftrack study`.
#[derive(Debug, Subcommand)]
enum StudyCommand {
    /// Write a study of a whole machine: an IOCP deck, a plant and a workload
    #[command(after_help = new::EXAMPLES)]
    New(new::NewArguments),
    /// List the models of the catalog with their SAPs, processors and slots
    #[command(after_help = models::EXAMPLES)]
    Models(models::ModelsArguments),
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input; output that cannot be written.
pub fn site(arguments: &SiteArguments) -> Result<bool, Failure> {
    match &arguments.command {
        StudyCommand::New(arguments) => new::new(arguments),
        StudyCommand::Models(arguments) => models::models(arguments),
    }
}
