//! All open exchanges of one channel path.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_program::Protocol;
use halftrack_wire::command_iu::CommandIuView;
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::heading::FromSide;
use halftrack_wire::{Address, FcFrame, FrameSink, StartNumber};

use super::buffers::Buffers;
use super::discard::Discard;
use super::open_index::OpenIndex;
use super::outgoing::Outgoing;
use super::path_pacing::PathPacing;
use super::table::{Found, OPEN_EXCHANGES_MAX, Table};
use super::turns::Turns;
use super::{TIMER_STEP, in_frames_of};
use crate::channel_end::ChannelEnd;
use crate::end::{End, FramedEnd, Identity};
use crate::outcome::{Cause, ChannelOutcome};
use crate::plan::Login;
use crate::program::Program;
use crate::sequence::{Received, Sequence, SequenceFault, SequenceReceiver, most_bytes};

/// Bits of an exchange's number that are its exchange id.
const OX_ID: u32 = 0xFFFF;

/// Whom a program is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Address of the channel's port.
    pub s_id: u32,
    /// Address of the control unit's port.
    pub d_id: u32,
    /// What the two agreed on at login.
    pub login: Login,
    /// Channel-image id.
    pub channel_image: u8,
    /// Control-unit-image id.
    pub control_unit_image: u8,
    /// Device (unit) address.
    pub device: u8,
    /// Number of the start at its subchannel.
    pub number: StartNumber,
}

/// How an exchange of a [`ChannelPort`] ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeEnd {
    /// What it was started with.
    pub tag: u32,
    /// Device (unit) address.
    pub device: u8,
    /// Number of the start.
    pub number: StartNumber,
    /// The control unit is known to have ended the exchange too: it answered, or was never spoken to. Otherwise something
    /// of the start may still be on its way.
    pub is_settled: bool,
    /// How it closed.
    pub outcome: ChannelOutcome,
    /// What was read. Give it back with [`ChannelPort::recycle`] when it is used.
    pub data: Vec<u8>,
}

#[derive(Debug)]
struct Exchange {
    end: ChannelEnd,
    outgoing: Outgoing,
    receiver: SequenceReceiver,
    address: Address,
    tag: u32,
    target: Target,
    /// The control unit's exchange id, in command mode, when its first frame has come.
    inbound: Option<u16>,
    /// A frame was sent or received since the timers were looked at.
    moved: bool,
    /// It was not brought to its end: frames of it may come yet, and its id rests.
    was_given_up: bool,
}

/// All open exchanges of one channel path.
#[derive(Debug)]
pub struct ChannelPort {
    limit: usize,
    table: Table<Exchange>,
    /// Exchanges by what the control unit answers with in command mode.
    operations: OpenIndex,
    /// Exchanges that control units opened, in command mode.
    inbound: OpenIndex,
    turns: Turns,
    ends: VecDeque<ExchangeEnd>,
    buffers: Buffers,
    pacing: PathPacing,
    /// When the timers are looked at.
    timers_at: Option<Time>,
}

impl ChannelPort {
    /// Returns a port with room for this many open exchanges, 1 to [`OPEN_EXCHANGES_MAX`].
    #[must_use]
    pub fn new(open_exchanges: u16) -> ChannelPort {
        let room = open_exchanges.clamp(1, OPEN_EXCHANGES_MAX);
        let limit = usize::from(room);
        ChannelPort {
            limit,
            table: Table::new(room),
            operations: OpenIndex::new(limit),
            inbound: OpenIndex::new(limit),
            turns: Turns::new(limit),
            ends: VecDeque::with_capacity(limit),
            buffers: Buffers::new(2 * limit),
            pacing: PathPacing::default(),
            timers_at: None,
        }
    }

    /// Returns the exchanges that are open. One that has ended is open until its last frame is sent.
    #[must_use]
    pub fn open(&self) -> usize {
        self.table.open()
    }

    /// Returns true when a program can be started: there is room, the ends of others have been taken, and not all exchange ids rest.
    #[must_use]
    pub fn can_start(&self) -> bool {
        self.table.has_room() && self.ends.len() < self.limit
    }

    /// Starts a program; its end comes with `tag`. False, and nothing is started, unless [`ChannelPort::can_start`], or
    /// where an exchange of this very start is open.
    #[must_use]
    pub fn start(&mut self, now: Time, target: &Target, program: &Program, tag: u32) -> bool {
        self.table.wake(now);
        let identity = Identity {
            channel_image: target.channel_image,
            control_unit_image: target.control_unit_image,
            device: target.device,
            token: target.number.value(),
        };
        let operation = operation(target.d_id, &identity.into());
        if !self.can_start() || self.operations.get_key(operation).is_some() {
            return false;
        }
        let path = (target.d_id, target.channel_image, target.control_unit_image);
        let (protocol, initial_pacing) = match program {
            Program::Command(_) => (Protocol::Command, self.pacing.window(path, target.login.initial_pacing)),
            Program::Transport(_) => (Protocol::Transport, target.login.initial_pacing),
        };
        let login = Login { initial_pacing, ..in_frames_of(protocol, &target.login) };
        let place = self.table.insert(now, |number| {
            let ids = (target.s_id, target.d_id);
            Exchange {
                end: ChannelEnd::new(program, &login, identity, now),
                outgoing: Outgoing::new(FromSide::Channel, ids, number as u16, login.frame_payload_bytes),
                receiver: SequenceReceiver::default(),
                address: identity.into(),
                tag,
                target: Target { login, ..*target },
                inbound: None,
                moved: false,
                was_given_up: false,
            }
        });
        if let Some(place) = place {
            self.operations.insert_key(operation, place);
            self.turns.add(place);
            self.timers_at.get_or_insert(now.saturating_add(TIMER_STEP));
        }
        place.is_some()
    }

    /// Takes a frame: device-level SB, transport mode, or basic link service.
    ///
    /// # Errors
    /// Why it had no effect.
    pub fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>) -> Result<(), Discard> {
        let place = self.place_of(frame)?;
        let Some(exchange) = self.table.get_mut(place) else { return Err(Discard::NoExchange) };
        if exchange.target.d_id != frame.header.s_id {
            return Err(Discard::Stranger { s_id: frame.header.s_id });
        }
        let most_bytes = most_bytes(&frame.header, || exchange.end.data_room());
        if exchange.receiver.is_interrupted_by(frame) {
            exchange.end.handle_damaged(now, Cause::Length);
        }
        if exchange.receiver.wants_buffer(frame) {
            exchange.receiver.lend(self.buffers.take());
        }
        let received = exchange.receiver.take(frame, most_bytes);
        exchange.moved |= received.is_ok();
        match received {
            Ok(Received::More) => return Ok(()),
            Ok(Received::Whole(sequence)) => take_sequence(exchange, now, sequence),
            Err(SequenceFault::GivenUp) => return Err(SequenceFault::GivenUp.into()),
            Err(_) => exchange.end.handle_damaged(now, Cause::Length),
        }
        self.settle(place);
        Ok(())
    }

    /// Sends at most one frame, for which the caller has a buffer credit; false when there is none to send.
    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        while let Some(place) = self.turns.first() {
            let Some(exchange) = self.table.get_mut(place) else {
                self.turns.leave();
                continue;
            };
            if !exchange.outgoing.is_sending()
                && let Some(iu) = exchange.end.poll_iu()
            {
                let follow = exchange.end.has_transmit();
                exchange.outgoing.begin(iu, follow, exchange.end.is_closed() && !follow);
            }
            if !exchange.outgoing.is_sending() {
                self.turns.leave();
                self.settle(place);
                continue;
            }
            exchange.moved = true;
            let done = exchange.outgoing.send_frame(sink);
            if done.is_some() && !exchange.end.has_transmit() {
                self.turns.leave();
                self.settle(place);
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

    /// Returns how the next exchange ended.
    pub fn poll_end(&mut self) -> Option<ExchangeEnd> {
        self.ends.pop_front()
    }

    /// Takes back the buffer of an [`ExchangeEnd`], for data read later.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.buffers.give(buffer);
    }

    /// Withdraws the program that was started with `tag`.
    pub fn cancel(&mut self, tag: u32, now: Time) {
        self.for_each(|exchange| {
            if exchange.tag == tag && !exchange.end.is_closed() {
                exchange.outgoing.give_up();
                exchange.end.cancel(now);
            }
        });
    }

    /// Returns the time at which `handle_timeout` wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.timers_at.into_iter().chain(self.table.poll_timeout()).min()
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Time) {
        self.table.wake(now);
        if self.timers_at.is_none_or(|at| at > now) {
            return;
        }
        self.for_each(|exchange| {
            if std::mem::take(&mut exchange.moved) {
                exchange.end.handle_progress(now);
            } else if exchange.end.poll_timeout().is_some_and(|at| at <= now) {
                exchange.outgoing.give_up();
                exchange.end.handle_timeout(now);
            }
        });
        self.timers_at = (self.table.open() > 0).then(|| now.saturating_add(TIMER_STEP));
    }

    /// The path had stalled, so that frames of the open exchanges may be lost: their next IUs are waited for as long as this
    /// and no longer.
    pub fn hasten(&mut self, now: Time, span_us: u64) {
        self.for_each(|exchange| exchange.end.hasten(now, span_us));
    }

    /// The link is gone: every exchange ends, and nothing is left to be sent.
    pub fn handle_link_down(&mut self, now: Time) {
        self.drop_exchanges(now, |_| true);
        self.turns.clear();
        self.pacing = PathPacing::default();
        self.timers_at = None;
    }

    /// The control unit's port with address `peer` has logged out, or was lost.
    pub fn handle_peer_gone(&mut self, peer: u32, now: Time) {
        self.drop_exchanges(now, |target| target.d_id == peer);
        self.pacing.forget(peer);
    }

    fn drop_exchanges(&mut self, now: Time, which: impl Fn(&Target) -> bool) {
        self.for_each(|exchange| {
            if which(&exchange.target) {
                exchange.outgoing.give_up();
                exchange.end.handle_link_down(now);
            }
        });
    }

    /// Does something to every exchange, and what follows from it.
    fn for_each(&mut self, mut act: impl FnMut(&mut Exchange)) {
        let mut from = 0;
        while let Some(place) = self.table.next_open(from) {
            if let Some(exchange) = self.table.get_mut(place) {
                act(exchange);
            }
            self.settle(place);
            from = place + 1;
        }
    }

    /// Returns the exchange to which a frame belongs.
    fn place_of(&mut self, frame: &FcFrame<'_>) -> Result<u16, Discard> {
        let header = &frame.header;
        let place = match header.fc_type {
            fc_type::FCP | fc_type::BASIC_LINK_SERVICE => self.table.find(u32::from(header.ox_id), OX_ID),
            fc_type::SB_CONTROL_UNIT if header.seq_cnt == 0 => return self.place_of_iu(frame),
            fc_type::SB_CONTROL_UNIT => {
                return self.inbound.get(header.s_id, header.ox_id).ok_or(Discard::NoExchange);
            }
            fc_type => return Err(Discard::Kind { fc_type, r_ctl: header.r_ctl }),
        };
        match place {
            Found::Place(place) => Ok(place),
            Found::Over => Err(Discard::OldExchange),
            Found::Nothing => Err(Discard::NoExchange),
        }
    }

    /// Returns the exchange of the first frame of a command-mode IU: the exchange pair is told by address and token.
    fn place_of_iu(&mut self, frame: &FcFrame<'_>) -> Result<u16, Discard> {
        let header = &frame.header;
        let noted = self.inbound.get(header.s_id, header.ox_id);
        let view = CommandIuView::new(frame.payload);
        let address = match view.and_then(|view| view.check_lrc().map(|()| view.address())) {
            Ok(address) => address,
            // An IU whose overhead cannot be read can be told by the exchange id alone.
            Err(error) => return noted.ok_or(Discard::Opening(error)),
        };
        let operation = operation(header.s_id, &address);
        let Some(place) = self.operations.get_key(operation) else {
            return noted.ok_or(Discard::NoExchange);
        };
        let Some(exchange) = self.table.get_mut(place) else { return Err(Discard::NoExchange) };
        if exchange.target.d_id != header.s_id {
            return Err(Discard::Stranger { s_id: header.s_id });
        }
        match exchange.inbound {
            Some(ox_id) if ox_id == header.ox_id => Ok(place),
            // The control unit has one exchange for all it says of an operation.
            Some(_) => noted.ok_or(Discard::NoExchange),
            None if exchange.address != address => noted.ok_or(Discard::NoExchange),
            None => {
                exchange.inbound = Some(header.ox_id);
                self.inbound.insert(header.s_id, header.ox_id, place);
                Ok(place)
            }
        }
    }

    /// Tells of the end of an exchange, lets it send, or forgets it.
    fn settle(&mut self, place: u16) {
        let Some(exchange) = self.table.get_mut(place) else { return };
        if let Some(outcome) = exchange.end.poll_outcome() {
            let data = exchange.end.take_read_data();
            let tag = exchange.tag;
            if let Some(window) = exchange.end.window() {
                let target = &exchange.target;
                let path = (target.d_id, target.channel_image, target.control_unit_image);
                self.pacing.remember(path, target.login.initial_pacing, window);
            }
            exchange.was_given_up |=
                matches!(outcome, ChannelOutcome::InterfaceControlCheck(_) | ChannelOutcome::Cancelled);
            let is_settled = exchange.end.is_settled();
            let Target { device, number, .. } = exchange.target;
            self.ends.push_back(ExchangeEnd { tag, device, number, is_settled, outcome, data });
        }
        if matches!(exchange.end, ChannelEnd::Transport(_)) && exchange.end.is_closed() {
            // The rest of a burst is not wanted any more; in command mode an answer to the status follows it.
            exchange.was_given_up |= exchange.outgoing.is_sending();
            exchange.outgoing.give_up();
        }
        let sends = exchange.outgoing.is_sending() || exchange.end.has_transmit();
        if sends {
            self.turns.add(place);
        } else if exchange.end.is_closed() {
            if let Some(ox_id) = exchange.inbound {
                self.inbound.remove(exchange.target.d_id, ox_id, place);
            }
            self.operations.remove_key(operation(exchange.target.d_id, &exchange.address), place);
            let was_given_up = exchange.was_given_up;
            self.table.remove(place, was_given_up);
        }
    }
}

/// Gives a whole sequence to its exchange.
fn take_sequence(exchange: &mut Exchange, now: Time, sequence: Sequence<'_>) {
    match sequence.read(exchange.address, |offset, bytes| exchange.end.data_part(offset, bytes)) {
        Ok(iu) if iu.address == exchange.address => {
            if iu.kind().is_recovery() {
                exchange.outgoing.give_up();
            }
            exchange.end.receive(now, iu);
        }
        Ok(_) => exchange.end.handle_damaged(now, Cause::Protocol),
        Err(error) => exchange.end.handle_damaged(now, Cause::of_parse_error(&error)),
    }
}

/// Returns the key of an operation for an index: two that are open at once have the same only where channel and control-unit
/// images are exchanged, and then the second is not started.
fn operation(control_unit: u32, address: &Address) -> u64 {
    let images = address.channel_image.rotate_left(4) ^ address.control_unit_image;
    u64::from(control_unit) << 40
        | u64::from(address.token) << 16
        | u64::from(address.device) << 8
        | u64::from(images)
}
