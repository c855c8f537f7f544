//! Channel-to-channel devices of logical links (ISFC), each end by itself. RMF has no such report.

use halftrack_record::{IsLinkDeviceInterval, Run};

use crate::column::{self, Shown};
use crate::field::Field;
use crate::formula::quotient;
use crate::quantity::Unit;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table, chosen, distinct, names_of};

/// A figure of this table.
type Column = column::Column<IsLinkDeviceInterval>;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "LOGICAL    DEV  CHP TO         START     BLOCKS      MB/S   BYTES A  COLLISIONS  AVG ACT    %",
    " LINK      NUM   ID SYSTEM      RATE    WRITTEN   WRITTEN     START    A SECOND  TIME MS   ACT",
];

/// Starts.
pub(crate) const STARTS: Column = Column::new(
    "islink_starts_per_s",
    Unit::PerSecond,
    "Starts (SSCH) of channel-to-channel devices of logical links",
    |ends| ends.rate(|end| end.starts),
)
.listed("START RATE", "starts_per_s", Field::new(29, 36, 3))
.on_page(1, "Starts/s", Shown::Rate);

/// The table of ends.
pub(crate) static TABLE: Table<IsLinkDeviceInterval> = Table {
    kind: "logical link, system, or system and device",
    report: "ISFC LOGICAL LINK ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: &[
        STARTS,
        Column::new(
            "islink_blocks_per_s",
            Unit::PerSecond,
            "Blocks that were written over logical links, those of the protocol included",
            |ends| ends.rate(|end| end.blocks),
        )
        .listed("BLOCKS WRITTEN", "blocks_per_s", Field::new(40, 46, 3))
        .on_page(2, "Blocks/s", Shown::Rate),
        Column::new(
            "islink_mb_per_s",
            Unit::MbPerSecond,
            "Data that were written over logical links: of a system those that it sends",
            |ends| ends.mb_per_s(|end| end.bytes),
        )
        .listed("MB/S WRITTEN", "mb_per_s", Field::new(49, 56, 3))
        .on_page(3, "MB/s", Shown::Rate),
        Column::new(
            "islink_mb_per_s_per_channel",
            Unit::MbPerSecond,
            "Data that were written over logical links by a channel that carries them, mean over the channels of senders",
            |ends| {
                let mut channels: Vec<_> = ends.each.iter().filter(|end| end.bytes > 0).map(|end| (end.cpc, end.chpid)).collect();
                channels.sort_unstable();
                channels.dedup();
                quotient(ends.mb_per_s(|end| end.bytes), channels.len() as f64)
            },
        ),
        Column::new(
            "islink_bytes_per_start",
            Unit::Bytes,
            "Data of a start of a system on devices over which it sends, mean: reads and collisions are starts too",
            |ends| ends.ratio(|end| end.bytes, sending_starts),
        )
        .listed("BYTES A START", "bytes_per_start", Field::new(59, 66, 0)),
        Column::new(
            "islink_collisions_per_s",
            Unit::PerSecond,
            "Writes that met a Write of the other system and were answered busy",
            |ends| ends.rate(|end| end.collisions),
        )
        .listed("COLLISIONS A SECOND", "collisions_per_s", Field::new(69, 78, 3))
        .on_page(4, "Collisions/s", Shown::Rate),
        Column::new(
            "islink_active_ms",
            Unit::Ms,
            "Time from a start of a channel-to-channel device to its end, mean: it waits for the other system too",
            |ends| ends.ratio(|end| end.active_ps, |end| end.starts) / 1e9,
        )
        .listed("AVG ACT TIME", "active_ms", Field::new(81, 87, 3)),
        Column::new(
            "islink_active_percent",
            Unit::Percent,
            "Time that a start was in progress at an end of a device, mean over the ends",
            |ends| ends.percent(|end| end.active_ps),
        )
        .listed("% ACT", "active_percent", Field::new(90, 95, 2))
        .on_page(5, "Active", Shown::Bar(|_| None)),
    ],
    choose: |run, subject| chosen(run, subject, |interval| &interval.islinks, is),
    subjects,
    by_subject: None,
    things: |_, each| distinct(each.iter().map(|end| (&end.islink, &end.lpar, end.number))),
    rows: Rows {
        frame: "islinks",
        keys: &[("islink", "Logical link"), ("system", "Partition of the system at this end"), ("device", "Number of the channel-to-channel device at this end")],
        source: Source::Interval(|_, interval| { interval.islinks.iter().map(|one| Row::new([(&one.islink).into(), (&one.lpar).into(), format!("{:04X}", one.number).into()], one)).collect() }),
    },
};

/// Returns the starts of an end whose system has sent data.
fn sending_starts(end: &IsLinkDeviceInterval) -> u64 {
    if end.bytes > 0 { end.starts } else { 0 }
}

/// Returns true when an end is of `subject`: a logical link, a system, or a system and the number of its device.
fn is(end: &IsLinkDeviceInterval, subject: &str) -> bool {
    end.islink == subject || end.lpar == subject || device(end) == subject
}

/// Formats `VMA 4000`.
fn device(end: &IsLinkDeviceInterval) -> String {
    format!("{} {:04X}", end.lpar, end.number)
}

fn subjects(run: &Run) -> Vec<String> {
    let names = names_of(run, |interval| &interval.islinks, |end| [&end.islink, &end.lpar]);
    let ends = run.intervals.first().into_iter().flat_map(|interval| &interval.islinks);
    names.into_iter().chain(ends.map(device)).collect()
}
