//! The directory of a partitioned data set: blocks of 256 bytes with a key of 8, at its begin.

use halftrack_program::Geometry;

use crate::tracks::Tracks;
use crate::vtoc::block_cursor::{BlockCursor, ReadError};
use crate::vtoc::data_set::{DataSet, Organization};
use crate::vtoc::label::text;

/// Bytes of a member's name.
const NAME_BYTES: usize = 8;
/// Bytes of an entry without its user data: name, TTR, and the octet with its length.
const ENTRY_BYTES: usize = NAME_BYTES + 4;
/// The entry that ends a directory.
const END: [u8; NAME_BYTES] = [0xFF; NAME_BYTES];
/// Bytes of a directory block.
const BLOCK_BYTES: usize = 256;

/// A track counted from the begin of a data set, and a record on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelativeTrack {
    /// Track of the data set, from 0.
    pub track: u32,
    /// Record number, from 1.
    pub record: u8,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Name.
    pub name: String,
    /// Its first block.
    pub begin: RelativeTrack,
    /// Whether the name is a second one of another member.
    pub is_alias: bool,
    /// User data, as the directory has them.
    pub user_data: Vec<u8>,
}

/// The members of a partitioned data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// In the order of the directory, which is ascending in EBCDIC.
    pub members: Vec<Member>,
    /// Blocks of the directory, those without members included.
    pub blocks: u32,
    /// Faults of its blocks; their members may be missing.
    pub faults: Vec<ReadError>,
}

impl Directory {
    /// Reads the directory of a data set.
    ///
    /// # Errors
    /// [`ReadError::Form`] when the data set has none.
    pub fn read<T: Tracks>(data_set: &DataSet, tracks: &mut T) -> Result<Self, ReadError> {
        let mut cursor = BlockCursor::new(data_set, &tracks.geometry().clone())?;
        if data_set.organization != Organization::Partitioned {
            return Err(ReadError::Form("it is not partitioned and has no members"));
        }
        let mut directory = Self { members: Vec::new(), blocks: 0, faults: Vec::new() };
        let mut ended = false;
        loop {
            match cursor.next(tracks) {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(directory),
                Err(error) => {
                    directory.faults.push(error);
                    continue;
                }
            }
            if cursor.key().len() != NAME_BYTES || cursor.data().len() != BLOCK_BYTES {
                directory.faults.push(cursor.fault("a directory block has 8 bytes of key and 256 of data"));
                return Ok(directory);
            }
            directory.blocks += 1;
            if !ended {
                ended = directory.read_block(&cursor);
            }
        }
    }

    /// Returns the member of this name, in upper or lower case.
    pub fn find(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name.eq_ignore_ascii_case(name))
    }

    /// Adds the members of a block; true when the last entry of the directory is among them.
    fn read_block(&mut self, cursor: &BlockCursor) -> bool {
        let data = cursor.data();
        let used = data.first_chunk().map_or(0, |used| usize::from(u16::from_be_bytes(*used)));
        let Some(mut entries) = data.get(2..used) else {
            self.faults
                .push(cursor.fault("the directory block has a used length below 2 or above 256 bytes"));
            return false;
        };
        while let Some((name, rest)) = entries.split_first_chunk::<NAME_BYTES>() {
            if *name == END {
                return true;
            }
            let user_bytes = rest.get(3).map_or(0, |indicator| 2 * usize::from(indicator & 0x1F));
            let Some(entry) = entries.get(..ENTRY_BYTES + user_bytes) else {
                self.faults.push(cursor.fault("an entry of the directory block is longer than the block"));
                return false;
            };
            self.members.push(member(name, entry));
            entries = &entries[entry.len()..];
        }
        false
    }
}

fn member(name: &[u8], entry: &[u8]) -> Member {
    const ALIAS: u8 = 0x80;
    let octet = |at: usize| entry.get(at).copied().unwrap_or_default();
    let track = u32::from(u16::from_be_bytes([octet(NAME_BYTES), octet(NAME_BYTES + 1)]));
    Member {
        name: text(name),
        begin: RelativeTrack { track, record: octet(NAME_BYTES + 2) },
        is_alias: octet(NAME_BYTES + 3) & ALIAS != 0,
        user_data: entry.get(ENTRY_BYTES..).unwrap_or_default().to_vec(),
    }
}

impl Member {
    /// Returns the before the first block of the member.
    ///
    /// # Errors
    /// Errors of [`BlockCursor::at`].
    pub fn blocks(&self, data_set: &DataSet, geometry: &Geometry) -> Result<BlockCursor, ReadError> {
        BlockCursor::at(data_set, geometry, self.begin)
    }
}
