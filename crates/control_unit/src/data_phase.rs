//! What a command moves, and which part of the device it comes from or goes to.

use halftrack_program::TrackAddress;

use crate::ending::Ending;

/// Who moves bytes in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Nobody.
    None,
    /// Parameters go to the device.
    Control,
    /// Data come from the device.
    Read,
    /// Data go to the device.
    Write,
}

/// Which areas of a record a command moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Areas {
    /// The 8-byte count area.
    pub count: bool,
    /// The key area.
    pub key: bool,
    /// The data area.
    pub data: bool,
}

/// Where on the device the bytes of a data phase lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Areas of one record.
    Record {
        /// Its track.
        track: TrackAddress,
        /// Its number.
        record: u8,
        /// Which of its areas.
        areas: Areas,
    },
    /// The data areas of the records of a track from `first`, one after the other.
    TrackData {
        /// The track.
        track: TrackAddress,
        /// Number of the first record.
        first: u8,
    },
    /// All records of a track as count, key and data, record zero first, then eight bytes of FF.
    Track {
        /// The track.
        track: TrackAddress,
    },
    /// Sense of the device.
    Sense,
}

/// A command that was accepted and moves data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DataPhase {
    /// [`Direction::Read`] or [`Direction::Write`].
    pub direction: Direction,
    /// Where the bytes lie.
    pub place: Place,
    /// Bytes that the device has to send or can take.
    pub device_bytes: u32,
    /// Bytes that move: no more than the count of the command.
    pub data_bytes: u32,
    /// How the command ends when they have moved: normally, or with unit exception.
    pub ending: Ending,
}

/// What came of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommandOutcome {
    /// How it ended.
    pub ending: Ending,
    /// Bytes that moved: parameters of a control command, otherwise data. The residual is the count less
    /// these.
    pub data_bytes: u32,
    /// Bytes that the device needed, had to send or could take. The length is incorrect when the count of
    /// the command differs.
    pub device_bytes: u32,
    /// Which way they moved.
    pub direction: Direction,
}
