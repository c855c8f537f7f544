//! `halftrack study models`: the models that a study can be of.

use std::fmt::{Display, Write};
use std::path::PathBuf;

use clap::Args;
use halftrack::generate::ModelRow;
use halftrack::new_study::study_models;

use crate::diagnostics;
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack study models --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack study models
  halftrack study models --json | jq '.[] | select(.drawers == 4) | .model'
  halftrack study models --catalog my-catalog

IOPS is the number of I/Os a second that keeps all IOP threads of the standard SAPs busy all the
time. LPARS is the default number of partitions of a study. A value that the catalog does not have
is shown as -.

Exit codes: 0 fine, 2 bad input.";

/// Arguments of `halftrack study models`.
#[derive(Debug, Args)]
pub struct ModelsArguments {
    /// Directory of your own catalog files, which override the built-in ones; repeatable, the last directory wins
    #[arg(long = "catalog", value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Print a JSON array with one object for each model instead of a table
    #[arg(long)]
    json: bool,
}

/// Prints the models.
///
/// # Errors
/// A catalog with errors; output that cannot be written.
pub fn models(arguments: &ModelsArguments) -> Result<bool, Failure> {
    let (rows, found) = match study_models(&arguments.catalogs) {
        Ok(models) => models,
        Err(error) => {
            diagnostics::show(&error.diagnostics)?;
            return Err(Failure::Argument("the catalog has errors".to_owned()));
        }
    };
    diagnostics::show(&found)?;
    let json = || serde_json::to_string_pretty(&rows).map(|json| json + "\n");
    print(&if arguments.json { json().unwrap_or_else(|error| error.to_string()) } else { table(&rows) })?;
    Ok(true)
}

fn table(rows: &[ModelRow]) -> String {
    let mut text = format!(
        "{:<8} {:<14} {:>4} {:>7} {:>4} {:>4} {:>5} {:>7} {:>8} {:>7} {:>5}\n",
        "MODEL", "ID", "TYPE", "DRAWERS", "CPS", "SAPS", "ADDED", "THREADS", "IOPS", "FANOUTS", "LPARS"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{:<8} {:<14} {:>4} {:>7} {:>4} {:>4} {:>5} {:>7} {:>8.0} {:>7} {:>5}",
            row.model,
            row.id,
            row.machine_type,
            known(row.drawers),
            known(row.cps),
            row.sap_cores,
            known(row.additional_saps),
            row.iop_threads,
            row.iop_ios_per_s,
            known(row.fanout_slots),
            row.lpars
        );
    }
    text
}

fn known(number: Option<impl Display>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}
