//! `halftrack check`: everything that can be found about a study without running it.

use clap::Args;

use crate::arguments::StudyArguments;
use crate::before_run;
use crate::failure::Failure;
use crate::standard_output::print;
use crate::study;

/// Words at the end of `halftrack check --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack check studies/z16-oltp
  halftrack check my-study --set plant.cable.100.km=100 --json | jq -r .content_key

Reads, checks and wires the study as `halftrack run` does, and shows every message and warning.
The content key is a hash of everything that the record of a run depends on: the checked study,
the numbers of the catalog in it, the seed, the options that change results, and the version of
the model. Runs of one key have the same intervals.json; comments, the order of statements and
--threads do not change it.

Exit codes: 0 the study can be run, 2 it cannot.";

/// Arguments of `halftrack check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The study, and how it would be run.
    #[command(flatten)]
    study: StudyArguments,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Checks the study; always true.
///
/// # Errors
/// A study that cannot be run; output that cannot be written.
pub fn check(arguments: &CheckArguments) -> Result<bool, Failure> {
    let study = study::load(&arguments.study, arguments.json)?;
    let options = study::options(&arguments.study, &study);
    let simulation = study.simulate(&options)?;
    before_run::warn(&study, &simulation)?;
    let summary = study.summary(&options);
    print(&if arguments.json { summary.to_json() } else { summary.to_text() })?;
    Ok(true)
}
