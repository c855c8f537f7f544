//! From the arguments to a checked configuration, every message about the input shown.

use std::path::Path;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_config::Configuration;
use halftrack_input::has_errors;
use halftrack_machine::{Options, Variation};

use crate::arguments::{DataArgument, StudyArguments};
use crate::diagnostics::{self, MessageForm};
use crate::failure::Failure;

/// Reads catalog and study, and shows what is to be said about them on standard error; with `json` errors as JSON on
/// standard output.
///
/// # Errors
/// `Study` when anything makes the study unusable.
pub fn load(arguments: &StudyArguments, json: bool) -> Result<Arc<Configuration>, Failure> {
    let overlays: Vec<&Path> = arguments.catalogs.iter().map(AsRef::as_ref).collect();
    let (catalog, mut found) = Catalog::load(&overlays);
    let loaded = halftrack_config::load(&arguments.study, &catalog);
    found.extend(loaded.diagnostics);
    diagnostics::show_as(&found, MessageForm::new(arguments.all, json))?;
    match loaded.configuration {
        Some(mut configuration) if !has_errors(&found) => {
            if let Some(warmup) = arguments.warmup {
                warmup.apply(&mut configuration.run);
            }
            if let Some(data) = arguments.data {
                configuration.run.real_data = data == DataArgument::Real;
            }
            if arguments.inject_corruption.is_some() && !configuration.run.real_data {
                return Err(Failure::NoDataToCorrupt);
            }
            Ok(Arc::new(configuration))
        }
        _ => Err(Failure::Study { study: arguments.study.clone() }),
    }
}

/// How the run is to be carried out.
pub fn options(arguments: &StudyArguments, configuration: &Configuration) -> Options {
    Options {
        seed: arguments.seed.unwrap_or(configuration.run.seed),
        fidelity: arguments.fidelity.into(),
        exchange: arguments.exchange.into(),
        threads: arguments.threads,
        precision: arguments.precision.asked(),
        corrupt: arguments.inject_corruption.unwrap_or(0),
        variation: Variation::default(),
    }
}
