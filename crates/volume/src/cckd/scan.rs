//! Units that lie in an image where no table leads, found by their headers.

use std::collections::BTreeMap;
use std::io;

use super::LEVEL2_BYTES;
use super::compression::Algorithm;
use super::device::CckdDevice;
use super::packed_unit::{UNIT_HEADER_BYTES, find_unit};
use crate::medium::Medium;

/// Most octets of a packed unit: a length of a level-2 entry has 16 bits.
const MOST_UNIT_BYTES: usize = 0xFFFF;
/// Octets of one read.
const STRIDE: usize = 1 << 20;
/// Octets that are unpacked in vain, at most, for each octet of the file, and beyond.
const VAIN_PER_BYTE: u64 = 32;
const VAIN_BYTES: u64 = 1 << 28;

/// A unit that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Offset of its header.
    pub(super) offset: u64,
    /// Octets of header and packed unit.
    pub(super) octets: u32,
    /// It lies in space that the image states to be free: it may be an earlier state of the unit.
    pub(super) freed: bool,
}

/// Looks for units in `spaces` of the file that `wanted` wants. Of several of one unit, one that does not lie in
/// `freed` space is taken, and of those the last. `spaces` and `freed` are begins and ends, in order.
pub(super) fn scan<M: Medium>(
    file: &M,
    device: CckdDevice,
    spaces: &[(u64, u64)],
    freed: &[(u64, u64)],
    wanted: impl Fn(u32) -> bool,
) -> io::Result<BTreeMap<u32, Found>> {
    let mut search = Search {
        device,
        freed,
        found: BTreeMap::new(),
        boundary: 0,
        vain: file.len()?.saturating_mul(VAIN_PER_BYTE).saturating_add(VAIN_BYTES),
        unpacked: Vec::new(),
    };
    let mut octets = Vec::new();
    for &(begin, end) in spaces {
        let mut at = begin;
        search.boundary = begin;
        while at < end {
            let there = (end - at).min((STRIDE + MOST_UNIT_BYTES) as u64) as usize;
            octets.resize(there, 0);
            file.read_at(at, &mut octets)?;
            at += search.stride(at, &octets, &wanted) as u64;
        }
    }
    Ok(search.found)
}

struct Search<'a> {
    device: CckdDevice,
    freed: &'a [(u64, u64)],
    found: BTreeMap<u32, Found>,
    /// Begin of the space that is scanned, or end of the unit found last.
    boundary: u64,
    /// Octets that may still be unpacked in vain.
    vain: u64,
    unpacked: Vec<u8>,
}

impl Search<'_> {
    /// Looks at the offsets of a stride, which begins at `offset`, and returns by how much to go on.
    fn stride(&mut self, offset: u64, octets: &[u8], wanted: &impl Fn(u32) -> bool) -> usize {
        let mut at = 0;
        while at < octets.len().min(STRIDE) {
            at += self.unit_at(offset + at as u64, &octets[at..], wanted).unwrap_or(1);
        }
        at
    }

    /// Returns the octets of the unit that begins at `offset`, when one does.
    fn unit_at(&mut self, offset: u64, octets: &[u8], wanted: &impl Fn(u32) -> bool) -> Option<usize> {
        let octets = &octets[..octets.len().min(MOST_UNIT_BYTES)];
        let unit = self.device.unit_of(*octets.first_chunk::<UNIT_HEADER_BYTES>()?)?;
        if !wanted(unit) || !self.promises_unit(offset, octets) || self.vain == 0 {
            return None;
        }
        self.unpacked.clear();
        let Some((unit, taken)) = find_unit(self.device, octets, &mut self.unpacked) else {
            self.vain = self.vain.saturating_sub(self.unpacked.len() as u64 + 64);
            return None;
        };
        let found = Found { offset, octets: taken as u32, freed: self.is_freed(offset) };
        let better = self.found.get(&unit).is_none_or(|other| other.freed || !found.freed);
        if better {
            self.found.insert(unit, found);
        }
        self.boundary = offset + taken as u64;
        Some(taken)
    }

    fn is_freed(&self, offset: u64) -> bool {
        let index = self.freed.partition_point(|(begin, _)| *begin <= offset);
        index > 0 && offset < self.freed[index - 1].1
    }

    /// Returns whether the octets behind a unit header can begin a unit. They are the first octets of a zlib or bzip2
    /// stream, or record zero of a track, of the unit's own address and eight data bytes as every formatter writes
    /// it.
    fn promises_unit(&self, offset: u64, octets: &[u8]) -> bool {
        let (header, rest) = octets.split_at(UNIT_HEADER_BYTES);
        match (Algorithm::from_byte(header[0]), rest) {
            (Some(Algorithm::Zlib), [method, check, ..]) => {
                method & 0x0F == 8 && u16::from_be_bytes([*method, *check]) % 31 == 0
            }
            (Some(Algorithm::Bzip2), rest) => rest.starts_with(b"BZh"),
            (Some(Algorithm::None), rest) if self.device.is_ckd() => {
                rest.starts_with(&header[1..]) && rest[4..].starts_with(&[0, 0, 0, 8])
            }
            (Some(Algorithm::None), rest) => self.promises_group(offset, header, rest),
            _ => false,
        }
    }

    /// Returns whether a block group that is not packed can be at `offset`. Only its neighbours show it: it ends
    /// where the space ends or where another unit begins, and the first one, of which the header is zeros, begins
    /// where something ends.
    fn promises_group(&self, offset: u64, header: &[u8], rest: &[u8]) -> bool {
        let named = header.iter().any(|&octet| octet != 0);
        let placed = [self.boundary, self.boundary + u64::from(LEVEL2_BYTES)].contains(&offset);
        let Some((_, behind)) = rest.split_at_checked(self.device.unit_bytes() as usize) else {
            return false;
        };
        let followed = match behind.first_chunk::<UNIT_HEADER_BYTES>() {
            Some(next) => {
                let named = next.iter().any(|&octet| octet != 0);
                named && Algorithm::from_byte(next[0]).is_some() && self.device.unit_of(*next).is_some()
            }
            None => behind.is_empty(),
        };
        (named || placed) && followed
    }
}
