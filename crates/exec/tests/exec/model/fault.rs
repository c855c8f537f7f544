//! Faults of commands, and their sense.

/// Bytes 0, 1 and 7 of the sense.
pub type Sense = [u8; 3];

/// Why a command ends with unit check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Command reject with a message of format 0.
    Reject(u8),
    /// File protected.
    FileProtected,
    /// No record found.
    NoRecord,
    /// End of cylinder.
    EndOfCylinder,
    /// Invalid track format.
    InvalidTrack,
    /// Write inhibited.
    WriteInhibited,
    /// An update write of a record of another length than that of the domain.
    OtherLength,
}

/// Message: invalid command.
pub const INVALID_COMMAND: Fault = Fault::Reject(1);
/// Message: invalid command sequence.
pub const INVALID_SEQUENCE: Fault = Fault::Reject(2);
/// Message: count less than required.
pub const SHORT_COUNT: Fault = Fault::Reject(3);
/// Message: invalid parameter.
pub const INVALID_PARAMETER: Fault = Fault::Reject(4);
/// Message: not permitted by the file mask.
pub const MASKED: Fault = Fault::Reject(5);

impl Fault {
    /// Returns the bytes 0, 1 and 7 of the sense: reference 5.6.
    pub fn sense(self) -> Sense {
        match self {
            Self::Reject(message) => [0x80, 0, message],
            Self::FileProtected => [0, 0x04, 0],
            Self::NoRecord => [0, 0x08, 0],
            Self::EndOfCylinder => [0, 0x20, 0],
            Self::InvalidTrack | Self::OtherLength => [0, 0x40, 0],
            Self::WriteInhibited => [0x10, 0x02, 0x10],
        }
    }
}
