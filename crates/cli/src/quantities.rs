//! `halftrack quantities`: the quantities of a run, with units and definitions.

use std::fmt::Write;

use clap::Args;
use halftrack::report::{QuantityDefinition, quantities_with};

use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack quantities --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack quantities
  halftrack quantities 'DISC TIME'
  halftrack quantities channel_ --json | jq -r '.[] | [.name, .unit] | @tsv'
  halftrack sweep studies/z16-oltp --set workload.run.seed=1..3 \\
      --y channel_bus_percent:0.40,pend_ms:PROD1

A quantity of one channel, device, stream or the like has its name after a colon; the column OF
has the kind of name. Where the name is optional, the quantity without one is about all of them
together.

Exit codes: 0 fine, 2 nothing matches PATTERN.";

/// Arguments of `halftrack quantities`.
#[derive(Debug, Args)]
pub struct QuantitiesArguments {
    /// List only quantities with this text in name, unit, subject, definition or heading of the RMF report; case does
    /// not matter
    #[arg(value_name = "PATTERN")]
    pattern: Option<String>,
    /// Print a JSON array with one object for each quantity instead of a table
    #[arg(long)]
    json: bool,
}

/// Prints the quantities.
///
/// # Errors
/// A pattern that nothing matches; output that cannot be written.
pub fn quantities(arguments: &QuantitiesArguments) -> Result<bool, Failure> {
    let pattern = arguments.pattern.as_deref().unwrap_or_default().to_lowercase();
    let found = quantities_with(&pattern);
    if found.is_empty() {
        let message = format!("no quantity has {pattern:?} in it; `halftrack quantities` lists all");
        return Err(Failure::Argument(message));
    }
    let json = || serde_json::to_string_pretty(&found).map(|json| json + "\n");
    print(&if arguments.json { json().unwrap_or_else(|error| error.to_string()) } else { table(&found) })?;
    Ok(true)
}

/// Returns a table with one line for each quantity.
fn table(quantities: &[QuantityDefinition]) -> String {
    let width = |of: fn(&QuantityDefinition) -> usize| quantities.iter().map(of).max().unwrap_or(0);
    let (name, unit) =
        (width(|one| one.name.len()), width(|one| one.unit.to_string().len()).max("UNIT".len()));
    let of = width(|one| subject(one).len());
    let mut text = format!("{:name$}  {:unit$}  {:of$}  DEFINITION\n", "QUANTITY", "UNIT", "OF");
    for one in quantities {
        let rmf = one.report.zip(one.heading);
        let rmf = rmf.map_or(String::new(), |(report, heading)| format!(" ({report}: {heading})"));
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "{:name$}  {:unit$}  {:of$}  {}{rmf}",
            one.name,
            one.unit.to_string(),
            subject(one),
            one.definition
        );
    }
    text
}

/// Returns the kind of its subject, `run` where it has none.
fn subject(one: &QuantityDefinition) -> String {
    match (one.subject, one.needs_subject) {
        (None, _) => "run".to_owned(),
        (Some(kind), true) => format!("{kind}, one"),
        (Some(kind), false) => kind.to_owned(),
    }
}
