//! Interval files: a run as JSON, the same bytes for the same run. The format is `docs/formats/intervals.md`.

use halftrack_record::Run;
use serde::{Deserialize, Serialize};

use crate::MeasureError;

/// Value of the `format` member.
const FORMAT: &str = "halftrack-intervals";
/// Value of the `version` member; a change that an older reader would misread raises it.
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

/// Returns a run as JSON text, members in the order of the format's description, ended by a newline.
///
/// An estimate that is not finite becomes `null`, which [`from_json`] refuses.
pub fn to_json(run: &Run) -> String {
    let document = Document { format: FORMAT, version: VERSION, run };
    let mut text =
        serde_json::to_string_pretty(&document).expect("plain records with string keys always serialise");
    text.push('\n');
    text
}

/// Reads a run from the text of an interval file; unknown members are ignored.
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
    use halftrack_record::{DetectedWarmup, MissedPrecision, PrecisionSummary, WarmupSummary};

    use super::*;
    use crate::golden;

    fn precision() -> PrecisionSummary {
        let missed = MissedPrecision {
            stream: "oltp".to_owned(),
            quantity: "response".to_owned(),
            relative: Some(0.1 + 0.2),
            sound: false,
        };
        PrecisionSummary { confidence: 0.9, relative: 0.01, at_most_intervals: 2, missed: vec![missed] }
    }

    /// A file of version 1 from before runs recorded their length and its reason.
    #[test]
    fn what_earlier_files_lack_is_made_up() {
        let mut run = golden::run();
        let mut document: serde_json::Value = serde_json::from_str(&to_json(&run)).unwrap();
        let members = document["run"].as_object_mut().unwrap();
        for member in ["warmup", "precision", "programs"] {
            assert!(members.remove(member).is_some(), "{member}");
        }
        for interval in members["intervals"].as_array_mut().unwrap() {
            assert!(interval.as_object_mut().unwrap().remove("links").is_some());
        }
        members["streams"][0]["rate_per_s"].as_object_mut().unwrap().remove("confidence").unwrap();
        (run.warmup, run.precision) = (WarmupSummary::default(), None);
        run.programs.clear();
        run.intervals.iter_mut().for_each(|interval| interval.links.clear());
        assert_eq!(from_json(&document.to_string()).unwrap(), run);
    }

    #[test]
    fn a_run_survives_writing_and_reading() {
        let mut run = golden::run();
        run.intervals[0].channels[0].read_bytes = u64::MAX;
        run.streams[0].rate_per_s.mean = 0.1 + 0.2;
        run.streams[0].response_us.mean = 1.0 / 3.0;
        run.warmup.detected = Some(DetectedWarmup { transient_ps: None });
        run.precision = Some(precision());
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
        let mut run = golden::run();
        run.warmup.detected = Some(DetectedWarmup { transient_ps: None });
        run.precision = Some(precision());
        let text = to_json(&run);
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
