//! How long to run: `--precision` with what goes with it, and `--warmup`.

use std::io::{self, Write};

use clap::Args;
use halftrack::{CONFIDENCE_LIMITS, INTERVALS_LIMIT, RELATIVE_LIMITS, WARMUP_LIMIT_S};
use halftrack_machine::Precision;
use halftrack_record::Run;
use halftrack_report::{RunSummary, precision_words};

/// `--precision` and what goes with it.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct PrecisionArguments {
    /// Measure until rate and response time of every stream are estimated within this share of their means, such as 1%
    /// or 0.01, instead of for the number of intervals in the workload
    #[arg(long, value_name = "SHARE", value_parser = precision)]
    pub precision: Option<f64>,
    /// Confidence level of --precision, such as 0.95 or 95% [default: 0.95]
    #[arg(long, value_name = "LEVEL", requires = "precision", value_parser = confidence)]
    pub confidence: Option<f64>,
    /// Maximum number of intervals of --precision; a run that needs more reports it [default: 100]
    #[arg(long, value_name = "INTERVALS", requires = "precision",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(INTERVALS_LIMIT)))]
    pub at_most: Option<u32>,
}

impl PrecisionArguments {
    /// Returns the requested precision, if any.
    pub fn requested(&self) -> Option<Precision> {
        let relative = self.precision?;
        Some(Precision {
            confidence: self.confidence.unwrap_or(Precision::CONFIDENCE_DEFAULT),
            relative,
            at_most: self.at_most.unwrap_or(Precision::AT_MOST_DEFAULT),
        })
    }
}

/// `--warmup`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WarmupArgument {
    /// This long, s.
    Length(f64),
    /// Until the transients of all streams are over.
    Auto,
}

impl WarmupArgument {
    /// Returns its length, s; `None` until the transients are over.
    pub fn length_s(self) -> Option<f64> {
        match self {
            Self::Length(length_s) => Some(length_s),
            Self::Auto => None,
        }
    }
}

/// Reads `--warmup`.
///
/// # Errors
/// The expected form.
pub fn warmup(text: &str) -> Result<WarmupArgument, String> {
    if text == "auto" {
        return Ok(WarmupArgument::Auto);
    }
    let length_s = text.parse().ok().filter(|length_s| (0.0..=WARMUP_LIMIT_S).contains(length_s));
    let expected = || format!("expected \"auto\" or seconds from 0 to {WARMUP_LIMIT_S}, such as 0.1");
    length_s.map(WarmupArgument::Length).ok_or_else(expected)
}

fn precision(text: &str) -> Result<f64, String> {
    share(text, RELATIVE_LIMITS, "0.001% to 50%, such as 1% or 0.01")
}

fn confidence(text: &str) -> Result<f64, String> {
    share(text, CONFIDENCE_LIMITS, "0.5 to 0.999, such as 0.95 or 95%")
}

/// Parses a share, or one in percent, within `(lowest, highest)`.
pub fn share(text: &str, (lowest, highest): (f64, f64), expected: &str) -> Result<f64, String> {
    let share: Option<f64> = match text.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse().ok().map(|percent: f64| percent / 100.0),
        None => text.parse().ok(),
    };
    share.filter(|share| (lowest..=highest).contains(share)).ok_or_else(|| format!("expected {expected}"))
}

/// Says on `stderr` what a run that was to be precise did not reach.
///
/// # Errors
/// When `stderr` cannot be written.
pub fn report_missed(run: &Run, stderr: &mut dyn Write) -> io::Result<()> {
    match run.precision.as_ref().filter(|precision| !precision.reached()) {
        Some(precision) => {
            let measured_s = RunSummary::compute(run).measured_s;
            writeln!(stderr, "halftrack: {}", precision_words(precision, measured_s))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_given_in_percent_or_plainly() {
        assert_eq!((precision("1%"), precision("0.01")), (Ok(0.01), Ok(0.01)));
        assert_eq!((confidence("95%"), confidence("0.9")), (Ok(0.95), Ok(0.9)));
        for wrong in ["", "%", "x%", "1", "100%", "0", "0%", "-1%", "nan", "inf", "1%%"] {
            assert!(precision(wrong).is_err(), "{wrong}");
        }
        for wrong in ["95", "1", "0.4", "99.95%", "NaN"] {
            assert_eq!(confidence(wrong), Err("expected 0.5 to 0.999, such as 0.95 or 95%".to_owned()));
        }
    }

    #[test]
    fn a_warmup_is_auto_or_seconds() {
        assert_eq!(warmup("auto"), Ok(WarmupArgument::Auto));
        assert_eq!(warmup("0"), Ok(WarmupArgument::Length(0.0)));
        for wrong in ["Auto", "", "-0.1", "86401", "nan", "1s"] {
            assert!(warmup(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_is_requested_without_a_precision() {
        assert_eq!(PrecisionArguments::default().requested(), None);
        let requested =
            PrecisionArguments { precision: Some(0.02), ..PrecisionArguments::default() }.requested();
        assert_eq!(requested, Some(Precision::new(0.95, 0.02)));
    }
}
