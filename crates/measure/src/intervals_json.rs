//! Interval files: a run as JSON, the same bytes for the same run. The format is `docs/formats/intervals.md`.

use halftrack_interval::Run;
use serde::{Deserialize, Serialize};

use crate::MeasureError;

/// What the `format` member says.
const FORMAT: &str = "halftrack-intervals";
/// What the `version` member says; a change that an older reader would misread raises it.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    run: &'a Run,
}

#[derive(Deserialize)]
struct Preamble {
    format: String,
    version: u32,
}

#[derive(Deserialize)]
struct Body {
    run: Run,
}

/// A run as JSON text, members in the order of the format's description, ended by a newline.
///
/// An estimate that is not finite becomes `null`, which [`from_json`] refuses.
pub fn to_json(run: &Run) -> String {
    let document = Document { format: FORMAT, version: VERSION, run };
    let mut text =
        serde_json::to_string_pretty(&document).expect("plain records with string keys always serialise");
    text.push('\n');
    text
}

/// Reads a run from the text of an interval file; members that it does not know are ignored.
///
/// # Errors
/// `Json` when the text is no JSON or lacks a member, `Format` and `Version` when it is something else.
pub fn from_json(text: &str) -> Result<Run, MeasureError> {
    let Preamble { format, version } = serde_json::from_str(text)?;
    if format != FORMAT {
        return Err(MeasureError::Format { found: format, expected: FORMAT });
    }
    if version != VERSION {
        return Err(MeasureError::Version { found: version, expected: VERSION });
    }
    let Body { run } = serde_json::from_str(text)?;
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn a_run_survives_writing_and_reading() {
        let mut run = golden::run();
        run.intervals[0].channels[0].read_bytes = u64::MAX;
        run.streams[0].rate_per_s.mean = 0.1 + 0.2;
        run.streams[0].response_us.mean = 1.0 / 3.0;
        assert_eq!(from_json(&to_json(&run)).unwrap(), run);
    }

    #[test]
    fn text() {
        let mut run = golden::run();
        let interval = &mut run.intervals[0];
        interval.channels.truncate(1);
        interval.channels[0].parts.truncate(1);
        interval.iops.truncate(1);
        interval.lcus.truncate(1);
        interval.lcus[0].paths.truncate(1);
        interval.devices.truncate(1);
        interval.stations.truncate(1);
        run.intervals.truncate(1);
        insta::assert_snapshot!(to_json(&run));
    }

    #[test]
    fn every_member_is_documented() {
        let description = include_str!("../../../docs/formats/intervals.md");
        let text = to_json(&golden::run());
        let members = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\": "));
        for (member, _) in members {
            assert!(description.contains(&format!("`{member}`")), "{member} is not described");
        }
    }

    #[test]
    fn other_files_are_refused() {
        let text = to_json(&golden::run());
        let other = text.replace(FORMAT, "something");
        assert!(matches!(from_json(&other), Err(MeasureError::Format { found, .. }) if found == "something"));
        let newer = text.replace("\"version\": 1", "\"version\": 2");
        assert!(matches!(from_json(&newer), Err(MeasureError::Version { found: 2, .. })));
        assert!(matches!(from_json("{}"), Err(MeasureError::Json(_))));
        assert!(matches!(from_json(&text[..text.len() / 2]), Err(MeasureError::Json(_))));
    }
}
