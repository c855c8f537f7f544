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
    Column::new("sync_read_ms", Unit::Ms, "Response time of a synchronous read that succeeded, mean", |devices| {
        devices.mean_ms(|one| read(one).response_ps, |one| read(one).successes)
    })
    .listed("AVG RESP TIME SYNCH I/O READ", "response_ms.sync_read", Field::new(62, 66, 3))
    .on_page(5, "Read ms", Shown::Ms),
    Column::new(
        "sync_write_ms",
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
    Table { report: "SYNCHRONOUS I/O DEVICE ACTIVITY", columns: COLUMNS, ..devices::TABLE };

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
