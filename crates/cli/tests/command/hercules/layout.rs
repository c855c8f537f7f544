//! A volume with a VTOC, two sequential data sets and a partitioned one, as the records of its tracks.

use halftrack_program::TrackAddress;

use crate::hercules::cards::{cards, ebcdic};
use crate::hercules::channel_program::Record;

/// DSCBs on a track of a 3390.
const DSCBS_PER_TRACK: usize = 50;
/// The track with the VTOC.
const VTOC: (u32, u8) = (0, 1);
/// Bytes of the blocks of every data set.
const BLOCK_BYTES: u16 = 3200;
/// Blocks of 3200 bytes that a track of a 3390 holds.
const BLOCKS_PER_TRACK: usize = 14;
/// DSORG, first octet.
const SEQUENTIAL: u8 = 0x40;
const PARTITIONED: u8 = 0x02;

/// Makes the address of a track.
pub fn track(cylinder: u32, head: u8) -> TrackAddress {
    TrackAddress::new(cylinder, head).expect("a track")
}

/// Returns the lines of the sequential data set over five extents.
pub fn scattered_lines() -> Vec<String> {
    (0..2500).map(|number| format!("RECORD {number:05} OF HTK.SCATTER")).collect()
}

/// Returns the lines of the sequential data set in one extent.
pub fn short_lines() -> Vec<String> {
    (0..41).map(|number| format!("SHORT {number}")).collect()
}

/// Names and lines of the members, ascending.
pub fn members() -> Vec<(&'static str, Vec<String>)> {
    let lines = |name: &str, lines: usize| (0..lines).map(|number| format!("{name} {number}")).collect();
    vec![("EMPTY", Vec::new()), ("LARGE", lines("LARGE", 1500)), ("SMALL", lines("SMALL", 3))]
}

/// Returns the label that names the VTOC: data of record 3 of cylinder 0 head 0.
pub fn label(serial: &str) -> Vec<u8> {
    let mut label = ebcdic(&format!("VOL1{serial:<6}"), 80);
    let (cylinder, head) = VTOC;
    label[11..15].copy_from_slice(&track(cylinder, head).to_cchh());
    label[15] = 1;
    label
}

/// Returns the track of HTK.SHORT.
pub fn short(first_cylinder: u32) -> TrackAddress {
    track(first_cylinder, 1)
}

/// Returns every track that is to be formatted, with its records; data sets begin at `first_cylinder`.
pub fn tracks(cylinders: u16, first_cylinder: u32) -> Vec<(TrackAddress, Vec<Record>)> {
    let scattered = [0, 2, 4, 6, 8].map(|head| track(first_cylinder, head));
    let library = [0, 1, 2, 3, 4, 5].map(|head| track(first_cylinder + 1, head));
    let vtoc = vtoc(cylinders, &scattered, short(first_cylinder), &library);
    let mut tracks = vec![(track(VTOC.0, VTOC.1), vtoc)];
    tracks.extend(place(&scattered, blocks(&scattered_lines())));
    tracks.extend(place(&[short(first_cylinder)], blocks(&short_lines())));
    tracks.extend(place(&library, partitioned()));
    tracks
}

/// Makes the blocks of a sequential data set or a member, and the end-of-file record behind them.
fn blocks(lines: &[String]) -> Vec<Record> {
    let octets = cards(lines.iter().cloned());
    let blocks = octets.chunks(BLOCK_BYTES.into()).map(|block| (Vec::new(), block.to_vec()));
    blocks.chain([Record::default()]).collect()
}

/// Lays records on tracks, the same number on each.
fn place(tracks: &[TrackAddress], records: Vec<Record>) -> Vec<(TrackAddress, Vec<Record>)> {
    let pieces = records.chunks(BLOCKS_PER_TRACK).map(<[Record]>::to_vec);
    assert!(pieces.len() <= tracks.len(), "the data set is full");
    tracks.iter().copied().zip(pieces).collect()
}

/// Makes a directory of one block, its end, and the members.
fn partitioned() -> Vec<Record> {
    let mut entries = Vec::new();
    let mut data = Vec::new();
    for (name, lines) in members() {
        // The directory block and its end-of-file record are before them.
        let number = data.len() + 2;
        entries.extend(ebcdic(name, 8));
        entries.extend([0, (number / BLOCKS_PER_TRACK) as u8, (number % BLOCKS_PER_TRACK) as u8 + 1, 0]);
        data.extend(blocks(&lines));
    }
    entries.extend([[0xFF; 8].as_slice(), &[0; 4]].concat());
    let mut block = (entries.len() as u16 + 2).to_be_bytes().to_vec();
    block.extend(entries);
    block.resize(256, 0);
    [vec![(vec![0xFF; 8], block), Record::default()], data].concat()
}

fn vtoc(
    cylinders: u16,
    scattered: &[TrackAddress],
    short: TrackAddress,
    library: &[TrackAddress; 6],
) -> Vec<Record> {
    let mut records = vec![format_4(cylinders), format_5()];
    let extents: Vec<_> = scattered.iter().map(|track| (*track, *track)).collect();
    let third = format_3(&extents[3..]);
    records.push(format_1("HTK.SCATTER", SEQUENTIAL, &extents, scattered_lines().len(), Some(4)));
    records.push(third);
    records.push(format_1("HTK.SHORT", SEQUENTIAL, &[(short, short)], short_lines().len(), None));
    let library = [(library[0], library[5])];
    records.push(format_1("HTK.SOURCE", PARTITIONED, &library, 1600, None));
    records.resize(DSCBS_PER_TRACK, (vec![0; 44], vec![0; 96]));
    records
}

fn extent(sequence: usize, (begin, end): (TrackAddress, TrackAddress)) -> Vec<u8> {
    [&[1, sequence as u8], &begin.to_cchh()[..], &end.to_cchh()[..]].concat()
}

/// Puts `octets` where a field is, counted from the key.
fn field(data: &mut [u8], offset: usize, octets: &[u8]) {
    let at = offset - 44;
    data[at..at + octets.len()].copy_from_slice(octets);
}

fn format_4(cylinders: u16) -> Record {
    let mut data = vec![0; 96];
    let here = track(VTOC.0, VTOC.1);
    field(&mut data, 44, &[0xF4]);
    field(&mut data, 45, &[&here.to_cchh()[..], &[DSCBS_PER_TRACK as u8]].concat());
    field(&mut data, 50, &[0, 44]);
    field(&mut data, 59, &[1]);
    field(&mut data, 62, &[cylinders, 15, 58_786].map(u16::to_be_bytes).concat());
    field(&mut data, 74, &[DSCBS_PER_TRACK as u8, 45]);
    field(&mut data, 105, &extent(0, (here, here)));
    (vec![4; 44], data)
}

fn format_5() -> Record {
    let mut key = vec![5; 4];
    key.resize(44, 0);
    let mut data = vec![0; 96];
    field(&mut data, 44, &[0xF5]);
    (key, data)
}

fn format_1(
    name: &str,
    organization: u8,
    extents: &[(TrackAddress, TrackAddress)],
    lines: usize,
    next: Option<u8>,
) -> Record {
    let mut data = vec![0; 96];
    field(&mut data, 44, &[0xF1]);
    field(&mut data, 45, &ebcdic("HTK001", 6));
    field(&mut data, 51, &[0, 1, 126, 0, 42]);
    field(&mut data, 59, &[extents.len() as u8]);
    field(&mut data, 62, &ebcdic("HALFTRACK", 13));
    field(&mut data, 82, &[organization, 0, 0x90, 0]);
    field(&mut data, 86, &[BLOCK_BYTES, 80].map(u16::to_be_bytes).concat());
    field(&mut data, 93, &[0x80]);
    let last = (lines * 80).div_ceil(BLOCK_BYTES.into()) - 1;
    field(&mut data, 98, &[0, (last / BLOCKS_PER_TRACK) as u8, (last % BLOCKS_PER_TRACK) as u8 + 1]);
    for (number, one) in extents.iter().take(3).enumerate() {
        field(&mut data, 105 + 10 * number, &extent(number, *one));
    }
    if let Some(record) = next {
        field(&mut data, 135, &[&track(VTOC.0, VTOC.1).to_cchh()[..], &[record]].concat());
    }
    (ebcdic(name, 44), data)
}

/// Makes the DSCB of the fourth extent and those after it.
fn format_3(extents: &[(TrackAddress, TrackAddress)]) -> Record {
    let mut key = vec![3; 4];
    for (number, one) in extents.iter().enumerate() {
        key.extend(extent(number + 3, *one));
    }
    key.resize(44, 0);
    let mut data = vec![0; 96];
    field(&mut data, 44, &[0xF3]);
    (key, data)
}
