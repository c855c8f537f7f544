//! What the streams of the workload experienced.

use halftrack_record::{Run, StreamSummary};

use super::{Of, QuantityError, Unit, Word, unknown, word};
use crate::formula::quotient;
use crate::percentiles::Distribution;

pub(super) type Formula = fn(&[&StreamSummary]) -> f64;

pub(super) const WORDS: &[Word] = &[
    word("rate_per_s", Unit::PerSecond, Of::Streams(rate_per_s)),
    word("response_ms", Unit::Ms, Of::Streams(|streams| response_us(streams) / 1e3)),
    word("response_us", Unit::Us, Of::Streams(response_us)),
    word("response_p50_ms", Unit::Ms, Of::Streams(|streams| percentile_ms(streams, 500))),
    word("response_p90_ms", Unit::Ms, Of::Streams(|streams| percentile_ms(streams, 900))),
    word("response_p99_ms", Unit::Ms, Of::Streams(|streams| percentile_ms(streams, 990))),
    word("response_p99_9_ms", Unit::Ms, Of::Streams(|streams| percentile_ms(streams, 999))),
    word(
        "completed",
        Unit::Count,
        Of::Streams(|streams| streams.iter().map(|one| one.completed as f64).sum()),
    ),
    word("failed", Unit::Count, Of::Streams(|streams| streams.iter().map(|one| one.failed as f64).sum())),
];

pub(super) fn value(
    run: &Run,
    word: &'static str,
    subject: Option<&str>,
    formula: Formula,
) -> Result<f64, QuantityError> {
    let chosen: Vec<&StreamSummary> =
        run.streams.iter().filter(|stream| subject.is_none_or(|name| stream.name == name)).collect();
    match subject {
        Some(name) if chosen.is_empty() => Err(unknown(word, "stream", name, subjects(run))),
        _ => Ok(formula(&chosen)),
    }
}

pub(super) fn subjects(run: &Run) -> Vec<String> {
    run.streams.iter().map(|stream| stream.name.clone()).collect()
}

fn rate_per_s(streams: &[&StreamSummary]) -> f64 {
    streams.iter().map(|stream| stream.rate_per_s.mean).sum()
}

/// Mean response over all I/Os of the streams.
fn response_us(streams: &[&StreamSummary]) -> f64 {
    let total: f64 = streams.iter().map(|stream| stream.response_us.mean * stream.completed as f64).sum();
    quotient(total, streams.iter().map(|stream| stream.completed as f64).sum())
}

/// Percentile of the response of all I/Os of the streams.
fn percentile_ms(streams: &[&StreamSummary], permille: u64) -> f64 {
    Distribution::of(streams.iter().map(|stream| &stream.response_times)).percentile_ms(permille)
}

#[cfg(test)]
mod tests {
    use crate::quantity::tests::of;

    #[test]
    fn percentiles_are_of_a_stream_or_of_all_of_them() {
        assert_eq!(of("response_p50_ms:oltp"), 0.1);
        assert_eq!(of("response_p99_ms"), 0.3);
        assert_eq!(of("response_p99_9_ms"), 0.9);
    }

    #[test]
    fn one_stream_and_all_of_them() {
        assert_eq!(of("rate_per_s:oltp"), 812.4);
        assert_eq!(of("rate_per_s"), 812.4);
        assert_eq!(of("response_us:oltp"), 117.25);
        assert_eq!(of("response_ms"), 0.11725);
    }
}
