//! Devices: the columns of DIRECT ACCESS DEVICE ACTIVITY (SMF type 74-1).
//!
//! RESP = IOSQ + PEND + DISC + CONN; CMR and DB are parts of PEND, INT is in none of them. Percentages of a HyperPAV
//! base are averages per exposure, that is divided by the PAV column (RMF User's Guide). A system has each device that it
//! uses allocated once and for the whole interval; nothing reserves devices.

use std::collections::{BTreeSet, HashMap};

use halftrack_record::{DeviceInterval, Interval, Run};

use crate::column::{self, Shown};
use crate::field::Field;
use crate::formula::{mean_ms, quotient};
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Key, Row, Rows, Source};
use crate::table::{SubjectRule, Table, chosen, distinct};

/// A figure of this table.
type Column = column::Column<DeviceInterval>;

/// Beginning of a subject that is a logical control unit.
const LCU: &str = "LCU ";
/// Beginning of a subject that is a set of logical units.
const LUNS: &str = "LUNs ";
/// Allocations of a device by a system that uses it.
const ALLOCATIONS: f64 = 1.0;
/// Share of the interval during which a used device is allocated, percent.
const ANY_ALLOCATED_PERCENT: f64 = 100.0;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "                                                 DEVICE   AVG  AVG   AVG  AVG  AVG   AVG  AVG  AVG    %      %     %     AVG    %",
    "STORAGE   DEV  DEVICE   NUMBER  VOLUME PAV  LCU  ACTIVITY RESP IOSQ  CMR  DB   INT   PEND DISC CONN   DEV    DEV   DEV   NMBR   ANY",
    " GROUP    NUM  TYPE     OF CYL  SERIAL           RATE     TIME TIME  DLY  DLY  DLY   TIME TIME TIME   CONN   UTIL  RESV  ALLOC  ALLOC",
];

/// Records that make columns.
type Devices<'a> = Records<'a, DeviceInterval>;

/// Exposures in use.
pub(crate) const EXPOSURES: Column = Column::new(
    "exposures",
    Unit::Count,
    "Mean number of exposures (base and bound aliases) in use while any was, as the PAV column has it; 1 without HyperPAV \
     aliases",
    |devices| {
        let of = |time: fn(&DeviceInterval) -> u64| {
            devices.total(|one| if one.hyperpav { time(one) } else { 0 }) as f64
        };
        quotient(of(|one| one.exposures_ps), of(|one| one.in_use_ps)).max(1.0)
    },
);

/// Response time.
pub(crate) const RESPONSE: Column = Column::new(
    "rmf_response_ms",
    Unit::Ms,
    "Response time of an I/O, mean: IOSQ, pending, disconnect and connect time together",
    |devices| {
        let parts = devices.total(|one| one.iosq_ps)
            + devices.total(|one| one.pend_ps)
            + devices.total(|one| one.disc_ps)
            + devices.total(|one| one.conn_ps);
        mean_ms(parts, devices.total(completed))
    },
)
.listed("AVG RESP TIME", "response.response_ms", Field::narrow(58, 61, 3))
.on_page(1, "Response ms", Shown::Ms);

/// Wait for a base or alias.
pub(crate) const IOSQ: Column = Column::new(
    "iosq_ms",
    Unit::Ms,
    "Time that an I/O waited in the system for a base or an alias, mean",
    |devices| devices.mean_ms(|one| one.iosq_ps, completed),
)
.listed("AVG IOSQ TIME", "response.iosq_ms", Field::narrow(63, 66, 3))
.on_page(2, "IOSQ", Shown::Ms);

/// Command response.
pub(crate) const CMR: Column = Column::new(
        "cmr_ms",
        Unit::Ms,
        "Initial command response: from sending the first command to its acceptance by the control unit, mean; part of \
         pending time",
        |devices| devices.mean_ms(|one| one.cmr_ps, completed),
    )
    .listed("AVG CMR DLY", "response.cmr_ms", Field::narrow(68, 71, 3))
    .on_page(4, "of it CMR", Shown::Ms);

/// Pending time.
pub(crate) const PEND: Column = Column::new(
    "pend_ms",
    Unit::Ms,
    "From START SUBCHANNEL to the acceptance of the first command by the control unit, mean",
    |devices| devices.mean_ms(|one| one.pend_ps, completed),
)
.listed("AVG PEND TIME", "response.pend_ms", Field::narrow(85, 88, 3))
.on_page(3, "PEND", Shown::Ms);

/// Disconnect time.
pub(crate) const DISC: Column = Column::new(
    "disc_ms",
    Unit::Ms,
    "Time that an I/O was disconnected, such as for staging from disk, mean",
    |devices| devices.mean_ms(|one| one.disc_ps, completed),
)
.listed("AVG DISC TIME", "response.disc_ms", Field::narrow(90, 93, 3))
.on_page(5, "DISC", Shown::Ms);

/// Connect time.
pub(crate) const CONN: Column = Column::new(
    "conn_ms",
    Unit::Ms,
    "Time that an I/O was connected: the transfer and its protocol, mean",
    |devices| devices.mean_ms(|one| one.conn_ps, completed),
)
.listed("AVG CONN TIME", "response.conn_ms", Field::narrow(95, 98, 3))
.on_page(6, "CONN", Shown::Ms);

/// The figures.
const COLUMNS: &[Column] = &[
    EXPOSURES,
    Column::new(
        "activity_per_s",
        Unit::PerSecond,
        "I/Os of the device that ended",
        |devices| devices.rate(completed),
    )
    .listed("DEVICE ACTIVITY RATE", "activity_per_s", Field::new(49, 56, 3)),
    RESPONSE,
    IOSQ,
    CMR,
    Column::new(
        "device_busy_ms",
        Unit::Ms,
        "Time that an I/O waited because the device was busy for another system, mean; part of pending time",
        |devices| devices.mean_ms(|one| one.device_busy_ps, completed),
    )
    .listed("AVG DB DLY", "response.device_busy_ms", Field::narrow(73, 76, 3)),
    Column::new(
        "interrupt_ms",
        Unit::Ms,
        "From the end of an I/O at the channel to the system's taking its interrupt, mean; part of no other time",
        |devices| devices.mean_ms(|one| one.interrupt_ps, completed),
    )
    .listed("AVG INT DLY", "response.interrupt_ms", Field::narrow(78, 81, 3)),
    PEND,
    DISC,
    CONN,
    Column::new(
        "dev_conn_percent",
        Unit::Percent,
        "Time that the device was connected, per exposure in use; mean over the devices",
        |devices| per_exposure(devices, |one| one.conn_ps as f64),
    )
    .listed("% DEV CONN", "dev_conn_percent", Field::new(100, 105, 2)),
    Column::new(
        "dev_util_percent",
        Unit::Percent,
        "Time that the device was connected or disconnected, per exposure in use; mean over the devices",
        |devices| per_exposure(devices, |one| one.conn_ps as f64 + one.disc_ps as f64),
    )
    .listed("% DEV UTIL", "dev_util_percent", Field::new(107, 112, 2)),
    Column::new(
        "dev_resv_percent",
        Unit::Percent,
        "Time that another system held the device reserved: none does",
        |_| 0.0,
    )
    .listed("% DEV RESV", "dev_resv_percent", Field::new(114, 118, 1)),
    Column::new(
        "allocations",
        Unit::Count,
        "Mean number of allocations of the device: one by each system that uses it",
        |_| ALLOCATIONS,
    )
    .listed("AVG NMBR ALLOC", "allocations", Field::new(120, 125, 1)),
    Column::new(
        "any_allocated_percent",
        Unit::Percent,
        "Time that the device was allocated at all: always, for a system that uses it",
        |_| ANY_ALLOCATED_PERCENT,
    )
    .listed("% ANY ALLOC", "any_allocated_percent", Field::new(127, 132, 1)),
    Column::new(
        "cylinders",
        Unit::Count,
        "Cylinders of the volume, as the NUMBER OF CYL column has it",
        |devices| devices.last(|one| one.cylinders.into()),
    ),
];

/// The table of devices.
pub(crate) static TABLE: Table<DeviceInterval> = Table {
    kind: "device, system or logical control unit",
    report: "DIRECT ACCESS DEVICE ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: COLUMNS,
    choose: |run, subject| {
        chosen(run, subject, |interval| &interval.devices, |one, subject| is(run, one, subject))
    },
    subjects,
    by_subject: Some(by_subject),
    things: |_, each| distinct(each.iter().map(|one| (&one.lpar, one.subchannel_set, one.number))),
    rows: Rows { frame: "devices", keys: KEYS, source: Source::Interval(rows) },
};

/// Keys of the rows of devices.
pub(crate) const KEYS: &[Key] = &[
    ("system", "Partition"),
    ("device", "Device number; behind its subchannel set, or the name of its set of logical units"),
    ("lcu", "Number of the logical control unit, or name of a set of logical units"),
    ("type", "Device type, as RMF abbreviates it"),
    ("volume", "Volume serial"),
    ("storage_group", "Storage group"),
];

fn rows<'a>(run: &'a Run, interval: &'a Interval) -> Vec<Row<'a, DeviceInterval>> {
    interval.devices.iter().map(|one| row(run, one)).collect()
}

/// Returns the row of a device.
pub(crate) fn row<'a>(run: &'a Run, device: &'a DeviceInterval) -> Row<'a, DeviceInterval> {
    let lcu = lcu(run, device);
    let lcu = lcu.strip_prefix(LCU).or(lcu.strip_prefix(LUNS)).unwrap_or(&lcu).to_owned();
    let DeviceInterval { lpar, device_type, volser, storage_group, .. } = device;
    let (system, number) = (lpar.into(), number(run, device).into());
    Row::new([system, number, lcu.into(), device_type.into(), volser.into(), storage_group.into()], device)
}

fn completed(device: &DeviceInterval) -> u64 {
    device.completed
}

/// Returns the share of the time that devices were busy, per exposure in use, percent; mean over the devices.
fn per_exposure(devices: &Devices<'_>, busy_ps: fn(&DeviceInterval) -> f64) -> f64 {
    let exposures = |one: &DeviceInterval| EXPOSURES.number(&Records::of_thing(vec![one], devices.length_ps));
    let busy: f64 = devices.each.iter().map(|one| busy_ps(one) / exposures(one)).sum();
    100.0 * quotient(busy, devices.length_ps as f64 * devices.things as f64)
}

fn subjects(run: &Run) -> Vec<String> {
    let devices = || run.intervals.first().into_iter().flat_map(|interval| &interval.devices);
    let mut lcus: Vec<_> = devices().map(|device| lcu(run, device)).collect();
    lcus.sort();
    lcus.dedup();
    let mut numbers: Vec<_> = devices().map(|device| number(run, device)).collect();
    numbers.sort();
    numbers.dedup();
    let systems = run.header.systems.iter().map(|system| system.name.clone());
    let used = |name: &String| devices().any(|device| device.lpar == *name);
    systems.filter(used).chain(lcus).chain(numbers).collect()
}

/// Returns true when `device` is of `subject`: a system if there is one of that name, else a device.
fn is(run: &Run, device: &DeviceInterval, subject: &str) -> bool {
    if run.header.systems.iter().any(|system| system.name == subject) {
        return device.lpar == subject;
    }
    let is_group = subject.starts_with(LCU) || subject.starts_with(LUNS);
    if is_group { lcu(run, device) == subject } else { number(run, device) == subject }
}

/// Finds the devices of every subject.
fn by_subject(run: &Run) -> HashMap<String, Vec<&DeviceInterval>> {
    let mut found: HashMap<String, Vec<&DeviceInterval>> = HashMap::new();
    for device in run.intervals.iter().flat_map(|interval| &interval.devices) {
        // A system and a device may have the same name.
        let names = BTreeSet::from([device.lpar.clone(), lcu(run, device), number(run, device)]);
        for subject in names.into_iter().filter(|subject| is(run, device, subject)) {
            found.entry(subject).or_default().push(device);
        }
    }
    found
}

/// Formats `LCU 1000`, and `LCU B.1000` on a machine with a name; `LUNs DATA` for a set of logical units.
fn lcu(run: &Run, device: &DeviceInterval) -> String {
    let prefix = run.header.prefix_of(&device.lpar);
    match &device.luns {
        None => format!("{LCU}{prefix}{:04X}", device.lcu),
        Some(luns) => format!("{LUNS}{prefix}{luns}"),
    }
}

/// Formats `1000`, and `1.1000` in subchannel set 1; `B.1000` on a machine with a name; `DATA 1000` for a logical unit of a set.
fn number(run: &Run, device: &DeviceInterval) -> String {
    let prefix = run.header.prefix_of(&device.lpar);
    if let Some(luns) = &device.luns {
        return format!("{prefix}{luns} {:04X}", device.number);
    }
    match device.subchannel_set {
        0 => format!("{prefix}{:04X}", device.number),
        set => format!("{prefix}{set}.{:04X}", device.number),
    }
}

#[cfg(test)]
mod tests {
    use crate::quantity::tests::of;

    #[test]
    fn response_is_the_sum_of_its_parts() {
        let parts: f64 = ["iosq_ms", "pend_ms", "disc_ms", "conn_ms"].map(of).iter().sum();
        assert!((of("rmf_response_ms") - parts).abs() < 1e-9);
        assert!(parts > 0.0 && of("cmr_ms") <= of("pend_ms"));
    }

    #[test]
    fn systems_add_up_to_all() {
        let systems = of("activity_per_s:SYN1") + of("activity_per_s:SYN2PROD");
        assert!((systems / of("activity_per_s") - 1.0).abs() < 1e-9);
    }
}
