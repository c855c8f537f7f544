//! Starts and interrupts between the I/O supervisors of the images and the channel subsystem: a start goes down, and what became
//! of it comes up with its interrupt.

use halftrack_base::{Span, Time};
use halftrack_program::{Operation, Protocol};
use halftrack_record::ResponseTimes;

/// A start, as START SUBCHANNEL hands it over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    /// The I/O.
    pub io: u32,
    /// Its subchannel: the number of its unit control block.
    pub subchannel: u32,
    /// Its logical control unit as its partition sees it.
    pub view: u32,
    /// Partition.
    pub lpar: u16,
    /// Its program, among those of all streams.
    pub program: u32,
    /// The track that is read or written, where control units look up tracks.
    pub track: Option<u32>,
    /// Unit address of the base.
    pub unit_address: u8,
    /// Channel-image id of the partition.
    pub channel_image: u8,
    /// Read or write.
    pub operation: Operation,
    /// The record is in cache.
    pub hit: bool,
    /// It goes to its channel by a queue, past the SAPs.
    pub by_queue: bool,
}

/// The interrupt of an I/O that is over, with its measured times where it ended normally: those of its last attempt where
/// there were several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interrupt {
    /// START SUBCHANNEL was executed.
    pub started: Time,
    /// Its start by the clock of the ledger, which shares no instant with the others; [`Time::MAX`] if the ledger has none.
    pub opened: Time,
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
    /// The IOP thread that has processed it, counted over all machines.
    pub thread: u16,
    /// Position in its group of the path that it went over.
    pub position: u8,
    /// In which mode it ended with channel end and device end alone; else it has no times but its end.
    pub normal: Option<Protocol>,
}

const _: () = assert!(size_of::<Interrupt>() == 64);

impl Interrupt {
    /// Puts it into few octets, as a message that takes effect at `at`; `None` where it takes more.
    #[inline(always)]
    pub(crate) fn brief(&self, at: Time) -> Option<BriefInterrupt> {
        let protocol = self.normal?;
        // Times that a protocol does not need are not sent: see [`crate::images::accounting`].
        let received = match protocol {
            Protocol::Command => self.over_at.since(self.command_response),
            Protocol::Transport => self.connect,
        };
        let spans = [
            at.since(self.over_at),
            self.over_at.since(self.started),
            self.over_at.since(self.first_sent),
            received,
            self.disconnect,
        ];
        let is_brief = spans.iter().fold(0, |all, span| all | span.as_ps()) <= u64::from(u32::MAX);
        (is_brief && self.opened == self.started).then(|| BriefInterrupt {
            io: self.io,
            spans_ps: spans.map(|span| span.as_ps() as u32),
            thread: self.thread,
            position: self.position,
            protocol,
        })
    }
}

/// The interrupt of an I/O that ended normally, whose start is in the ledger, and that took less than 4 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BriefInterrupt {
    io: u32,
    /// From its end until it takes effect; from its start, from the first IU, and from the command response or for the
    /// connect time, as its protocol has it, until its end; disconnect time. ps.
    spans_ps: [u32; 5],
    thread: u16,
    position: u8,
    protocol: Protocol,
}

impl BriefInterrupt {
    /// Makes an interrupt of it, as any other, that takes effect at `at`.
    #[inline(always)]
    pub(crate) fn whole(self, at: Time) -> Interrupt {
        let [since, started, sent, received, disconnect] = self.spans_ps.map(|ps| Span::from_ps(ps.into()));
        let over_at = at - since;
        let started = over_at - started;
        let (command_response, connect) = match self.protocol {
            Protocol::Command => (over_at - received, Span::ZERO),
            Protocol::Transport => (over_at, received),
        };
        Interrupt {
            started,
            opened: started,
            first_sent: over_at - sent,
            command_response,
            over_at,
            connect,
            disconnect,
            io: self.io,
            thread: self.thread,
            position: self.position,
            normal: Some(self.protocol),
        }
    }
}

/// The reason for which a request is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryCause {
    ChannelPathBusy,
    DirectorPortBusy,
    ControlUnitBusy,
    DeviceBusy,
    /// Nothing was busy: a path was lost, or an end status came.
    Redrive,
}

/// A logical control unit as a partition has used it.
pub(crate) struct ViewCounters {
    /// Requests for a base or alias, and those that found none.
    pub requests: u64,
    pub alias_waits: u64,
    /// The most aliases in use at once.
    pub aliases_in_use_max: u32,
    /// Their number.
    pub aliases: u32,
    /// Connect, disconnect and command-response time, ps.
    pub open_exchange_ps: u64,
    /// Connect time, ps.
    pub connect_ps: u64,
    /// Command-response time by path, ps.
    pub cmr_ps: [u64; 8],
    pub response_times: ResponseTimes,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Time {
        Time::ZERO + Span::from_us(n)
    }

    fn interrupt(protocol: Protocol) -> Interrupt {
        let is_command = protocol == Protocol::Command;
        Interrupt {
            started: us(10),
            opened: us(10),
            first_sent: us(14),
            command_response: us(if is_command { 21 } else { 90 }),
            over_at: us(90),
            connect: if is_command { Span::ZERO } else { Span::from_us(40) },
            disconnect: Span::from_us(7),
            io: 3,
            thread: 47,
            position: 5,
            normal: Some(protocol),
        }
    }

    #[test]
    fn an_interrupt_in_brief_says_the_same() {
        for protocol in [Protocol::Command, Protocol::Transport] {
            let whole = interrupt(protocol);
            assert_eq!(whole.brief(us(93)).map(|brief| brief.whole(us(93))), Some(whole));
        }
    }

    #[test]
    fn what_does_not_fit_is_not_said_in_brief() {
        let whole = interrupt(Protocol::Command);
        let late = us(90 + 4_295);
        let unlike = [
            whole.brief(late),
            Interrupt { started: us(9), ..whole }.brief(us(93)),
            Interrupt { opened: Time::MAX, ..whole }.brief(us(93)),
            Interrupt { disconnect: Span::from_ms(5), ..whole }.brief(us(93)),
            Interrupt { normal: None, ..whole }.brief(us(93)),
        ];
        assert_eq!(unlike, [None; 5]);
        assert!(whole.brief(us(90 + 4_294)).is_some());
    }
}
