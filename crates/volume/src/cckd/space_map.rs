//! Map of an image: headers, tables, units, and the space between them.

use std::io;

use super::fault::{CckdFault, Finding};
use super::free_space::NODE_BYTES;
use super::header::Header;
use super::level_tables::{Entry, Level2, LevelTables};
use super::packed_unit::UNIT_HEADER_BYTES;
use super::{LEVEL1_OFFSET, LEVEL2_BYTES, LEVEL2_ENTRIES};
use crate::medium::Medium;

/// First octets of a free space that holds the list of all free spaces instead of a node of the chain.
const FREE_LIST_MARK: &[u8; 8] = b"FREE_BLK";

/// A piece of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The unit that lies there; nothing for headers and tables.
    pub(super) unit: Option<u32>,
}

/// The pieces of an image, in the order in which they lie.
#[derive(Debug, Clone)]
pub(super) struct SpaceMap {
    pub(super) pieces: Vec<Piece>,
    /// Octets that belong to units and that they do not use.
    pub(super) imbedded: u64,
    file_bytes: u64,
}

impl SpaceMap {
    /// Returns the map of an image whose file has `file_bytes`; what cannot lie where it should is added to `findings`
    /// and has no piece.
    pub(super) fn new(
        header: &Header,
        tables: &LevelTables,
        file_bytes: u64,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let headers_end = header.tables_end().min(file_bytes);
        let mut map = Self { pieces: Vec::new(), imbedded: 0, file_bytes };
        map.pieces.push(Piece { begin: 0, end: headers_end, unit: None });
        for (index, table) in (0..).zip(tables.tables()) {
            match table {
                Level2::None => {}
                &Level2::Lost(table) => {
                    let offset = LEVEL1_OFFSET + u64::from(index) * 4;
                    findings.push(Finding::at(offset, CckdFault::Level1Offset { index, table }));
                }
                Level2::Table { offset, entries } => {
                    let begin = u64::from(*offset);
                    map.pieces.push(Piece { begin, end: begin + u64::from(LEVEL2_BYTES), unit: None });
                    let units = (index * LEVEL2_ENTRIES..).zip(entries);
                    for (unit, entry) in units.filter(|(_, entry)| !entry.is_null()) {
                        map.add_unit(unit, *entry, header, findings);
                    }
                }
            }
        }
        map.pieces.sort_unstable();
        map.find_overlaps(findings);
        map
    }

    fn add_unit(&mut self, unit: u32, entry: Entry, header: &Header, findings: &mut Vec<Finding>) {
        let (begin, octets) = (u64::from(entry.position), u64::from(entry.length));
        let inside = begin >= header.tables_end() && begin + octets <= self.file_bytes;
        let known = header.device.units().is_some_and(|units| unit < units);
        if !inside || entry.length as usize <= UNIT_HEADER_BYTES || !known {
            let fault = CckdFault::Level2Offset { position: entry.position, octets: entry.length };
            findings.push(Finding::of_unit(unit, begin, fault));
            return;
        }
        let end = (begin + u64::from(entry.size.max(entry.length))).min(self.file_bytes);
        self.imbedded += end - begin - octets;
        self.pieces.push(Piece { begin, end, unit: Some(unit) });
    }

    fn find_overlaps(&self, findings: &mut Vec<Finding>) {
        let mut last = Piece { begin: 0, end: 0, unit: None };
        for &piece in &self.pieces {
            if piece.begin < last.end {
                let fault = CckdFault::Overlap { other: last.begin };
                findings.push(Finding { offset: piece.begin, unit: piece.unit, fault });
            }
            if piece.end > last.end {
                last = piece;
            }
        }
    }

    /// Returns the spaces between the pieces: position and length, bytes. Only for files whose offsets have 32 bits.
    pub(super) fn gaps(&self) -> Vec<(u32, u32)> {
        let mut gaps = Vec::new();
        let mut end = 0;
        let last = Piece { begin: self.file_bytes, end: self.file_bytes, unit: None };
        for piece in self.pieces.iter().chain([&last]) {
            if piece.begin > end {
                gaps.push((end as u32, (piece.begin - end) as u32));
            }
            end = end.max(piece.end);
        }
        gaps
    }
}

/// Returns the free spaces that the file states, in order and in either form. That is a chain with a node in each space, or a
/// list in the first one. Nothing when it cannot be followed.
pub(super) fn stated_free_spaces<M: Medium>(
    file: &M,
    header: &Header,
) -> io::Result<Option<Vec<(u32, u32)>>> {
    let file_bytes = file.len()?;
    let count = u64::from(header.counters.free_spaces);
    if count.saturating_mul(u64::from(NODE_BYTES)) > file_bytes {
        return Ok(None);
    }
    let mut spaces = Vec::new();
    let mut at = u64::from(header.counters.free_first);
    let mut node = [0; NODE_BYTES as usize];
    if at > 0 && count > 0 && at + u64::from(NODE_BYTES) <= file_bytes {
        file.read_at(at, &mut node)?;
    }
    if &node == FREE_LIST_MARK {
        let end = at + u64::from(NODE_BYTES) * (count + 1);
        if end > file_bytes {
            return Ok(None);
        }
        for entry in 1..=count {
            file.read_at(at + entry * u64::from(NODE_BYTES), &mut node)?;
            spaces.push((header.order.u32(&node), header.order.u32(&node[4..])));
        }
        spaces.sort_unstable();
        return Ok(Some(spaces));
    }
    for _ in 0..count {
        if at == 0 || at + u64::from(NODE_BYTES) > file_bytes {
            return Ok(None);
        }
        file.read_at(at, &mut node)?;
        spaces.push((at as u32, header.order.u32(&node[4..])));
        let next = u64::from(header.order.u32(&node));
        if next != 0 && next <= at {
            return Ok(None);
        }
        at = next;
    }
    Ok((at == 0).then_some(spaces))
}

/// Returns whether the free spaces lie as a chain; a list becomes a chain when the image is written.
pub(super) fn is_chained<M: Medium>(file: &M, header: &Header) -> io::Result<bool> {
    let at = u64::from(header.counters.free_first);
    let mut mark = [0; FREE_LIST_MARK.len()];
    if at == 0 || at + mark.len() as u64 > file.len()? {
        return Ok(true);
    }
    file.read_at(at, &mut mark)?;
    Ok(&mark != FREE_LIST_MARK)
}
