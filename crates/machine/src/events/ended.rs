//! The end of a start, as channels report it to the SAPs.

use halftrack_base::{Span, Time};
use halftrack_program::Protocol;

use crate::events::crossing::Interrupt;

/// A start that is over, with the measured times of its last attempt where it ended normally.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    /// The first IU of the exchange went onto the fibre.
    pub first_sent: Time,
    /// The command response was received (command mode).
    pub command_response: Time,
    /// It was over.
    pub over_at: Time,
    /// Connect and disconnect time that the control unit reported.
    pub connect: Span,
    pub disconnect: Span,
    /// The I/O.
    pub io: u32,
    /// Position in its group of the path that it went over.
    pub position: u8,
    /// In which mode it ended with channel end and device end alone; else it has no times but its end.
    pub normal: Option<Protocol>,
}

impl Ended {
    /// Makes the end of `io`, which has not ended normally.
    pub(crate) fn failed(io: u32, over_at: Time) -> Self {
        Self {
            first_sent: over_at,
            command_response: over_at,
            over_at,
            connect: Span::ZERO,
            disconnect: Span::ZERO,
            io,
            position: 0,
            normal: None,
        }
    }

    /// Makes the interrupt of the start, executed at `started` and at `opened` by the clock of the ledger. It is processed
    /// by `thread`.
    #[inline(always)]
    pub(crate) fn interrupt(&self, started: Time, opened: Time, thread: u16) -> Interrupt {
        Interrupt {
            started,
            opened,
            first_sent: self.first_sent,
            command_response: self.command_response,
            over_at: self.over_at,
            connect: self.connect,
            disconnect: self.disconnect,
            io: self.io,
            thread,
            position: self.position,
            normal: self.normal,
        }
    }
}
