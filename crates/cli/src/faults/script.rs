//! One script, run once.

use std::path::Path;

use halftrack_config::fault_script::read_script;
use halftrack_faults::swarm::{SwarmOutcome, run_script};
use halftrack_faults::{Hosts, Machine, Script};
use halftrack_input::{has_errors, read_file};

use crate::diagnostics;
use crate::failure::Failure;

/// Runs the script at `path` on the machine of its seed, or of `seed`, with its hosts or with `hosts`.
///
/// # Errors
/// Mistakes of the file, all of which are shown.
pub fn run(path: &Path, seed: Option<u64>, hosts: Option<Hosts>) -> Result<SwarmOutcome, Failure> {
    let unusable = || Failure::Script { file: path.to_owned() };
    let (file, mut found) = match read_file(path) {
        Ok(source) => read_script(&source),
        Err(error) => (None, vec![*error]),
    };
    let machine = file.as_ref().map(|file| {
        let seed = seed.or(file.seed).unwrap_or(0);
        Machine::new(seed, hosts.or(file.hosts))
    });
    let script = match (&file, &machine) {
        (Some(file), Some(machine)) => {
            Script::from_file(file, machine).map_err(|missing| found.extend(missing)).ok()
        }
        _ => None,
    };
    diagnostics::show(&found)?;
    match (machine, script) {
        (Some(machine), Some(script)) if !has_errors(&found) => Ok(run_script(machine, script)),
        _ => Err(unusable()),
    }
}
