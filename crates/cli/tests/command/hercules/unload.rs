//! A partitioned data set as TSO TRANSMIT sends it: an IEBCOPY unload in segments of 80-byte records. `dasdload`
//! makes data sets of it.
//!
//! Layout: z/OS TSO/E Customization, "Format of transmitted data"; DFSMSdfp Utilities, "IEBCOPY unload data set".

use crate::hercules::cards::ebcdic;

/// Bytes of the records that carry the segments.
const CARRIER_BYTES: usize = 80;
/// Most octets of a segment besides its length and flags.
const SEGMENT_BYTES: usize = 253;
const FIRST: u8 = 0x80;
const LAST: u8 = 0x40;
const CONTROL: u8 = 0x20;
/// Bytes of the first descriptive record.
const COPYR1_BYTES: usize = 56;
/// Bytes of the second descriptive record.
const COPYR2_BYTES: usize = 276;
/// Bytes of a directory block.
const DIRECTORY_BYTES: usize = 256;
/// Blocks that the made-up original had on a track.
const BLOCKS_PER_TRACK: u8 = 10;
/// Tracks of the made-up original, which began at cylinder 0 track 0.
const TRACKS: u16 = 150;

/// DCB attributes of a partitioned data set.
#[derive(Debug, Clone, Copy)]
pub struct Attributes {
    /// RECFM.
    pub record_format: u8,
    /// LRECL, bytes.
    pub record_bytes: u16,
    /// BLKSIZE, bytes.
    pub block_bytes: u16,
}

/// Makes the transmission of a data set with these members (name and blocks), which must be in ascending order.
pub fn transmission(attributes: Attributes, members: &[(&str, Vec<Vec<u8>>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for control in control_records(attributes) {
        segments(&mut out, CONTROL, &control);
    }
    segments(&mut out, 0, &copyr1(attributes));
    segments(&mut out, 0, &copyr2());
    let mut place = Place { track: 1, record: 1 };
    let (mut entries, mut blocks) = (Vec::new(), Vec::new());
    for (name, data) in members {
        entries.extend(ebcdic(name, 8));
        entries.extend([&place.track.to_be_bytes()[..], &[place.record, 0]].concat());
        for block in data.iter().map(Vec::as_slice).chain([&[][..]]) {
            segments(&mut blocks, 0, &[place.header(0, block.len()), block.to_vec()].concat());
            place.advance();
        }
    }
    entries.extend([0xFF; 8]);
    entries.extend([0; 4]);
    let mut directory = Place { track: 0, record: 1 }.header(8, DIRECTORY_BYTES);
    directory.extend([0xFF; 8]);
    directory.extend((entries.len() as u16 + 2).to_be_bytes());
    assert!(entries.len() <= DIRECTORY_BYTES - 2, "one directory block is made");
    entries.resize(DIRECTORY_BYTES - 2, 0);
    directory.extend(entries);
    segments(&mut out, 0, &directory);
    segments(&mut out, 0, &[0; 12]);
    out.extend(blocks);
    segments(&mut out, CONTROL, &ebcdic("INMR06", 6));
    out.resize(out.len().next_multiple_of(CARRIER_BYTES), 0);
    out
}

/// Where a block was on the original.
struct Place {
    track: u16,
    record: u8,
}

impl Place {
    /// Makes the 12 octets before a block.
    fn header(&self, key_bytes: u8, data_bytes: usize) -> Vec<u8> {
        let (cylinder, head) = (self.track / 15, self.track % 15);
        let mut header = vec![0; 4];
        header.extend(cylinder.to_be_bytes());
        header.extend(head.to_be_bytes());
        header.extend([self.record, key_bytes]);
        header.extend((data_bytes as u16).to_be_bytes());
        header
    }

    fn advance(&mut self) {
        self.record += 1;
        if self.record > BLOCKS_PER_TRACK {
            (self.track, self.record) = (self.track + 1, 1);
        }
        assert!(self.track < TRACKS, "the original is full");
    }
}

/// Cuts a record into segments.
fn segments(out: &mut Vec<u8>, kind: u8, record: &[u8]) {
    let last = record.len().div_ceil(SEGMENT_BYTES) - 1;
    for (number, part) in record.chunks(SEGMENT_BYTES).enumerate() {
        let first = if number == 0 { FIRST } else { 0 };
        let last = if number == last { LAST } else { 0 };
        out.extend([part.len() as u8 + 2, kind | first | last]);
        out.extend(part);
    }
}

/// Makes a text unit: key, number of values, and each behind its length.
fn unit(key: u16, values: &[&[u8]]) -> Vec<u8> {
    let mut unit = [key.to_be_bytes(), (values.len() as u16).to_be_bytes()].concat();
    for value in values {
        unit.extend((value.len() as u16).to_be_bytes());
        unit.extend(*value);
    }
    unit
}

fn control_records(attributes: Attributes) -> [Vec<u8>; 4] {
    let word = |text: &str| ebcdic(text, text.len());
    let Attributes { record_format, record_bytes, block_bytes } = attributes;
    let size = unit(0x102C, &[&[0, 0, 0x10, 0]]);
    let header = [
        word("INMR01"),
        unit(0x0042, &[&[0, 0, 0, 80]]),
        unit(0x1011, &[&word("NODE")]),
        unit(0x1012, &[&word("USER")]),
        unit(0x1001, &[&word("NODE")]),
        unit(0x1002, &[&word("USER")]),
        unit(0x1024, &[&word("20260101000000")]),
        unit(0x102F, &[&[1]]),
    ];
    let unloaded = [
        word("INMR02"),
        vec![0, 0, 0, 1],
        unit(0x1028, &[&word("IEBCOPY")]),
        unit(0x003C, &[&[2, 0]]),
        unit(0x0042, &[&record_bytes.to_be_bytes()]),
        unit(0x0030, &[&block_bytes.to_be_bytes()]),
        unit(0x0049, &[&[record_format, 0]]),
        unit(0x000C, &[&[0, 0, 1]]),
        unit(0x0002, &[&word("MADE"), &word("UP")]),
        size.clone(),
    ];
    let sent = [
        word("INMR02"),
        vec![0, 0, 0, 1],
        unit(0x1028, &[&word("INMCOPY")]),
        unit(0x003C, &[&[0x40, 0]]),
        unit(0x0042, &[&(block_bytes + 16).to_be_bytes()]),
        unit(0x0030, &[&(block_bytes + 20).to_be_bytes()]),
        unit(0x0049, &[&[0x48, 2]]),
        size.clone(),
    ];
    let data = [
        word("INMR03"),
        size,
        unit(0x003C, &[&[0x40, 0]]),
        unit(0x0042, &[&[0, 80]]),
        unit(0x0049, &[&[0, 1]]),
    ];
    [header.concat(), unloaded.concat(), sent.concat(), data.concat()]
}

/// Makes the record of the data set and the device that it was on: a 3390.
fn copyr1(attributes: Attributes) -> Vec<u8> {
    let mut record = vec![0, 0xCA, 0x6D, 0x0F, 2, 0];
    record.extend(attributes.block_bytes.to_be_bytes());
    record.extend(attributes.record_bytes.to_be_bytes());
    record.extend([attributes.record_format, 0, 0, 0]);
    record.extend((attributes.block_bytes + 20).to_be_bytes());
    record.extend([0x30, 0x10, 0x20, 0x0F]);
    record.extend(58_786_u32.to_be_bytes());
    record.extend([1113_u16, 15, 58_786].map(u16::to_be_bytes).concat());
    record.resize(36, 0);
    record.extend(2_u16.to_be_bytes());
    record.resize(COPYR1_BYTES, 0);
    record
}

/// Makes the record of the one extent of the original.
fn copyr2() -> Vec<u8> {
    let mut record = vec![1];
    record.resize(22, 0);
    record.extend([0, 0, (TRACKS - 1) / 15, 14, TRACKS].map(u16::to_be_bytes).concat());
    record.resize(COPYR2_BYTES, 0);
    record
}
