//! A case as a plan: a volume, keys, and starts; and how a start is laid into storage.

use crate::model::images::Keeping;
use crate::model::storage::BLOCK_BYTES;
use crate::model::volume::{CYLINDERS, Record, Volume, cchh};

/// Bytes of guest storage.
pub const STORAGE_BYTES: usize = 0x4_0000;
/// Bytes that the control blocks of one start have.
const REGION_BYTES: usize = 0x2000;
/// Where the data areas begin.
const DATA: usize = 0x1_0000;

/// A record to be.
#[derive(Debug, Clone)]
pub struct RecordPlan {
    /// Difference of the record number from the place.
    pub gap: u8,
    /// Bytes of the key.
    pub key: u8,
    /// Bytes of data.
    pub data: u16,
    /// The count area names the next track.
    pub elsewhere: bool,
}

/// A case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Tracks with records.
    pub tracks: Vec<(u32, Vec<RecordPlan>)>,
    /// Blocks of storage with a key of their own.
    pub keys: Vec<(usize, u8)>,
    /// Starts, one after the other.
    pub starts: Vec<Start>,
    /// How the product keeps the volume.
    pub keeping: Keeping,
}

/// One start subchannel.
#[derive(Debug, Clone)]
pub struct Start {
    /// Byte 4 of the ORB: key and flags.
    pub orb_4: u8,
    /// Byte 5 of the ORB.
    pub orb_5: u8,
    /// Byte 7 of the ORB.
    pub orb_7: u8,
    /// The program.
    pub program: Program,
    /// Changes made in it afterwards.
    pub mutations: Vec<Mutation>,
}

/// A channel program.
#[derive(Debug, Clone)]
pub enum Program {
    /// CCWs.
    Command(Vec<Step>),
    /// A TCW and its DCWs.
    Transport(Operation),
}

/// A transport-mode operation.
#[derive(Debug, Clone)]
pub struct Operation {
    /// DCWs.
    pub dcws: Vec<DcwPlan>,
    /// The data go to the device.
    pub write: bool,
    /// Pieces of the data when they are a TIDAW list.
    pub pieces: Option<Vec<u16>>,
    /// Check words go in after these pieces.
    pub inserts: Vec<bool>,
    /// The TCCB is a TIDAW list.
    pub tccb_list: bool,
}

/// A device-command word.
#[derive(Debug, Clone)]
pub struct DcwPlan {
    /// Command.
    pub command: u8,
    /// Control data.
    pub control: Vec<u8>,
    /// Data count.
    pub count: Count,
}

/// A byte changed: which part, where in it, and the bits.
#[derive(Debug, Clone)]
pub struct Mutation {
    /// The list of control blocks at the start, of parameters, or of indirect words.
    pub part: usize,
    /// Offset, in units that wrap at what was laid there.
    pub at: usize,
    /// Bits turned over.
    pub bits: u8,
}

/// A count in a program.
#[derive(Debug, Clone)]
pub enum Count {
    /// This many bytes.
    Fixed(u32),
    /// Contents of the areas of a record: track, record number, and the wanted of count, key and data.
    Of(u32, u8, [bool; 3]),
    /// Contents of the data areas from a record to the end of its track, and of whole tracks behind.
    Tracks(u32, u8, u8),
}

/// How the bytes of a CCW are laid.
#[derive(Debug, Clone)]
pub enum Layout {
    /// In one area.
    Direct,
    /// In blocks by IDAWs.
    Idaws,
    /// In pieces by MIDAWs; whether each is skipped.
    Midaws(Vec<(u16, bool)>),
}

/// A CCW or a transfer in channel.
#[derive(Debug, Clone)]
pub enum Step {
    /// A command, its data chained into pieces.
    Command {
        /// Command code.
        command: u8,
        /// Parameters or data for the device.
        out: Vec<u8>,
        /// The count.
        count: Count,
        /// Flags besides the chaining flags.
        flags: u8,
        /// Offset of the data in their first block.
        offset: u16,
        /// Counts of CCWs chained for data.
        splits: Vec<u16>,
        /// How each CCW's bytes are laid.
        layout: Layout,
    },
    /// Transfer in channel to the CCW so many before.
    Tic(u8),
}

/// Returns the byte that a volume has at an offset of an area.
fn pattern(track: u32, place: usize, at: usize) -> u8 {
    (track as usize * 31 + place * 7 + at * 3 + at / 251) as u8
}

impl Case {
    /// Returns the volume.
    pub fn volume(&self) -> Volume {
        let mut volume = Volume::empty(CYLINDERS);
        for (number, plans) in &self.tracks {
            let track = &mut volume.tracks[*number as usize];
            let mut named = 0u8;
            for plan in plans {
                let place = track.records.len();
                named = named.wrapping_add(1 + plan.gap);
                let [c0, c1, h0, h1] = cchh(number + u32::from(plan.elsewhere));
                let [d0, d1] = plan.data.to_be_bytes();
                let bytes = |length: usize, from: usize| {
                    (0..length).map(|at| pattern(*number, place, at + from)).collect::<Vec<u8>>()
                };
                let key = bytes(usize::from(plan.key), 100);
                let data = bytes(usize::from(plan.data), 0);
                track.records.push(Record { count: [c0, c1, h0, h1, named, plan.key, d0, d1], key, data });
                if !track.fits() {
                    track.records.pop();
                }
            }
        }
        volume
    }

    /// Returns the storage before the first start, and its keys.
    pub fn storage(&self) -> (Vec<u8>, Vec<u8>) {
        let bytes = (0..STORAGE_BYTES).map(|at| (at * 5 + at / 256) as u8).collect();
        let mut keys = vec![0x10; STORAGE_BYTES / BLOCK_BYTES];
        for &(block, key) in &self.keys {
            let blocks = keys.len();
            keys[block % blocks] = key;
        }
        (bytes, keys)
    }
}

impl Count {
    fn bytes(&self, volume: &Volume) -> u32 {
        match *self {
            Self::Fixed(bytes) => bytes,
            Self::Of(track, number, [count, key, data]) => {
                let records = &volume.tracks[track as usize].records;
                let Some(record) = records.iter().find(|record| record.count[4] == number) else { return 24 };
                let length = |wanted: bool, bytes: usize| if wanted { bytes } else { 0 };
                (length(count, 8) + length(key, record.key.len()) + length(data, record.data.len())) as u32
            }
            Self::Tracks(track, number, tracks) => {
                let mut bytes = 0;
                for next in track..(track + u32::from(tracks)).min(CYLINDERS * 15) {
                    let records = &volume.tracks[next as usize].records;
                    let from = if next == track { number } else { 1 };
                    bytes += records
                        .iter()
                        .skip_while(|record| record.count[4] < from)
                        .map(|record| record.data.len() as u32)
                        .sum::<u32>();
                }
                bytes
            }
        }
    }
}

/// Lays programs into storage.
pub struct Layer<'a> {
    storage: &'a mut [u8],
    volume: &'a Volume,
    parts: [(usize, usize); 3],
    data: usize,
}

impl<'a> Layer<'a> {
    /// Returns the layer of the `index`th start.
    pub fn new(storage: &'a mut [u8], volume: &'a Volume, index: usize) -> Self {
        let base = 0x1000 + index * REGION_BYTES;
        let data = DATA + index * 0x8000;
        Self {
            storage,
            volume,
            parts: [(base, base), (base + 0x800, base + 0x800), (base + 0x1000, base + 0x1000)],
            data,
        }
    }

    /// Puts bytes at the end of a part; returns where they lie. A full part takes no more.
    fn put(&mut self, part: usize, align: usize, bytes: &[u8]) -> usize {
        let at = self.parts[part].1.next_multiple_of(align);
        let room = if part == 2 { 0x1000 } else { 0x800 };
        if at + bytes.len() <= self.parts[part].0 + room {
            self.storage[at..at + bytes.len()].copy_from_slice(bytes);
            self.parts[part].1 = at + bytes.len();
        }
        at
    }

    /// Returns the room for data; it wraps in the data region.
    fn area(&mut self, offset: usize, bytes: usize) -> usize {
        let mut at = self.data.next_multiple_of(BLOCK_BYTES) + offset % BLOCK_BYTES;
        if at + bytes > STORAGE_BYTES {
            at = DATA + offset % BLOCK_BYTES;
        }
        self.data = at + bytes;
        at
    }

    /// Lays a start; returns the 12 bytes of its ORB.
    pub fn lay(&mut self, start: &Start) -> [u8; 12] {
        let first = self.parts[0].0;
        match &start.program {
            Program::Command(steps) => self.chain(start, steps),
            Program::Transport(operation) => self.operation(operation),
        }
        for mutation in &start.mutations {
            let (from, to) = self.parts[mutation.part % 3];
            if to > from {
                self.storage[from + mutation.at % (to - from)] ^= mutation.bits;
            }
        }
        let mut orb = [0; 12];
        let transport = matches!(start.program, Program::Transport(_));
        (orb[4], orb[5], orb[6], orb[7]) = if transport {
            (start.orb_4 & 0xF0, 0x04, 0xFF, 0)
        } else {
            (start.orb_4, start.orb_5, 0xFF, start.orb_7)
        };
        orb[8..12].copy_from_slice(&(first as u32).to_be_bytes());
        orb
    }

    fn chain(&mut self, start: &Start, steps: &[Step]) {
        for (index, step) in steps.iter().enumerate() {
            let last = index + 1 == steps.len();
            match step {
                Step::Tic(back) => {
                    let target = self.parts[0].1.saturating_sub(usize::from(*back) * 8);
                    self.ccw(start, 0x08, 0, 0, target);
                }
                Step::Command { .. } => self.command(start, step, last),
            }
        }
    }

    fn ccw(&mut self, start: &Start, command: u8, flags: u8, count: u16, address: usize) {
        let [a0, a1, a2, a3] = (address as u32).to_be_bytes();
        let [c0, c1] = count.to_be_bytes();
        let bytes = if start.orb_5 & 0x80 != 0 {
            [command, flags, c0, c1, a0, a1, a2, a3]
        } else {
            [command, a1, a2, a3, flags, 0, c0, c1]
        };
        self.put(0, 8, &bytes);
    }

    fn command(&mut self, start: &Start, step: &Step, last: bool) {
        let Step::Command { command, out, count, flags, offset, splits, layout } = step else { return };
        let bytes = count.bytes(self.volume).min(65_535);
        let mut left = bytes as u16;
        let at = self.area(usize::from(*offset), bytes as usize);
        let end = (at + out.len()).min(STORAGE_BYTES);
        self.storage[at..end].copy_from_slice(&out[..end - at]);
        let mut from = at;
        for piece in splits.iter().map(Some).chain([None]) {
            let size = piece.map_or(left, |&piece| piece.min(left));
            if piece.is_some() && size == left {
                continue;
            }
            let chaining = match (piece.is_some(), last) {
                (true, _) => 0x80,
                (false, false) => 0x40,
                (false, true) => 0,
            };
            let (flag, address) = self.indirect(start, layout, from, usize::from(size));
            self.ccw(start, *command, flags | chaining | flag, size, address);
            left -= size;
            from += usize::from(size);
        }
    }

    /// Lays indirect words for an area; returns the flag and the address for the CCW.
    fn indirect(&mut self, start: &Start, layout: &Layout, at: usize, bytes: usize) -> (u8, usize) {
        let mut words = Vec::new();
        match layout {
            Layout::Direct => (0, at),
            Layout::Idaws => {
                let long = start.orb_5 & 0x02 != 0;
                let block = if long && start.orb_5 & 0x01 == 0 { 4096 } else { 2048 };
                let mut address = at;
                while address < at + bytes {
                    let word = (address as u64).to_be_bytes();
                    words.extend_from_slice(if long { &word } else { &word[4..] });
                    address = address / block * block + block;
                }
                (0x04, self.put(2, 8, &words))
            }
            Layout::Midaws(pieces) => {
                let mut address = at;
                let mut pieces = pieces.iter();
                while address < at + bytes {
                    let (piece, skip) = pieces.next().copied().unwrap_or((4096, false));
                    let page = 4096 - address % 4096;
                    let size = usize::from(piece).clamp(1, page).min(at + bytes - address);
                    let last = if address + size == at + bytes { 0x80 } else { 0 };
                    let flags = last | if skip { 0x40 } else { 0 };
                    words.extend_from_slice(&[0, 0, 0, 0, 0, flags]);
                    words.extend_from_slice(&(size as u16).to_be_bytes());
                    words.extend_from_slice(&(address as u64).to_be_bytes());
                    address += size;
                }
                (0x01, self.put(2, 16, &words))
            }
        }
    }

    fn operation(&mut self, operation: &Operation) {
        let mut area = Vec::new();
        let mut total = 0u32;
        for (index, dcw) in operation.dcws.iter().enumerate() {
            let count = dcw.count.bytes(self.volume);
            let flags = if index + 1 < operation.dcws.len() { 0x40 } else { 0 };
            area.extend_from_slice(&[dcw.command, flags, 0, dcw.control.len() as u8]);
            area.extend_from_slice(&count.to_be_bytes());
            area.extend_from_slice(&dcw.control);
            area.resize(area.len().next_multiple_of(4), 0);
            total += count;
        }
        let at = self.area(0x40, total as usize);
        let (list, address, inserted) = self.data(operation, at, total as usize);
        let action = if operation.dcws[0].command == 0x40 { 0xFF } else { 0xFE };
        let mut tccb = vec![0x7F, 0, 0, 0, 0, 0, 0, (area.len() + 12) as u8, 0x1F, action, 0, 0, 0, 0, 0, 0];
        tccb.extend_from_slice(&area);
        tccb.extend_from_slice(&[0; 4]);
        tccb.extend_from_slice(&((total + inserted).next_multiple_of(4) + 4).to_be_bytes());
        let base = self.parts[0].0;
        self.parts[0].1 = base + 0x100;
        let block = self.put(0, 8, &tccb);
        let (tccb_flag, tccb_at) = if operation.tccb_list {
            let half = tccb.len() / 2;
            let words = [tidaw(0, half, block), tidaw(0x80, tccb.len() - half, block + half)].concat();
            (0x02, self.put(2, 16, &words))
        } else {
            (0, block)
        };
        let mut tcw = [0; 64];
        let (flag, direction, place, count) =
            if operation.write { (0x01, 0x01, 8, 40) } else { (0x04, 0x02, 16, 44) };
        tcw[1] = tccb_flag | if list { flag } else { 0 };
        tcw[5] = (area.len() + 4) as u8 & 0xFC | if total > 0 { direction } else { 0 };
        tcw[place..place + 8].copy_from_slice(&(address as u64).to_be_bytes());
        tcw[count..count + 4].copy_from_slice(&(total + inserted).to_be_bytes());
        tcw[24..32].copy_from_slice(&(base as u64 + 0x700).to_be_bytes());
        tcw[32..40].copy_from_slice(&(tccb_at as u64).to_be_bytes());
        self.storage[base..base + 64].copy_from_slice(&tcw);
    }

    /// Lays the data of an operation: whether by a list, its address, and the bytes of inserted check words.
    fn data(&mut self, operation: &Operation, at: usize, total: usize) -> (bool, usize, u32) {
        let Some(pieces) = &operation.pieces else { return (false, at, 0) };
        let (mut address, mut index, mut inserted) = (at, 0, 0);
        let mut words = Vec::new();
        while address < at + total {
            let piece = pieces.get(index).map_or(4096, |&piece| usize::from(piece));
            let size = piece.clamp(1, 4096 - address % 4096).min(at + total - address);
            let last = address + size == at + total;
            let insert =
                !last && operation.write && operation.inserts.get(index).is_some_and(|&insert| insert);
            inserted += if insert { 4 } else { 0 };
            let flags = if last { 0x80 } else { 0 } | if insert { 0x08 } else { 0 };
            words.extend_from_slice(&tidaw(flags, size, address));
            address += size;
            index += 1;
        }
        (true, self.put(2, 16, &words), inserted)
    }
}

fn tidaw(flags: u8, count: usize, address: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[0] = flags;
    bytes[4..8].copy_from_slice(&(count as u32).to_be_bytes());
    bytes[8..].copy_from_slice(&(address as u64).to_be_bytes());
    bytes
}
