//! `halftrack volume check`: errors of a volume with their places, and its repair on request.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_volume::layout::LayoutError;
use halftrack_volume::vtoc::Vtoc;
use halftrack_volume::{Mode, OpenError, Opening, Volume, VolumeFinding, file_names};
use serde::Serialize;

use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::opening::{JournalArgument, named, unusable};
use crate::volume::table::counted;
use crate::volume::units_bar::Spinner;

/// Words at the end of `halftrack volume check --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume check work01.ckd
  halftrack volume check work01.ckd --repair
  halftrack volume check work01.cckd --json | jq .findings
  halftrack volume check restored.ckd --discard-journal

The journal of a volume is written into its image first, so that other programs see the changes; a
journal that is not that of the image is a finding, and --discard-journal removes it. Then
headers, lengths and every track are checked, and the table of contents of a volume that has one.
A volume without a finding can be opened by every command.

--repair carries out the repairs that the findings offer. No record that can be read is lost: a
damaged track keeps the records before the damage, and a damaged compressed image stays beside the
new one, its name ending in .before-repair. Errors in a table of contents are not repaired: that
is up to the operating system that owns it.

Exit codes: 0 the volume is whole, or is now, 1 there are findings, 2 it cannot be read, or is in
use.";

/// Arguments of `halftrack volume check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Image of the volume; its first file when it has several
    #[arg(value_name = "VOLUME")]
    volume: PathBuf,
    /// Whether its journal counts.
    #[command(flatten)]
    journal: JournalArgument,
    /// Repair all damage that can be repaired
    #[arg(long)]
    repair: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// Checks; true when nothing is wrong, or nothing is any more.
///
/// # Errors
/// Volumes that cannot be read, or are in use.
pub fn check(arguments: &CheckArguments) -> Result<bool, Failure> {
    let spinner = Spinner::new("checking");
    let path = &arguments.volume;
    if arguments.journal.discards() {
        discard(path)?;
    }
    let mut findings = halftrack_volume::check(path)?;
    let journal = if arguments.repair { None } else { recover(path, &mut findings)? };
    let remaining = if arguments.repair && !findings.is_empty() {
        halftrack_volume::repair(path)?;
        Some(halftrack_volume::check(path)?)
    } else {
        None
    };
    drop(spinner);
    let aside = file_names::before_repair(path);
    let report = Report {
        volume: path.display().to_string(),
        journal,
        findings: findings.iter().map(Finding::new).collect(),
        aside: (remaining.is_some() && aside.exists()).then(|| aside.display().to_string()),
        remaining: remaining.map(|remaining| remaining.iter().map(Finding::new).collect()),
        contents: contents(path),
    };
    let text = if arguments.json {
        serde_json::to_string_pretty(&report).map_err(std::io::Error::from)? + "\n"
    } else {
        report.text()
    };
    print(&text)?;
    Ok(report.is_whole())
}

/// Removes the journal.
fn discard(path: &Path) -> Result<(), Failure> {
    match Volume::open(path, Opening { mode: Mode::WriteBack, discards_journal: true }) {
        Ok(volume) => volume.close().map_err(|error| unusable(path, error.to_string())),
        // The journal is gone; further findings are about the image.
        Err(OpenError::Flaw { .. } | OpenError::Layout { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Applies the journal to the image, if it can be written, and removes the finding about it. Returns the text of that
/// finding.
fn recover(path: &Path, findings: &mut Vec<VolumeFinding>) -> Result<Option<String>, Failure> {
    let journal = file_names::journal(&file_names::first(path));
    let of_journal = |finding: &VolumeFinding| finding.path == journal && finding.repair.is_some();
    let Some(at) = findings.iter().position(of_journal) else { return Ok(None) };
    match Volume::open(path, Mode::WriteBack) {
        Ok(volume) => volume.close().map_err(|error| unusable(path, error.to_string()))?,
        // Nobody may write, or the image has to be repaired first: the finding stays.
        Err(OpenError::Io { error, .. })
            if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            return Ok(None);
        }
        Err(OpenError::Flaw { .. } | OpenError::InUse { .. }) => return Ok(None),
        Err(OpenError::Layout { error: LayoutError::Corrupt(_) | LayoutError::Full(_), .. }) => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Some(findings.remove(at).problem))
}

/// Returns the contradictions in the table of contents; nothing where there is none.
fn contents(path: &Path) -> Vec<String> {
    let Ok(Volume::Ckd(mut tracks)) = Volume::open(path, Mode::ReadOnly) else { return Vec::new() };
    let Ok(vtoc) = Vtoc::read(&mut tracks) else { return Vec::new() };
    vtoc.faults.iter().map(|fault| format!("VTOC, {}: {}", named(fault.at), fault.fault)).collect()
}

/// Output of `--json`.
#[derive(Debug, Serialize)]
struct Report {
    volume: String,
    /// Contents of the journal that are now in the image.
    journal: Option<String>,
    findings: Vec<Finding>,
    /// Findings that remain after a repair.
    remaining: Option<Vec<Finding>>,
    /// The image as it was before a repair.
    aside: Option<String>,
    contents: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Finding {
    file: String,
    offset: u64,
    place: Option<String>,
    problem: String,
    repair: Option<String>,
}

impl Finding {
    fn new(finding: &VolumeFinding) -> Self {
        Self {
            file: finding.path.display().to_string(),
            offset: finding.offset,
            place: finding.unit.clone(),
            problem: finding.problem.clone(),
            repair: finding.repair.clone(),
        }
    }

    fn line(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        let repair = match &self.repair {
            Some(repair) => format!("repair: {repair}"),
            None => "cannot be repaired".to_owned(),
        };
        format!("{}: offset {}{place}: {}\n  {repair}\n", self.file, self.offset, self.problem)
    }
}

impl Report {
    fn is_whole(&self) -> bool {
        self.remaining.as_ref().unwrap_or(&self.findings).is_empty() && self.contents.is_empty()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(journal) = &self.journal {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{}: its journal is now in the image ({journal})", self.volume);
        }
        let lines = self.findings.iter().map(Finding::line);
        let contents = self.contents.iter().map(|fault| format!("{}: {fault}\n", self.volume));
        text.extend(lines.chain(contents));
        let _ = writeln!(text, "{}: {}", self.volume, self.verdict());
        text
    }

    fn verdict(&self) -> String {
        let found = counted(self.findings.len() + self.contents.len(), "finding");
        let Some(remaining) = &self.remaining else {
            if self.is_whole() {
                return "whole".to_owned();
            }
            let repairable = self.findings.iter().filter(|finding| finding.repair.is_some()).count();
            return match repairable {
                0 => found,
                _ => {
                    format!("{found}; `halftrack volume check {} --repair` repairs {repairable}", self.volume)
                }
            };
        };
        let aside =
            self.aside.as_ref().map(|aside| format!("; as it was before: {aside}")).unwrap_or_default();
        if remaining.is_empty() {
            return format!("{found}, repaired{aside}");
        }
        let left: String = remaining.iter().map(Finding::line).collect();
        format!("{found}; left after the repair{aside}:\n{left}").trim_end().to_owned()
    }
}
