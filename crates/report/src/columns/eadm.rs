//! Operations on EADM subchannels: how many, and their times on the IOPs.

use halftrack_record::{EadmInterval, Run};

use crate::column::{self, Shown};
use crate::field::Field;
use crate::quantity::Unit;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table, chosen, distinct, names_of};

/// A figure of this table.
type Column = column::Column<EadmInterval>;

/// Picoseconds in a microsecond.
const PS_PER_US: f64 = 1e6;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "NAME             KIND           SSCH         IOP       IOP  RESPONSE",
    "                                RATE    QUEUE US   TIME US   TIME US",
];

/// The table of flows.
pub(crate) static TABLE: Table<EadmInterval> = Table {
    kind: "flow of EADM work, or system",
    report: "EADM ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: &[
        Column::new(
            "eadm_ssch_per_s",
            Unit::PerSecond,
            "Operations on EADM subchannels that were started",
            |flows| flows.rate(|one| one.started),
        )
        .listed("SSCH RATE", "ssch_per_s", Field::new(27, 36, 1))
        .on_page(1, "SSCH/s", Shown::Rate),
        Column::new(
            "eadm_iop_queue_us",
            Unit::Us,
            "Time that an operation on an EADM subchannel waits for an IOP thread, mean",
            |flows| flows.ratio(|one| one.queue_ps, |one| one.started) / PS_PER_US,
        )
        .listed("IOP QUEUE US", "iop_queue_us", Field::new(40, 48, 2))
        .on_page(2, "IOP queue, us", Shown::Rate),
        Column::new(
            "eadm_iop_us",
            Unit::Us,
            "Time that an IOP thread has an operation on an EADM subchannel, mean",
            |flows| flows.ratio(|one| one.service_ps, |one| one.started) / PS_PER_US,
        )
        .listed("IOP TIME US", "iop_us", Field::new(50, 58, 2))
        .on_page(3, "IOP, us", Shown::Rate),
        Column::new(
            "eadm_response_us",
            Unit::Us,
            "Time from the start of an operation on an EADM subchannel to its end, mean",
            |flows| flows.ratio(|one| one.queue_ps + one.service_ps, |one| one.started) / PS_PER_US,
        )
        .listed("RESPONSE TIME US", "response_us", Field::new(60, 68, 2))
        .on_page(4, "Response, us", Shown::Rate),
    ],
    choose: |run, subject| chosen(run, subject, |interval| &interval.eadm, is),
    subjects,
    by_subject: None,
    things: |_, each| distinct(each.iter().map(|one| &one.name)),
    rows: Rows {
        frame: "eadm",
        keys: &[
            ("flow", "Name in the workload"),
            ("system", "Partition"),
            ("kind", "compression, or scm for storage-class memory"),
        ],
        source: Source::Interval(|_, interval| {
            interval
                .eadm
                .iter()
                .map(|one| Row::new([(&one.name).into(), (&one.lpar).into(), (&one.kind).into()], one))
                .collect()
        }),
    },
};

/// Returns true when a flow is `subject`, or in the system of that name.
fn is(flow: &EadmInterval, subject: &str) -> bool {
    flow.name == subject || flow.lpar == subject
}

fn subjects(run: &Run) -> Vec<String> {
    names_of(run, |interval| &interval.eadm, |one| [&one.name, &one.lpar])
}
