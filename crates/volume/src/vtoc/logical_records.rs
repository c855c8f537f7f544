//! Logical records of a data set or a member, unblocked by its record format.

use crate::tracks::Tracks;
use crate::vtoc::block_cursor::{BlockCursor, ReadError};
use crate::vtoc::data_set::DataSet;
use crate::vtoc::record_format::{Blocking, RecordFormat};

/// Most bytes of a logical record that goes over blocks: as much as the access methods allow with LRECL=X.
pub const RECORD_MAXIMUM_BYTES: usize = 16 << 20;

/// Bytes of a block or record descriptor word.
const DESCRIPTOR_BYTES: usize = 4;

/// Which part of a logical record a segment is: low bits of the third byte of its descriptor word.
const SEGMENT: u8 = 0x03;
const SEGMENT_WHOLE: u8 = 0;
const SEGMENT_FIRST: u8 = 1;
const SEGMENT_LAST: u8 = 2;

/// A place among the logical records that begin with the first one of a cursor.
#[derive(Debug, Clone)]
pub struct LogicalRecords {
    cursor: BlockCursor,
    format: RecordFormat,
    /// LRECL of fixed records; 0 when the block is the record.
    fixed_bytes: usize,
    /// Rest of the block.
    rest: std::ops::Range<usize>,
    /// A record put together of its segments.
    record: Vec<u8>,
}

impl LogicalRecords {
    /// Returns the records of the blocks that `cursor` brings.
    ///
    /// # Errors
    /// [`ReadError::Form`] for record formats that are not read here.
    pub fn new(data_set: &DataSet, cursor: BlockCursor) -> Result<Self, ReadError> {
        let format = data_set.record_format;
        if format.has_track_overflow() {
            return Err(ReadError::Form(
                "its blocks go over tracks (RECFM=T), which no device since the 3350 has",
            ));
        }
        let fixed_bytes = match format.blocking() {
            Blocking::Fixed => usize::from(data_set.record_bytes),
            _ => 0,
        };
        Ok(Self { cursor, format, fixed_bytes, rest: 0..0, record: Vec::new() })
    }

    /// Returns the next record without its descriptor word, or nothing behind the last. A data set whose DSCB has no
    /// record format is read block by block.
    ///
    /// # Errors
    /// [`ReadError::Track`], [`ReadError::Block`]; the next call continues with the next block.
    pub fn next<T: Tracks>(&mut self, tracks: &mut T) -> Result<Option<&[u8]>, ReadError> {
        let found = match self.format.blocking() {
            Blocking::Fixed | Blocking::Undefined | Blocking::Unknown => self.next_fixed(tracks)?,
            Blocking::Variable if self.format.is_spanned() => {
                return Ok(self.next_spanned(tracks)?.then_some(&self.record));
            }
            Blocking::Variable => self.next_segment(tracks)?.map(|(_, range)| range),
        };
        Ok(found.and_then(|range| self.cursor.data().get(range)))
    }

    fn next_fixed<T: Tracks>(&mut self, tracks: &mut T) -> Result<Option<std::ops::Range<usize>>, ReadError> {
        while self.rest.is_empty() {
            match self.cursor.next(tracks)? {
                Some(block) => self.rest = 0..block.len(),
                None => return Ok(None),
            }
        }
        let left = self.rest.len();
        let bytes = if self.fixed_bytes == 0 { left } else { self.fixed_bytes };
        if bytes > left {
            self.rest = 0..0;
            return Err(self.cursor.fault("the block is not a multiple of the record length"));
        }
        let begin = self.rest.start;
        self.rest.start += bytes;
        Ok(Some(begin..begin + bytes))
    }

    /// Returns the next segment: the third byte of its descriptor word, and where its octets are in the block.
    fn next_segment<T: Tracks>(
        &mut self,
        tracks: &mut T,
    ) -> Result<Option<(u8, std::ops::Range<usize>)>, ReadError> {
        while self.rest.is_empty() {
            if self.cursor.next(tracks)?.is_none() {
                return Ok(None);
            }
            let block = self.cursor.data();
            let bytes = length(block).filter(|bytes| (DESCRIPTOR_BYTES..=block.len()).contains(bytes));
            let bytes = bytes.ok_or_else(|| {
                self.cursor.fault("the length in the block descriptor word is not that of the block")
            })?;
            self.rest = DESCRIPTOR_BYTES..bytes;
        }
        let rest = self.cursor.data().get(self.rest.clone()).unwrap_or_default();
        let control = rest.get(2).copied().unwrap_or_default();
        let bytes = length(rest).filter(|bytes| (DESCRIPTOR_BYTES..=rest.len()).contains(bytes));
        let Some(bytes) = bytes else {
            self.rest = 0..0;
            return Err(self.cursor.fault("the length in a record descriptor word leads out of the block"));
        };
        let begin = self.rest.start;
        self.rest.start += bytes;
        Ok(Some((control, begin + DESCRIPTOR_BYTES..begin + bytes)))
    }

    /// Puts the next record together in `self.record`; false behind the last.
    fn next_spanned<T: Tracks>(&mut self, tracks: &mut T) -> Result<bool, ReadError> {
        self.record.clear();
        let mut begun = false;
        loop {
            let Some((control, range)) = self.next_segment(tracks)? else {
                if begun {
                    return Err(self.cursor.fault("the data set ends in the middle of a record"));
                }
                return Ok(false);
            };
            let part = control & SEGMENT;
            if begun == matches!(part, SEGMENT_WHOLE | SEGMENT_FIRST) {
                return Err(self.cursor.fault("the segments of a record are not in order"));
            }
            let octets = self.cursor.data().get(range).unwrap_or_default();
            if self.record.len() + octets.len() > RECORD_MAXIMUM_BYTES {
                return Err(self.cursor.fault("the record has more than 16 MiB"));
            }
            self.record.extend_from_slice(octets);
            if matches!(part, SEGMENT_WHOLE | SEGMENT_LAST) {
                return Ok(true);
            }
            begun = true;
        }
    }
}

/// Returns the length that a descriptor word begins with.
fn length(octets: &[u8]) -> Option<usize> {
    octets.first_chunk().map(|length| usize::from(u16::from_be_bytes(*length)))
}
