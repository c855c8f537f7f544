//! Synchronous I/O: the columns of SYNCHRONOUS I/O DEVICE ACTIVITY (SMF type 74-1), and its links (SMF type 74-9).
//!
//! Percentages are of the requests of both directions; what was not tried is no request.

use halftrack_record::{DeviceInterval, SynchronousIo, SynchronousLinkInterval, SynchronousRequests};

use super::devices;
use crate::column;
use crate::quantity::Unit;
use crate::records::Records;
use crate::table::{Named, SubjectRule, Table, chosen, one_each_interval};

/// A figure of devices.
type Column = column::Column<DeviceInterval>;
/// A figure of links.
type LinkColumn = column::Column<SynchronousLinkInterval>;
/// Records that make columns.
type Devices<'a> = Records<'a, DeviceInterval>;

/// The figures of devices.
const COLUMNS: &[Column] = &[
    Column::new("sync_read_per_s", Unit::PerSecond, "Synchronous reads that succeeded", |devices| {
        devices.rate(|one| read(one).successes)
    }),
    Column::new("sync_write_per_s", Unit::PerSecond, "Synchronous writes that succeeded", |devices| {
        devices.rate(|one| write(one).successes)
    }),
    Column::new("sync_read_mb_per_s", Unit::MbPerSecond, "Data that synchronous reads moved", |devices| {
        devices.mb_per_s(|one| read(one).bytes)
    }),
    Column::new("sync_write_mb_per_s", Unit::MbPerSecond, "Data that synchronous writes moved", |devices| {
        devices.mb_per_s(|one| write(one).bytes)
    }),
    Column::new(
        "sync_read_response_ms",
        Unit::Ms,
        "Time that the processor spun for a synchronous read that succeeded, mean",
        |devices| devices.mean_ms(|one| read(one).response_ps, |one| read(one).successes),
    ),
    Column::new(
        "sync_write_response_ms",
        Unit::Ms,
        "Time that the processor spun for a synchronous write that succeeded, mean",
        |devices| devices.mean_ms(|one| write(one).response_ps, |one| write(one).successes),
    ),
    Column::new(
        "sync_requests_per_s",
        Unit::PerSecond,
        "Synchronous requests, whatever their outcome",
        |devices| devices.rate(|one| both(one, SynchronousRequests::attempts)),
    ),
    Column::new("sync_success_percent", Unit::Percent, "Synchronous requests that succeeded", |devices| {
        percent(devices, |one| one.successes)
    }),
    Column::new(
        "sync_link_busy_percent",
        Unit::Percent,
        "Synchronous requests that found the link in use",
        |devices| percent(devices, |one| one.link_busy),
    ),
    Column::new(
        "sync_cache_miss_percent",
        Unit::Percent,
        "Synchronous requests whose record was not in cache",
        |devices| percent(devices, |one| one.cache_miss),
    ),
    Column::new(
        "sync_timeout_percent",
        Unit::Percent,
        "Synchronous requests without an answer in time",
        |devices| percent(devices, |one| one.timeouts),
    ),
    Column::new(
        "sync_other_percent",
        Unit::Percent,
        "Synchronous requests that were rejected for any other reason",
        |devices| percent(devices, |one| one.other),
    ),
    Column::new(
        "sync_rejects_per_s",
        Unit::PerSecond,
        "Synchronous requests without success, which went on over the channels",
        |devices| devices.rate(|one| both(one, SynchronousRequests::rejects)),
    ),
    Column::new(
        "sync_reject_ms",
        Unit::Ms,
        "Time that the processor spun for a synchronous request without success, mean",
        |devices| {
            devices.mean_ms(|one| both(one, |one| one.fail_ps), |one| both(one, SynchronousRequests::rejects))
        },
    ),
    Column::new(
        "sync_not_tried_per_s",
        Unit::PerSecond,
        "I/Os of streams with synchronous I/O that went to the channels at once",
        |devices| devices.rate(|one| both(one, |one| one.not_tried.total())),
    ),
];

/// The table of devices.
pub(crate) static TABLE: Table<DeviceInterval> = Table {
    kind: devices::TABLE.kind,
    report: "",
    subject_rule: SubjectRule::OneOrAll,
    columns: COLUMNS,
    choose: |run, subject| {
        chosen(run, subject, |interval| &interval.devices, |one, subject| devices::is(run, one, subject))
    },
    subjects: devices::subjects,
    things: devices::TABLE.things,
};

/// The figures of links.
const LINK_COLUMNS: &[LinkColumn] = &[
    LinkColumn::new(
        "zhyperlink_percent",
        Unit::Percent,
        "Time that a synchronous request held the zHyperLink; mean over the links",
        |links| links.percent(|link| link.held_ps),
    ),
    LinkColumn::new(
        "zhyperlink_success_per_s",
        Unit::PerSecond,
        "Synchronous requests whose data moved over the zHyperLink",
        |links| links.rate(|link| link.successes),
    ),
    LinkColumn::new(
        "zhyperlink_reject_per_s",
        Unit::PerSecond,
        "Synchronous requests that processor, adapter or box turned away, and those without an answer in time",
        |links| links.rate(|link| link.local_rejects + link.remote_rejects + link.timeouts),
    ),
    LinkColumn::new(
        "zhyperlink_mb_per_s",
        Unit::MbPerSecond,
        "Data that went over the zHyperLink, both directions together",
        |links| links.mb_per_s(|link| link.read_bytes + link.written_bytes),
    ),
];

const LINKS: Named<SynchronousLinkInterval> =
    Named { records: |interval| &interval.synchronous_links, name: |_, link| link.name.clone() };

/// The table of links.
pub(crate) static LINK_TABLE: Table<SynchronousLinkInterval> = Table {
    kind: "zHyperLink",
    report: "",
    subject_rule: SubjectRule::OneOrAll,
    columns: LINK_COLUMNS,
    choose: |run, subject| LINKS.choose(run, subject),
    subjects: |run| LINKS.subjects(run),
    things: one_each_interval,
};

fn of(device: &DeviceInterval) -> SynchronousIo {
    device.synchronous.unwrap_or_default()
}

fn read(device: &DeviceInterval) -> SynchronousRequests {
    of(device).read
}

fn write(device: &DeviceInterval) -> SynchronousRequests {
    of(device).write
}

fn both(device: &DeviceInterval, count: fn(&SynchronousRequests) -> u64) -> u64 {
    count(&read(device)) + count(&write(device))
}

/// Returns the share of the requests, percent.
fn percent(devices: &Devices<'_>, count: fn(&SynchronousRequests) -> u64) -> f64 {
    100.0 * devices.ratio(|one| both(one, count), |one| both(one, SynchronousRequests::attempts))
}

#[cfg(test)]
mod tests {
    use halftrack_record::{Run, SynchronousIo, SynchronousLinkInterval, SynchronousRequests};

    use crate::golden;
    use crate::quantity::quantity;

    fn of(run: &Run, name: &str) -> f64 {
        quantity(run, name).expect("a value").value
    }

    /// Makes a run whose first device has nine reads of 26 us and a reject of 1 us in each interval.
    fn run() -> Run {
        let mut run = golden::run();
        for interval in &mut run.intervals {
            let read = SynchronousRequests {
                successes: 9,
                bytes: 9 * 4096,
                response_ps: 9 * 26_000_000,
                link_busy: 1,
                fail_ps: 1_000_000,
                ..SynchronousRequests::default()
            };
            interval.devices[0].synchronous = Some(SynchronousIo { read, ..SynchronousIo::default() });
            let held_ps = interval.length_ps / 4;
            let name = "pchid 180.1 > BOXA".to_owned();
            interval.synchronous_links = vec![SynchronousLinkInterval {
                name,
                successes: 9,
                held_ps,
                ..SynchronousLinkInterval::default()
            }];
        }
        run
    }

    #[test]
    fn shares_are_of_the_requests() {
        let run = run();
        assert_eq!(of(&run, "sync_success_percent"), 90.0);
        assert_eq!(of(&run, "sync_link_busy_percent"), 10.0);
        assert_eq!(of(&run, "sync_cache_miss_percent"), 0.0);
        assert!((of(&run, "sync_read_response_ms") - 0.026).abs() < 1e-12);
        assert!((of(&run, "sync_reject_ms") - 0.001).abs() < 1e-12);
        assert!((of(&run, "sync_read_per_s") / of(&run, "sync_rejects_per_s") - 9.0).abs() < 1e-9);
        let mb_per_s = of(&run, "sync_read_per_s") * 4096e-6;
        assert!((of(&run, "sync_read_mb_per_s") - mb_per_s).abs() < 1e-9);
        assert_eq!(of(&run, "sync_write_per_s"), 0.0);
    }

    #[test]
    fn a_zhyperlink_is_held_for_a_share_of_the_time() {
        let run = run();
        assert_eq!(of(&run, "zhyperlink_percent:pchid 180.1 > BOXA"), 25.0);
        assert_eq!(of(&run, "zhyperlink_percent"), 25.0);
        assert!(quantity(&run, "zhyperlink_percent:pchid 180.2 > BOXA").is_err());
    }
}
