//! A program text assembled, and run on a volume.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack::OutputFile;
use halftrack_exec::{Program, Report, Shown, assemble, assembly_listing, run_listing};
use halftrack_input::messages::exec as message;
use halftrack_input::{Diagnostic, SourceFile};

use crate::diagnostics;
use crate::exec::ExecArguments;
use crate::exec::device::run_on;
use crate::failure::Failure;
use crate::standard_output::print;

/// Most octets of a text, and of a file that it names.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Reads and assembles the text at `path`; its errors are shown.
fn assembled(path: &Path) -> Result<Program, Failure> {
    let refused = |reason: String| Failure::Argument(format!("{}: {reason}", path.display()));
    let octets = bounded(path).map_err(refused)?;
    let text = String::from_utf8(octets).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refused(format!("this is no text in UTF-8, at byte {at}; --disassemble reads octets"))
    })?;
    let source: Arc<SourceFile> = SourceFile::new(path.display().to_string(), text);
    let beside = path.parent().unwrap_or(Path::new("")).to_owned();
    let files = |name: &str| bounded(&beside.join(name));
    match assemble(&source, &files) {
        Ok(program) => Ok(program),
        Err(found) => {
            diagnostics::show(&found)?;
            Err(Failure::Program { program: path.to_owned() })
        }
    }
}

fn bounded(path: &Path) -> Result<Vec<u8>, String> {
    let length = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if length > FILE_BYTES_MAX {
        return Err(format!("{length} bytes are more than the {FILE_BYTES_MAX} that are read"));
    }
    fs::read(path).map_err(|error| error.to_string())
}

/// Prints addresses and octets beside the statements.
///
/// # Errors
/// The text cannot be used.
pub fn list(path: &Path) -> Result<bool, Failure> {
    print(&assembly_listing(&assembled(path)?))?;
    Ok(true)
}

/// Runs the text; true when everything was as expected.
///
/// # Errors
/// The text or the volume cannot be used; a file cannot be written.
pub fn run(arguments: &ExecArguments, volume: &Path) -> Result<bool, Failure> {
    let program = assembled(&arguments.input)?;
    let places = Places::of(&program)?;
    let (report, closed) = run_on(volume, arguments.opening(), &program, arguments.trace)?;
    let saved = places.write(&report)?;
    if arguments.json {
        print(&(serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"))?;
    } else {
        print(&(run_listing(&report) + &saved))?;
    }
    diagnostics::show(&failed(&program, &report))?;
    closed?;
    Ok(report.as_expected)
}

/// Returns the failed expectations, at their statements.
fn failed(program: &Program, report: &Report) -> Vec<Diagnostic> {
    let failed = report.steps.iter().flat_map(|step| &step.failed);
    failed
        .map(|one| {
            Diagnostic::error(message::EXPECTATION, &program.source, one.begin..one.end, one.message.clone())
        })
        .collect()
}

/// The files that a program wants to write, found to be possible before it runs.
struct Places(Vec<(PathBuf, OutputFile)>);

impl Places {
    fn of(program: &Program) -> Result<Self, Failure> {
        let views = program.steps.iter().flat_map(|step| &step.views);
        let names = views.filter_map(|view| view.file.as_ref());
        let place = |name: &String| Ok((PathBuf::from(name), OutputFile::new(Path::new(name))?));
        Ok(Self(names.map(place).collect::<Result<_, Failure>>()?))
    }

    /// Writes the files, and returns a line for each.
    fn write(&self, report: &Report) -> Result<String, Failure> {
        let shown = report.steps.iter().flat_map(|step| &step.shown);
        let wanted: Vec<&Shown> = shown.filter(|shown| shown.file.is_some()).collect();
        let mut said = String::new();
        for ((path, file), shown) in self.0.iter().zip(wanted) {
            file.write(&shown.octets.0)?;
            said += &format!("{} bytes written to {}\n", shown.octets.0.len(), path.display());
        }
        Ok(said)
    }
}
