//! Synchronous requests on the table of devices: what they do, and every reason for which they do nothing.

use halftrack_control_unit::PathGroupId;
use halftrack_program::command::DEFINE_EXTENT;
use halftrack_program::{Octets, TrackAddress};
use halftrack_volume::cckd::Compression;
use halftrack_volume::{CountArea, FileMedium, Track as _};
use halftrack_wire::synchronous::{RemoteReject, SynchronousOperation, SynchronousRequest};

use super::*;
use crate::control_unit::shared_volume::VolumeHome;

const GROUP: PathGroupId = [7; 11];
const OTHER_GROUP: PathGroupId = [8; 11];
const BYTES: u32 = 4096;
/// The first octet of record 1.
const BEFORE: u8 = 1;

const REQUEST: SynchronousRequest = SynchronousRequest {
    operation: SynchronousOperation::Read,
    image: 1,
    unit: 0x10,
    cylinder: 0,
    head: 3,
    record: 1,
    data_bytes: BYTES,
    buffer: 0,
    check: 0,
};

fn track() -> TrackAddress {
    TrackAddress::new(0, 3).unwrap()
}

fn with_tracks<R>(
    home: &VolumeHome,
    act: impl FnOnce(&mut halftrack_volume::CkdVolume<FileMedium>) -> R,
) -> R {
    let mut served = home.take().unwrap();
    let ServedVolume::Ckd(volume) = &mut *served else { panic!("tracks") };
    let result = act(volume);
    home.set(Some(served));
    result
}

/// Puts records 1 and 2 of 4 KiB on a track, safe in the files.
fn lay_out(home: &VolumeHome) {
    with_tracks(home, |volume| {
        for record in 1..=2 {
            let count = CountArea { cchh: track().to_cchh(), record, key_bytes: 0, data_bytes: BYTES as u16 };
            volume.format_record(track(), record, count, Octets::Bytes(&[record; BYTES as usize])).unwrap();
        }
        volume.commit().unwrap();
        volume.flush().unwrap();
        volume.store_mut().take_seen();
    });
}

/// Puts the paths of the hosts into their path groups, at the base.
fn group_hosts(table: &mut UnitTable) {
    for (peer, group) in [(1, GROUP), (2, OTHER_GROUP)] {
        let parameters: Vec<u8> = std::iter::once(0x80).chain(group).collect();
        assert_eq!(execute(table, 0x10, peer, SET_PATH_GROUP_ID, &parameters).0, NORMAL);
    }
}

fn ready(mode: Mode) -> (TempDir, UnitTable) {
    let (directory, mut table) = table_of(mode);
    lay_out(&table.volumes[0].home);
    group_hosts(&mut table);
    (directory, table)
}

fn read(table: &mut UnitTable, request: SynchronousRequest) -> Result<u8, RemoteReject> {
    table.read_at_once(Time::ZERO, &GROUP, &request, |data| data[0])
}

fn write(table: &mut UnitTable, value: u8) -> Result<(), RemoteReject> {
    table.write_at_once(Time::ZERO, &GROUP, &REQUEST, &[value; BYTES as usize])
}

#[test]
fn a_record_is_read_and_written_where_ordinary_starts_find_it() {
    let (_directory, mut table) = ready(Mode::WriteBack);
    assert_eq!(read(&mut table, REQUEST), Ok(BEFORE));
    assert_eq!(write(&mut table, 9), Ok(()));
    assert_eq!(read(&mut table, REQUEST), Ok(9));
    assert_eq!(read(&mut table, SynchronousRequest { record: 2, ..REQUEST }), Ok(2));
    with_tracks(&table.volumes[0].home, |volume| {
        let track = volume.track(track()).unwrap();
        assert_eq!(track.data(1), Octets::Bytes(&[9; BYTES as usize]));
    });
}

#[test]
fn what_is_not_there_is_rejected() {
    let (_directory, mut table) = ready(Mode::WriteBack);
    for request in [
        SynchronousRequest { image: 0, ..REQUEST },
        SynchronousRequest { unit: 0x11, ..REQUEST },
        SynchronousRequest { unit: 0x80, ..REQUEST },
    ] {
        assert_eq!(read(&mut table, request), Err(RemoteReject::NotCapable), "{request:?}");
    }
    for request in [
        SynchronousRequest { record: 3, ..REQUEST },
        SynchronousRequest { cylinder: 1, ..REQUEST },
        SynchronousRequest { cylinder: u32::MAX, head: u8::MAX, ..REQUEST },
        SynchronousRequest { data_bytes: 4080, ..REQUEST },
    ] {
        assert_eq!(read(&mut table, request), Err(RemoteReject::RecordNotFound), "{request:?}");
    }
}

#[test]
fn a_host_needs_its_path_group_and_no_reservation_of_another() {
    let (_directory, mut table) = ready(Mode::WriteBack);
    let stranger = [9; 11];
    let result = table.read_at_once(Time::ZERO, &stranger, &REQUEST, |_| ());
    assert_eq!(result, Err(RemoteReject::NoPathGroup));
    assert_eq!(execute(&mut table, 0x10, 2, DEVICE_RESERVE, &[]).0, NORMAL);
    assert_eq!(read(&mut table, REQUEST), Err(RemoteReject::Reserved));
    assert_eq!(write(&mut table, 9), Err(RemoteReject::Reserved));
    assert!(table.read_at_once(Time::ZERO, &OTHER_GROUP, &REQUEST, |_| ()).is_ok(), "it is its own");
    assert_eq!(execute(&mut table, 0x10, 2, DEVICE_RELEASE, &[]).0, NORMAL);
    assert_eq!(read(&mut table, REQUEST), Ok(BEFORE));
    table.forget_path(Time::ZERO, PathKey { port: 0, host: HOSTS[0].name, channel_image: 0 });
    assert_eq!(read(&mut table, REQUEST), Err(RemoteReject::NoPathGroup), "its last path is gone");
}

/// The chain runs at the alias, for another host: its extent is that of the volume.
#[test]
fn a_chain_that_runs_keeps_requests_out_of_its_extent_until_it_ends() {
    let (_directory, mut table) = ready(Mode::WriteBack);
    let Opened::Device(mut alias) = table.of_port(0, &HOSTS).open(&start(1, 0x80, 2)) else { panic!() };
    assert_eq!(read(&mut table, REQUEST), Ok(BEFORE), "it has executed nothing");
    let (from, to) = (track().to_cchh(), track().to_cchh());
    let mut parameters = vec![0; 16];
    // Update writes only, blocks of any length, ECKD.
    parameters[1] = 0xC0;
    parameters[8..12].copy_from_slice(&from);
    parameters[12..].copy_from_slice(&to);
    let define =
        DeviceCommand { command: DEFINE_EXTENT, count: 16, parameters: &parameters, data: &IuData::None };
    assert_eq!(alias.execute(&define).device_status, NORMAL);
    assert_eq!(read(&mut table, REQUEST), Err(RemoteReject::ExtentConflict));
    assert_eq!(write(&mut table, 9), Err(RemoteReject::ExtentConflict));
    let beside = SynchronousRequest { head: 4, ..REQUEST };
    assert_eq!(read(&mut table, beside), Err(RemoteReject::RecordNotFound), "it may be touched");
    alias.end_chain(ChainEnd::Unchained);
    assert_eq!(write(&mut table, 9), Ok(()));
    table.of_port(0, &HOSTS).close(alias);
}

/// In this mode a write would have to wait for the disk, and a read may see what is not on it yet.
#[test]
fn a_volume_in_synchronous_mode_is_read_when_it_is_safe_and_not_written() {
    let (_directory, mut table) = ready(Mode::Sync);
    assert_eq!(write(&mut table, 9), Err(RemoteReject::NotStored));
    assert_eq!(read(&mut table, REQUEST), Ok(BEFORE), "nothing was applied");
    with_tracks(&table.volumes[0].home, |volume| {
        volume.write_data(track(), 2, Octets::Bytes(&[7; BYTES as usize])).unwrap();
        volume.commit().unwrap();
        volume.store_mut().take_seen();
    });
    assert_eq!(read(&mut table, REQUEST), Err(RemoteReject::TrackBusy));
    with_tracks(&table.volumes[0].home, |volume| volume.flush().unwrap());
    assert_eq!(read(&mut table, REQUEST), Ok(BEFORE));
}

#[test]
fn write_back_rejects_what_would_make_it_wait_for_the_disk() {
    let (_directory, mut table) = ready(Mode::WriteBack);
    let mut written = 0;
    while write(&mut table, 9) == Ok(()) && written < 10 {
        written += 1;
    }
    assert_eq!(written, 10, "one track is far below the limit");
    with_tracks(&table.volumes[0].home, |volume| {
        let store = volume.store();
        assert!(store.stores_at_once(1) && !store.stores_at_once(1000));
    });
}

#[test]
fn a_control_unit_that_is_not_ready_and_a_volume_that_is_not_written_reject() {
    let (directory, mut table) = ready(Mode::WriteBack);
    table.change_state(Time::from_ps(1));
    assert_eq!(read(&mut table, REQUEST), Err(RemoteReject::NotReady));
    table.change_state(Time::ZERO);
    table.begin_ending();
    assert_eq!(read(&mut table, REQUEST), Err(RemoteReject::NotReady));
    table.close().unwrap();
    let mut table = UnitTable::default();
    table.open_volume(&volume_in(directory.path(), Mode::ReadOnly)).unwrap();
    group_hosts(&mut table);
    assert_eq!(write(&mut table, 9), Err(RemoteReject::WriteInhibited));
    assert_eq!(read(&mut table, REQUEST), Ok(BEFORE));
}

#[test]
fn a_track_of_a_compressed_image_is_a_miss_until_an_ordinary_read_has_unpacked_it() {
    let directory = tempfile::tempdir().unwrap();
    let device = VolumeDevice::Ckd(Geometry::with_cylinders(1).unwrap());
    let volume = volume_in(directory.path(), Mode::WriteBack);
    create(&volume.file, device, NewFormat::Compressed(Compression::zlib()), None).unwrap();
    let mut table = UnitTable::default();
    table.open_volume(&volume).unwrap();
    lay_out(&table.volumes[0].home);
    group_hosts(&mut table);
    assert_eq!(read(&mut table, REQUEST), Err(RemoteReject::CacheMiss));
    assert_eq!(write(&mut table, 9), Err(RemoteReject::CacheMiss));
    with_tracks(&table.volumes[0].home, |volume| assert_eq!(volume.track(track()).unwrap().records(), 3));
    assert_eq!(read(&mut table, REQUEST), Ok(BEFORE));
    assert_eq!((write(&mut table, 9), read(&mut table, REQUEST)), (Ok(()), Ok(9)));
}
