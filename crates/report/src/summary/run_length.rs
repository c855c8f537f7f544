//! How long a run was and why, when it decided that itself.

use std::fmt::Write;

use halftrack_record::PrecisionSummary;

use super::RunSummary;
use super::notes::no_steady_state;
use crate::formula::seconds;

/// Estimates missed that are written out.
const MISSED_SHOWN: usize = 6;

/// Returns a line on warm-up and one on precision, each only when it was requested.
pub(super) fn lines(computed: &RunSummary) -> String {
    let mut text = String::new();
    if let Some(detected) = &computed.warmup.detected {
        let discarded_s = seconds(computed.warmup.discarded_ps);
        let _ = match detected.transient_ps {
            Some(transient_ps) => writeln!(
                text,
                "warm-up: {discarded_s:.3} s discarded, transient of {:.3} s found",
                seconds(transient_ps)
            ),
            None => writeln!(text, "{}", no_steady_state(computed.warmup.discarded_ps)),
        };
    }
    if let Some(precision) = &computed.precision {
        let _ = writeln!(text, "{}", precision_words(precision, computed.measured_s));
    }
    text
}

/// Returns the note on the requested precision, after measuring for `measured_s`: one line without its end.
pub fn precision_words(precision: &PrecisionSummary, measured_s: f64) -> String {
    let asked =
        format!("precision: {} % at {} % confidence", shown(precision.relative), shown(precision.confidence));
    if precision.reached() {
        return format!("{asked} reached after {measured_s:.3} s");
    }
    let words = precision.missed.iter().take(MISSED_SHOWN).map(|missed| {
        let width = match missed.relative {
            Some(relative) => format!("+-{} %", shown(relative)),
            None => "unknown".to_owned(),
        };
        let reason = if missed.sound { "" } else { " (batches too short)" };
        format!("{} {} {width}{reason}", missed.stream, missed.quantity)
    });
    let mut words: Vec<String> = words.collect();
    if let Some(more @ 1..) = precision.missed.len().checked_sub(MISSED_SHOWN) {
        words.push(format!("{more} more"));
    }
    format!("{asked} NOT REACHED after {measured_s:.3} s, the most allowed: {}", words.join(", "))
}

/// Returns a share in percent, to three digits behind the point and none that is a zero at the end.
fn shown(share: f64) -> String {
    let text = format!("{:.3}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use halftrack_record::{DetectedWarmup, MissedPrecision, WarmupSummary};

    use super::*;
    use crate::golden;
    use crate::summary::summary;

    #[test]
    fn a_run_says_what_it_decided_by_itself() {
        let mut run = golden::run();
        run.warmup = WarmupSummary {
            discarded_ps: 31_250_000_000,
            detected: Some(DetectedWarmup { transient_ps: Some(4_600_000_000) }),
        };
        let missed = |quantity: &str, relative, sound| MissedPrecision {
            stream: "oltp".to_owned(),
            quantity: quantity.to_owned(),
            relative,
            sound,
        };
        let mut precision = PrecisionSummary {
            confidence: 0.95,
            relative: 0.0025,
            at_most_intervals: 2,
            missed: vec![missed("rate", Some(0.004_21), true), missed("response", Some(0.003), false)],
        };
        run.precision = Some(precision.clone());
        let text = summary(&run);
        assert!(text.contains("\nwarm-up: 0.031 s discarded, transient of 0.005 s found\n"), "{text}");
        let expected = "\nprecision: 0.25 % at 95 % confidence NOT REACHED after 1799.998 s, the most allowed: \
                        oltp rate +-0.421 %, oltp response +-0.3 % (batches too short)\n";
        assert!(text.contains(expected), "{text}");
        precision.missed.resize(9, missed("rate", None, false));
        let words = precision_words(&precision, 1.0);
        assert!(words.ends_with(", oltp rate unknown (batches too short), 3 more"), "{words}");
        precision.missed.clear();
        run.precision = Some(precision);
        run.warmup.detected = Some(DetectedWarmup { transient_ps: None });
        let text = summary(&run);
        assert!(text.contains("\nprecision: 0.25 % at 95 % confidence reached after 1799.998 s\n"), "{text}");
        assert!(
            text.contains("\nwarm-up: 0.031 s discarded, NO STEADY STATE found: the transient has no end\n"),
            "{text}"
        );
    }
}
