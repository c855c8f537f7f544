//! Work over logical links (ISFC): bulks, requests and guests that move. RMF has no such report.

use halftrack_record::{IsLinkFlowInterval, Run};

use crate::column::{self, Shown};
use crate::field::Field;
use crate::quantity::Unit;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table, chosen, distinct, names_of};

/// A figure of this table.
type Column = column::Column<IsLinkFlowInterval>;

/// Picoseconds in a millisecond.
const PS_PER_MS: f64 = 1e9;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "LOGICAL   WORK      FROM      TO              MB/S    REQUEST   AVG RESP   MAX RESP",
    " LINK                SYSTEM    SYSTEM        MOVED       RATE    TIME MS    TIME MS",
];

/// The table of work.
pub(crate) static TABLE: Table<IsLinkFlowInterval> = Table {
    kind: "logical link, requests, or guest",
    report: "ISFC LOGICAL LINK ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: &[
        Column::new(
            "islink_moved_mb_per_s",
            Unit::MbPerSecond,
            "Data of bulks, requests, responses and guests that were delivered, each octet once",
            |work| work.mb_per_s(|one| one.bytes + one.answered_bytes),
        )
        .listed("MB/S MOVED", "mb_per_s", Field::new(41, 49, 3))
        .on_page(1, "MB/s", Shown::Rate),
        Column::new(
            "islink_requests_per_s",
            Unit::PerSecond,
            "Requests over logical links that got their response",
            |work| work.rate(|one| one.responses),
        )
        .listed("REQUEST RATE", "requests_per_s", Field::new(52, 60, 3))
        .on_page(2, "Requests/s", Shown::Rate),
        Column::new(
            "islink_response_ms",
            Unit::Ms,
            "Time from a request over a logical link to the last octet of its response, mean",
            |work| work.mean_ms(|one| one.response_ps, |one| one.responses),
        )
        .listed("AVG RESP TIME", "response_ms", Field::new(63, 71, 3))
        .on_page(3, "Response, ms", Shown::Ms),
        Column::new(
            "islink_response_max_ms",
            Unit::Ms,
            "Time from a request over a logical link to the last octet of its response, the longest",
            |work| {
                let longest_ps = work.each.iter().map(|one| one.response_max_ps).max();
                longest_ps.unwrap_or_default() as f64 / PS_PER_MS
            },
        )
        .listed("MAX RESP TIME", "response_max_ms", Field::new(74, 82, 3))
        .on_page(4, "Longest, ms", Shown::Ms),
    ],
    choose: |run, subject| chosen(run, subject, |interval| &interval.islink_flows, is),
    subjects,
    by_subject: None,
    things: |_, each| distinct(each.iter().map(|one| (&one.islink, &one.name, &one.from))),
    rows: Rows {
        frame: "islink_work",
        keys: &[
            ("islink", "Logical link"),
            ("work", "Name of the requests or the guest; none of a bulk"),
            ("from", "Partition of the system that begins it"),
            ("to", "Partition of the other system"),
        ],
        source: Source::Interval(|_, interval| {
            interval
                .islink_flows
                .iter()
                .map(|one| {
                    Row::new(
                        [(&one.islink).into(), (&one.name).into(), (&one.from).into(), (&one.to).into()],
                        one,
                    )
                })
                .collect()
        }),
    },
};

/// Returns true when work is of `subject`: a logical link, requests or a guest.
fn is(work: &IsLinkFlowInterval, subject: &str) -> bool {
    work.islink == subject || (!work.name.is_empty() && work.name == subject)
}

fn subjects(run: &Run) -> Vec<String> {
    names_of(run, |interval| &interval.islink_flows, |one| [&one.islink, &one.name])
}
