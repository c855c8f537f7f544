//! Faults of a compressed image, with their places.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::layout::LayoutError;

/// Fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CckdFault {
    /// The file begins like no compressed image.
    #[error("not a compressed image: it must begin with CKD_C370 or FBA_C370")]
    NotCompressed,
    /// The file is a shadow file.
    #[error(
        "a shadow file holds only what changed since its base image; merge it into the base with Hercules"
    )]
    Shadow,
    /// The file is of the 64-bit format.
    #[error("a CCKD64 image is not supported; convert it to CCKD (CKD_C370) first")]
    Cckd64,
    /// The file ends within its headers or its level-1 table.
    #[error("the file ends after {file_bytes} bytes; its headers and level-1 table need {needed_bytes}")]
    EndsEarly {
        /// Bytes of the file.
        file_bytes: u64,
        /// Bytes that it needs.
        needed_bytes: u64,
    },
    /// The headers describe a device that no image of this format can hold.
    #[error(
        "the headers describe no device: {0}; an image has 1 to 65536 cylinders of 1 to 255 tracks, or 1 block and more"
    )]
    NoDevice(String),
    /// A level-1 table that is shorter than the device needs, or longer than the file.
    #[error("the header gives the level-1 table {entries} entries; the device needs {needed}")]
    Level1Entries {
        /// Entries that the header states.
        entries: u32,
        /// Entries that the units of the device need.
        needed: u32,
    },
    /// An offset in the level-1 table that can be no level-2 table.
    #[error("level-1 entry {index} leads to {table:#x}, which cannot be a level-2 table")]
    Level1Offset {
        /// The entry.
        index: u32,
        /// Table in the entry.
        table: u32,
    },
    /// A level-2 entry that leads outside the file or into the headers.
    #[error("the level-2 entry has {octets} bytes at {position:#x}, which are not in the file")]
    Level2Offset {
        /// Offset of the unit.
        position: u32,
        /// Its length, bytes.
        octets: u16,
    },
    /// Two pieces lie on the same octets.
    #[error("overlaps the one that begins at {other:#x}")]
    Overlap {
        /// Offset of the piece under it.
        other: u64,
    },
    /// The unit header names another unit.
    #[error("the unit header {found:02x?} is not that of this unit")]
    UnitHeader {
        /// The header found.
        found: [u8; 5],
    },
    /// The unit cannot be unpacked.
    #[error("the unit cannot be unpacked ({0})")]
    Unpack(&'static str),
    /// The records of a track do not add up.
    #[error("the records do not end with an end marker")]
    Records,
    /// A counter of the compressed-device header.
    #[error("the header has {name} {found}; the file has {right}")]
    Counter {
        /// Name of the field.
        name: &'static str,
        /// Value in the header.
        found: u64,
        /// Correct value.
        right: u64,
    },
    /// The free-space chain does not describe the space that nothing uses.
    #[error("the free-space chain does not describe the unused space")]
    FreeSpace,
    /// The image was not closed.
    #[error("Hercules has the image open, or did not close it")]
    NotClosed,
}

/// A fault, and where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Offset in the file, bytes.
    pub offset: u64,
    /// The unit that cannot be read for it: track, or block group.
    pub unit: Option<u32>,
    /// Fault.
    pub fault: CckdFault,
}

impl Finding {
    /// Creates a fault of the image.
    pub(super) fn at(offset: u64, fault: CckdFault) -> Self {
        Self { offset, unit: None, fault }
    }

    /// Creates a fault of a unit.
    pub(super) fn of_unit(unit: u32, offset: u64, fault: CckdFault) -> Self {
        Self { offset, unit: Some(unit), fault }
    }
}

/// Why something of an image cannot be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    Io(io::Error),
    Found(Finding),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Finding> for Unreadable {
    fn from(finding: Finding) -> Self {
        Self::Found(finding)
    }
}

impl From<Unreadable> for LayoutError {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::Io(error) => error.into(),
            Unreadable::Found(finding) => finding.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {:#x}: ", self.offset)?;
        if let Some(unit) = self.unit {
            write!(f, "unit {unit}: ")?;
        }
        write!(f, "{}", self.fault)
    }
}

impl From<Finding> for LayoutError {
    fn from(finding: Finding) -> Self {
        Self::Corrupt(finding.to_string())
    }
}
