//! The end of a start, as channels report it to the SAPs.

use halftrack_base::{Span, Time};
use halftrack_program::Protocol;

use super::brief_times::{BriefTimes, WholeTimes, brief};
use crate::events::crossing::Interrupt;

/// A start that is over, with the measured times of its last attempt where it ended normally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Puts it into few octets, as a message of the instant at which it was over; `None` where it takes more.
    #[inline(always)]
    pub(crate) fn brief(&self) -> Option<BriefEnded> {
        let protocol = self.normal?;
        let Self { first_sent, command_response, connect, disconnect, .. } = *self;
        let times = WholeTimes { first_sent, command_response, connect, disconnect };
        let times = BriefTimes::of(brief(BriefTimes::spans(protocol, self.over_at, &times))?);
        Some(BriefEnded { io: self.io, times, position: self.position, protocol })
    }
}

/// End of a start that ended normally and whose exchange took less than 4 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BriefEnded {
    io: u32,
    times: BriefTimes,
    position: u8,
    protocol: Protocol,
}

impl BriefEnded {
    /// Makes an end of it, as any other, of a start that was over at `over_at`.
    #[inline(always)]
    pub(crate) fn whole(self, over_at: Time) -> Ended {
        let WholeTimes { first_sent, command_response, connect, disconnect } =
            self.times.whole(self.protocol, over_at);
        Ended {
            first_sent,
            command_response,
            over_at,
            connect,
            disconnect,
            io: self.io,
            position: self.position,
            normal: Some(self.protocol),
        }
    }

    /// Returns the I/O.
    #[inline(always)]
    pub(crate) fn io(&self) -> u32 {
        self.io
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Time {
        Time::ZERO + Span::from_us(n)
    }

    fn ended(protocol: Protocol) -> Ended {
        let is_command = protocol == Protocol::Command;
        Ended {
            first_sent: us(14),
            command_response: us(if is_command { 21 } else { 90 }),
            over_at: us(90),
            connect: if is_command { Span::ZERO } else { Span::from_us(40) },
            disconnect: Span::from_us(7),
            io: 3,
            position: 5,
            normal: Some(protocol),
        }
    }

    #[test]
    fn a_brief_end_has_all_of_the_whole() {
        for protocol in [Protocol::Command, Protocol::Transport] {
            let whole = ended(protocol);
            assert_eq!(whole.brief().map(|brief| brief.whole(us(90))), Some(whole));
        }
    }

    #[test]
    fn an_end_that_does_not_fit_is_not_brief() {
        let whole = ended(Protocol::Transport);
        let over_at = us(14 + 4_295);
        let unlike = [
            Ended { over_at, ..whole }.brief(),
            Ended { disconnect: Span::from_ms(5), ..whole }.brief(),
            Ended { normal: None, ..whole }.brief(),
        ];
        assert_eq!(unlike, [None; 3]);
    }
}
