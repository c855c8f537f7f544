//! PCIe functions of compression cards, by the formulas of SMF record 74 subtype 9 (reference: zEDC, section 2).

use halftrack_record::{CompressionFunctionInterval, Interval, Run};

use crate::column::{self, Shown};
use crate::field::Field;
use crate::formula::quotient;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table, chosen, distinct};

/// A figure of this table.
type Column = column::Column<CompressionFunctionInterval>;

/// Picoseconds in a microsecond.
const PS_PER_US: f64 = 1e6;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "PFID  PCH   VF  RG   STATE    BUSY      EXEC      QUEUE    REQUEST  TRANSFER        KB  COMPR",
    "                                 %   TIME US    TIME US       RATE      MB/S       REQ  RATIO",
];

/// Busy time.
pub(crate) const BUSY: Column = Column::new(
    "compression_busy_percent",
    Unit::Percent,
    "Time that cards worked for PCIe functions of compression, of the time that these were allocated",
    |functions| {
        let allocated = functions.total(|one| one.allocated_ps);
        100.0 * quotient(functions.total(|one| one.execution_ps) as f64, allocated as f64)
    },
)
.listed("BUSY %", "busy_percent", Field::new(28, 34, 2))
.on_page(1, "Busy", Shown::Bar(|_| None));

/// The table of functions.
pub(crate) static TABLE: Table<CompressionFunctionInterval> = Table {
    kind: "system, PCHID, or system and PFID",
    report: "PCIE ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: &[
        BUSY,
        Column::new(
            "compression_execution_us",
            Unit::Us,
            "Time of a request in the engine of a compression card, mean",
            |functions| mean_us(functions, |one| one.execution_ps),
        )
        .listed("EXEC TIME US", "execution_us", Field::new(37, 44, 1))
        .on_page(2, "Execution, us", Shown::Rate),
        Column::new(
            "compression_queue_us",
            Unit::Us,
            "Time of a request in the queue of a function of a compression card, mean",
            |functions| mean_us(functions, |one| one.queue_ps),
        )
        .listed("QUEUE TIME US", "queue_us", Field::new(47, 55, 1))
        .on_page(3, "Queue, us", Shown::Rate),
        Column::new(
            "compression_card_requests_per_s",
            Unit::PerSecond,
            "Requests that compression cards did",
            |functions| functions.rate(|one| one.requests),
        )
        .listed("REQUEST RATE", "requests_per_s", Field::new(58, 66, 1))
        .on_page(4, "Requests/s", Shown::Rate),
        Column::new(
            "compression_card_mb_per_s",
            Unit::MbPerSecond,
            "Data that compression cards read and wrote",
            |functions| functions.mb_per_s(transferred_bytes),
        )
        .listed("TRANSFER MB/S", "mb_per_s", Field::new(69, 76, 1))
        .on_page(5, "MB/s", Shown::Rate),
        Column::new(
            "compression_request_bytes",
            Unit::Bytes,
            "Data that a compression card read and wrote for a request, mean",
            |functions| functions.ratio(transferred_bytes, |one| one.requests),
        ),
        Column::new(
            "compression_request_kb",
            Unit::Count,
            "Data that a compression card read and wrote for a request, 1000 bytes, mean",
            |functions| functions.ratio(transferred_bytes, |one| one.requests) / 1e3,
        )
        .listed("KB REQ", "kb_per_request", Field::new(79, 86, 1))
        .in_reports_only(),
        Column::new(
            "compression_ratio",
            Unit::Count,
            "Data before compression to the same data compressed",
            |functions| functions.ratio(|one| one.read_bytes, |one| one.written_bytes),
        )
        .listed("COMPR RATIO", "ratio", Field::new(88, 92, 2))
        .on_page(6, "Ratio", Shown::Rate),
    ],
    choose: |run, subject| chosen(run, subject, |interval| &interval.compression_functions, is),
    subjects,
    by_subject: None,
    things: |_, each| distinct(each.iter().map(|one| (one.cpc, one.pfid))),
    rows: Rows {
        frame: "compression_functions",
        keys: &[
            ("machine", "Machine, in a run of several"),
            ("pfid", "Identifier of the PCIe function (PFID)"),
            ("pchid", "Physical channel of its card"),
            ("system", "Partition"),
        ],
        source: Source::Interval(rows),
    },
};

fn rows<'a>(run: &'a Run, interval: &'a Interval) -> Vec<Row<'a, CompressionFunctionInterval>> {
    let machine = |one: &CompressionFunctionInterval| run.header.machine(one.cpc).name;
    let hexadecimal = |number: u16| format!("{number:03X}");
    let keys = |one: &'a CompressionFunctionInterval| {
        let pchid = one.pchid.map(hexadecimal).unwrap_or_default();
        let pfid = format!("{:04X}", one.pfid);
        [machine(one).into(), pfid.into(), pchid.into(), one.lpar.as_deref().unwrap_or_default().into()]
    };
    interval.compression_functions.iter().map(|one| Row::new(keys(one), one)).collect()
}

fn mean_us(
    functions: &Records<'_, CompressionFunctionInterval>,
    time_ps: impl Fn(&CompressionFunctionInterval) -> u64,
) -> f64 {
    functions.ratio(time_ps, |one| one.requests) / PS_PER_US
}

/// Returns the bytes that a card moved for a function.
fn transferred_bytes(function: &CompressionFunctionInterval) -> u64 {
    function.read_bytes + function.written_bytes
}

/// Returns true when a function is of `subject`: a system, a PCHID, or a system and its own identifier.
fn is(function: &CompressionFunctionInterval, subject: &str) -> bool {
    function.lpar.as_deref() == Some(subject)
        || function.pchid.is_some_and(|pchid| format!("{pchid:03X}") == subject)
        || identity(function).is_some_and(|identity| identity == subject)
}

/// Formats `PROD1 0010`; a function that no partition has has none.
fn identity(function: &CompressionFunctionInterval) -> Option<String> {
    function.lpar.as_ref().map(|lpar| format!("{lpar} {:04X}", function.pfid))
}

fn subjects(run: &Run) -> Vec<String> {
    let functions = || run.intervals.first().into_iter().flat_map(|interval| &interval.compression_functions);
    let pchid = |one: &CompressionFunctionInterval| one.pchid.map(|pchid| format!("{pchid:03X}"));
    let mut names: Vec<_> = functions().flat_map(|one| [one.lpar.clone(), pchid(one)]).flatten().collect();
    names.sort();
    names.dedup();
    names.into_iter().chain(functions().filter_map(identity)).collect()
}
