//! A checked study from the arguments, every message about the input shown.

use halftrack::{LoadOptions, Options, Study, Variation};

use crate::arguments::{DataArgument, StudyArguments};
use crate::diagnostics::{self, MessageForm};
use crate::failure::Failure;
use crate::threads;

/// Reads catalog and study, lays over them the values of the arguments, and shows the messages about them on standard
/// error. With `json`, errors are JSON on standard output.
///
/// # Errors
/// `Study` when the study is unusable.
pub fn load(arguments: &StudyArguments, json: bool) -> Result<Study, Failure> {
    let form = MessageForm::new(arguments.all, json);
    let options = LoadOptions {
        catalogs: arguments.catalogs.clone(),
        set: arguments.set.clone(),
        faults: arguments.faults.clone(),
        ..LoadOptions::default()
    };
    let mut study = match Study::load(&arguments.study, &options) {
        Ok(study) => study,
        Err(error) => {
            diagnostics::show_as(&error.diagnostics, form)?;
            return Err(Failure::Study { study: arguments.study.clone() });
        }
    };
    diagnostics::show_as(study.diagnostics(), form)?;
    if let Some(warmup) = arguments.warmup {
        study.set_warmup(warmup.length_s());
    }
    if let Some(data) = arguments.data {
        study.change_run(|run| run.real_data = data == DataArgument::Real);
    }
    if arguments.inject_corruption.is_some() && !study.configuration().run.real_data {
        return Err(Failure::NoDataToCorrupt);
    }
    Ok(study)
}

/// Returns the options of the run.
pub fn options(arguments: &StudyArguments, study: &Study) -> Options {
    Options {
        seed: arguments.seed.unwrap_or(study.options().seed),
        fidelity: arguments.fidelity.into(),
        exchange: arguments.exchange.into(),
        threads: arguments.threads.unwrap_or_else(threads::usable),
        precision: arguments.precision.requested(),
        corrupt: arguments.inject_corruption.unwrap_or(0),
        variation: Variation::default(),
    }
}
