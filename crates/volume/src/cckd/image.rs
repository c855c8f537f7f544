//! A compressed image as the layout of a volume's units.

use std::io;

use super::device::CckdDevice;
use super::fault::{CckdFault, Finding};
use super::free_space::FreeSpace;
use super::header::{CDEVHDR_OFFSET, Header};
use super::level_tables::{Entry, LevelTables};
use super::null_track::NullFormat;
use super::packed_unit::{PackedUnit, unpack_unit};
use super::space_map::{SpaceMap, is_chained, stated_free_spaces};
use super::{Compression, LEVEL1_OFFSET, LEVEL2_BYTES, LEVEL2_ENTRIES, MOST_IMAGE_BYTES};
use crate::layout::{Layout, LayoutError, Place};
use crate::medium::Medium;
use crate::redo::RedoRecord;

/// A compressed image, open. It is the only file of its volume.
///
/// Reading takes the readable part of a damaged image. Writing needs a sound one: it is checked before the first
/// write, and space is taken only where no table and no unit lies, whatever the free chain has.
#[derive(Debug, Clone)]
pub struct CckdImage {
    header: Header,
    tables: LevelTables,
    /// Faults of the headers.
    findings: Vec<Finding>,
    space: Option<Space>,
}

/// State for writing.
#[derive(Debug, Clone)]
struct Space {
    free: FreeSpace,
    size: u32,
    imbedded: u32,
}

impl CckdImage {
    /// Opens the image in `file`.
    ///
    /// # Errors
    /// The file cannot be read, is no compressed image, is a shadow file, is of the 64-bit format, or describes
    /// no device.
    pub fn open<M: Medium>(file: &M) -> Result<Self, LayoutError> {
        let (header, findings) = Header::read(file)?;
        let tables = LevelTables::read(file, &header)?;
        Ok(Self { header, tables, findings, space: None })
    }

    /// Returns the device.
    pub fn device(&self) -> CckdDevice {
        self.header.device
    }

    /// Returns how units are packed that are written.
    pub fn compression(&self) -> Compression {
        self.header.compression
    }

    /// Returns the format of a unit that takes no space, where no level-2 entry has another.
    pub fn null_format(&self) -> NullFormat {
        self.header.null_format
    }

    /// Checks that the image may be written. The first write does it, if it was not done before.
    ///
    /// # Errors
    /// The file cannot be read; the image is damaged, or open in Hercules.
    pub fn prepare_writing<M: Medium>(&mut self, file: &M) -> Result<(), LayoutError> {
        if self.space.is_some() {
            return Ok(());
        }
        let file_bytes = file.len()?;
        if file_bytes > MOST_IMAGE_BYTES {
            return Err(LayoutError::Full(format!("the file has more than {MOST_IMAGE_BYTES} bytes")));
        }
        let mut findings = self.findings.clone();
        let map = SpaceMap::new(&self.header, &self.tables, file_bytes, &mut findings);
        if let Some(finding) = findings.into_iter().next() {
            let fix = "it can be read, and `halftrack volume check` offers a repair";
            return Err(LayoutError::Corrupt(format!("the image cannot be written: {finding}; {fix}")));
        }
        let gaps = map.gaps();
        let stated = stated_free_spaces(file, &self.header)?;
        let stale = stated.as_ref() != Some(&gaps) || !is_chained(file, &self.header)?;
        self.space = Some(Space {
            free: FreeSpace::new(&gaps, stale),
            size: file_bytes as u32,
            imbedded: map.imbedded as u32,
        });
        Ok(())
    }

    /// Returns the entry of a unit, whose octets lie in the file; nothing for a null unit.
    pub(super) fn located<M: Medium>(
        &self,
        file: &M,
        unit: u32,
    ) -> io::Result<Result<Option<Entry>, Finding>> {
        let entry = match self.tables.entry(unit) {
            Ok(entry) if entry.is_null() => return Ok(Ok(None)),
            Ok(entry) => entry,
            Err(finding) => return Ok(Err(finding)),
        };
        let (begin, octets) = (u64::from(entry.position), u64::from(entry.length));
        if begin < self.header.tables_end() || begin + octets > file.len()? {
            let fault = CckdFault::Level2Offset { position: entry.position, octets: entry.length };
            let offset = self.tables.entry_offset(unit).unwrap_or(LEVEL1_OFFSET);
            return Ok(Err(Finding::of_unit(unit, offset, fault)));
        }
        Ok(Ok(Some(entry)))
    }

    /// Returns the format of a unit that has no space.
    pub(super) fn null_format_of(&self, unit: u32) -> NullFormat {
        let length = self.tables.entry(unit).map_or(0, |entry| entry.length);
        NullFormat::of_entry(length, self.header.null_format)
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn tables(&self) -> &LevelTables {
        &self.tables
    }

    /// Puts the tables' and the headers' changes for the new `entry` of `unit` into `redo`.
    fn write_entry(&mut self, unit: u32, entry: Entry, table: Option<u32>, redo: &mut RedoRecord) {
        let order = self.header.order;
        if let Some(table) = table {
            self.tables.add_table(unit, table);
            self.tables.set(unit, entry);
            let first = unit / LEVEL2_ENTRIES * LEVEL2_ENTRIES;
            let mut octets = Vec::with_capacity(LEVEL2_BYTES as usize);
            for unit in first..first.saturating_add(LEVEL2_ENTRIES) {
                let entry = self.tables.entry(unit).unwrap_or(Entry::null(0));
                octets.extend_from_slice(&entry.to_bytes(order));
            }
            redo.push(0, u64::from(table), &octets);
            let level1 = LEVEL1_OFFSET + u64::from(unit / LEVEL2_ENTRIES) * 4;
            redo.push(0, level1, &order.u32_bytes(table));
        } else if let Some(offset) = self.tables.entry_offset(unit) {
            self.tables.set(unit, entry);
            redo.push(0, offset, &entry.to_bytes(order));
        }
    }
}

impl Space {
    /// Takes space for a table, when one is needed, and for a unit of `octets`; both or nothing.
    fn take(&mut self, table: bool, octets: Option<u32>) -> Result<(Option<u32>, Option<u32>), LayoutError> {
        let needed = u64::from(octets.unwrap_or(0)) + if table { u64::from(LEVEL2_BYTES) } else { 0 };
        let grows = u64::from(self.size) + needed <= MOST_IMAGE_BYTES;
        if table && !grows {
            return Err(full());
        }
        let table = table.then(|| self.take_piece(LEVEL2_BYTES, grows)).flatten();
        let unit = match octets {
            Some(octets) => Some(self.take_piece(octets, grows).ok_or_else(full)?),
            None => None,
        };
        Ok((table, unit))
    }

    fn take_piece(&mut self, octets: u32, grows: bool) -> Option<u32> {
        self.free.take(octets).or_else(|| {
            let end = self.size;
            self.size = if grows { end.checked_add(octets)? } else { return None };
            Some(end)
        })
    }
}

fn full() -> LayoutError {
    LayoutError::Full(format!(
        "a compressed image has at most {MOST_IMAGE_BYTES} bytes; compact it, or copy it to an uncompressed one"
    ))
}

fn only_file<M>(files: &[M]) -> Result<&M, LayoutError> {
    files.first().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound).into())
}

impl<M: Medium> Layout<M> for CckdImage {
    fn units(&self) -> u32 {
        self.header.device.units().unwrap_or(0)
    }

    fn unit_bytes(&self) -> u32 {
        self.header.device.unit_bytes()
    }

    fn place(&self, _: u32) -> Option<Place> {
        None
    }

    fn read(&self, files: &[M], unit: u32, into: &mut Vec<u8>) -> Result<(), LayoutError> {
        into.clear();
        let file = only_file(files)?;
        let Some(entry) = self.located(file, unit)?? else {
            self.null_format_of(unit).fill(self.header.device, unit, into);
            return Ok(());
        };
        let begin = entry.position as usize;
        let range = begin..begin + usize::from(entry.length);
        let unpacked = match file.mapped().and_then(|octets| octets.get(range)) {
            Some(image) => unpack_unit(self.header.device, unit, image, into),
            None => {
                let mut image = vec![0; usize::from(entry.length)];
                file.read_at(u64::from(entry.position), &mut image)?;
                unpack_unit(self.header.device, unit, &image, into)
            }
        };
        if let Err(fault) = unpacked {
            into.clear();
            return Err(Finding::of_unit(unit, u64::from(entry.position), fault).into());
        }
        Ok(())
    }

    fn write(
        &mut self,
        files: &[M],
        unit: u32,
        octets: &[u8],
        redo: &mut RedoRecord,
    ) -> Result<(), LayoutError> {
        self.prepare_writing(only_file(files)?)?;
        let Header { device, compression, null_format, order, .. } = self.header;
        let old = self.tables.entry(unit)?;
        let table = self.tables.entry_offset(unit).is_none();
        let packed = PackedUnit::pack(device, unit, octets, compression, null_format)?;
        let null = match &packed {
            PackedUnit::Null(format) => format.to_entry(null_format).map(Entry::null),
            PackedUnit::Image(_) => None,
        };
        if null.is_some_and(|null| old.is_null() && old.length == null.length) {
            return Ok(());
        }
        let Some(space) = &mut self.space else { return Err(full()) };
        let image = match &packed {
            PackedUnit::Image(image) => image.as_slice(),
            PackedUnit::Null(_) => &[],
        };
        let length = u16::try_from(image.len()).map_err(|_| full())?;
        let (table, position) = space.take(table, null.is_none().then_some(u32::from(length)))?;
        if !old.is_null() {
            space.free.free(old.position, u32::from(old.size.max(old.length)));
            space.imbedded -= u32::from(old.size.saturating_sub(old.length));
        }
        space.free.write_chain(order, redo);
        self.header.counters = space.free.counters(space.size, space.imbedded);
        let entry = match (null, position) {
            (Some(null), _) => null,
            (None, position) => Entry { position: position.unwrap_or(0), length, size: length },
        };
        if let Some(position) = position {
            redo.push(0, u64::from(position), image);
        }
        self.write_entry(unit, entry, table, redo);
        redo.push(0, CDEVHDR_OFFSET as u64, &self.header.compressed_bytes());
        Ok(())
    }

    fn settled(&mut self) {
        if let Some(space) = &mut self.space {
            space.free.settled();
        }
    }
}
