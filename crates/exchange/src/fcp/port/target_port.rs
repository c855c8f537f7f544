//! All open exchanges of a target's port.

use halftrack_base::{Decision, Time};
use halftrack_wire::fc_header::{FcHeader, NO_EXCHANGE, fc_type, routing};
use halftrack_wire::fcp::{
    AbortReject, DataDirection, FcpCategory, FcpCommand, FcpIu, Residual, Retransmission, ScsiStatus,
};
use halftrack_wire::heading::FromSide;
use halftrack_wire::{FcFrame, FrameSink};

use super::super::device::{ScsiDevice, ScsiEnding};
use super::super::frames;
use super::super::message::FcpMessage;
use super::super::target::FcpTarget;
use super::super::target_recovery::UNKNOWN_EXCHANGE;
use super::kept_exchanges::{KeptExchange, KeptExchanges};
use super::outgoing::FcpOutgoing;
use super::peer::FcpPeer;
use super::services::Services;
use crate::outcome::{Cause, ControlUnitOutcome};
use crate::port::{
    Buffers, Discard, ExchangeState, HeldData, OPEN_EXCHANGES_MAX, OpenIndex, PortCounts, Table, Turns,
};
use crate::sequence::{Received, SequenceFault, SequenceReceiver};

#[derive(Debug)]
struct Exchange {
    peer: FcpPeer,
    end: FcpTarget,
    outgoing: FcpOutgoing,
    receiver: SequenceReceiver,
    /// A frame was sent or received since the timers were checked.
    moved: bool,
    /// Octets of its data that it has room for.
    held_bytes: u32,
    /// Exchange of the SRR that is to be answered.
    srr_id: u16,
    /// It was counted when it ended.
    outcome: Option<ControlUnitOutcome>,
}

impl Exchange {
    fn new(peer: &FcpPeer, ids: (u16, u16), end: FcpTarget) -> Self {
        let (ox_id, rx_id) = ids;
        let header = FcHeader { s_id: peer.own, d_id: peer.address, ox_id, rx_id, ..FcHeader::default() };
        Self {
            peer: *peer,
            end,
            outgoing: FcpOutgoing::new(FromSide::ControlUnit, header, peer.filled_bytes()),
            receiver: SequenceReceiver::default(),
            moved: false,
            held_bytes: 0,
            srr_id: NO_EXCHANGE,
            outcome: None,
        }
    }

    fn sends(&self) -> bool {
        self.outgoing.is_sending() || self.end.has_transmit()
    }
}

/// All open exchanges of a target's port.
#[derive(Debug)]
pub struct FcpTargetPort {
    table: Table<Exchange>,
    /// Exchanges by the initiator's address and exchange id.
    index: OpenIndex,
    turns: Turns,
    buffers: Buffers,
    services: Services,
    kept: KeptExchanges,
    peers: Vec<FcpPeer>,
    held: HeldData,
    counts: PortCounts,
    limit: usize,
    timers_at: Option<Time>,
}

impl FcpTargetPort {
    /// Returns a port with room for this many open exchanges, 1 to [`OPEN_EXCHANGES_MAX`]; more end with TASK SET FULL.
    #[must_use]
    pub fn new(open_exchanges: u16) -> Self {
        let limit = open_exchanges.clamp(1, OPEN_EXCHANGES_MAX);
        let room = limit + limit / 4 + 8;
        Self {
            table: Table::new(room),
            index: OpenIndex::new(usize::from(room)),
            turns: Turns::new(usize::from(room)),
            buffers: Buffers::new(2 * usize::from(limit)),
            services: Services::default(),
            kept: KeptExchanges::new(),
            peers: Vec::new(),
            held: HeldData::default(),
            counts: PortCounts::default(),
            limit: usize::from(limit),
            timers_at: None,
        }
    }

    /// Notes that an initiator has logged in: what was of its login before is over.
    pub fn log_in(&mut self, now: Time, peer: FcpPeer, device: &mut impl ScsiDevice) {
        self.log_out(now, peer.address, device);
        self.peers.push(peer);
    }

    /// Ends the exchanges of the initiator at address `peer`, whose login is over.
    pub fn log_out(&mut self, now: Time, peer: u32, device: &mut impl ScsiDevice) {
        self.peers.retain(|known| known.address != peer);
        self.kept.forget(peer);
        self.services.forget(peer);
        self.cut_off(now, device, |exchange| exchange.peer.address == peer);
    }

    /// Ends every exchange, because the link is gone: nothing is left to be sent, and nobody is logged in.
    pub fn handle_link_down(&mut self, now: Time, device: &mut impl ScsiDevice) {
        self.peers.clear();
        self.kept.clear();
        self.services.clear();
        self.cut_off(now, device, |_| true);
        self.turns.clear();
        self.timers_at = None;
    }

    /// Returns the initiators that are logged in.
    #[must_use]
    pub fn peers(&self) -> &[FcpPeer] {
        &self.peers
    }

    /// Returns the exchanges that are open. One that has ended is open until its last frame is sent.
    #[must_use]
    pub fn open(&self) -> usize {
        self.table.open()
    }

    /// Returns how exchanges closed.
    #[must_use]
    pub fn counts(&self) -> PortCounts {
        self.counts
    }

    /// Returns the state of the exchange of an initiator with this id.
    #[must_use]
    pub fn exchange_state(&mut self, peer: u32, ox_id: u16) -> Option<ExchangeState> {
        if let Some(place) = self.index.get(peer, ox_id) {
            let exchange = self.table.get_mut(place)?;
            let sends = exchange.sends();
            let state = exchange.end.exchange_state()?;
            // What it sends is not lost yet.
            return Some(if sends {
                ExchangeState { has_initiative: true, is_complete: false, ..state }
            } else {
                state
            });
        }
        self.kept.get(peer, ox_id)?.end.exchange_state()
    }

    /// Takes a frame: FCP, or basic link service.
    ///
    /// # Errors
    /// Why it had no effect.
    pub fn handle_frame(
        &mut self,
        now: Time,
        frame: &FcFrame<'_>,
        device: &mut impl ScsiDevice,
    ) -> Result<(), Discard> {
        let FcHeader { fc_type, r_ctl, s_id, .. } = frame.header;
        let peer = self.peers.iter().find(|peer| peer.address == s_id).copied();
        let peer = peer.ok_or(Discard::NotLoggedIn { s_id })?;
        let result = match (fc_type, r_ctl) {
            (fc_type::FCP, routing::FC4_REQUEST) => self.take_retransmission(now, frame, device),
            (fc_type::FCP, routing::COMMAND) => {
                let place = self.open_exchange(now, &frame.header, &peer, device)?;
                self.take_frame(now, place, frame, device)
            }
            (fc_type::FCP | fc_type::BASIC_LINK_SERVICE, _) => match self.place_of(&frame.header) {
                Ok(place) => self.take_frame(now, place, frame, device),
                Err(discard) => self.without_exchange(&frame.header).ok_or(discard),
            },
            _ => return Err(Discard::Kind { fc_type, r_ctl }),
        };
        self.take_progress(now, device);
        result
    }

    /// Takes the progress of commands that waited, or that others ended, over whatever port.
    pub fn take_progress(&mut self, now: Time, device: &mut impl ScsiDevice) {
        while let Some(((peer, ox_id), progress)) = device.poll_progress() {
            let Some(place) = self.index.get(peer, ox_id) else { continue };
            if let Some(exchange) = self.table.get_mut(place) {
                exchange.end.resume(now, progress);
            }
            self.settle(now, place);
        }
    }

    /// Sends at most one frame, for which the caller has a buffer credit; false when there is none to send.
    pub fn poll_frame(&mut self, now: Time, sink: &mut impl FrameSink) -> bool {
        if self.services.poll_frame(sink) {
            return true;
        }
        while let Some(place) = self.turns.first() {
            let Some(exchange) = self.table.get_mut(place) else {
                self.turns.leave();
                continue;
            };
            if !exchange.outgoing.is_sending()
                && let Some(message) = exchange.end.poll_transmit()
            {
                match message {
                    FcpMessage::Iu(iu) => exchange.outgoing.begin(iu),
                    FcpMessage::RetransmissionAnswer(answer) => {
                        let (own, peer) = (exchange.peer.own, exchange.peer.address);
                        self.services.answer_again((own, peer), exchange.srr_id, answer);
                        return self.services.poll_frame(sink);
                    }
                    // The rest goes the other way, or is answered by the port's logins.
                    FcpMessage::State(_) | FcpMessage::StateRequest | FcpMessage::Retransmission { .. } => {}
                }
            }
            if !exchange.outgoing.is_sending() {
                self.turns.leave();
                self.finish(now, place);
                continue;
            }
            exchange.moved = true;
            let done = exchange.outgoing.send_frame(sink);
            if done.is_some() && !exchange.end.has_transmit() {
                self.turns.leave();
                self.finish(now, place);
            } else {
                self.turns.sent();
            }
            if let Some(buffer) = done {
                self.buffers.give(buffer);
            }
            return true;
        }
        false
    }

    /// Returns the time at which [`FcpTargetPort::handle_timeout`] wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.timers_at
    }

    /// Checks the timers when they are due.
    pub fn handle_timeout(&mut self, now: Time, device: &mut impl ScsiDevice) {
        self.table.wake(now);
        if self.timers_at.is_none_or(|at| at > now) {
            return;
        }
        self.kept.expire(now);
        self.for_each(now, |exchange| {
            if std::mem::take(&mut exchange.moved) {
                exchange.end.handle_progress(now);
            } else if exchange.end.poll_timeout().is_some_and(|at| at <= now) {
                exchange.outgoing.give_up();
                exchange.end.handle_timeout(device, now);
            }
        });
        let step = self.peers.iter().map(FcpPeer::timer_step).min();
        let is_idle = self.table.open() == 0 && self.kept.is_empty();
        self.timers_at = step.filter(|_| !is_idle).map(|step| now.saturating_add(step));
    }

    /// Returns the place of the open exchange that a frame belongs to.
    fn place_of(&mut self, header: &FcHeader) -> Result<u16, Discard> {
        let place = self.index.get(header.s_id, header.ox_id).ok_or(Discard::NoExchange)?;
        let exchange = self.table.get_mut(place).ok_or(Discard::NoExchange)?;
        let (_, rx_id) = exchange.outgoing.ids();
        let is_of_it = header.rx_id == NO_EXCHANGE || header.rx_id == rx_id;
        if is_of_it { Ok(place) } else { Err(Discard::OldExchange) }
    }

    /// Opens the exchange of a command. One of its id that is open is over: its initiator has given it up.
    fn open_exchange(
        &mut self,
        now: Time,
        header: &FcHeader,
        peer: &FcpPeer,
        device: &mut impl ScsiDevice,
    ) -> Result<u16, Discard> {
        if header.seq_cnt != 0 || header.ox_id == NO_EXCHANGE {
            return Err(Discard::NoExchange);
        }
        if let Some(place) = self.index.get(peer.address, header.ox_id) {
            if let Some(exchange) = self.table.get_mut(place) {
                exchange.outgoing.give_up();
                exchange.end.cut_off(device, now, Cause::Superseded);
            }
            self.settle(now, place);
        }
        let place = self.table.insert(now, |number| {
            let ids = (header.ox_id, number as u16);
            Exchange::new(peer, ids, FcpTarget::new(peer.address, ids, peer.agreement, now))
        });
        let place = place.ok_or(Discard::Full)?;
        self.index.insert(peer.address, header.ox_id, place);
        self.timers_at.get_or_insert(now.saturating_add(peer.timer_step()));
        Ok(place)
    }

    /// Gives a frame of an exchange to its machine, when its sequence is whole.
    fn take_frame(
        &mut self,
        now: Time,
        place: u16,
        frame: &FcFrame<'_>,
        device: &mut impl ScsiDevice,
    ) -> Result<(), Discard> {
        let is_beyond_limit = self.table.open() > self.limit;
        let Some(exchange) = self.table.get_mut(place) else { return Err(Discard::NoExchange) };
        // Of an incomplete sequence nothing is used: it is sent again, or the exchange is aborted.
        exchange.receiver.take_interruption(frame);
        if exchange.receiver.wants_buffer(frame) {
            exchange.receiver.lend(self.buffers.take());
        }
        let most_bytes = frames::most_bytes(&frame.header, || exchange.end.data_room());
        let received = exchange.receiver.take(frame, most_bytes);
        exchange.moved |= received.is_ok();
        match received {
            Ok(Received::More) => return Ok(()),
            Err(fault) => return Err(fault_of(exchange, frame, now, fault)),
            Ok(Received::Whole(sequence)) => match frames::read(sequence, || self.buffers.take()) {
                Ok(FcpIu::Command(command)) => {
                    let mut buffer = self.buffers.take();
                    device.lend(&mut buffer);
                    self.buffers.give(buffer);
                    let (_, stated_bytes) = command.transfer();
                    let status = if is_beyond_limit {
                        Some(ScsiStatus::TASK_SET_FULL)
                    } else if hold(&mut self.held, exchange, &command) {
                        None
                    } else {
                        Some(ScsiStatus::BUSY)
                    };
                    match status {
                        None => exchange.end.handle(device, now, FcpMessage::Iu(FcpIu::Command(command))),
                        Some(status) => {
                            let residual = Residual::of(0, stated_bytes);
                            exchange
                                .end
                                .refuse(now, ScsiEnding { status, residual, ..ScsiEnding::default() });
                        }
                    }
                }
                Ok(iu) => {
                    if iu == FcpIu::Abort {
                        exchange.outgoing.give_up();
                    }
                    exchange.end.handle(device, now, FcpMessage::Iu(iu));
                }
                Err(_) => exchange.end.handle_damaged_command(now),
            },
        }
        let spare = exchange.end.take_spare();
        self.buffers.give(spare);
        self.settle(now, place);
        Ok(())
    }

    /// Answers ABTS of an exchange that has no machine any more, and forgets one that was kept; none for other frames.
    fn without_exchange(&mut self, header: &FcHeader) -> Option<()> {
        let kept = |kept: &mut KeptExchanges| kept.take(header.s_id, header.ox_id);
        match (header.fc_type, header.r_ctl) {
            (fc_type::FCP, routing::SOLICITED_CONTROL) => kept(&mut self.kept).map(drop),
            (fc_type::BASIC_LINK_SERVICE, routing::ABTS) => {
                let answer = match kept(&mut self.kept) {
                    Some(KeptExchange { ids: (ox_id, rx_id), .. }) => FcpIu::AbortAccept { ox_id, rx_id },
                    None => FcpIu::AbortReject(AbortReject::NO_SUCH_EXCHANGE),
                };
                self.services.answer_basic(header, answer);
                Some(())
            }
            _ => None,
        }
    }

    /// Sends a part of an exchange again that is open or kept (SRR).
    fn take_retransmission(
        &mut self,
        now: Time,
        frame: &FcFrame<'_>,
        device: &mut impl ScsiDevice,
    ) -> Result<(), Discard> {
        let header = &frame.header;
        let request = Retransmission::parse(frame.payload).map_err(Discard::Opening)?;
        let Some(place) = self.revived(now, header.s_id, request.ox_id) else {
            Decision::RetransmissionRefused.count();
            self.services.answer_again((header.d_id, header.s_id), header.ox_id, Err(UNKNOWN_EXCHANGE));
            return Ok(());
        };
        if let Some(exchange) = self.table.get_mut(place) {
            exchange.srr_id = header.ox_id;
            exchange.outgoing.give_up();
            if request.category == FcpCategory::TransferReady {
                exchange.receiver = SequenceReceiver::default();
            }
            let Retransmission { category, relative_offset, .. } = request;
            exchange.end.handle(device, now, FcpMessage::Retransmission { category, relative_offset });
        }
        self.settle(now, place);
        Ok(())
    }

    /// Returns the place of an exchange, to which one that was kept returns.
    fn revived(&mut self, now: Time, peer: u32, ox_id: u16) -> Option<u16> {
        if let Some(place) = self.index.get(peer, ox_id) {
            return Some(place);
        }
        let KeptExchange { peer, ids, end } = self.kept.take(peer, ox_id)?;
        let place = self.table.insert(now, |_| Exchange::new(&peer, ids, end))?;
        self.index.insert(peer.address, ox_id, place);
        Some(place)
    }

    fn for_each(&mut self, now: Time, mut act: impl FnMut(&mut Exchange)) {
        let mut next = self.table.next_open(0);
        while let Some(place) = next {
            self.table.get_mut(place).map(&mut act);
            self.settle(now, place);
            next = self.table.next_open(place + 1);
        }
    }

    fn cut_off(&mut self, now: Time, device: &mut impl ScsiDevice, is_cut: impl Fn(&Exchange) -> bool) {
        self.for_each(now, |exchange| {
            if is_cut(exchange) {
                exchange.outgoing.give_up();
                exchange.end.handle_link_down(device, now);
            }
        });
    }

    /// Draws the consequences of an event: the exchange sends, or is forgotten.
    fn settle(&mut self, now: Time, place: u16) {
        let Some(exchange) = self.table.get_mut(place) else { return };
        if exchange.sends() {
            self.turns.add(place);
        } else {
            self.finish(now, place);
        }
    }

    /// Forgets an exchange that is over and has sent all, or keeps it where something of it may be requested again.
    fn finish(&mut self, now: Time, place: u16) {
        let Some(exchange) = self.table.get_mut(place) else { return };
        exchange.outcome = exchange.outcome.or(exchange.end.poll_outcome());
        let is_kept = exchange.end.is_kept();
        if exchange.sends() || !exchange.end.is_over() && !is_kept {
            return;
        }
        let was_given_up = matches!(exchange.outcome, Some(ControlUnitOutcome::Abandoned(_)));
        let Some(ended) = self.table.remove(place, was_given_up) else { return };
        let Exchange { peer, outgoing, end, held_bytes, outcome, .. } = ended;
        match outcome {
            Some(ControlUnitOutcome::Completed) => self.counts.completed += 1,
            Some(ControlUnitOutcome::Refused) => self.counts.refused += 1,
            Some(ControlUnitOutcome::Abandoned(_)) => self.counts.abandoned += 1,
            // It was kept, and counted then.
            None => {}
        }
        self.held.give_back(peer.address, held_bytes);
        let ids = outgoing.ids();
        self.index.remove(peer.address, ids.0, place);
        if is_kept {
            self.kept.add(KeptExchange { peer, ids, end });
            self.timers_at.get_or_insert(now.saturating_add(peer.timer_step()));
        }
    }
}

/// Takes room for the data of a write; false where there is none.
fn hold(held: &mut HeldData, exchange: &mut Exchange, command: &FcpCommand) -> bool {
    let (DataDirection::Out, bytes) = command.transfer() else { return true };
    let has_room = held.take(exchange.peer.address, bytes);
    if has_room {
        exchange.held_bytes = bytes;
    }
    has_room
}

/// Returns why a frame has no effect. A command that cannot be put together is refused.
fn fault_of(exchange: &mut Exchange, frame: &FcFrame<'_>, now: Time, fault: SequenceFault) -> Discard {
    if frame.header.r_ctl == routing::COMMAND {
        exchange.end.handle_damaged_command(now);
    }
    fault.into()
}
