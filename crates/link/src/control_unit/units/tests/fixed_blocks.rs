//! Devices with fixed blocks.

use super::*;

const LOCATE: u8 = 0x43;
const READ: u8 = 0x42;
const WRITE: u8 = 0x41;
const DEFINE_EXTENT: u8 = 0x63;
/// Bytes of a block.
const BLOCK_BYTES: u32 = 512;

/// Returns a volume of 64 blocks at 10, with an alias at 80.
fn blocks_table() -> (TempDir, UnitTable) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("blocks.fba");
    create(&file, VolumeDevice::Fba { blocks: 64 }, NewFormat::Plain, None).unwrap();
    let mut table = UnitTable::default();
    let volume = UnitVolume { image: 1, unit_address: 0x10, aliases: vec![0x80], file, mode: Mode::Sync };
    table.open_volume(&volume).unwrap();
    (directory, table)
}

/// Runs a chain that writes or reads block 7; returns its status and what it read.
fn chain(table: &mut UnitTable, address: u8, written: Option<&[u8]>) -> (u8, Vec<u8>) {
    let mut units = table.of_port(0, &HOSTS);
    let Opened::Device(mut device) = units.open(&start(1, address, 1)) else { panic!("no device") };
    let mask = if written.is_some() { 0xC0 } else { 0x40 };
    let extent = [mask, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 63];
    let locate = [if written.is_some() { 1 } else { 6 }, 0, 0, 1, 0, 0, 0, 7];
    let none = IuData::None;
    let data = written.map_or(IuData::None, |octets| IuData::Bytes(octets.to_vec()));
    let command = if written.is_some() { WRITE } else { READ };
    let mut read = Vec::new();
    let mut status = 0;
    for (command, parameters, data) in
        [(DEFINE_EXTENT, &extent[..], &none), (LOCATE, &locate[..], &none), (command, &[][..], &data)]
    {
        let count = if parameters.is_empty() { BLOCK_BYTES } else { parameters.len() as u32 };
        let ending = device.execute(&DeviceCommand { command, count, parameters, data });
        status = ending.device_status;
        if let IuData::Bytes(octets) = ending.data {
            read = octets;
        }
        if status != NORMAL {
            break;
        }
    }
    assert_eq!(device.end_chain(ChainEnd::Unchained), None);
    units.close(device);
    (status, read)
}

#[test]
fn blocks_that_were_written_are_read_over_an_alias_and_are_in_the_file() {
    let (directory, mut table) = blocks_table();
    assert_eq!(chain(&mut table, 0x10, Some(&[0xAB; 512])).0, NORMAL);
    assert_eq!(chain(&mut table, 0x80, None), (NORMAL, vec![0xAB; 512]));
    assert!(table.close().is_ok());
    let image = std::fs::read(directory.path().join("blocks.fba")).unwrap();
    assert!(image[7 * 512..8 * 512] == [0xAB; 512] && image[8 * 512] == 0);
}

#[test]
fn blocks_are_reserved_and_grouped_as_tracks_are() {
    let (_directory, mut table) = blocks_table();
    let group: Vec<u8> = std::iter::once(0x80).chain([7; 11]).collect();
    assert_eq!(execute(&mut table, 0x10, 1, SET_PATH_GROUP_ID, &group).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
    assert_eq!(execute(&mut table, 0x10, 1, SENSE_PATH_GROUP_ID, &[]).1[0], 0xF8);
    assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RELEASE, &[]).0, NORMAL);
    assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, NORMAL);
}

/// Any commands with any octets end with a status.
#[test]
fn malformed_programs_end_with_unit_check() {
    let (_directory, mut table) = blocks_table();
    let mut random = halftrack_engine::RandomStream::new(22, "blocks");
    let (mut checked, mut right) = (0, 0);
    for _ in 0..20_000 {
        let mut units = table.of_port(0, &HOSTS);
        let Opened::Device(mut device) = units.open(&start(1, 0x10, 1)) else { panic!("no device") };
        for _ in 0..1 + random.below(4) {
            let known = [DEFINE_EXTENT, LOCATE, READ, WRITE, 0x02, 0x03, 0x04, 0xE4, 0x64, SET_PATH_GROUP_ID];
            let command = match random.below(3) {
                0 => random.below(256) as u8,
                _ => known[random.below(known.len() as u64) as usize],
            };
            let extent = [0xC0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 63];
            let mut parameters = match (command, random.below(2)) {
                (DEFINE_EXTENT, 0) => extent.to_vec(),
                (LOCATE, 0) => vec![if random.below(2) == 0 { 1 } else { 6 }, 0, 0, 1, 0, 0, 0, 7],
                (DEFINE_EXTENT | LOCATE | SET_PATH_GROUP_ID, _) => {
                    (0..random.below(20)).map(|_| random.below(256) as u8).collect()
                }
                _ => Vec::new(),
            };
            parameters.truncate(16);
            let data = IuData::Bytes(vec![1; random.below(2000) as usize]);
            let count = random.below(65_536) as u32;
            let ending =
                device.execute(&DeviceCommand { command, count, parameters: &parameters, data: &data });
            if ending.device_status & 0x02 != 0 {
                assert!(ending.sense.is_some(), "command {command:02X}");
                checked += 1;
                break;
            }
            right += 1;
        }
        device.end_chain(ChainEnd::Broken);
        units.close(device);
        table.end_batch();
    }
    assert!(checked > 1000 && right > 1000, "{checked} checked, {right} right");
}
