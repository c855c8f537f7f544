//! Files of a run's output: names and texts.

use halftrack_record::Run;
use halftrack_report::{MeasureError, postprocessor, summary, to_json};

/// Name of the file of everything measured.
pub const INTERVALS: &str = "intervals.json";
/// Name of the file of the summary.
pub const SUMMARY: &str = "summary.txt";
/// Name of the file of the page.
pub const REPORT: &str = "report.html";

/// Returns the name of the file of one system's reports.
pub fn reports_of(system: &str) -> String {
    format!("rmf-{system}.txt")
}

/// Makes the files of `run`, names and texts. They are everything measured, the `page` ([`html_report`]), the summary, and for
/// every system its reports of all intervals.
///
/// # Errors
/// As [`postprocessor`].
///
/// [`html_report`]: halftrack_report::html_report
pub fn run_files(run: &Run, page: String) -> Result<Vec<(String, String)>, MeasureError> {
    let mut files = vec![
        (INTERVALS.to_owned(), to_json(run)),
        (REPORT.to_owned(), page),
        (SUMMARY.to_owned(), summary(run)),
    ];
    for system in &run.header.systems {
        let reports: Result<Vec<String>, MeasureError> =
            (0..run.intervals.len()).map(|interval| postprocessor(run, &system.name, interval)).collect();
        files.push((reports_of(&system.name), reports?.join("\n")));
    }
    Ok(files)
}
