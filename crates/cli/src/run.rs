//! `halftrack run`: a study from its files to its reports.

use std::io::{self, Write};

use halftrack::record::{CheckerReport, DataSummary};
use halftrack::report::{RunReports, html_report, listing};
use halftrack::{Configuration, OutputDirectory, OutputFile, Run, Study, run_files};

use crate::arguments::RunArguments;
use crate::before_run;
use crate::ending::Ending;
use crate::failure::Failure;
use crate::precision;
use crate::progress::ProgressBar;
use crate::standard_error::standard_error;
use crate::standard_output::print;
use crate::study;

/// Runs the study.
///
/// # Errors
/// Bad input, found before anything runs; output that cannot be written.
pub fn run(arguments: &RunArguments) -> Result<Ending, Failure> {
    let study = study::load(&arguments.study, arguments.json)?;
    let configuration = study.configuration();
    if let Some(name) = &arguments.system {
        check_system(&study, name)?;
    }
    let out = arguments.out.as_deref().map(OutputDirectory::new).transpose()?;
    let report = arguments.report.as_deref().map(OutputFile::new).transpose()?;
    let capture = arguments.capture.file()?;
    let mut simulation = study.simulate(&study::options(&arguments.study, &study))?;
    before_run::warn(&study, &simulation)?;
    if arguments.study.faults.is_some() {
        before_run::list_faults(configuration)?;
    }
    if capture.is_some() {
        simulation.capture(arguments.capture.capture_frames);
    }
    let bar = ProgressBar::new();
    let (run, _) = simulation.run(&mut |progress| bar.show(progress));
    bar.clear();
    let laws_held = laws_held(&run.checkers, &mut standard_error())?;
    let data_held = data_held(run.data.as_ref(), &mut standard_error())?;
    precision::report_missed(&run, &mut standard_error())?;
    // What can be printed is printed even where the files cannot be written.
    let captured = capture.map_or(Ok(()), |file| {
        arguments.capture.write(&file, &simulation.take_capture(), &mut standard_error())
    });
    let written = write_all(&run, configuration, out.as_ref(), report.as_ref()).and(captured);
    let text = match arguments.json {
        true => RunReports::compute(&run, arguments.system.as_deref())?.to_json(),
        false => listing(&run, arguments.system.as_deref())?,
    };
    print(&text)?;
    written?;
    let ending = arguments.fail_on.ending(&run, laws_held, &mut standard_error())?;
    Ok(ending.max(Ending::from(data_held)))
}

/// Says on `stderr` which laws were violated; true when none was.
///
/// # Errors
/// When `stderr` cannot be written.
pub fn laws_held(checkers: &[CheckerReport], stderr: &mut dyn Write) -> io::Result<bool> {
    let mut held = true;
    for checker in checkers {
        for violation in &checker.violations {
            held = false;
            writeln!(stderr, "halftrack: law violated: {}: {violation}", checker.law)?;
        }
    }
    Ok(held)
}

/// Says on `stderr` when other data arrived wrong than were changed on purpose; true when none did.
///
/// # Errors
/// When `stderr` cannot be written.
fn data_held(data: Option<&DataSummary>, stderr: &mut dyn Write) -> io::Result<bool> {
    let Some(data) = data.filter(|data| !data.holds()) else { return Ok(true) };
    writeln!(
        stderr,
        "halftrack: data: {} records were wrong; octets of {} I/Os were corrupted in transit, of {} requested",
        data.corrupt.len(),
        data.corrupted,
        data.to_corrupt
    )?;
    Ok(false)
}

fn check_system(study: &Study, name: &str) -> Result<(), Failure> {
    let systems = study.systems();
    if systems.contains(&name) {
        return Ok(());
    }
    Err(Failure::System { name: name.to_owned(), known: systems.join(", ") })
}

/// Writes the directory and the page that were asked for.
fn write_all(
    run: &Run,
    configuration: &Configuration,
    out: Option<&OutputDirectory>,
    report: Option<&OutputFile>,
) -> Result<(), Failure> {
    if out.is_none() && report.is_none() {
        return Ok(());
    }
    let page = html_report(run, configuration);
    let reported = report.map_or(Ok(()), |file| file.write(&page));
    let written = out.map(|out| Ok(out.write_all(&run_files(run, page)?)?)).transpose();
    written.and(reported.map_err(Failure::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker(law: &str, violations: &[&str]) -> CheckerReport {
        let violations = violations.iter().map(|&words| words.to_owned()).collect();
        CheckerReport { law: law.to_owned(), checks: 9, violations }
    }

    #[test]
    fn every_violation_is_said() {
        let mut said = Vec::new();
        let checkers = [checker("Little", &[]), checker("credits", &["link a leaks 1", "link b leaks 2"])];
        assert!(!laws_held(&checkers, &mut said).unwrap());
        let expected = "halftrack: law violated: credits: link a leaks 1\n\
                        halftrack: law violated: credits: link b leaks 2\n";
        assert_eq!(String::from_utf8(said).unwrap(), expected);
    }

    #[test]
    fn laws_that_hold_are_silent() {
        let mut said = Vec::new();
        assert!(laws_held(&[checker("Little", &[])], &mut said).unwrap());
        assert!(said.is_empty());
    }
}
