//! `halftrack link incidents`: link incidents of several files, in the order of their times.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use halftrack_input::messages::toml_file::UNEXPECTED_VALUE;
use halftrack_input::{Diagnostic, SourceFile, read_file};

use crate::diagnostics;
use crate::failure::Failure;
use crate::link_incidents::IncidentLine;
use crate::standard_output::print;
use crate::volume::table::{Side, table};

/// Words at the end of `halftrack link incidents --help`.
pub const EXAMPLES: &str = "\
FILE is what `halftrack drive`, `serve` and `director` append to with --incidents: a JSON object a
line for each incident, those that a channel received from others (RLIR) with its own. Several
files are shown as one, in the order of the times.

Examples:
  halftrack drive channel.toml --incidents host.jsonl
  halftrack link incidents host.jsonl box.jsonl
  halftrack link incidents host.jsonl --json | jq '.[] | select(.incident == \"loss of signal\")'

Exit codes: 0 fine, 2 bad input.";

/// Arguments of `halftrack link incidents`.
#[derive(Debug, Args)]
pub struct IncidentsArguments {
    /// Files that `--incidents` of drive, serve and director has written
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Shows the incidents of the files.
///
/// # Errors
/// Files that are missing or hold something else; output that cannot be written.
pub fn incidents(arguments: &IncidentsArguments) -> Result<bool, Failure> {
    let mut lines = Vec::new();
    for path in &arguments.files {
        lines.extend(read(path)?);
    }
    lines.sort_by(|one, other| one.unix_s.total_cmp(&other.unix_s));
    let json = || serde_json::to_string_pretty(&lines).map(|text| text + "\n").map_err(io::Error::from);
    print(&if arguments.json { json()? } else { text(&lines) })?;
    Ok(true)
}

/// Reads the records of a file, or shows every message about it.
fn read(path: &Path) -> Result<Vec<IncidentLine>, Failure> {
    let (lines, found) = match read_file(path) {
        Ok(source) => parse(&source),
        Err(error) => (Vec::new(), vec![*error]),
    };
    if found.is_empty() {
        return Ok(lines);
    }
    diagnostics::show(&found)?;
    Err(Failure::Incidents { file: path.to_owned() })
}

fn parse(source: &Arc<SourceFile>) -> (Vec<IncidentLine>, Vec<Diagnostic>) {
    let (mut lines, mut found) = (Vec::new(), Vec::new());
    let mut from = 0;
    for line in source.text.split_inclusive('\n') {
        let octets = line.trim_end();
        match serde_json::from_str(octets) {
            _ if octets.is_empty() => {}
            Ok(record) => lines.push(record),
            Err(error) => {
                let at = from + error.column().saturating_sub(1).min(octets.len().saturating_sub(1));
                let at = (from..=at).rev().find(|at| source.text.is_char_boundary(*at)).unwrap_or(from);
                let message = format!("this is no record of a link incident: {error}");
                let fix = "remove the line, or give a file that --incidents has written";
                found.push(Diagnostic::error(UNEXPECTED_VALUE, source, at..at, message).fix(fix));
            }
        }
        from += line.len();
    }
    (lines, found)
}

fn text(lines: &[IncidentLine]) -> String {
    if lines.is_empty() {
        return "no link incidents\n".to_owned();
    }
    let rows: Vec<[String; 7]> = lines
        .iter()
        .map(|line| {
            [
                line.utc(),
                line.recorder.clone(),
                line.port.clone(),
                format!("{:02X} {}", line.code, line.incident),
                line.severity.clone(),
                format!("{} {}", line.incident_port, line.address),
                line.connected_port.clone().unwrap_or_default(),
            ]
        })
        .collect();
    let heads =
        ["TIME (UTC)", "RECORDED BY", "PORT", "INCIDENT", "SEVERITY", "INCIDENT PORT", "ATTACHED PORT"];
    table(heads.map(|head| (head, Side::Left)), &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_record_has_its_place() {
        let source = SourceFile::new("a.jsonl", "\n{\"unix_s\": 1, 7}\n".to_owned());
        let (lines, found) = parse(&source);
        assert_eq!((lines.len(), found.len(), found[0].position().0), (0, 1, 2));
    }
}
