//! Channel programs that write tracks, run as a driver would have them run: CCWs and data in storage, start
//! subchannel, IRB.

use halftrack_program::{
    CCW_BYTES, ConditionCode, Device, DeviceStatus, MainStorage, Orb, Pmcw, Subchannel, SubchannelStatus,
    TrackAddress,
};

/// Record of a track that is to be written: its key and data.
pub type Record = (Vec<u8>, Vec<u8>);

const DEFINE_EXTENT: u8 = 0x63;
const LOCATE_RECORD: u8 = 0x47;
const WRITE_COUNT_KEY_AND_DATA: u8 = 0x1D;
const WRITE_DATA: u8 = 0x05;
const COMMAND_CHAINING: u8 = 0x40;
/// Where the program begins in storage.
const PROGRAM: usize = 0x1000;
/// Define Extent: every write is allowed but of home addresses and record zero.
const ALL_WRITES: u8 = 0x00;
/// Locate Record: format write behind a count area, and update write of data.
const FORMAT_WRITE: u8 = 0x03;
const UPDATE_WRITE: u8 = 0x01;
/// Auxiliary byte of Locate Record: there is a transfer-length factor.
const TRANSFER_LENGTH_VALID: u8 = 0x80;

/// Writes the records 1, 2, ... of a track behind its record zero; what was there is gone.
pub fn format_track(device: &mut impl Device, at: TrackAddress, records: &[Record]) {
    let mut chain = located(at, FORMAT_WRITE, 0, records.len(), None);
    for (number, (key, data)) in records.iter().enumerate() {
        let mut octets = at.to_cchh().to_vec();
        octets.extend([number as u8 + 1, key.len() as u8]);
        octets.extend((data.len() as u16).to_be_bytes());
        octets.extend(key);
        octets.extend(data);
        chain.push((WRITE_COUNT_KEY_AND_DATA, octets));
    }
    run(device, &chain);
}

/// Writes over the data of a record.
pub fn update(device: &mut impl Device, at: TrackAddress, record: u8, data: &[u8]) {
    let mut chain = located(at, UPDATE_WRITE, record, 1, Some(data.len() as u16));
    chain.push((WRITE_DATA, data.to_vec()));
    run(device, &chain);
}

/// Begins with Define Extent of one track, and Locate Record there, with the length of its records where the
/// operation needs it.
fn located(
    at: TrackAddress,
    operation: u8,
    record: u8,
    records: usize,
    length: Option<u16>,
) -> Vec<(u8, Vec<u8>)> {
    let mut extent = vec![ALL_WRITES, 0xC0, 0, 0, 0, 0, 0, 0];
    extent.extend([at.to_cchh(), at.to_cchh()].concat());
    let auxiliary = if length.is_some() { TRANSFER_LENGTH_VALID } else { 0 };
    let mut locate = vec![operation, auxiliary, 0, records as u8];
    locate.extend([at.to_cchh(), at.to_cchh()].concat());
    locate.extend([record, 0]);
    locate.extend(length.unwrap_or_default().to_be_bytes());
    vec![(DEFINE_EXTENT, extent), (LOCATE_RECORD, locate)]
}

/// Runs a chain of format-1 CCWs, which has to end without anything unusual.
fn run(device: &mut impl Device, chain: &[(u8, Vec<u8>)]) {
    let octets: usize = chain.iter().map(|(_, data)| data.len()).sum();
    let mut data_at = PROGRAM + chain.len() * CCW_BYTES;
    let mut storage = MainStorage::new(data_at + octets);
    for (number, (command, data)) in chain.iter().enumerate() {
        let flags = if number + 1 < chain.len() { COMMAND_CHAINING } else { 0 };
        let mut ccw = vec![*command, flags];
        ccw.extend((data.len() as u16).to_be_bytes());
        ccw.extend((data_at as u32).to_be_bytes());
        let at = PROGRAM + number * CCW_BYTES;
        storage.bytes_mut()[at..at + CCW_BYTES].copy_from_slice(&ccw);
        storage.bytes_mut()[data_at..data_at + data.len()].copy_from_slice(data);
        data_at += data.len();
    }
    let [a0, a1, a2, a3] = (PROGRAM as u32).to_be_bytes();
    // Format-1 CCWs, prefetch allowed, any path.
    let orb = Orb::parse(&[0, 0, 0, 0, 0, 0xC0, 0xFF, 0, a0, a1, a2, a3]).expect("an ORB");
    let mut subchannel = Subchannel::new(Pmcw::ONE_PATH);
    let started = subchannel.start(&orb, &mut storage, device, &mut ());
    assert_eq!(started, ConditionCode::Done);
    let (_, irb) = subchannel.test();
    let ended = (irb.scsw.device_status(), irb.scsw.subchannel_status());
    let normal = (DeviceStatus::CHANNEL_END | DeviceStatus::DEVICE_END, SubchannelStatus::default());
    assert_eq!(ended, normal, "sense {:02X?}", irb.sense);
}
