//! The table of devices under starts, reservations, path groups and failing files.

use std::cell::Cell;

use halftrack_control_unit::DeviceCondition;
use halftrack_exchange::Units as _;
use halftrack_exchange::device::{Device as _, DeviceCommand};
use halftrack_program::command::{
    DEVICE_RELEASE, DEVICE_RESERVE, NO_OPERATION, SENSE_PATH_GROUP_ID, SET_PATH_GROUP_ID,
    UNCONDITIONAL_RESERVE,
};
use halftrack_program::{ChainEnd, Geometry};
use halftrack_volume::{NewFormat, VolumeDevice, create};
use halftrack_wire::IuData;
use tempfile::TempDir;

use super::*;

mod fixed_blocks;
mod group_commit;
mod synchronous;

const HOSTS: [HostPort; 2] = [host(1, 0xA1), host(2, 0xA2)];

const fn host(address: u32, name: u64) -> HostPort {
    HostPort { address, name: WorldWideName(name), node: None }
}

/// Returns a start with a number of its own.
fn start(control_unit_image: u8, device: u8, peer: u32) -> Start {
    thread_local!(static NUMBER: Cell<u32> = const { Cell::new(0) });
    let number = StartNumber::new(NUMBER.replace(NUMBER.get() + 1));
    Start { peer, channel_image: 0, control_unit_image, device, number, now: Time::ZERO }
}

/// Returns a volume at 10, with an alias at 80.
fn table() -> (TempDir, UnitTable) {
    table_of(Mode::Sync)
}

fn table_of(mode: Mode) -> (TempDir, UnitTable) {
    let directory = tempfile::tempdir().unwrap();
    let device = VolumeDevice::Ckd(Geometry::with_cylinders(1).unwrap());
    let volume = volume_in(directory.path(), mode);
    create(&volume.file, device, NewFormat::Plain, None).unwrap();
    let mut table = UnitTable::default();
    table.open_volume(&volume).unwrap();
    (directory, table)
}

fn volume_in(directory: &Path, mode: Mode) -> UnitVolume {
    let file = directory.join("work01.ckd");
    UnitVolume { image: 1, unit_address: 0x10, aliases: vec![0x80], file, mode }
}

/// Executes a command from host `peer` at an address; its status and what it read.
fn execute(table: &mut UnitTable, address: u8, peer: u32, command: u8, parameters: &[u8]) -> (u8, Vec<u8>) {
    let mut units = table.of_port(0, &HOSTS);
    let Opened::Device(mut device) = units.open(&start(1, address, peer)) else { panic!("no device") };
    let data = &IuData::None;
    let ending = device.execute(&DeviceCommand { command, count: 32, parameters, data });
    assert_eq!(device.end_chain(ChainEnd::Unchained), None);
    units.close(device);
    let read = match ending.data {
        IuData::Bytes(octets) => octets,
        _ => Vec::new(),
    };
    (ending.device_status, read)
}

/// Opens the base over a port for host 1, in a group or not.
fn open(table: &mut UnitTable, port: u16, number: u32) -> Opened<UnitDevice> {
    let start = Start { number: StartNumber::new(number), ..start(1, 0x10, 1) };
    table.of_port(port, &HOSTS).open(&start)
}

fn group_over(table: &mut UnitTable, port: u16, number: u32) {
    let Opened::Device(mut device) = open(table, port, number) else { panic!("no device") };
    let parameters: Vec<u8> = std::iter::once(0x80).chain([7; 11]).collect();
    let data = &IuData::None;
    device.execute(&DeviceCommand { command: SET_PATH_GROUP_ID, count: 12, parameters: &parameters, data });
    table.of_port(port, &HOSTS).close(device);
}

/// The table is that of the box: a start over one port ends that over another.
#[test]
fn a_newer_start_over_another_port_takes_the_device_and_an_older_one_is_late() {
    let (_directory, mut table) = table();
    group_over(&mut table, 0, 1);
    group_over(&mut table, 1, 2);
    let Opened::Device(mut older) = open(&mut table, 0, 3) else { panic!("no device") };
    assert!(matches!(open(&mut table, 0, 4), Opened::Active), "over the same path it is refused");
    let Opened::Device(mut newer) = open(&mut table, 1, 5) else { panic!("the older one keeps it") };
    assert!(older.is_withdrawn() && !newer.is_withdrawn());
    assert!(table.take_withdrawn(0) && !table.take_withdrawn(0) && !table.take_withdrawn(1));
    let no_operation =
        DeviceCommand { command: NO_OPERATION, count: 1, parameters: &[], data: &IuData::None };
    assert_eq!(older.execute(&no_operation).device_status, BUSY, "nothing is executed for it any more");
    assert_eq!(newer.execute(&no_operation).device_status, NORMAL);
    table.of_port(0, &HOSTS).close(older);
    assert!(matches!(open(&mut table, 0, 4), Opened::Late));
    assert!(matches!(open(&mut table, 0, 5), Opened::Late), "a copy of the newest");
    assert!(!newer.is_withdrawn(), "what came late has changed nothing");
    table.of_port(1, &HOSTS).close(newer);
    assert!(matches!(open(&mut table, 0, 6), Opened::Device(_)));
}

const NORMAL: u8 = 0x0C;
const BUSY: u8 = 0x10;

#[test]
fn what_is_not_there_is_an_address_exception_and_what_is_in_use_is_busy() {
    let (_directory, mut table) = table();
    let mut units = table.of_port(0, &HOSTS);
    assert!(matches!(units.open(&start(0, 0x10, 1)), Opened::AddressException));
    assert!(matches!(units.open(&start(1, 0x11, 1)), Opened::AddressException));
    let Opened::Device(base) = units.open(&start(1, 0x10, 1)) else { panic!("no device") };
    assert!(matches!(units.open(&start(1, 0x10, 2)), Opened::Busy(BusyKind::Device)));
    let Opened::Device(alias) = units.open(&start(1, 0x80, 2)) else {
        panic!("an alias goes beside its base")
    };
    units.close(alias);
    units.close(base);
    assert!(matches!(units.open(&start(1, 0x10, 2)), Opened::Device(_)));
    table.begin_ending();
    let units = &mut table.of_port(0, &HOSTS);
    assert!(matches!(units.open(&start(1, 0x80, 2)), Opened::Busy(BusyKind::ControlUnit)));
}

#[test]
fn a_reservation_keeps_others_out_until_it_is_released_or_taken_away() {
    let (_directory, mut table) = table();
    assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
    assert_eq!(execute(&mut table, 0x80, 2, NO_OPERATION, &[]).0, BUSY, "the alias is of the same volume");
    assert_eq!(execute(&mut table, 0x80, 1, NO_OPERATION, &[]).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RELEASE, &[]).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 2, DEVICE_RESERVE, &[]).0, NORMAL);
    table.forget_path(Time::ZERO, PathKey { port: 0, host: HOSTS[1].name, channel_image: 0 });
    assert_eq!(execute(&mut table, 0x10, 1, NO_OPERATION, &[]).0, BUSY, "it outlives its path");
    assert_eq!(execute(&mut table, 0x10, 1, UNCONDITIONAL_RESERVE, &[]).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
}

#[test]
fn a_path_group_shares_its_reservation_and_every_path_knows_its_own_state() {
    let (_directory, mut table) = table();
    let group: Vec<u8> = std::iter::once(0x80).chain([7; 11]).collect();
    assert_eq!(execute(&mut table, 0x10, 1, SET_PATH_GROUP_ID, &group).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 2, SENSE_PATH_GROUP_ID, &[]).1[0], 0x00, "path 2 is in no group");
    assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
    assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RELEASE, &[]).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 2, SET_PATH_GROUP_ID, &group).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
    assert_eq!(
        execute(&mut table, 0x10, 2, SENSE_PATH_GROUP_ID, &[]).1[0],
        0xF8,
        "grouped, reserved, multipath"
    );
}

/// Runs a chain of host 1 that formats track 1 with one record; returns its status.
fn format(table: &mut UnitTable) -> u8 {
    const DEFINE_EXTENT: u8 = 0x63;
    const LOCATE_RECORD: u8 = 0x47;
    const WRITE_COUNT_KEY_AND_DATA: u8 = 0x1D;
    let mut units = table.of_port(0, &HOSTS);
    let Opened::Device(mut device) = units.open(&start(1, 0x10, 1)) else { panic!("no device") };
    // Any write; extended CKD.
    let extent = [0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14];
    let locate = [0x03, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
    let data = IuData::Bytes([&[0, 0, 0, 1, 1, 0, 0, 4][..], b"DATA"].concat());
    let none = IuData::None;
    let mut status = 0;
    for (command, parameters, data) in [
        (DEFINE_EXTENT, &extent[..], &none),
        (LOCATE_RECORD, &locate[..], &none),
        (WRITE_COUNT_KEY_AND_DATA, &[], &data),
    ] {
        let count = if parameters.is_empty() { 12 } else { 16 };
        status = device.execute(&DeviceCommand { command, count, parameters, data }).device_status;
        if status != NORMAL {
            break;
        }
    }
    let end = if status == NORMAL { ChainEnd::Unchained } else { ChainEnd::Broken };
    if let Some(ending) = device.end_chain(end) {
        status = ending.device_status;
    }
    units.close(device);
    status
}

fn at_ms(ms: u64) -> Time {
    Time::ZERO + halftrack_base::Span::from_ms(ms)
}

#[test]
fn what_a_volume_gathered_is_in_its_file_though_no_io_comes() {
    let (directory, mut table) = table_of(Mode::WriteBack);
    let file = directory.path().join("work01.ckd");
    let before = std::fs::read(&file).unwrap();
    assert_eq!(table.flush_due(at_ms(5)), None, "nothing waits");
    assert_eq!(format(&mut table), NORMAL);
    assert!(std::fs::read(&file).unwrap() == before);
    let due = table.flush_due(at_ms(10)).unwrap();
    assert!(due > at_ms(10) && due <= at_ms(1010), "{due:?}");
    assert_eq!(table.flush_due(due), None);
    assert!(std::fs::read(&file).unwrap() != before, "it is there while the control unit idles");
    table.take_troubles(|_, trouble| panic!("{trouble}"));
}

#[test]
fn a_full_disk_ends_the_next_io_with_unit_check_and_is_told_once() {
    let (directory, table) = table_of(Mode::WriteBack);
    let journal = directory.path().join("work01.ckd.journal");
    assert!(table.close().is_ok());
    std::os::unix::fs::symlink("/dev/full", &journal).unwrap();
    let mut table = UnitTable::default();
    table.open_volume(&volume_in(directory.path(), Mode::WriteBack)).unwrap();
    assert_eq!(format(&mut table), NORMAL, "it is gathered");
    let due = table.flush_due(at_ms(0)).unwrap();
    assert_eq!(table.flush_due(due), None);
    let mut told = Vec::new();
    for _ in 0..3 {
        assert_eq!(format(&mut table) & 0x02, 0x02, "unit check");
        table.take_troubles(|_, trouble| told.push(trouble.to_string()));
    }
    assert!(told.iter().all(|words| words.contains("No space left on device")), "{told:?}");
    assert!((1..=2).contains(&told.len()), "{told:?}");
    let failed = table.close().unwrap_err();
    assert!(failed[0].1.to_string().contains("No space left on device"));
}

#[test]
fn a_volume_in_use_is_refused() {
    let (directory, mut table) = table();
    let file = directory.path().join("work01.ckd");
    let volume = UnitVolume { image: 1, unit_address: 0, aliases: Vec::new(), file, mode: Mode::Sync };
    assert!(matches!(table.open_volume(&volume), Err(UnitError::Open(OpenError::InUse { .. }))));
    assert_eq!(table.counts(), (1, 2));
    assert_eq!(table.images().collect::<Vec<_>>(), [1]);
    assert!(table.close().is_ok());
}

/// Channels with path groups of their own come and leave, over all ports: what is kept for those that are gone does not
/// grow with their number.
#[test]
fn a_hundred_thousand_path_groups_leave_no_more_than_a_few_dozen() {
    let (_directory, mut table) = table();
    let kept_bytes = |table: &UnitTable| {
        let states = |slot: &UnitSlot| format!("{:?} {:?}", slot.fence, slot.others).len();
        table.slots.iter().map(states).sum::<usize>()
    };
    let mut after_a_thousand = 0;
    for peer in 1..=100_000_u32 {
        let hosts = [host(peer, u64::from(peer))];
        let start = start(1, 0x10, peer);
        let Opened::Device(mut device) = table.of_port(0, &hosts).open(&start) else { panic!("no device") };
        let parameters: Vec<u8> = [0x80; 8].into_iter().chain(peer.to_be_bytes()).collect();
        let command = SET_PATH_GROUP_ID;
        device.execute(&DeviceCommand { command, count: 12, parameters: &parameters, data: &IuData::None });
        table.of_port(0, &hosts).close(device);
        // The group counts from the next start on.
        let next = self::start(1, 0x10, peer);
        let Opened::Device(device) = table.of_port(0, &hosts).open(&next) else { panic!("no device") };
        table.of_port(0, &hosts).close(device);
        table.forget_path(Time::ZERO, PathKey { port: 0, host: hosts[0].name, channel_image: 0 });
        if peer == 1_000 {
            after_a_thousand = kept_bytes(&table);
        }
    }
    let kept = kept_bytes(&table);
    assert!(
        kept < after_a_thousand + after_a_thousand / 10,
        "{after_a_thousand} and then {kept} octets in words"
    );
    assert!(table.slots.iter().all(|slot| slot.others.is_empty()));
}

/// Executes a No-operation from host 1 over a port; its status, and the condition in its sense.
fn no_operation(table: &mut UnitTable, port: u16, now: Time) -> (u8, Option<DeviceCondition>) {
    let start = Start { now, ..start(1, 0x10, 1) };
    let mut units = table.of_port(port, &HOSTS);
    let Opened::Device(mut device) = units.open(&start) else { panic!("no device") };
    let data = &IuData::None;
    let ending = device.execute(&DeviceCommand { command: NO_OPERATION, count: 1, parameters: &[], data });
    device.end_chain(ChainEnd::Broken);
    units.close(device);
    (ending.device_status, ending.sense.as_ref().and_then(DeviceCondition::of_sense))
}

const RESET: (u8, Option<DeviceCondition>) = (0x0E, Some(DeviceCondition::ResettingEvent));
const CHANGES: (u8, Option<DeviceCondition>) = (0x0E, Some(DeviceCondition::StateChangePending));

/// The first start over a path that was established is answered with a resetting event, once, and no other path's is; the
/// path is in no group any more.
#[test]
fn the_first_start_over_an_established_path_gets_a_resetting_event() {
    let (_directory, mut table) = table();
    let path = |port| PathKey { port, host: HOSTS[0].name, channel_image: 0 };
    table.reset_path(Time::ZERO, path(0), 1);
    table.reset_path(Time::ZERO, path(1), 1);
    let over = |table: &mut UnitTable, port| no_operation(table, port, Time::ZERO);
    assert_eq!([over(&mut table, 0), over(&mut table, 0)], [RESET, (NORMAL, None)]);
    assert_eq!([over(&mut table, 1), over(&mut table, 1)], [RESET, (NORMAL, None)]);
    table.reset_path(Time::ZERO, path(1), 2);
    assert_eq!(over(&mut table, 1), (NORMAL, None), "the path to another image");
    table.reset_path(Time::ZERO, path(1), 1);
    assert_eq!([over(&mut table, 0), over(&mut table, 1)], [(NORMAL, None), RESET]);
    table.reset_path(Time::ZERO, path(1), 1);
    table.forget_path(Time::ZERO, path(1));
    assert_eq!(over(&mut table, 1), (NORMAL, None), "a path that is gone is kept no longer");
}

/// While the control unit is not ready, every start is answered with a pending state change, and then none.
#[test]
fn starts_during_a_change_of_state_get_state_change_pending() {
    let (_directory, mut table) = table();
    let at = |ms| Time::ZERO.saturating_add(halftrack_base::Span::from_ms(ms));
    table.change_state(at(500));
    let path = PathKey { port: 0, host: HOSTS[0].name, channel_image: 0 };
    table.reset_path(Time::ZERO, path, 1);
    let statuses = [100, 200, 499, 500].map(|ms| no_operation(&mut table, 0, at(ms)));
    assert_eq!(statuses, [RESET, CHANGES, CHANGES, (NORMAL, None)]);
}
