//! Where the units of a volume lie in its files: tracks of a CKD volume, block groups of an FBA volume.

use std::io;

use thiserror::Error;

use crate::medium::Medium;
use crate::redo::RedoRecord;

/// Why a unit cannot be read or written.
#[derive(Debug, Error)]
pub enum LayoutError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The octets in the file are not such a unit.
    #[error("{0}")]
    Corrupt(String),
    /// The format has no room for more.
    #[error("{0}")]
    Full(String),
}

/// A place of octets that lie in a file as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the file among the files of the volume.
    pub file: u16,
    /// Offset in the file, bytes.
    pub offset: u64,
    /// Octets.
    pub octets: u32,
}

/// The layout of a volume's units in its files. Units are numbered from 0: a track is cylinder × heads + head.
pub trait Layout<M: Medium> {
    /// Returns the units of the volume.
    fn units(&self) -> u32;

    /// Returns the most octets of a unit.
    fn unit_bytes(&self) -> u32;

    /// Returns where a unit lies as it is; nothing when it has to be unpacked.
    fn place(&self, unit: u32) -> Option<Place>;

    /// Reads a unit into `into`, which is cleared first. A unit extends from the home address to the end marker of a
    /// track, or is all blocks of a block group.
    ///
    /// # Errors
    /// The file cannot be read, or is corrupt there.
    fn read(&self, files: &[M], unit: u32, into: &mut Vec<u8>) -> Result<(), LayoutError>;

    /// Puts into `redo` the changes of the files that make `unit` become `octets`. They must be applied: a second
    /// write of the transaction builds on the first.
    ///
    /// # Errors
    /// The file cannot be read, is corrupt, or has no room.
    fn write(
        &mut self,
        files: &[M],
        unit: u32,
        octets: &[u8],
        redo: &mut RedoRecord,
    ) -> Result<(), LayoutError>;

    /// Releases the space freed by writes that are now on the disk for good. Until then a transaction must not write
    /// over octets that an earlier state of the volume needs.
    fn settled(&mut self) {}
}
