//! All open exchanges of an initiator's port.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::els::{ElsReply, ExchangeStatus, LsReject, RejectExplanation, code};
use halftrack_wire::fc_header::{FcHeader, NO_EXCHANGE, fc_type, routing};
use halftrack_wire::fcp::{FcpIu, Retransmission};
use halftrack_wire::heading::FromSide;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;
use halftrack_wire::{FcFrame, FrameSink};

use super::super::frames;
use super::super::initiator::FcpInitiator;
use super::super::message::FcpMessage;
use super::super::outcome::FcpOutcome;
use super::super::request::FcpRequest;
use super::outgoing::FcpOutgoing;
use super::peer::FcpPeer;
use super::services::{Services, exchange_of_service};
use crate::outcome::Cause;
use crate::port::{Buffers, Discard, ExchangeState, Found, OPEN_EXCHANGES_MAX, Table, Turns};
use crate::sequence::{Received, SequenceFault, SequenceReceiver};

/// Bits of an exchange's number that are its exchange id.
const OX_ID: u32 = 0xFFFF;
/// Rejection that stands for an answer that cannot be read.
const UNREADABLE: LsReject = LsReject { reason: RejectExplanation::LogicalError, explanation: 0, vendor: 0 };

/// End of an exchange of an initiator's port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEnd {
    /// Tag with which it was started.
    pub tag: u32,
    /// Address of the target's port.
    pub target: u32,
    /// How it closed.
    pub outcome: FcpOutcome,
    /// The target is known to have ended it too; otherwise something of it may still be on its way.
    pub is_settled: bool,
    /// Data read, or the buffer of those that were written. Give it back with [`FcpInitiatorPort::recycle`].
    pub data: Vec<u8>,
}

#[derive(Debug)]
struct Exchange {
    tag: u32,
    peer: FcpPeer,
    end: FcpInitiator,
    outgoing: FcpOutgoing,
    receiver: SequenceReceiver,
    /// A frame was sent or received since the timers were checked.
    moved: bool,
    was_given_up: bool,
}

impl Exchange {
    /// Gives up the sequence in progress; its data may be wanted again.
    fn stop_sending(&mut self) {
        if self.outgoing.is_sending() {
            let data = self.outgoing.give_up();
            self.end.give_back(data);
        }
    }
}

/// All open exchanges of an initiator's port.
#[derive(Debug)]
pub struct FcpInitiatorPort {
    table: Table<Exchange>,
    turns: Turns,
    buffers: Buffers,
    services: Services,
    ends: VecDeque<CommandEnd>,
    /// Ids of exchanges that were aborted and rest, with the time at which they are reinstated.
    resting: VecDeque<(Time, FcpPeer, (u16, u16))>,
    limit: usize,
    timers_at: Option<Time>,
}

impl FcpInitiatorPort {
    /// Returns a port with room for this many open exchanges, 1 to [`OPEN_EXCHANGES_MAX`].
    #[must_use]
    pub fn new(open_exchanges: u16) -> Self {
        let room = open_exchanges.clamp(1, OPEN_EXCHANGES_MAX);
        let limit = usize::from(room);
        Self {
            table: Table::new(room),
            turns: Turns::new(limit),
            buffers: Buffers::new(2 * limit),
            services: Services::default(),
            ends: VecDeque::with_capacity(limit),
            resting: VecDeque::new(),
            limit,
            timers_at: None,
        }
    }

    /// Returns the exchanges that are open. One that has ended is open until its last frame is sent.
    #[must_use]
    pub fn open(&self) -> usize {
        self.table.open()
    }

    /// Returns true when a command can be started: there is room, the ends of others have been taken, and not all exchange ids rest.
    #[must_use]
    pub fn can_start(&self) -> bool {
        self.table.has_room() && self.ends.len() < self.limit
    }

    /// Begins an exchange; its end comes with `tag`. False, and nothing is started, unless [`FcpInitiatorPort::can_start`].
    #[must_use]
    pub fn start(&mut self, now: Time, peer: &FcpPeer, request: FcpRequest, tag: u32) -> bool {
        self.table.wake(now);
        if !self.can_start() {
            return false;
        }
        let place = self.table.insert(now, |number| {
            let header = FcHeader {
                s_id: peer.own,
                d_id: peer.address,
                ox_id: number as u16,
                rx_id: NO_EXCHANGE,
                ..FcHeader::default()
            };
            Exchange {
                tag,
                peer: *peer,
                end: FcpInitiator::new(request, peer.agreement, now),
                outgoing: FcpOutgoing::new(FromSide::Channel, header, peer.filled_bytes()),
                receiver: SequenceReceiver::default(),
                moved: false,
                was_given_up: false,
            }
        });
        if let Some(place) = place {
            self.turns.add(place);
            self.timers_at.get_or_insert(now.saturating_add(peer.timer_step()));
        }
        place.is_some()
    }

    /// Returns whether a frame of extended link services answers this port, not its logins.
    #[must_use]
    pub fn awaits(&self, header: &FcHeader) -> bool {
        header.r_ctl == routing::ELS_REPLY && exchange_of_service(header.ox_id).is_some()
    }

    /// Takes a frame: FCP, basic link service, or an answer that [`FcpInitiatorPort::awaits`].
    ///
    /// # Errors
    /// Why it had no effect.
    pub fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>) -> Result<(), Discard> {
        let header = &frame.header;
        let FcHeader { fc_type, r_ctl, s_id, ox_id, .. } = *header;
        let service = match (fc_type, r_ctl) {
            (fc_type::EXTENDED_LINK_SERVICE, routing::ELS_REPLY) | (fc_type::FCP, routing::FC4_REPLY) => {
                Some(exchange_of_service(ox_id).ok_or(Discard::NoExchange)?)
            }
            (fc_type::FCP | fc_type::BASIC_LINK_SERVICE, _) => None,
            _ => return Err(Discard::Kind { fc_type, r_ctl }),
        };
        let place = match self.table.find(u32::from(service.unwrap_or(ox_id)), OX_ID) {
            Found::Place(place) => place,
            Found::Over => return Err(Discard::OldExchange),
            Found::Nothing => return Err(Discard::NoExchange),
        };
        let Some(exchange) = self.table.get_mut(place) else { return Err(Discard::NoExchange) };
        if exchange.peer.address != s_id {
            return Err(Discard::Stranger { s_id });
        }
        let result = match service {
            Some(_) => {
                exchange.end.handle(now, service_answer(frame));
                Ok(())
            }
            None => take_frame(exchange, now, frame, &mut self.buffers),
        };
        self.settle(now, place);
        result
    }

    /// Sends at most one frame, for which the caller has a buffer credit; false when there is none to send.
    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        if !self.services.is_empty() {
            return self.services.poll_frame(sink);
        }
        while let Some(place) = self.turns.first() {
            let Some(exchange) = self.table.get_mut(place) else {
                self.turns.leave();
                continue;
            };
            if !exchange.outgoing.is_sending()
                && let Some(message) = exchange.end.poll_transmit()
            {
                let ids = exchange.outgoing.ids();
                match message {
                    FcpMessage::Iu(iu) => exchange.outgoing.begin(iu),
                    FcpMessage::StateRequest => self.services.request_state(&exchange.peer, ids),
                    FcpMessage::Retransmission { category, relative_offset } => {
                        self.services.request_again(&exchange.peer, ids, category, relative_offset);
                    }
                    // The rest goes the other way.
                    FcpMessage::State(_) | FcpMessage::RetransmissionAnswer(_) => {}
                }
            }
            if !exchange.outgoing.is_sending() {
                self.turns.leave();
                self.finish(place);
                if self.services.poll_frame(sink) {
                    self.add_turn(place);
                    return true;
                }
                continue;
            }
            exchange.moved = true;
            match exchange.outgoing.send_frame(sink) {
                Some(data) => {
                    exchange.end.give_back(data);
                    if exchange.end.has_transmit() {
                        self.turns.sent();
                    } else {
                        self.turns.leave();
                        self.finish(place);
                    }
                }
                None => self.turns.sent(),
            }
            return true;
        }
        false
    }

    /// Returns how the next exchange ended.
    pub fn poll_end(&mut self) -> Option<CommandEnd> {
        self.ends.pop_front()
    }

    /// Takes back the buffer of a [`CommandEnd`], for data read later.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.buffers.give(buffer);
    }

    /// Withdraws the command that was started with `tag`: ABORT TASK.
    pub fn cancel(&mut self, now: Time, tag: u32) {
        self.for_each(now, |exchange| {
            if exchange.tag == tag && !exchange.end.is_closed() {
                exchange.stop_sending();
                exchange.end.cancel(now);
            }
        });
    }

    /// Returns the time at which [`FcpInitiatorPort::handle_timeout`] wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let resting = self.resting.front().map(|(at, ..)| *at);
        [self.timers_at, self.table.poll_timeout(), resting].into_iter().flatten().min()
    }

    /// Checks the timers when they are due.
    pub fn handle_timeout(&mut self, now: Time) {
        self.table.wake(now);
        while let Some((_, peer, ids)) = self.resting.pop_front_if(|(at, ..)| *at <= now) {
            self.services.reinstate(&peer, ids);
        }
        if self.timers_at.is_none_or(|at| at > now) {
            return;
        }
        let mut step = None;
        self.for_each(now, |exchange| {
            step = step.into_iter().chain([exchange.peer.timer_step()]).min();
            if std::mem::take(&mut exchange.moved) {
                exchange.end.handle_progress(now);
            } else if exchange.end.poll_timeout().is_some_and(|at| at <= now) {
                exchange.stop_sending();
                exchange.end.handle_timeout(now);
            }
        });
        self.timers_at = step.filter(|_| self.table.open() > 0).map(|step| now.saturating_add(step));
    }

    /// Ends all exchanges with a target whose login is over.
    pub fn handle_logout(&mut self, now: Time, target: u32) {
        self.services.forget(target);
        self.resting.retain(|(_, peer, _)| peer.address != target);
        self.for_each(now, |exchange| {
            if exchange.peer.address == target {
                exchange.stop_sending();
                exchange.end.handle_link_down();
            }
        });
    }

    /// Ends every exchange, because the link is gone; nothing is left to be sent.
    pub fn handle_link_down(&mut self, now: Time) {
        self.services.clear();
        self.resting.clear();
        self.for_each(now, |exchange| {
            exchange.stop_sending();
            exchange.end.handle_link_down();
        });
        self.turns.clear();
        self.timers_at = None;
    }

    fn for_each(&mut self, now: Time, mut act: impl FnMut(&mut Exchange)) {
        let mut next = self.table.next_open(0);
        while let Some(place) = next {
            self.table.get_mut(place).map(&mut act);
            self.settle(now, place);
            next = self.table.next_open(place + 1);
        }
    }

    fn add_turn(&mut self, place: u16) {
        if self.table.get_mut(place).is_some_and(|exchange| exchange.end.has_transmit()) {
            self.turns.add(place);
        }
    }

    /// Takes the outcome of an exchange, which sends or is forgotten.
    fn settle(&mut self, now: Time, place: u16) {
        let Some(exchange) = self.table.get_mut(place) else { return };
        if let Some(outcome) = exchange.end.poll_outcome() {
            exchange.stop_sending();
            let is_settled = exchange.end.is_settled();
            let was_aborted = exchange.end.was_aborted();
            exchange.was_given_up = !is_settled || was_aborted || outcome == FcpOutcome::CommandLost;
            if is_settled && was_aborted {
                let at = now.saturating_add(RESOURCE_ALLOCATION_TIMEOUT);
                self.resting.push_back((at, exchange.peer, exchange.outgoing.ids()));
            }
            let mut data = exchange.end.take_read_data();
            if data.capacity() == 0 {
                data = exchange.end.take_written();
            }
            let (tag, target) = (exchange.tag, exchange.peer.address);
            self.ends.push_back(CommandEnd { tag, target, outcome, is_settled, data });
        }
        if exchange.outgoing.is_sending() || exchange.end.has_transmit() {
            self.turns.add(place);
        } else {
            self.finish(place);
        }
    }

    /// Forgets an exchange that is over and has sent all.
    fn finish(&mut self, place: u16) {
        let Some(exchange) = self.table.get_mut(place) else { return };
        if exchange.end.is_closed() && !exchange.outgoing.is_sending() && !exchange.end.has_transmit() {
            let was_given_up = exchange.was_given_up;
            self.table.remove(place, was_given_up);
        }
    }
}

/// Gives a frame of an exchange to its machine, when its sequence is whole.
fn take_frame(
    exchange: &mut Exchange,
    now: Time,
    frame: &FcFrame<'_>,
    buffers: &mut Buffers,
) -> Result<(), Discard> {
    let (_, rx_id) = exchange.outgoing.ids();
    if frame.header.rx_id != NO_EXCHANGE {
        if rx_id == NO_EXCHANGE {
            exchange.outgoing.set_rx_id(frame.header.rx_id);
        } else if rx_id != frame.header.rx_id {
            return Err(Discard::OldExchange);
        }
    }
    let most_bytes = frames::most_bytes(&frame.header, || exchange.end.data_room());
    // Without retry nothing comes again: the sooner it is aborted the better.
    let is_retried = exchange.peer.agreement.is_retried;
    if exchange.receiver.take_interruption(frame) && !is_retried {
        exchange.end.handle_damaged(now, Cause::Length);
    }
    if exchange.receiver.wants_buffer(frame) {
        exchange.receiver.lend(buffers.take());
    }
    let received = exchange.receiver.take(frame, most_bytes);
    exchange.moved |= received.is_ok();
    match received {
        Ok(Received::More) => {}
        Ok(Received::Whole(sequence)) => match frames::read(sequence, || buffers.take()) {
            Ok(iu) => {
                if matches!(iu, FcpIu::TransferReady(_)) {
                    exchange.stop_sending();
                }
                exchange.end.handle(now, FcpMessage::Iu(iu));
            }
            Err(error) => exchange.end.handle_damaged(now, Cause::of_parse_error(&error)),
        },
        Err(fault @ SequenceFault::GivenUp) => return Err(fault.into()),
        Err(SequenceFault::Lost) if is_retried => {}
        Err(_) => exchange.end.handle_damaged(now, Cause::Length),
    }
    Ok(())
}

/// Returns the answer to a link service about an exchange.
fn service_answer(frame: &FcFrame<'_>) -> FcpMessage {
    if frame.header.fc_type == fc_type::FCP {
        let answer = Retransmission::parse_answer(frame.payload).unwrap_or(Err(UNREADABLE));
        return FcpMessage::RetransmissionAnswer(answer);
    }
    FcpMessage::State(match ElsReply::parse(code::REC, frame.payload) {
        Ok(ElsReply::ExchangeStatus(status)) => Ok(ExchangeState {
            has_initiative: status.status & ExchangeStatus::INITIATIVE != 0,
            is_complete: status.status & ExchangeStatus::COMPLETE != 0,
            received_bytes: status.received_bytes,
        }),
        Ok(ElsReply::Reject(reject)) => Err(reject),
        Ok(_) | Err(_) => Err(UNREADABLE),
    })
}
