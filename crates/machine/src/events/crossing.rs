//! Starts and interrupts between the I/O supervisors of the images and the channel subsystem: a start goes down, and what became
//! of it comes up with its interrupt.

use halftrack_base::{Span, Time};
use halftrack_program::{Operation, Protocol};
use halftrack_record::ResponseTimes;

use super::brief_times::{BriefTimes, WholeTimes, brief};

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
        let Self { first_sent, command_response, connect, disconnect, .. } = *self;
        let times = WholeTimes { first_sent, command_response, connect, disconnect };
        let [sent, received, disconnect] = BriefTimes::spans(protocol, self.over_at, &times);
        let own = [at.since(self.over_at), self.over_at.since(self.started)];
        let [since_ps, started_ps, times @ ..] = brief([own[0], own[1], sent, received, disconnect])?;
        (self.opened == self.started).then_some(BriefInterrupt {
            io: self.io,
            since_ps,
            started_ps,
            times: BriefTimes::of(times),
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
    /// From its end until it takes effect, ps.
    since_ps: u32,
    /// From its start until its end, ps.
    started_ps: u32,
    times: BriefTimes,
    thread: u16,
    position: u8,
    protocol: Protocol,
}

impl BriefInterrupt {
    /// Makes an interrupt of it, as any other, that takes effect at `at`.
    #[inline(always)]
    pub(crate) fn whole(self, at: Time) -> Interrupt {
        let over_at = at - Span::from_ps(self.since_ps.into());
        let started = over_at - Span::from_ps(self.started_ps.into());
        let WholeTimes { first_sent, command_response, connect, disconnect } =
            self.times.whole(self.protocol, over_at);
        Interrupt {
            started,
            opened: started,
            first_sent,
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
