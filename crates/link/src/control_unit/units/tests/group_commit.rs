//! Chains that wait for a barrier of their volume: writers, readers, and those that a failure or a newer start ends.

use halftrack_exchange::Wait;

use super::*;

const READ_DATA: u8 = 0x06;
const WRITE_DATA: u8 = 0x05;

/// Runs a chain with one command at record 1 of track 1, over `address`; returns its device and status.
fn chain(table: &mut UnitTable, address: u8, (command, operation): (u8, u8)) -> (UnitDevice, u8) {
    let Opened::Device(mut device) = table.of_port(0, &HOSTS).open(&start(1, address, 1)) else {
        panic!("no device")
    };
    let extent = [0, 0xC0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14];
    let locate = [operation, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0];
    let none = IuData::None;
    let data = if command == WRITE_DATA { IuData::Bytes(b"MORE".to_vec()) } else { IuData::None };
    let mut status = NORMAL;
    for (command, parameters, data) in
        [(0x63, &extent[..], &none), (0x47, &locate[..], &none), (command, &[][..], &data)]
    {
        let count = if parameters.is_empty() { 4 } else { 16 };
        status = device.execute(&DeviceCommand { command, count, parameters, data }).device_status;
        assert_eq!(status, NORMAL, "command {command:02X}");
    }
    if let Some(ending) = device.end_chain(ChainEnd::Unchained) {
        status = ending.device_status;
    }
    (device, status)
}

const WRITE: (u8, u8) = (WRITE_DATA, 0x01);
const READ: (u8, u8) = (READ_DATA, 0x06);

/// Returns a table with a volume whose track 1 has a record that is safe.
fn with_record() -> (TempDir, UnitTable) {
    let (directory, mut table) = table();
    assert_eq!(format(&mut table), NORMAL);
    table.end_batch();
    (directory, table)
}

#[test]
fn a_write_waits_for_the_barrier_and_a_read_of_it_too() {
    let (_directory, mut table) = with_record();
    let (read, _) = chain(&mut table, 0x10, READ);
    assert_eq!(read.wait(), None, "what is safe is not waited for");
    table.of_port(0, &HOSTS).close(read);
    let (mut write, status) = chain(&mut table, 0x10, WRITE);
    let (mut read, _) = chain(&mut table, 0x80, READ);
    assert_eq!(status, NORMAL);
    assert!(write.wait().unwrap() < read.wait().unwrap(), "the order of their ends");
    assert_eq!((write.poll_wait(), read.poll_wait()), (Wait::Pending, Wait::Pending));
    let before = table.barriers_ended();
    table.end_batch();
    assert_eq!(table.barriers_ended(), before + 1, "one barrier for both");
    assert_eq!((write.poll_wait(), read.poll_wait()), (Wait::Safe, Wait::Safe));
    assert_eq!((write.wait(), read.wait()), (None, None));
    table.of_port(0, &HOSTS).close(write);
    table.of_port(0, &HOSTS).close(read);
    assert!(table.close().is_ok());
}

/// In a thread, chains go on meanwhile, and what they write becomes safe with the next barrier.
#[test]
fn a_barrier_in_a_thread_ends_and_wakes() {
    let (_directory, mut table) = with_record();
    table.begin_barrier_threads().unwrap();
    let (mut first, _) = chain(&mut table, 0x10, WRITE);
    table.end_batch();
    assert_eq!(first.poll_wait(), Wait::Pending, "there are threads for it");
    table.begin_barriers(at_ms(1));
    let (mut second, _) = chain(&mut table, 0x80, WRITE);
    while !table.collect_barriers(at_ms(2)) {
        std::thread::yield_now();
    }
    assert_eq!((first.poll_wait(), second.poll_wait()), (Wait::Safe, Wait::Pending));
    assert_eq!(table.barriers_due(), None);
    // One chain of the two is waited for, as long as the barrier took.
    table.begin_barriers(at_ms(2));
    assert_eq!(table.barriers_due(), Some(at_ms(3)));
    table.begin_barriers(at_ms(3));
    while !table.collect_barriers(at_ms(4)) {
        std::thread::yield_now();
    }
    assert_eq!(second.poll_wait(), Wait::Safe);
    table.of_port(0, &HOSTS).close(first);
    table.of_port(0, &HOSTS).close(second);
    assert!(table.close().is_ok());
}

#[test]
fn closing_waits_for_the_barrier_under_way() {
    let (directory, mut table) = with_record();
    table.begin_barrier_threads().unwrap();
    let (device, _) = chain(&mut table, 0x10, WRITE);
    table.begin_barriers(at_ms(1));
    table.of_port(0, &HOSTS).close(device);
    assert!(table.close().is_ok());
    assert!(!directory.path().join("work01.ckd.journal").exists());
    let image = std::fs::read(directory.path().join("work01.ckd")).unwrap();
    assert!(image.windows(4).any(|octets| octets == b"MORE"));
}

#[test]
fn a_failed_barrier_ends_every_chain_with_unit_check() {
    let (directory, table) = with_record();
    assert!(table.close().is_ok());
    std::os::unix::fs::symlink("/dev/full", directory.path().join("work01.ckd.journal")).unwrap();
    let mut table = UnitTable::default();
    table.open_volume(&volume_in(directory.path(), Mode::Sync)).unwrap();
    let (mut write, status) = chain(&mut table, 0x10, WRITE);
    let (mut read, _) = chain(&mut table, 0x80, READ);
    assert_eq!(status, NORMAL, "it is withheld");
    table.end_batch();
    for device in [&mut write, &mut read] {
        let Wait::Failed(ending) = device.poll_wait() else { panic!("nothing failed") };
        assert_eq!(ending.device_status & 0x02, 0x02);
        assert!(ending.sense.is_some());
    }
    let mut told = Vec::new();
    table.take_troubles(|_, trouble| told.push(trouble.to_string()));
    assert!(told.iter().any(|words| words.contains("No space left on device")), "{told:?}");
    assert!(table.close().is_err());
}

/// The older start has lost the device, and with it its wait; the newer one waits for itself.
#[test]
fn a_start_that_is_withdrawn_while_it_waits_has_no_status() {
    let (_directory, mut table) = with_record();
    group_over(&mut table, 0, 1_000_001);
    group_over(&mut table, 1, 1_000_002);
    let start_over = |table: &mut UnitTable, port, number| {
        let Opened::Device(device) = open(table, port, number) else { panic!("no device") };
        device
    };
    let mut older = start_over(&mut table, 0, 1_000_003);
    let home_address = DeviceCommand { command: 0x1A, count: 5, parameters: &[], data: &IuData::None };
    older.execute(&home_address);
    assert_eq!(older.end_chain(ChainEnd::Unchained), None);
    let newer = start_over(&mut table, 1, 1_000_004);
    assert!(older.is_withdrawn() && older.wait().is_none());
    assert_eq!(older.poll_wait(), Wait::Safe, "it waited for nothing");
    assert_eq!(newer.wait(), None);
    table.of_port(0, &HOSTS).close(older);
    table.of_port(1, &HOSTS).close(newer);
    assert!(table.close().is_ok());
}
