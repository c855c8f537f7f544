//! The level-1 table and the level-2 tables, as far as they can be read.

use std::io;

use super::fault::{CckdFault, Finding};
use super::header::{ByteOrder, Header};
use super::null_track::NullFormat;
use super::{LEVEL1_OFFSET, LEVEL2_BYTES, LEVEL2_ENTRIES};
use crate::medium::Medium;

/// Every octet of a level-1 entry that the file does not reach.
const MISSING: u8 = 0xFF;
/// Octets of a level-2 entry.
pub(super) const ENTRY_BYTES: usize = 8;

/// Where a unit lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Offset, bytes; 0 for a null unit.
    pub(super) position: u32,
    /// Octets of the unit; the format of a null unit.
    pub(super) length: u16,
    /// Octets that belong to it; not less than `length`.
    pub(super) size: u16,
}

impl Entry {
    pub(super) fn null(length: u16) -> Self {
        Self { position: 0, length, size: length }
    }

    pub(super) fn is_null(self) -> bool {
        self.position == 0
    }

    fn from_bytes(order: ByteOrder, at: &[u8]) -> Self {
        Self { position: order.u32(at), length: order.u16(&at[4..]), size: order.u16(&at[6..]) }
    }

    pub(super) fn to_bytes(self, order: ByteOrder) -> [u8; ENTRY_BYTES] {
        let [p0, p1, p2, p3] = order.u32_bytes(self.position);
        let ([l0, l1], [s0, s1]) = (order.u16_bytes(self.length), order.u16_bytes(self.size));
        [p0, p1, p2, p3, l0, l1, s0, s1]
    }
}

/// A level-2 table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Level2 {
    /// There is none: its units are null units of the image's format.
    None,
    /// A table at its offset.
    Table { offset: u32, entries: Box<[Entry]> },
    /// The level-1 entry leads to no table.
    Lost(u32),
}

/// All level-2 tables, in the order of the level-1 table.
#[derive(Debug, Clone)]
pub(super) struct LevelTables {
    tables: Vec<Level2>,
    null_format: NullFormat,
}

impl LevelTables {
    /// Reads the tables of the image in `file`. They take no more storage than twice the file: of tables that lie
    /// over each other only the first is taken. An entry behind the end of the file is a lost table.
    pub(super) fn read<M: Medium>(file: &M, header: &Header) -> io::Result<Self> {
        let file_bytes = file.len()?;
        let units = header.device.units().unwrap_or(0);
        let mut level1 = vec![MISSING; units.div_ceil(LEVEL2_ENTRIES) as usize * 4];
        let there = file_bytes.saturating_sub(LEVEL1_OFFSET).min(level1.len() as u64) as usize;
        file.read_at(LEVEL1_OFFSET, &mut level1[..there / 4 * 4])?;
        let offsets: Vec<u32> = level1.chunks_exact(4).map(|entry| header.order.u32(entry)).collect();
        let sound = sound_tables(&offsets, header.tables_end(), file_bytes);
        let mut octets = vec![0; LEVEL2_BYTES as usize];
        let mut tables = Vec::with_capacity(offsets.len());
        for (&offset, sound) in offsets.iter().zip(sound) {
            tables.push(match (offset, sound) {
                (0, _) => Level2::None,
                (_, false) => Level2::Lost(offset),
                (_, true) => {
                    file.read_at(u64::from(offset), &mut octets)?;
                    let entries = octets.chunks_exact(ENTRY_BYTES);
                    let entries = entries.map(|entry| Entry::from_bytes(header.order, entry)).collect();
                    Level2::Table { offset, entries }
                }
            });
        }
        Ok(Self { tables, null_format: header.null_format })
    }

    /// Returns the entry of a unit; the level-1 entry that leads nowhere when its table is lost.
    pub(super) fn entry(&self, unit: u32) -> Result<Entry, Finding> {
        let index = unit / LEVEL2_ENTRIES;
        match self.tables.get(index as usize) {
            None | Some(Level2::None) => Ok(Entry::null(u16::from(self.null_format.to_byte()))),
            Some(Level2::Table { entries, .. }) => Ok(entries[(unit % LEVEL2_ENTRIES) as usize]),
            Some(&Level2::Lost(table)) => {
                let offset = LEVEL1_OFFSET + u64::from(index) * 4;
                Err(Finding::of_unit(unit, offset, CckdFault::Level1Offset { index, table }))
            }
        }
    }

    /// Returns the offset of the entry of a unit, when it has one.
    pub(super) fn entry_offset(&self, unit: u32) -> Option<u64> {
        match self.tables.get((unit / LEVEL2_ENTRIES) as usize)? {
            Level2::Table { offset, .. } => {
                Some(u64::from(*offset) + u64::from(unit % LEVEL2_ENTRIES) * ENTRY_BYTES as u64)
            }
            Level2::None | Level2::Lost(_) => None,
        }
    }

    /// Puts in the table at `offset` for `unit`, all of whose units are null.
    pub(super) fn add_table(&mut self, unit: u32, offset: u32) {
        if let Some(table) = self.tables.get_mut((unit / LEVEL2_ENTRIES) as usize) {
            let null = Entry::null(u16::from(self.null_format.to_byte()));
            *table =
                Level2::Table { offset, entries: vec![null; LEVEL2_ENTRIES as usize].into_boxed_slice() };
        }
    }

    /// Replaces the entry of a unit that has one.
    pub(super) fn set(&mut self, unit: u32, entry: Entry) {
        if let Some(Level2::Table { entries, .. }) = self.tables.get_mut((unit / LEVEL2_ENTRIES) as usize) {
            entries[(unit % LEVEL2_ENTRIES) as usize] = entry;
        }
    }

    /// Returns the tables, in the order of the level-1 table.
    pub(super) fn tables(&self) -> &[Level2] {
        &self.tables
    }
}

/// Returns which tables lie in the file, behind the level-1 table, and not over one that begins before them.
fn sound_tables(offsets: &[u32], tables_end: u64, file_bytes: u64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&index| (offsets[index], index));
    let mut sound = vec![false; offsets.len()];
    let mut free_from = tables_end;
    for index in order {
        let begin = u64::from(offsets[index]);
        let end = begin + u64::from(LEVEL2_BYTES);
        if begin >= free_from && end <= file_bytes {
            sound[index] = true;
            free_from = end;
        }
    }
    sound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_outside_the_file_or_over_another_are_lost() {
        let offsets = [0, 1036, 2000, 9000, 3084, 3084];
        assert_eq!(sound_tables(&offsets, 1036, 10_000), [false, true, false, false, true, false]);
    }
}
