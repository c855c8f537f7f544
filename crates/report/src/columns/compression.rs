//! Programs whose data compression cards take, and what software does and would have done.

use halftrack_record::{CompressionInterval, Run};

use crate::column::{self, Shown};
use crate::field::Field;
use crate::quantity::Unit;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table, chosen, distinct, names_of};

/// A figure of this table.
type Column = column::Column<CompressionInterval>;

/// Picoseconds in a microsecond.
const PS_PER_US: f64 = 1e6;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "PROGRAM          EXPLOITER     ACTION     REQUEST   AVG RESP   MAX RESP      MB/S      MB/S  SOFTWARE    CPUS    CPUS",
    "                                             RATE    TIME US    TIME US     PLAIN     COMPR  REQ RATE    USED   SAVED",
];

/// Data before compression.
pub(crate) const PLAIN: Column = Column::new(
    "compressed_plain_mb_per_s",
    Unit::MbPerSecond,
    "Data of programs before compression, of what cards and software do together",
    |programs| programs.mb_per_s(|one| one.plain_bytes + one.software_bytes),
)
.listed("MB/S PLAIN", "plain_mb_per_s", Field::new(73, 80, 1))
.on_page(4, "MB/s plain", Shown::Rate);

/// The table of programs.
pub(crate) static TABLE: Table<CompressionInterval> = Table {
    kind: "program, or system",
    report: "PCIE ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: &[
        Column::new(
            "compression_requests_per_s",
            Unit::PerSecond,
            "Requests of programs that compression cards did",
            |programs| programs.rate(|one| one.requests),
        )
        .listed("REQUEST RATE", "requests_per_s", Field::new(40, 48, 1))
        .on_page(1, "Requests/s", Shown::Rate),
        Column::new(
            "compression_response_us",
            Unit::Us,
            "Time from the start of a request on a compression card to its end, mean",
            |programs| programs.ratio(|one| one.response_ps, |one| one.requests) / PS_PER_US,
        )
        .listed("AVG RESP TIME US", "response_us", Field::new(51, 59, 1))
        .on_page(2, "Response, us", Shown::Rate),
        Column::new(
            "compression_response_max_us",
            Unit::Us,
            "Time from the start of a request on a compression card to its end, the longest",
            |programs| {
                let longest_ps = programs.each.iter().map(|one| one.response_max_ps).max();
                longest_ps.unwrap_or_default() as f64 / PS_PER_US
            },
        )
        .listed("MAX RESP TIME US", "response_max_us", Field::new(62, 70, 1))
        .on_page(3, "Longest, us", Shown::Rate),
        PLAIN,
        Column::new(
            "compressed_mb_per_s",
            Unit::MbPerSecond,
            "Data of programs after compression by cards",
            |programs| programs.mb_per_s(|one| one.compressed_bytes),
        )
        .listed("MB/S COMPR", "compressed_mb_per_s", Field::new(83, 90, 1))
        .on_page(5, "MB/s compressed", Shown::Rate),
        Column::new(
            "compression_software_per_s",
            Unit::PerSecond,
            "Requests of programs that no card took, and software did",
            |programs| programs.rate(|one| one.software_requests),
        )
        .listed("SOFTWARE REQ RATE", "software_requests_per_s", Field::new(93, 100, 1))
        .on_page(6, "In software/s", Shown::Rate),
        Column::new(
            "compression_processors",
            Unit::Count,
            "Processors that compression in software kept busy, by the rate of one that the workload gives",
            |programs| programs.mean_number(|one| one.software_ps.unwrap_or_default()),
        )
        .listed("CPUS USED", "software_processors", Field::new(102, 108, 2))
        .on_page(7, "Processors", Shown::Rate),
        Column::new(
            "compression_processors_saved",
            Unit::Count,
            "Processors that software would have kept busy with what compression cards did",
            |programs| programs.mean_number(|one| one.saved_ps.unwrap_or_default()),
        )
        .listed("CPUS SAVED", "saved_processors", Field::new(110, 116, 2))
        .on_page(8, "Saved", Shown::Rate),
    ],
    choose: |run, subject| chosen(run, subject, |interval| &interval.compression, is),
    subjects,
    by_subject: None,
    things: |_, each| distinct(each.iter().map(|one| &one.name)),
    rows: Rows {
        frame: "compression",
        keys: &[
            ("program", "Name in the workload"),
            ("system", "Partition"),
            ("operation", "deflate or inflate"),
        ],
        source: Source::Interval(|_, interval| {
            interval
                .compression
                .iter()
                .map(|one| Row::new([(&one.name).into(), (&one.lpar).into(), (&one.operation).into()], one))
                .collect()
        }),
    },
};

/// Returns true when a program is `subject`, or in the system of that name.
fn is(program: &CompressionInterval, subject: &str) -> bool {
    program.name == subject || program.lpar == subject
}

fn subjects(run: &Run) -> Vec<String> {
    names_of(run, |interval| &interval.compression, |one| [&one.name, &one.lpar])
}
