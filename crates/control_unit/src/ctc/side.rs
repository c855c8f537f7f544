//! One side of the adapter.

use halftrack_program::DeviceStatus;

use super::block::Block;
use super::ending::Ending;
use super::function::{Function, Mode};

/// A side of the adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// One.
    X,
    /// The other.
    Y,
}

impl Side {
    /// Returns the opposite side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::X => Self::Y,
            Self::Y => Self::X,
        }
    }
}

/// State of a side, as the other one sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Prepare waits.
    Prepare,
    /// Control waits.
    Control,
    /// Read waits.
    Read,
    /// Write waits.
    Write,
    /// Nothing waits.
    Available,
    /// It was reset, and no command has come since.
    NotReady,
}

/// A command that waits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Waiting {
    /// Command code, for the other side's Sense Command Byte.
    pub code: u8,
    pub function: Function,
    pub count_bytes: u32,
    /// Data of a Write.
    pub block: Block,
}

impl Waiting {
    pub const fn state(&self) -> State {
        match self.function {
            Function::Prepare => State::Prepare,
            Function::Control => State::Control,
            Function::Read => State::Read,
            Function::Write => State::Write,
            // No other command waits.
            _ => State::Available,
        }
    }

    /// Returns whether channel end was presented when the command was accepted.
    ///
    /// Sources have it for Prepare, and for a Control for which a Prepare waits; for every other Control it is our choice.
    pub const fn has_channel_end(&self) -> bool {
        self.function.is_immediate()
    }

    /// Returns the status of the command's normal end.
    pub const fn end_status(&self) -> DeviceStatus {
        if self.has_channel_end() { DeviceStatus::DEVICE_END } else { DeviceStatus::NORMAL_END }
    }
}

/// Activity of a side.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Activity {
    #[default]
    Nothing,
    /// A command waits for the other side.
    Waits(Waiting),
    /// A command that waited has ended, and its status is pending.
    Ended(Ending),
}

/// State of a side.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SideState {
    pub activity: Activity,
    pub mode: Mode,
    /// A command has come since the last reset. Sources are silent on how a side becomes ready; our choice.
    pub is_ready: bool,
    /// A chain is in progress: attention is not presented.
    pub is_chaining: bool,
    /// Attention is pending, for the command that waits at the other side.
    pub has_attention: bool,
    /// Byte 0 of the sense that was not taken yet.
    pub sense: u8,
}

impl SideState {
    /// Returns the command that waits.
    pub const fn waiting(&self) -> Option<&Waiting> {
        match &self.activity {
            Activity::Waits(waiting) => Some(waiting),
            Activity::Nothing | Activity::Ended(_) => None,
        }
    }

    /// Takes the command that waits; its place is empty.
    pub fn take_waiting(&mut self) -> Option<Waiting> {
        match std::mem::take(&mut self.activity) {
            Activity::Waits(waiting) => Some(waiting),
            activity => {
                self.activity = activity;
                None
            }
        }
    }
}
