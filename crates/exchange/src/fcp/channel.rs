//! All open FCP exchanges of a channel: their ids, which rest for R_A_TOV after an abort (FCP reference section 1.8).

use std::collections::VecDeque;

use halftrack_base::Time;

use super::agreement::FcpAgreement;
use super::initiator::FcpInitiator;
use super::message::FcpMessage;
use super::outcome::FcpOutcome;
use super::request::FcpRequest;
use crate::port::{Found, Table};

/// Bits of an exchange's number that are its exchange id.
const ID: u32 = 0xFFFF;

#[derive(Debug)]
struct Open {
    tag: u32,
    target: u32,
    ox_id: u16,
    end: FcpInitiator,
    was_given_up: bool,
}

/// End of an exchange of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEnd {
    /// Tag with which it was started.
    pub tag: u32,
    /// Address of the target's port.
    pub target: u32,
    /// How it closed.
    pub outcome: FcpOutcome,
    /// The target is known to have ended it too; otherwise the port is to log out of the target.
    pub is_settled: bool,
    /// Data read.
    pub data: Vec<u8>,
}

/// All open exchanges of a channel.
#[derive(Debug)]
pub struct FcpChannel {
    table: Table<Open>,
    /// Place whose turn it is to send.
    turn: u16,
    ends: VecDeque<CommandEnd>,
}

impl FcpChannel {
    /// Returns a channel with `room` for open exchanges, 1 to [`crate::port::OPEN_EXCHANGES_MAX`].
    #[must_use]
    pub fn new(room: u16) -> Self {
        Self { table: Table::new(room), turn: 0, ends: VecDeque::new() }
    }

    /// Begins an exchange and returns its id; none when there is no room, as long as too many ids rest.
    pub fn start(
        &mut self,
        now: Time,
        (target, tag): (u32, u32),
        request: FcpRequest,
        agreement: FcpAgreement,
    ) -> Option<u16> {
        let place = self.table.insert(now, |number| {
            let end = FcpInitiator::new(request, agreement, now);
            Open { tag, target, ox_id: number as u16, end, was_given_up: false }
        })?;
        self.table.get_mut(place).map(|open| open.ox_id)
    }

    /// Takes a message of the exchange with this id from a target. One of an exchange that is over counts no more.
    pub fn handle(&mut self, now: Time, (target, ox_id): (u32, u16), message: FcpMessage) {
        self.with(ox_id, |open| {
            if open.target == target {
                open.end.handle(now, message);
            }
        });
    }

    /// Withdraws the command of an exchange: ABORT TASK.
    pub fn cancel(&mut self, now: Time, ox_id: u16) {
        self.with(ox_id, |open| open.end.cancel(now));
    }

    /// Ends all exchanges with a target whose login is over.
    pub fn handle_logout(&mut self, target: u32) {
        self.for_each(|open| {
            if open.target == target {
                open.end.handle_link_down();
            }
        });
    }

    /// Returns the next message to send, with the target and the id of its exchange: one of each exchange in turn.
    pub fn poll_transmit(&mut self) -> Option<((u32, u16), FcpMessage)> {
        for from in [self.turn, 0] {
            let mut next = self.table.next_open(from);
            while let Some(place) = next {
                let open = self.table.get_mut(place)?;
                let address = (open.target, open.ox_id);
                if let Some(message) = open.end.poll_transmit() {
                    self.turn = place + 1;
                    self.settle(place);
                    return Some((address, message));
                }
                next = self.table.next_open(place + 1);
            }
        }
        None
    }

    /// Returns how an exchange closed, once for each.
    pub fn poll_end(&mut self) -> Option<CommandEnd> {
        self.ends.pop_front()
    }

    /// Returns the number of open exchanges.
    #[must_use]
    pub fn open(&self) -> usize {
        self.table.open()
    }

    /// Returns the time at which [`FcpChannel::handle_timeout`] wants to be called.
    pub fn poll_timeout(&mut self) -> Option<Time> {
        let mut at = self.table.poll_timeout();
        self.for_each(|open| at = at.into_iter().chain(open.end.poll_timeout()).min());
        at
    }

    /// Does what time-outs that are due demand.
    pub fn handle_timeout(&mut self, now: Time) {
        self.table.wake(now);
        self.for_each(|open| open.end.handle_timeout(now));
    }

    fn with(&mut self, ox_id: u16, act: impl FnOnce(&mut Open)) {
        let Found::Place(place) = self.table.find(u32::from(ox_id), ID) else { return };
        self.table.get_mut(place).map(act);
        self.settle(place);
    }

    fn for_each(&mut self, mut act: impl FnMut(&mut Open)) {
        let mut next = self.table.next_open(0);
        while let Some(place) = next {
            self.table.get_mut(place).map(&mut act);
            self.settle(place);
            next = self.table.next_open(place + 1);
        }
    }

    /// Takes the outcome of an exchange, and forgets one that is over and has sent all.
    fn settle(&mut self, place: u16) {
        let Some(open) = self.table.get_mut(place) else { return };
        if let Some(outcome) = open.end.poll_outcome() {
            let is_settled = open.end.is_settled();
            let was_lost = outcome == FcpOutcome::CommandLost;
            open.was_given_up = !is_settled || was_lost || open.end.was_aborted();
            let Open { tag, target, .. } = *open;
            let data = open.end.take_read_data();
            self.ends.push_back(CommandEnd { tag, target, outcome, is_settled, data });
        }
        if open.end.is_closed() && !open.end.has_transmit() {
            let was_given_up = open.was_given_up;
            self.table.remove(place, was_given_up);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use halftrack_base::Span;
    use halftrack_wire::fcp::FcpIu;

    use super::super::rig::{Disk, INITIATOR, agreement, read};
    use super::*;
    use crate::fcp::TaskSet;
    use crate::outcome::Cause;

    const TARGET: u32 = 0x01_0200;

    fn at(ms: u64) -> Time {
        Time::ZERO.saturating_add(Span::from_ms(ms))
    }

    /// Many commands at a time end, each with its own data, whatever the order of their messages.
    #[test]
    fn exchanges_do_not_mix() {
        let (mut channel, mut tasks, mut disk) = (FcpChannel::new(8), TaskSet::default(), Disk::default());
        for tag in 0..8 {
            channel
                .start(Time::ZERO, (TARGET, tag), read(tag as u8, 1, 4), agreement(false))
                .expect("there is room");
        }
        assert!(channel.start(Time::ZERO, (TARGET, 9), read(0, 1, 4), agreement(false)).is_none());
        while let Some(((target, ox_id), message)) = channel.poll_transmit() {
            assert_eq!(target, TARGET);
            tasks.handle(&mut disk, Time::ZERO, (INITIATOR, ox_id), &agreement(false), message);
        }
        let mut inbound: Vec<_> = std::iter::from_fn(|| tasks.poll_transmit()).collect();
        // All data before all responses.
        inbound.sort_by_key(|(_, message)| matches!(message, FcpMessage::Iu(FcpIu::Response(_))));
        for ((_, ox_id), message) in inbound {
            channel.handle(Time::ZERO, (0x99, ox_id), FcpMessage::Iu(FcpIu::Abort));
            channel.handle(Time::ZERO, (TARGET, ox_id), message);
        }
        let ends: Vec<_> = std::iter::from_fn(|| channel.poll_end()).collect();
        assert_eq!((ends.len(), channel.open(), channel.poll_timeout()), (8, 0, None));
        for end in ends {
            let first = end.tag as u8 * 4;
            assert_eq!(end.data, (first..first + 4).collect::<Vec<_>>());
            assert!(matches!(end.outcome, FcpOutcome::Ended { .. }) && end.is_settled);
        }
    }

    /// The id of an exchange that was aborted does not come again within R_A_TOV; that of one that ended may.
    #[test]
    fn the_id_of_an_aborted_exchange_rests() {
        let mut channel = FcpChannel::new(1);
        let mut used = BTreeSet::new();
        let start = |channel: &mut FcpChannel, ms| {
            channel.start(at(ms), (TARGET, 0), read(0, 1, 4), agreement(false))
        };
        while let Some(ox_id) = start(&mut channel, 0) {
            assert!(used.insert(ox_id), "{ox_id:#x} rests");
            channel.poll_transmit().expect("the command");
            channel.cancel(at(0), ox_id);
            let (address, abort) = channel.poll_transmit().expect("ABTS");
            assert_eq!(abort, FcpMessage::Iu(FcpIu::Abort));
            let accept = FcpIu::AbortAccept { ox_id, rx_id: 1 };
            channel.handle(at(0), address, FcpMessage::Iu(accept));
            let end = channel.poll_end().expect("an end");
            assert_eq!(end.outcome, FcpOutcome::Aborted(Cause::Cancelled));
        }
        assert!(used.len() > 1000);
        channel.handle_timeout(at(9_999));
        assert_eq!(start(&mut channel, 9_999), None);
        assert_eq!(channel.poll_timeout(), Some(at(10_000)));
        assert!(start(&mut channel, 10_000).is_some());
    }

    #[test]
    fn a_logout_ends_the_exchanges_with_its_target() {
        let mut channel = FcpChannel::new(2);
        for target in [TARGET, TARGET + 1] {
            channel.start(Time::ZERO, (target, target), read(0, 1, 4), agreement(false)).expect("room");
            channel.poll_transmit().expect("a command");
        }
        channel.handle_logout(TARGET);
        let end = channel.poll_end().expect("an end");
        assert_eq!((end.target, end.outcome), (TARGET, FcpOutcome::Aborted(Cause::LinkDown)));
        assert_eq!((channel.poll_end(), channel.open()), (None, 1));
    }
}
