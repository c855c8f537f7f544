//! `--ipl`: initial program load from a volume.

use halftrack::OutputFile;
use halftrack_exec::{ipl_listing, ipl_program};

use crate::diagnostics;
use crate::exec::ExecArguments;
use crate::exec::device::load_from;
use crate::failure::Failure;
use crate::standard_output::print;

/// Loads, and shows what was loaded; true when the chain ended normally.
///
/// # Errors
/// The volume cannot be used; the file cannot be written.
pub fn load(arguments: &ExecArguments) -> Result<bool, Failure> {
    let place = arguments.save.as_ref().map(|path| OutputFile::new(path)).transpose()?;
    let program = match ipl_program() {
        Ok(program) => program,
        Err(found) => {
            diagnostics::show(&found)?;
            return Err(Failure::Program { program: "initial program load".into() });
        }
    };
    let (ipl, closed) = load_from(&arguments.input, arguments.opening(), &program, arguments.trace)?;
    if let Some(file) = &place {
        file.write(&ipl.storage)?;
    }
    if arguments.json {
        print(&(serde_json::to_string_pretty(&ipl).unwrap_or_default() + "\n"))?;
    } else {
        print(&ipl_listing(&ipl))?;
    }
    closed?;
    Ok(ipl.report.as_expected)
}
