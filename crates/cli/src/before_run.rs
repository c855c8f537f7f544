//! Lines before a run, on standard error: links that are short of credits, streams that offer too much, parts that will fail.

use std::io::{self, Write};

use halftrack::report::credit_words;
use halftrack::{Configuration, Simulation, Study, failing_parts};

use crate::diagnostics;
use crate::standard_error::standard_error;

/// Shows the warnings about `simulation` before it runs.
///
/// # Errors
/// When standard error cannot be written.
pub fn warn(study: &Study, simulation: &Simulation) -> io::Result<()> {
    for words in credit_words(&simulation.credit_shortages()) {
        writeln!(standard_error(), "halftrack: warning: {words}")?;
    }
    diagnostics::show(&study.offered_warnings(simulation))
}

/// Lists the parts that fail in the run, and when.
///
/// # Errors
/// When standard error cannot be written.
pub fn list_faults(configuration: &Configuration) -> io::Result<()> {
    failing_parts(configuration).iter().try_for_each(|line| writeln!(standard_error(), "halftrack: {line}"))
}
