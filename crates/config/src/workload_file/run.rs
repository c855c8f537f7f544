//! `[run]`: how long to run and how to slice it.

use halftrack_base::Span;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Expect, Fields};

use crate::configuration::RunOptions;

/// A day, the longest warm-up and the longest interval, s.
const DAY_S: f64 = 86_400.0;
/// Longest run, s: thirty days, well within virtual time.
pub const RUN_MAX_S: f64 = 30.0 * DAY_S;

/// Warm-up by default, s.
const WARMUP_DEFAULT_S: f64 = 0.1;
/// Interval by default, s.
const INTERVAL_DEFAULT_S: f64 = 1.0;
/// Batches by default: enough for Student's t to be close to the normal distribution.
const BATCHES_DEFAULT: u32 = 20;
/// Start of measuring by default.
const START_DEFAULT: &str = "2026-01-01T00:00:00";
/// RMF cycle by default, ms (RMF's own default).
const CYCLE_DEFAULT_MS: u32 = 1000;

pub(super) fn read_run(fields: &mut Fields<'_>) -> RunOptions {
    fields.optional_table("run", |run| Some(read(run))).unwrap_or_else(|| RunOptions {
        seed: 1,
        warmup: Span::from_s_f64(WARMUP_DEFAULT_S),
        detect_warmup: false,
        interval: Span::from_s_f64(INTERVAL_DEFAULT_S),
        intervals: 1,
        batches: BATCHES_DEFAULT,
        start: START_DEFAULT.into(),
        cycle_ms: CYCLE_DEFAULT_MS,
        real_data: false,
    })
}

fn read(run: &mut Fields<'_>) -> RunOptions {
    let warmup = run.or("warmup_s", warmup(), Warmup::Length(WARMUP_DEFAULT_S));
    let (warmup_s, detect_warmup) = match warmup {
        Warmup::Length(length_s) => (length_s, false),
        Warmup::Auto => (0.0, true),
    };
    let interval_s = run.or("interval_s", Expect::number(0.001..=DAY_S), INTERVAL_DEFAULT_S);
    let intervals: u32 = run.or("intervals", Expect::integer(1..=1_000_000), 1);
    let total_s = warmup_s + interval_s * f64::from(intervals);
    if total_s > RUN_MAX_S {
        let message =
            format!("the run would take {total_s} s of virtual time; at most {RUN_MAX_S} s are run");
        run.error(numbers::RUN_TOO_LONG, run.span(), message, "lower `intervals` or `interval_s`");
    }
    let start = Expect::new("a date and time such as \"2026-01-01T00:00:00\"", |value| match value {
        toml::de::DeValue::String(text) => date_and_time(text),
        toml::de::DeValue::Datetime(moment) => date_and_time(&moment.to_string()),
        _ => None,
    });
    RunOptions {
        seed: run.or("seed", Expect::integer(0..=u64::MAX), 1),
        warmup: Span::from_s_f64(warmup_s),
        detect_warmup,
        interval: Span::from_s_f64(interval_s),
        intervals,
        batches: run.or("batches", Expect::integer(2..=10_000), BATCHES_DEFAULT),
        start: run.or("start", start, START_DEFAULT.into()),
        cycle_ms: run.or("cycle_ms", Expect::integer(50..=9999), CYCLE_DEFAULT_MS),
        real_data: run.or("data", data(), false),
    }
}

/// Expects the kind of data: true when the octets of the data move too.
fn data<'e>() -> Expect<'e, bool> {
    Expect::new("\"real\" or \"lengths\"", |value| match value {
        toml::de::DeValue::String(text) if text == "real" => Some(true),
        toml::de::DeValue::String(text) if text == "lengths" => Some(false),
        _ => None,
    })
}

/// Value of `warmup_s`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Warmup {
    /// This long, s.
    Length(f64),
    /// As long as it takes.
    Auto,
}

fn warmup<'e>() -> Expect<'e, Warmup> {
    let length = Expect::number(0.0..=DAY_S);
    let words = format!("{}, or \"auto\"", length.words());
    Expect::new(words, move |value| match value {
        toml::de::DeValue::String(text) => (text == "auto").then_some(Warmup::Auto),
        _ => length.take(value).map(Warmup::Length),
    })
}

/// Parses `text` when it is a local date and time to the second.
fn date_and_time(text: &str) -> Option<String> {
    let moment: toml::value::Datetime = text.parse().ok()?;
    let whole = moment.date.is_some() && moment.offset.is_none() && text.len() == START_DEFAULT.len();
    (whole && moment.time.is_some()).then(|| text.replace([' ', 't'], "T"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warmup_is_a_length_or_looked_for() {
        let take = |text| warmup().take(toml::de::DeValue::parse(text).expect("TOML").get_ref());
        assert_eq!(take("0.25"), Some(Warmup::Length(0.25)));
        assert_eq!(take("\"auto\""), Some(Warmup::Auto));
        assert_eq!((take("\"long\""), take("-1"), take("true")), (None, None, None));
        assert_eq!(warmup().words(), "a number from 0 to 86400, or \"auto\"");
    }

    #[test]
    fn data_are_real_or_lengths() {
        let take = |text| data().take(toml::de::DeValue::parse(text).expect("TOML").get_ref());
        assert_eq!((take("\"real\""), take("\"lengths\"")), (Some(true), Some(false)));
        assert_eq!((take("\"bytes\""), take("true")), (None, None));
    }

    #[test]
    fn a_start_is_a_local_date_and_time_to_the_second() {
        assert_eq!(date_and_time("2026-02-28T23:59:59").as_deref(), Some("2026-02-28T23:59:59"));
        assert_eq!(date_and_time("2026-02-28 23:59:59").as_deref(), Some("2026-02-28T23:59:59"));
        for wrong in
            ["2026-02-30T00:00:00", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5", "now"]
        {
            assert_eq!(date_and_time(wrong), None, "{wrong}");
        }
    }
}
