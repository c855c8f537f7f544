//! Logical units through their ports: who sees what, reservations over a restart, and tasks of other ports.

use std::fs::File;

use halftrack_base::Time;
use halftrack_exchange::fcp::{FcpRequest, ScsiDevice, ScsiEnding, ScsiProgress, TaskTag};
use halftrack_volume::Mode;
use halftrack_wire::WorldWideName;
use halftrack_wire::fcp::{Cdb, Lun, ScsiStatus, TaskManagement};
use tempfile::TempDir;

use super::*;

const NODE: WorldWideName = WorldWideName(0x5005_0763_0000_0001);
const HOST: WorldWideName = WorldWideName(0x5005_0764_0000_0040);
const OTHER: WorldWideName = WorldWideName(0x5005_0764_0000_0041);
const NOW: Time = Time::ZERO;
const UNIT: Lun = Lun([0; 8]);

fn site() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    File::create(directory.path().join("disk")).unwrap().set_len(1 << 20).unwrap();
    directory
}

fn table(directory: &TempDir, is_thin: bool) -> LunTable {
    let ports = [0, 2].map(|number| FcpPort { number, name: WorldWideName(NODE.0 + u64::from(number)) });
    let volume = LunVolume {
        number: 0,
        file: directory.path().join("disk"),
        mode: Mode::Sync,
        block_bytes: 512,
        is_thin,
        ports: vec![0, 2],
        hosts: None,
    };
    let mut table = LunTable::open(NODE, &ports, &[volume], false).unwrap();
    PortLuns::new(&mut table, 0).admit(1, HOST);
    PortLuns::new(&mut table, 2).admit(1, OTHER);
    table
}

fn ended(progress: ScsiProgress) -> ScsiEnding {
    let ScsiProgress::Ended(ending) = progress else { panic!("{progress:?}") };
    ending
}

/// Runs a command of the host at a port.
fn run(table: &mut LunTable, port: u16, request: &FcpRequest, data: &[u8]) -> ScsiEnding {
    let mut luns = PortLuns::new(table, port);
    let tag: TaskTag = (1, 7);
    match luns.begin(NOW, tag, &request.command()) {
        ScsiProgress::DataOut(bytes) => ended(luns.finish(NOW, tag, &data[..bytes as usize])),
        progress => ended(progress),
    }
}

/// Runs PERSISTENT RESERVE OUT.
fn reserve_out(table: &mut LunTable, port: u16, action: u8, keys: (u64, u64), persist: bool) -> ScsiEnding {
    let mut list = [0; 24];
    list[..8].copy_from_slice(&keys.0.to_be_bytes());
    list[8..16].copy_from_slice(&keys.1.to_be_bytes());
    list[20] = u8::from(persist);
    let cdb = Cdb::new(&[0x5F, action, 1, 0, 0, 0, 0, 0, 24, 0]).unwrap();
    run(table, port, &FcpRequest::write(UNIT, cdb, list.to_vec()), &list)
}

fn write(table: &mut LunTable, port: u16) -> ScsiEnding {
    let cdb = Cdb::new(&[0x2A, 0, 0, 0, 0, 3, 0, 0, 1, 0]).unwrap();
    run(table, port, &FcpRequest::write(UNIT, cdb, vec![port as u8 + 1; 512]), &[port as u8 + 1; 512])
}

/// Takes the unit attentions of both hosts.
fn settle(table: &mut LunTable) {
    for port in [0, 2] {
        let ready = FcpRequest::without_data(UNIT, Cdb::new(&[0; 6]).unwrap());
        while run(table, port, &ready, &[]).status == ScsiStatus::CHECK_CONDITION {}
    }
}

#[test]
fn a_persistent_reservation_survives_a_restart() {
    for (persist, is_there) in [(true, true), (false, false)] {
        let directory = site();
        let mut table = table(&directory, false);
        settle(&mut table);
        assert_eq!(reserve_out(&mut table, 0, 0, (0, 9), persist).status, ScsiStatus::GOOD);
        assert_eq!(reserve_out(&mut table, 0, 1, (9, 0), persist).status, ScsiStatus::GOOD);
        assert_eq!(write(&mut table, 2).status, ScsiStatus::RESERVATION_CONFLICT);
        assert_eq!(write(&mut table, 0).status, ScsiStatus::GOOD);
        assert!(table.close().is_empty());
        let mut table = self::table(&directory, false);
        settle(&mut table);
        let conflict = if is_there { ScsiStatus::RESERVATION_CONFLICT } else { ScsiStatus::GOOD };
        assert_eq!(write(&mut table, 2).status, conflict, "{persist}");
        assert_eq!(write(&mut table, 0).status, ScsiStatus::GOOD);
    }
}

/// A reservation that cannot be stored is not acknowledged.
#[test]
fn a_reservation_that_cannot_be_stored_fails() {
    let directory = site();
    let mut table = table(&directory, false);
    settle(&mut table);
    // What is to be renamed cannot be written where a directory is.
    std::fs::create_dir(directory.path().join("disk.reservations.new")).unwrap();
    let failed = reserve_out(&mut table, 0, 0, (0, 9), true);
    assert_eq!((failed.status, failed.sense[2]), (ScsiStatus::CHECK_CONDITION, 4));
    let mut troubles = 0;
    table.take_troubles(|_, _| troubles += 1);
    assert_eq!(troubles, 1);
}

#[test]
fn a_reset_ends_the_tasks_of_other_ports_without_a_response() {
    let directory = site();
    let mut table = table(&directory, true);
    settle(&mut table);
    let cdb = Cdb::new(&[0x2A, 0, 0, 0, 0, 3, 0, 0, 1, 0]).unwrap();
    let request = FcpRequest::write(UNIT, cdb, vec![0; 512]);
    let begun = PortLuns::new(&mut table, 2).begin(NOW, (1, 5), &request.command());
    assert_eq!(begun, ScsiProgress::DataOut(512));
    let mut luns = PortLuns::new(&mut table, 0);
    luns.manage(NOW, 1, UNIT, TaskManagement::LogicalUnitReset);
    assert_eq!(luns.poll_progress(), None);
    assert!(table.has_progress(2) && !table.has_progress(0));
    assert_eq!(PortLuns::new(&mut table, 2).poll_progress(), Some(((1, 5), ScsiProgress::Aborted)));
    let ready = FcpRequest::without_data(UNIT, Cdb::new(&[0; 6]).unwrap());
    let attention = run(&mut table, 2, &ready, &[]);
    assert!(attention.wants_confirmation && attention.sense[2] == 6, "{attention:?}");
}

#[test]
fn a_read_is_given_once_more_and_a_file_of_an_odd_size_is_refused() {
    let directory = site();
    let mut table = table(&directory, false);
    settle(&mut table);
    assert_eq!(write(&mut table, 0).status, ScsiStatus::GOOD);
    let cdb = Cdb::new(&[0x28, 0, 0, 0, 0, 3, 0, 0, 1, 0]).unwrap();
    let read = FcpRequest::read(UNIT, cdb, 512);
    assert_eq!(run(&mut table, 0, &read, &[]).data, [1; 512]);
    let again = PortLuns::new(&mut table, 0).read_again(1, &read.command());
    assert_eq!(again, Some(vec![1; 512]));
    drop(table);
    File::create(directory.path().join("disk")).unwrap().set_len((1 << 20) + 512).unwrap();
    let volume = LunVolume {
        number: 0,
        file: directory.path().join("disk"),
        mode: Mode::Sync,
        block_bytes: 4096,
        is_thin: false,
        ports: vec![0],
        hosts: None,
    };
    let failed = LunTable::open(NODE, &[], &[volume], false).unwrap_err();
    assert!(matches!(failed[..], [(0, LunError::Size { .. })]), "{failed:?}");
}
