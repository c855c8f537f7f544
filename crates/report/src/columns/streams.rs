//! Streams of the workload.

use halftrack_record::StreamSummary;

use crate::column;
use crate::formula::quotient;
use crate::percentiles::Distribution;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table};

/// A figure of this table.
type Column = column::Column<StreamSummary>;

/// Records that make columns.
type Streams<'a> = Records<'a, StreamSummary>;

/// The figures.
const COLUMNS: &[Column] = &[
    Column::new("rate_per_s", Unit::PerSecond, "I/Os that were completed", |streams| {
        // Of nothing the sum is 0, and not the -0 that floating point has for it.
        streams.each.iter().map(|stream| stream.rate_per_s.mean).sum::<f64>() + 0.0
    })
    .in_summary(3, "I/Os per second", 24, 1),
    Column::sometimes(
        "rate_half_width_per_s",
        Unit::PerSecond,
        "Half-width of the confidence interval of the rate of one stream",
        |streams| one(streams).map(|stream| stream.rate_per_s.half_width),
    )
    .in_summary_behind(3, " +- ", 1)
    .in_reports_only(),
    Column::new(
        "response_ms",
        Unit::Ms,
        "Response time of an I/O (IOSQ, pending, disconnect and connect time), mean",
        |streams| response_us(streams) / 1e3,
    )
    .in_summary(4, "response ms", 22, 3),
    Column::sometimes(
        "response_half_width_ms",
        Unit::Ms,
        "Half-width of the confidence interval of the response time of one stream",
        |streams| one(streams).map(|stream| stream.response_us.half_width / 1e3),
    )
    .in_summary_behind(4, " +- ", 3)
    .in_reports_only(),
    Column::new("response_us", Unit::Us, "Response time of an I/O, mean, in microseconds", response_us),
    Column::new(
        "response_p50_ms",
        Unit::Ms,
        "Response time that half of the I/Os do not exceed",
        |streams| percentile_ms(streams, 500),
    ),
    Column::new("response_p90_ms", Unit::Ms, "Response time that 90 of 100 I/Os do not exceed", |streams| {
        percentile_ms(streams, 900)
    }),
    Column::new("response_p99_ms", Unit::Ms, "Response time that 99 of 100 I/Os do not exceed", |streams| {
        percentile_ms(streams, 990)
    }),
    Column::new(
        "response_p99_9_ms",
        Unit::Ms,
        "Response time that 999 of 1,000 I/Os do not exceed",
        |streams| percentile_ms(streams, 999),
    ),
    Column::new("completed", Unit::Count, "I/Os that were completed over the measured time", |streams| {
        streams.each.iter().map(|one| one.completed as f64).sum()
    })
    .in_summary(0, "I/Os", 12, 0),
    Column::new("failed", Unit::Count, "I/Os that ended with anything but normal ending status", |streams| {
        streams.each.iter().map(|one| one.failed as f64).sum()
    })
    .in_summary(1, "failed", 8, 0),
    Column::sometimes(
        "offered_per_s",
        Unit::PerSecond,
        "I/Os that one stream offered, whose jobs do not wait for them",
        |streams| one(streams).and_then(|stream| stream.load).map(|load| load.offered_per_s),
    )
    .in_summary(2, "offered per second", 18, 1)
    .in_reports_only(),
];

/// The table of streams.
pub(crate) static TABLE: Table<StreamSummary> = Table {
    kind: "stream",
    report: "",
    subject_rule: SubjectRule::OneOrAll,
    columns: COLUMNS,
    choose: |run, subject| {
        run.streams.iter().filter(|stream| subject.is_none_or(|name| stream.name == name)).collect()
    },
    subjects: |run| run.streams.iter().map(|stream| stream.name.clone()).collect(),
    by_subject: None,
    things: |_, each| each.len() as u64,
    rows: Rows {
        frame: "streams",
        keys: &[("stream", "Name in the workload")],
        source: Source::Run(|run| {
            run.streams.iter().map(|one| Row::new([(&one.name).into()], one)).collect()
        }),
    },
};

/// Returns the only stream, if there is one.
fn one<'a>(streams: &Streams<'a>) -> Option<&'a StreamSummary> {
    match streams.each[..] {
        [stream] => Some(stream),
        _ => None,
    }
}

/// Returns the mean response over all I/Os of the streams.
fn response_us(streams: &Streams<'_>) -> f64 {
    let each = || streams.each.iter();
    let total: f64 = each().map(|stream| stream.response_us.mean * stream.completed as f64).sum();
    quotient(total, each().map(|stream| stream.completed as f64).sum())
}

/// Returns a percentile of the response of all I/Os of the streams.
fn percentile_ms(streams: &Streams<'_>, permille: u64) -> f64 {
    Distribution::of(streams.each.iter().map(|stream| &stream.response_times)).percentile_ms(permille)
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
