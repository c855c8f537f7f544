//! Channel paths: the columns of CHANNEL PATH ACTIVITY (SMF type 73), and quotients of them.
//!
//! PART columns are the share of the report's system; TOTAL, BUS and the operation columns are the physical channel, all
//! partitions. ACTIVE is sampled at arrivals, the new operation included, and so reads 1.0 on a nearly idle channel;
//! DEFER is a rate (RMF Report Analysis; overview conditions of type 73).

use std::borrow::Cow;

use halftrack_program::Protocol;
use halftrack_record::{
    ChannelInterval, ChannelKind, ChannelPart, ConnectionState, Mode, Operations, Recoveries, Run,
};

use crate::column::{self, Shown};
use crate::field::Field;
use crate::formula::{megabytes_per_second, percent_busy, quotient, total};
use crate::measured::Measured;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table, chosen, one_each_interval};

/// A figure of this table.
type Column = column::Column<ChannelInterval>;

/// Microseconds of a picosecond sum.
const PS_PER_US: f64 = 1e6;

/// Bits on the line for a byte of data: the 8 of it and 2 of the code, as documents count them.
const LINE_BITS_PER_BYTE: f64 = 10.0;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "-----------------------------------------------------------------------------------------------------------------------------------",
    "                                                     DETAILS FOR ALL CHANNELS",
    "-----------------------------------------------------------------------------------------------------------------------------------",
    "    CHANNEL PATH             UTILIZATION(%)    READ(MB/SEC) WRITE(MB/SEC)        FICON OPERATIONS        ZHPF OPERATIONS",
    " ID TYPE   G  SPEED SHR    PART  TOTAL    BUS   PART  TOTAL   PART  TOTAL      RATE  ACTIVE   DEFER    RATE  ACTIVE   DEFER",
];

/// Records that make columns.
type Channels<'a> = Records<'a, ChannelInterval>;

/// Utilisation of the processor as reports show it.
pub(crate) const TOTAL: Column = Column::new(
    "channel_estimate_percent",
    Unit::Percent,
    "Time that the channel path was busy for all partitions; where the channel does not measure its processor, estimated \
     from the information units that it handled",
    |channels| channels.percent(ChannelInterval::reported_processor_ps),
)
.listed("UTILIZATION(%) TOTAL", "total_percent", Field::new(32, 37, 2));

/// Utilisation of the processor as it was.
pub(crate) const PROCESSOR: Column = Column::new(
    "channel_processor_percent",
    Unit::Percent,
    "Time that the channel processor, or the path that one program holds at a time, was busy for all partitions, never \
     estimated",
    |channels| channels.percent(|one| one.processor_busy_ps),
)
.on_page(1, "Processor", Shown::Bar(|guideline| Some(guideline.processor_percent)));

/// Utilisation of the bus.
pub(crate) const BUS: Column = Column::new(
    "channel_bus_percent",
    Unit::Percent,
    "Time that the bus of the channel was busy for all partitions",
    |channels| channels.percent(|one| one.bus_busy_ps),
)
.listed("UTILIZATION(%) BUS", "bus_percent", Field::new(39, 44, 2))
.on_page(2, "Bus", Shown::Bar(|guideline| guideline.bus_percent));

/// User data read.
pub(crate) const READ: Column = Column::new(
    "read_mb_per_s",
    Unit::MbPerSecond,
    "User data read from control units by all partitions",
    |channels| channels.mb_per_s(|one| one.read_bytes),
)
.listed("READ(MB/SEC) TOTAL", "read_total_mb_per_s", Field::new(53, 58, 2))
.on_page(3, "Read MB/s", Shown::Rate);

/// User data written.
pub(crate) const WRITE: Column = Column::new(
    "write_mb_per_s",
    Unit::MbPerSecond,
    "User data written to control units by all partitions",
    |channels| channels.mb_per_s(|one| one.write_bytes),
)
.listed("WRITE(MB/SEC) TOTAL", "write_total_mb_per_s", Field::new(67, 72, 2))
.on_page(4, "Write MB/s", Shown::Rate);

/// The figures.
const COLUMNS: &[Column] = &[
    Column::sometimes(
        "channel_part_percent",
        Unit::Percent,
        "Time that the channel path was busy for the system of the report, estimated as TOTAL is",
        |channels| {
            Some(percent_busy(part(channels, ChannelInterval::reported_part_ps)?, 1, channels.length_ps))
        },
    )
    .listed("UTILIZATION(%) PART", "part_percent", Field::new(24, 30, 2))
    .of_system(),
    TOTAL,
    PROCESSOR,
    BUS,
    Column::new(
        "bus_full_mb_per_s",
        Unit::MbPerSecond,
        "Rate of user data, read and written, at which the bus would be busy all the time",
        |channels| quotient(100.0 * mb_per_s(channels), BUS.number(channels) * channels.things as f64),
    ),
    Column::sometimes(
        "read_part_mb_per_s",
        Unit::MbPerSecond,
        "User data read by the system of the report",
        |channels| part_mb_per_s(channels, |part| part.read_bytes),
    )
    .listed("READ(MB/SEC) PART", "read_part_mb_per_s", Field::new(46, 51, 2))
    .of_system(),
    READ,
    Column::sometimes(
        "write_part_mb_per_s",
        Unit::MbPerSecond,
        "User data written by the system of the report",
        |channels| part_mb_per_s(channels, |part| part.write_bytes),
    )
    .listed("WRITE(MB/SEC) PART", "write_part_mb_per_s", Field::new(60, 65, 2))
    .of_system(),
    WRITE,
    Column::new("mb_per_s", Unit::MbPerSecond, "User data read and written by all partitions", mb_per_s),
    Column::of_protocol(
        ("ficon_rate_per_s", Protocol::Command),
        Unit::PerSecond,
        "Operations in command mode (FICON) that were started, all partitions",
        rate_per_s,
    )
    .listed("FICON OPERATIONS RATE", "ficon.rate_per_s", Field::new(74, 82, 1))
    .on_page(6, "FICON/s", Shown::Rate),
    Column::of_protocol(
        ("ficon_active", Protocol::Command),
        Unit::Count,
        "Mean number of operations in command mode that were active when one was started, itself included",
        active,
    )
    .listed("FICON OPERATIONS ACTIVE", "ficon.active", Field::new(84, 90, 1)),
    Column::of_protocol(
        ("ficon_defer_per_s", Protocol::Command),
        Unit::PerSecond,
        "Operations in command mode that could not be started at once for want of channel resources",
        defer_per_s,
    )
    .listed("FICON OPERATIONS DEFER", "ficon.defer_per_s", Field::new(92, 98, 1)),
    Column::of_protocol(
        ("zhpf_rate_per_s", Protocol::Transport),
        Unit::PerSecond,
        "Operations in transport mode (zHPF) that were started, all partitions",
        rate_per_s,
    )
    .listed("ZHPF OPERATIONS RATE", "zhpf.rate_per_s", Field::new(100, 106, 1))
    .on_page(5, "zHPF/s", Shown::Rate),
    Column::of_protocol(
        ("zhpf_active", Protocol::Transport),
        Unit::Count,
        "Mean number of operations in transport mode that were active when one was started, itself included",
        active,
    )
    .listed("ZHPF OPERATIONS ACTIVE", "zhpf.active", Field::new(108, 114, 1)),
    Column::of_protocol(
        ("zhpf_defer_per_s", Protocol::Transport),
        Unit::PerSecond,
        "Operations in transport mode that could not be started at once for want of channel resources",
        defer_per_s,
    )
    .listed("ZHPF OPERATIONS DEFER", "zhpf.defer_per_s", Field::new(116, 122, 1)),
    Column::new(
        "fcp_rate_per_s",
        Unit::PerSecond,
        "SCSI commands over FCP that were started, all partitions",
        |channels| channels.rate(|one| of_fcp(one).started),
    ),
    Column::new(
        "fcp_active",
        Unit::Count,
        "Mean number of SCSI commands that were active when one was started, itself included",
        |channels| channels.ratio(|one| of_fcp(one).active_sum, |one| of_fcp(one).started),
    ),
    Column::new(
        "fcp_defer_per_s",
        Unit::PerSecond,
        "SCSI commands that could not be started at once for want of channel resources",
        |channels| channels.rate(|one| of_fcp(one).deferred),
    ),
    Column::new(
        "operations_per_s",
        Unit::PerSecond,
        "Operations of all protocols that were started, all partitions",
        |channels| channels.rate(ChannelInterval::started),
    ),
    Column::new(
        "defer_per_s",
        Unit::PerSecond,
        "Operations of all protocols that could not be started at once for want of channel resources",
        |channels| channels.rate(|one| one.operations.iter().map(|(_, of)| of.deferred).sum()),
    )
    .on_page(7, "Deferred/s", Shown::Rate),
    Column::new(
        "bytes_per_operation",
        Unit::Bytes,
        "User data of an operation, read and written, mean",
        |channels| {
            let bytes = channels.total(|one| one.read_bytes) + channels.total(|one| one.write_bytes);
            quotient(bytes as f64, channels.total(ChannelInterval::started) as f64)
        },
    ),
    Column::new(
        "processor_us_per_operation",
        Unit::Us,
        "Time of the channel processor for an operation, mean",
        |channels| {
            let busy_us = channels.total(|one| one.processor_busy_ps) as f64 / PS_PER_US;
            quotient(busy_us, channels.total(ChannelInterval::started) as f64)
        },
    ),
    Column::new(
        "sequences_per_s",
        Unit::PerSecond,
        "Information units sent and received, of channels whose utilisation is estimated from them",
        |channels| channels.rate(|one| one.estimate.map_or(0, |estimate| estimate.sequences)),
    ),
    Column::sometimes(
        "time_outs_per_s",
        Unit::PerSecond,
        "Time-outs of the channel for exchanges of which a frame was lost",
        |channels| recovered_per_s(channels, |recoveries| recoveries.time_outs),
    )
    .on_page(8, "Time-outs/s", Shown::Rate),
    Column::sometimes(
        "redrives_per_s",
        Unit::PerSecond,
        "Starts that ended in an interface control check after a frame was lost, and were driven again",
        |channels| recovered_per_s(channels, |recoveries| recoveries.redrives),
    )
    .on_page(9, "Redrives/s", Shown::Rate),
    Column::sometimes(
        "missing_interrupts_per_s",
        Unit::PerSecond,
        "Starts that ended because their interrupt was missing after a frame was lost",
        |channels| recovered_per_s(channels, |recoveries| recoveries.missing_interrupts),
    )
    .on_page(10, "Missing interrupts/s", Shown::Rate),
    Column::sometimes(
        "encrypted_connections",
        Unit::Count,
        "Connections to host-adapter ports whose frames are encrypted, at the ends of intervals",
        |channels| connections(channels, ConnectionState::Encrypted),
    ),
    Column::sometimes(
        "authenticated_connections",
        Unit::Count,
        "Connections to host-adapter ports with authentication and frames in clear text, at the ends of intervals",
        |channels| connections(channels, ConnectionState::Authenticated),
    ),
    Column::sometimes(
        "clear_connections",
        Unit::Count,
        "Connections to host-adapter ports in clear text, where parts of the site take part in endpoint security, at the \
         ends of intervals",
        |channels| connections(channels, ConnectionState::Clear),
    ),
    Column::sometimes(
        "refused_connections",
        Unit::Count,
        "Connections that were refused, as one of the ends sends no clear text, at the ends of intervals",
        |channels| connections(channels, ConnectionState::Refused),
    ),
    Column::new(
        "link_gbps",
        Unit::Gbps,
        "Negotiated speed of the link, as the SPEED column has it",
        |channels| channels.last(|one| one.link_gbps.into()),
    ),
    Column::new(
        "link_mb_per_s",
        Unit::MbPerSecond,
        "Nominal data rate of the link each way, of ten bits on the line for each byte",
        |channels| channels.last(|one| f64::from(one.link_gbps) * 1e3 / LINE_BITS_PER_BYTE),
    ),
    Column::new(
        "generation_code",
        Unit::Count,
        "Code of speed and forward error correction of the link, as the G column has it",
        |channels| channels.last(|one| one.generation.into()),
    ),
];

/// The table of channel paths.
pub(crate) static TABLE: Table<ChannelInterval> = Table {
    kind: "channel",
    report: "CHANNEL PATH ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: COLUMNS,
    choose: |run, subject| {
        let is = |one: &ChannelInterval, subject: &str| names(run, one).any(|name| name == subject);
        chosen(run, subject, |interval| &interval.channels, is)
    },
    subjects: |run| {
        let channels = run.intervals.first().into_iter().flat_map(|interval| &interval.channels);
        let mut all: Vec<String> = channels.flat_map(|channel| names(run, channel)).collect();
        all.sort();
        all
    },
    by_subject: None,
    things: one_each_interval,
    rows: Rows {
        frame: "channels",
        keys: &[
            ("channel", "CSS and CHPID, of the first channel subsystem of several"),
            ("css", "Channel subsystems that have it"),
            ("chpid", "CHPID"),
            ("pchid", "PCHID"),
            ("type", "Type, as RMF abbreviates it"),
        ],
        source: Source::Interval(|run, interval| {
            interval.channels.iter().map(|one| Row::new(keys(run, one), one)).collect()
        }),
    },
};

/// Returns its names, one for each channel subsystem: `0.40`, `B.0.40` on a machine with a name.
fn names(run: &Run, channel: &ChannelInterval) -> impl Iterator<Item = String> {
    let prefix = run.header.prefix(channel.cpc);
    channel.css.iter().map(move |css| format!("{prefix}{css:X}.{:02X}", channel.chpid))
}

/// Returns the first name, channel subsystems, CHPID, PCHID and type, as the keys of a row are.
pub(crate) fn keys<'a>(run: &'a Run, channel: &'a ChannelInterval) -> [Cow<'a, str>; 5] {
    let css: Vec<String> = channel.css.iter().map(|css| format!("{css:X}")).collect();
    let pchid = channel.pchid.map(|pchid| format!("{pchid:03X}"));
    [
        names(run, channel).next().unwrap_or_default().into(),
        css.join(" ").into(),
        format!("{:02X}", channel.chpid).into(),
        pchid.unwrap_or_default().into(),
        channel.kind.acronym().into(),
    ]
}

/// Returns the sum over the shares of the report's system; `None` when the machine is not divided or a channel cannot
/// be shared.
fn part(channels: &Channels<'_>, of: impl Fn(&ChannelInterval, &ChannelPart) -> u64) -> Option<u128> {
    let scope = channels.scope?;
    let is_divided = |one: &&ChannelInterval| Measured::of(one.kind).by_partition();
    if scope.machine().mode != Mode::Lpar || !channels.each.iter().all(is_divided) {
        return None;
    }
    let parts = channels.each.iter().flat_map(|one| one.parts.iter().map(move |part| (one, part)));
    let own = parts.filter(|(_, part)| part.lpar == scope.system.name);
    Some(total(own.map(|(one, part)| of(one, part))))
}

fn part_mb_per_s(channels: &Channels<'_>, of: fn(&ChannelPart) -> u64) -> Option<f64> {
    part(channels, |_, part| of(part)).map(|bytes| megabytes_per_second(bytes, channels.length_ps))
}

/// Returns the connections in `state`; `None` where no part of the site takes part in endpoint security.
fn connections(channels: &Channels<'_>, state: ConnectionState) -> Option<f64> {
    let is_any = channels.each.iter().any(|one| one.connections.is_some());
    let of = |one: &ChannelInterval| u64::from(one.connections.map_or(0, |counts| counts.of(state)));
    is_any.then(|| quotient(channels.total(of) as f64 * channels.things as f64, channels.each.len() as f64))
}

/// Returns recoveries a second; `None` where none was needed.
fn recovered_per_s(channels: &Channels<'_>, of: fn(&Recoveries) -> u64) -> Option<f64> {
    let is_any = channels.each.iter().any(|one| one.recoveries != Recoveries::default());
    is_any.then(|| channels.rate(|one| of(&one.recoveries)))
}

fn mb_per_s(channels: &Channels<'_>) -> f64 {
    channels.mb_per_s(|one| one.read_bytes) + channels.mb_per_s(|one| one.write_bytes)
}

/// Returns the operations of FICON in a protocol; SCSI commands are none.
fn of_ficon(channel: &ChannelInterval, protocol: Protocol) -> Operations {
    if channel.kind == ChannelKind::Fcp { Operations::default() } else { channel.operations[protocol] }
}

fn rate_per_s(channels: &Channels<'_>, protocol: Protocol) -> f64 {
    channels.rate(|one| of_ficon(one, protocol).started)
}

fn active(channels: &Channels<'_>, protocol: Protocol) -> f64 {
    channels.ratio(|one| of_ficon(one, protocol).active_sum, |one| of_ficon(one, protocol).started)
}

fn defer_per_s(channels: &Channels<'_>, protocol: Protocol) -> f64 {
    channels.rate(|one| of_ficon(one, protocol).deferred)
}

/// Returns the SCSI commands of a channel; those of a channel of FICON are none.
fn of_fcp(channel: &ChannelInterval) -> Operations {
    if channel.kind == ChannelKind::Fcp {
        channel.operations[Protocol::Transport]
    } else {
        Operations::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::quantity::tests::of;

    fn near(name: &str, expected: f64) {
        assert!((of(name) / expected - 1.0).abs() < 0.02, "{name} is {}, not about {expected}", of(name));
    }

    #[test]
    fn columns_of_one_channel_over_both_intervals() {
        near("channel_processor_percent:0.41", of("channel_processor_percent:1.41"));
        near("mb_per_s:0.40", of("read_mb_per_s:0.40") + of("write_mb_per_s:0.40"));
        near("zhpf_active:0.40", 1.2);
        assert_eq!(of("generation_code:0.40"), f64::from(0x21));
        assert_eq!(of("link_gbps:0.40"), 16.0);
    }

    #[test]
    fn quotients_agree_with_their_columns() {
        let bytes = of("mb_per_s:0.40") * 1e6 / of("operations_per_s:0.40");
        near("bytes_per_operation:0.40", bytes);
        near("bus_full_mb_per_s:0.40", of("mb_per_s:0.40") / of("channel_bus_percent:0.40") * 100.0);
        let us = of("channel_processor_percent:0.40") * 1e4 / of("operations_per_s:0.40");
        near("processor_us_per_operation:0.40", us);
    }

    #[test]
    fn all_channels_together_add_rates_and_average_utilisations() {
        let rates: f64 =
            ["0.40", "0.41", "0.42", "1.50"].map(|one| of(&format!("mb_per_s:{one}"))).iter().sum();
        near("mb_per_s", rates);
        let busy: f64 = ["0.40", "0.41", "0.42", "1.50"]
            .map(|one| of(&format!("channel_bus_percent:{one}")))
            .iter()
            .sum();
        near("channel_bus_percent", busy / 4.0);
    }
}
