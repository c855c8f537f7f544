//! Synchronous I/O of devices: the columns of SYNCHRONOUS I/O DEVICE ACTIVITY (SMF type 74-1).
//!
//! A request succeeds or is rejected, and what is rejected goes on as an asynchronous I/O of the device. Percentages are of all
//! requests of the device, reads and writes together: success and both rejects make 100. Link busy and cache miss are the
//! parts of the rejects that RMF names.

use halftrack_record::{DeviceInterval, SynchronousIo, SynchronousRequests};

use crate::column::{self, Shown};
use crate::columns::devices;
use crate::field::Field;
use crate::formula::quotient;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Rows, Source};
use crate::table::Table;

/// A figure of this table.
type Column = column::Column<DeviceInterval>;

/// Records that make columns.
type Devices<'a> = Records<'a, DeviceInterval>;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "                                    --DEVICE ACTIVITY RATE-   --AVG RESP TIME--   AVG SYNCH I/O       %      %      %  --% REJECTS--",
    "STORAGE   DEV  DEVICE   VOLUME LCU  ---SYNCH I/O---  ASYNCH    SYNCH I/O ASYNCH   TRANSFER RATE      REQ   LINK  CACHE",
    " GROUP    NUM  TYPE     SERIAL         READ   WRITE     I/O    READ WRITE   I/O     READ  WRITE  SUCCESS   BUSY   MISS   READ  WRITE",
];

/// Requests, with success or without.
pub(crate) const REQUESTS: Column = Column::new(
    "sync_requests_per_s",
    Unit::PerSecond,
    "Synchronous requests, with success or without",
    |devices| devices.rate(|one| read(one).attempts() + write(one).attempts()),
)
.on_page(1, "Requests/s", Shown::Rate);

/// The figures.
const COLUMNS: &[Column] = &[
    REQUESTS,
    Column::new("sync_read_per_s", Unit::PerSecond, "Synchronous reads that succeeded", |devices| {
        devices.rate(|one| read(one).successes)
    })
    .listed("DEVICE ACTIVITY RATE SYNCH I/O READ", "activity_per_s.sync_read", Field::new(36, 42, 3))
    .on_page(2, "Reads/s", Shown::Rate),
    Column::new("sync_write_per_s", Unit::PerSecond, "Synchronous writes that succeeded", |devices| {
        devices.rate(|one| write(one).successes)
    })
    .listed("DEVICE ACTIVITY RATE SYNCH I/O WRITE", "activity_per_s.sync_write", Field::new(44, 50, 3))
    .on_page(3, "Writes/s", Shown::Rate),
    Column::new(
        "async_per_s",
        Unit::PerSecond,
        "Asynchronous I/Os of the device that ended, those of rejected requests among them",
        |devices| devices.rate(|one| one.completed),
    )
    .listed("DEVICE ACTIVITY RATE ASYNCH I/O", "activity_per_s.async", Field::new(52, 58, 3))
    .on_page(4, "Asynchronous/s", Shown::Rate)
    .in_reports_only(),
    Column::new("sync_read_response_ms", Unit::Ms, "Response time of a synchronous read that succeeded, mean", |devices| {
        devices.mean_ms(|one| read(one).response_ps, |one| read(one).successes)
    })
    .listed("AVG RESP TIME SYNCH I/O READ", "response_ms.sync_read", Field::new(62, 66, 3))
    .on_page(5, "Read ms", Shown::Ms),
    Column::new(
        "sync_write_response_ms",
        Unit::Ms,
        "Response time of a synchronous write that succeeded, mean",
        |devices| devices.mean_ms(|one| write(one).response_ps, |one| write(one).successes),
    )
    .listed("AVG RESP TIME SYNCH I/O WRITE", "response_ms.sync_write", Field::new(68, 72, 3))
    .on_page(6, "Write ms", Shown::Ms),
    Column::new(
        "async_ms",
        Unit::Ms,
        "Response time of an asynchronous I/O, mean",
        |devices| devices::RESPONSE.number(devices),
    )
    .listed("AVG RESP TIME ASYNCH I/O", "response_ms.async", Field::new(74, 78, 3))
    .on_page(7, "Asynchronous ms", Shown::Ms)
    .in_reports_only(),
    Column::new("sync_read_mb_per_s", Unit::MbPerSecond, "Data of synchronous reads", |devices| {
        devices.mb_per_s(|one| read(one).bytes)
    })
    .listed("AVG SYNCH I/O TRANSFER RATE READ", "transfer_mb_per_s.read", Field::new(83, 87, 3)),
    Column::new("sync_write_mb_per_s", Unit::MbPerSecond, "Data of synchronous writes", |devices| {
        devices.mb_per_s(|one| write(one).bytes)
    })
    .listed("AVG SYNCH I/O TRANSFER RATE WRITE", "transfer_mb_per_s.write", Field::new(90, 94, 3)),
    Column::new(
        "sync_success_percent",
        Unit::Percent,
        "Synchronous requests that succeeded, of all of the device",
        |devices| percent(devices, |one| one.successes),
    )
    .listed("% REQ SUCCESS", "success_percent", Field::new(98, 103, 2))
    .on_page(8, "Success %", Shown::Rate),
    Column::new(
        "sync_link_busy_percent",
        Unit::Percent,
        "Synchronous requests that found the link busy, of all of the device",
        |devices| percent(devices, |one| one.link_busy),
    )
    .listed("% LINK BUSY", "link_busy_percent", Field::new(105, 110, 2))
    .on_page(9, "Link busy %", Shown::Rate),
    Column::new(
        "sync_cache_miss_percent",
        Unit::Percent,
        "Synchronous requests whose record was not in cache, or for which non-volatile storage had no room, of all of the \
         device",
        |devices| percent(devices, |one| one.cache_miss),
    )
    .listed("% CACHE MISS", "cache_miss_percent", Field::new(112, 117, 2))
    .on_page(10, "Cache miss %", Shown::Rate),
    Column::new(
        "sync_read_reject_percent",
        Unit::Percent,
        "Synchronous reads that were rejected for any reason, of all requests of the device",
        |devices| of_requests(devices, devices.total(|one| read(one).rejects())),
    )
    .listed("% REJECTS READ", "reject_percent.read", Field::new(119, 124, 2)),
    Column::new(
        "sync_write_reject_percent",
        Unit::Percent,
        "Synchronous writes that were rejected for any reason, of all requests of the device",
        |devices| of_requests(devices, devices.total(|one| write(one).rejects())),
    )
    .listed("% REJECTS WRITE", "reject_percent.write", Field::new(126, 131, 2)),
    Column::new(
        "sync_timeout_percent",
        Unit::Percent,
        "Synchronous requests without an answer in time, of all of the device",
        |devices| percent(devices, |one| one.timeouts),
    ),
    Column::new(
        "sync_other_percent",
        Unit::Percent,
        "Synchronous requests that were rejected for any other reason, of all of the device",
        |devices| percent(devices, |one| one.other),
    ),
    Column::new(
        "sync_rejects_per_s",
        Unit::PerSecond,
        "Synchronous requests without success, which went on over the channels",
        |devices| devices.rate(|one| read(one).rejects() + write(one).rejects()),
    ),
    Column::new(
        "sync_reject_ms",
        Unit::Ms,
        "Time that the processor spun for a synchronous request without success, mean",
        |devices| {
            devices.mean_ms(
                |one| read(one).fail_ps + write(one).fail_ps,
                |one| read(one).rejects() + write(one).rejects(),
            )
        },
    ),
    Column::new(
        "sync_not_tried_per_s",
        Unit::PerSecond,
        "I/Os of streams with synchronous I/O that went to the channels at once: switched off, too long, unaligned, or without \
         a link",
        |devices| devices.rate(|one| read(one).not_tried.total() + write(one).not_tried.total()),
    )
    .on_page(11, "Not tried/s", Shown::Rate),
];

/// The table of synchronous I/O of devices.
pub(crate) static TABLE: Table<DeviceInterval> =
    Table { report: "SYNCHRONOUS I/O DEVICE ACTIVITY", columns: COLUMNS, rows: ROWS, ..devices::TABLE };

/// Devices of which a stream requests synchronous I/O.
const ROWS: Rows<DeviceInterval> = Rows {
    frame: "synchronous_io",
    keys: devices::KEYS,
    source: Source::Interval(|run, interval| {
        let requested = interval.devices.iter().filter(|device| device.synchronous.is_some());
        requested.map(|device| devices::row(run, device)).collect()
    }),
};

fn read(device: &DeviceInterval) -> SynchronousRequests {
    both(device).read
}

fn write(device: &DeviceInterval) -> SynchronousRequests {
    both(device).write
}

fn both(device: &DeviceInterval) -> SynchronousIo {
    device.synchronous.unwrap_or_default()
}

/// Returns what reads and writes count, of all requests, percent.
fn percent(devices: &Devices<'_>, of: fn(&SynchronousRequests) -> u64) -> f64 {
    of_requests(devices, devices.total(|one| of(&read(one)) + of(&write(one))))
}

/// Returns a number of requests of all, percent.
fn of_requests(devices: &Devices<'_>, counted: u128) -> f64 {
    let requests = devices.total(|one| read(one).attempts() + write(one).attempts());
    100.0 * quotient(counted as f64, requests as f64)
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
