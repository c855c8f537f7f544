//! Studies of whole machines, made from a model and a few sizes.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use halftrack_catalog::Catalog;
use halftrack_generate::{Load, ModelRow, Request, Written, models, write};
use halftrack_input::messages::generate as numbers;
use halftrack_input::{Diagnostic, SourceFile, has_errors};
use serde::Serialize;

use crate::catalog::load_catalog;
use crate::option_error::OptionError;
use crate::output::{OutputDirectory, OutputError};
use crate::study::LoadError;

/// Channels that can be requested.
pub const CHANNELS: RangeInclusive<i64> = 1..=100_000;
/// Base devices that can be requested.
pub const BASES: RangeInclusive<i64> = 1..=1_000_000;
/// Aliases that can be requested.
pub const ALIASES: RangeInclusive<i64> = 0..=1_000_000;
/// Logical partitions that can be requested.
pub const LPARS: RangeInclusive<i64> = 1..=10_000;
/// Channel subsystems that can be requested.
pub const CHANNEL_SUBSYSTEMS: RangeInclusive<i64> = 1..=100;
/// Lengths of a cable that can be requested, km.
pub const KM: RangeInclusive<f64> = 0.0..=1000.0;
/// Closed jobs that can be requested.
pub const JOBS: RangeInclusive<i64> = 1..=10_000_000;
/// Rates of arrival that can be requested, I/Os a second.
pub const RATE_PER_S: RangeInclusive<f64> = 1.0..=1e8;

/// Output of a new study on the command line and in Python.
#[derive(Serialize)]
struct NewStudy<'a> {
    study: &'a Path,
    #[serde(flatten)]
    written: &'a Written,
}

/// Reasons for which there is no new study in its place.
#[derive(Debug)]
pub struct NewStudyError {
    /// Every message about it.
    pub diagnostics: Vec<Diagnostic>,
    /// It cannot be written; `None` where it cannot be made, or something is in its place.
    pub output: Option<OutputError>,
}

/// Makes the study of `request` in the new `directory`, which appears once every file is written. Returns what was made, with the
/// warnings about it.
///
/// # Errors
/// Every message about the place, catalog, request and study; a place that cannot be written.
pub fn make_study(
    directory: &Path,
    request: &Request,
    catalogs: &[PathBuf],
) -> Result<(Written, Vec<Diagnostic>), NewStudyError> {
    let overlays: Vec<&Path> = catalogs.iter().map(AsRef::as_ref).collect();
    let (catalog, found) = Catalog::load(&overlays);
    let mut diagnostics: Vec<Diagnostic> = is_there(directory).into_iter().chain(found).collect();
    let written = write(request, &catalog).map_err(|refused| diagnostics.extend(refused)).ok();
    // It is read again: deck rules and the rules of the other files hold for it too.
    diagnostics.extend(written.iter().flat_map(|written| written.read_again(&catalog).diagnostics));
    let Some(written) = written.filter(|_| !has_errors(&diagnostics)) else {
        return Err(NewStudyError { diagnostics, output: None });
    };
    let files = written.files.each_ref().map(|(name, text)| (Path::new(*name), text.as_str()));
    match OutputDirectory::of_study(directory).and_then(|place| place.write(&files)) {
        Ok(_) => Ok((written, diagnostics)),
        Err(error) => Err(NewStudyError { diagnostics, output: Some(error) }),
    }
}

/// Formats what was made in `directory` as JSON.
pub fn new_study_json(directory: &Path, written: &Written) -> String {
    let json = serde_json::to_string_pretty(&NewStudy { study: directory, written });
    json.map_or_else(|error| error.to_string(), |json| json + "\n")
}

/// Returns the message about a directory that exists, empty or not.
fn is_there(directory: &Path) -> Option<Diagnostic> {
    directory.symlink_metadata().ok()?;
    let source = SourceFile::new(directory.display().to_string(), "");
    let message = format!("`{}` exists, and a study never replaces anything", directory.display());
    let fix = "name a new directory, or remove this one";
    Some(Diagnostic::error(numbers::DIRECTORY_THERE, &source, 0..0, message).fix(fix))
}

/// Checks that the numbers of `request` are such as can be requested.
///
/// # Errors
/// The first that is not, with the numbers that can.
pub fn check_request(request: &Request) -> Result<(), OptionError> {
    let (jobs, rate) = match request.load {
        Some(Load::Jobs(jobs)) => (Some(jobs), None),
        Some(Load::Rate(rate)) => (None, Some(rate)),
        None => (None, None),
    };
    let counts = [
        ("channels", Some(request.channels), CHANNELS),
        ("bases", Some(request.bases), BASES),
        ("aliases", Some(request.aliases), ALIASES),
        ("lpars", request.lpars, LPARS),
        ("css", request.css, CHANNEL_SUBSYSTEMS),
        ("jobs", jobs, JOBS),
    ];
    for (name, count, range) in counts {
        check_within(name, count.map(i64::from), &range)?;
    }
    check_within("km", Some(request.km), &KM)?;
    check_within("rate", rate, &RATE_PER_S)
}

/// Checks that `number`, if there is one, is in `range`.
fn check_within<T: PartialOrd + Display>(
    name: &str,
    number: Option<T>,
    range: &RangeInclusive<T>,
) -> Result<(), OptionError> {
    match number.filter(|number| !range.contains(number)) {
        None => Ok(()),
        Some(number) => {
            let (least, most) = (range.start(), range.end());
            Err(OptionError(format!("{name} is {number}; expected {least} to {most}")))
        }
    }
}

/// Lists the models that a study can be of, with the warnings about the catalog.
///
/// # Errors
/// Every message about a catalog with errors.
pub fn study_models(catalogs: &[PathBuf]) -> Result<(Vec<ModelRow>, Vec<Diagnostic>), LoadError> {
    let (catalog, diagnostics) = load_catalog(catalogs)?;
    Ok((models(&catalog), diagnostics))
}
