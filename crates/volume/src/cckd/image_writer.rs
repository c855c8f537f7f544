//! A new compressed image, written from its first unit to its last.

use super::device::CckdDevice;
use super::header::{Counters, Header};
use super::level_tables::Entry;
use super::null_track::NullFormat;
use super::packed_unit::PackedUnit;
use super::{Compression, LEVEL1_OFFSET, LEVEL2_BYTES, LEVEL2_ENTRIES, MOST_IMAGE_BYTES};
use crate::layout::LayoutError;
use crate::medium::Medium;

/// Writes a new image. Nothing in the file can be used before [`CckdWriter::finish`]. The caller syncs the file.
#[derive(Debug)]
pub struct CckdWriter<'a, M> {
    file: &'a mut M,
    header: Header,
    end: u64,
    level1: Vec<u32>,
    table: Option<Table>,
}

/// The level-2 table of the unit that was added last.
#[derive(Debug)]
struct Table {
    index: u32,
    offset: u32,
    entries: Vec<Entry>,
}

impl<'a, M: Medium> CckdWriter<'a, M> {
    /// Begins an image of `device` in `file`, which is empty. Units that are not added are null units of
    /// `null_format`.
    ///
    /// # Errors
    /// No compressed image can hold the device.
    pub fn new(
        file: &'a mut M,
        device: CckdDevice,
        null_format: NullFormat,
        compression: Compression,
    ) -> Result<Self, LayoutError> {
        Self::with_header(file, Header::new(device, null_format, compression))
    }

    /// Begins an image with the properties of another one.
    pub(super) fn with_header(file: &'a mut M, mut header: Header) -> Result<Self, LayoutError> {
        let Some(units) = header.device.units() else {
            return Err(LayoutError::Full(format!(
                "a compressed image cannot hold {}; it has at most 65536 cylinders: use an uncompressed one",
                header.device
            )));
        };
        let tables = units.div_ceil(LEVEL2_ENTRIES);
        header.level1_entries = tables;
        header.close();
        let end = header.tables_end();
        Ok(Self { file, header, end, level1: vec![0; tables as usize], table: None })
    }

    /// Adds a unit: from the home address to the end marker of a track, all blocks of a block group. Units are
    /// added in their order.
    ///
    /// # Errors
    /// The octets are no unit of the device, the image becomes too large, the file cannot be written.
    pub fn add(&mut self, unit: u32, octets: &[u8]) -> Result<(), LayoutError> {
        let Header { device, compression, null_format, .. } = self.header;
        match PackedUnit::pack(device, unit, octets, compression, null_format)? {
            PackedUnit::Null(format) => self.add_null(unit, format),
            PackedUnit::Image(image) => self.add_image(unit, &image),
        }
    }

    /// Adds a null unit.
    pub(super) fn add_null(&mut self, unit: u32, format: NullFormat) -> Result<(), LayoutError> {
        let image = self.header.null_format;
        match format.to_entry(image) {
            Some(_) if format == image && !self.has_table(unit) => Ok(()),
            Some(length) => self.set(unit, Entry::null(length)),
            None => {
                let mut octets = Vec::new();
                format.fill(self.header.device, unit, &mut octets);
                self.add(unit, &octets)
            }
        }
    }

    /// Adds a packed unit, header and all.
    pub(super) fn add_image(&mut self, unit: u32, image: &[u8]) -> Result<(), LayoutError> {
        self.set(unit, Entry::null(0))?;
        let position = self.take(image.len() as u64)?;
        let length = u16::try_from(image.len()).map_err(|_| too_large())?;
        self.file.write_at(u64::from(position), image)?;
        self.set(unit, Entry { position, length, size: length })
    }

    fn has_table(&self, unit: u32) -> bool {
        self.table.as_ref().is_some_and(|table| table.index == unit / LEVEL2_ENTRIES)
    }

    fn take(&mut self, octets: u64) -> Result<u32, LayoutError> {
        let position = self.end;
        if position + octets > MOST_IMAGE_BYTES {
            return Err(too_large());
        }
        self.end += octets;
        Ok(position as u32)
    }

    /// Puts the entry of a unit into its table, after the table before it was written.
    fn set(&mut self, unit: u32, entry: Entry) -> Result<(), LayoutError> {
        let index = unit / LEVEL2_ENTRIES;
        let here = index as usize;
        if here >= self.level1.len() || self.table.as_ref().is_some_and(|table| table.index > index) {
            return Err(LayoutError::Corrupt(format!("unit {unit} is not the next one of the image")));
        }
        if !self.has_table(unit) {
            self.write_table()?;
            let offset = self.take(u64::from(LEVEL2_BYTES))?;
            self.level1[here] = offset;
            let null = Entry::null(u16::from(self.header.null_format.to_byte()));
            self.table = Some(Table { index, offset, entries: vec![null; LEVEL2_ENTRIES as usize] });
        }
        if let Some(table) = &mut self.table {
            table.entries[(unit % LEVEL2_ENTRIES) as usize] = entry;
        }
        Ok(())
    }

    fn write_table(&mut self) -> Result<(), LayoutError> {
        if let Some(table) = self.table.take() {
            let order = self.header.order;
            let octets: Vec<u8> = table.entries.iter().flat_map(|entry| entry.to_bytes(order)).collect();
            self.file.write_at(u64::from(table.offset), &octets)?;
        }
        Ok(())
    }

    /// Writes the tables that are left and the headers, and returns the bytes of the image.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<u64, LayoutError> {
        self.write_table()?;
        let order = self.header.order;
        let level1: Vec<u8> = self.level1.iter().flat_map(|&offset| order.u32_bytes(offset)).collect();
        self.file.write_at(LEVEL1_OFFSET, &level1)?;
        let size = self.end as u32;
        self.header.counters = Counters { size, used: size, ..Counters::default() };
        self.file.write_at(0, &self.header.to_bytes())?;
        self.file.set_len(self.end)?;
        Ok(self.end)
    }
}

fn too_large() -> LayoutError {
    LayoutError::Full(format!("a compressed image has at most {MOST_IMAGE_BYTES} bytes"))
}
