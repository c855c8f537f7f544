//! All open exchanges of one channel path.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_program::Protocol;
use halftrack_wire::command_iu::CommandIuView;
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::heading::FromSide;
use halftrack_wire::{Address, FcFrame, StartNumber};

use super::buffers::Buffers;
use super::discard::Discard;
use super::open_index::OpenIndex;
use super::open_port::{self, Port, in_frames_of};
use super::outgoing::Outgoing;
use super::path_pacing::PathPacing;
use super::role::{Role, Serve};
use super::table::{Found, OPEN_EXCHANGES_MAX};
use crate::channel_end::ChannelEnd;
use crate::end::{End, FramedEnd, Identity};
use crate::outcome::{Cause, ChannelOutcome};
use crate::plan::Login;
use crate::program::Program;
use crate::sequence::Sequence;

/// Bits of an exchange's number that are its exchange id.
const OX_ID: u32 = 0xFFFF;

/// Destination of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Address of the channel's port.
    pub s_id: u32,
    /// Address of the control unit's port.
    pub d_id: u32,
    /// Values of the login of the two.
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
    /// Tag with which it was started.
    pub tag: u32,
    /// Device (unit) address.
    pub device: u8,
    /// Number of the start.
    pub number: StartNumber,
    /// The control unit is known to have ended the exchange too: it answered, or nothing was sent to it. Otherwise something
    /// of the start may still be on its way.
    pub is_settled: bool,
    /// How it closed.
    pub outcome: ChannelOutcome,
    /// Data read. Give it back with [`ChannelPort::recycle`] when it is used.
    pub data: Vec<u8>,
}

/// State of an exchange that a channel keeps beside the machine.
#[derive(Debug)]
pub struct Started {
    tag: u32,
    target: Target,
    /// The control unit's exchange id, in command mode, when its first frame has come.
    inbound: Option<u16>,
    /// It was not brought to its end: frames of it may come yet, and its id rests.
    was_given_up: bool,
}

impl Started {
    /// Returns the address of the control unit's port.
    pub(super) fn peer(&self) -> u32 {
        self.target.d_id
    }
}

type Exchange = open_port::Exchange<ChannelRole>;

/// Role of a channel path's port.
#[derive(Debug)]
pub struct ChannelRole {
    limit: usize,
    /// Exchanges by the address and token of a control unit's answer in command mode.
    operations: OpenIndex,
    /// Exchanges that control units opened, in command mode.
    inbound: OpenIndex,
    ends: VecDeque<ExchangeEnd>,
    pacing: PathPacing,
}

/// All open exchanges of one channel path.
pub type ChannelPort = Port<ChannelRole>;

impl ChannelPort {
    /// Returns a port with room for this many open exchanges, 1 to [`OPEN_EXCHANGES_MAX`].
    #[must_use]
    pub fn new(open_exchanges: u16) -> ChannelPort {
        let room = open_exchanges.clamp(1, OPEN_EXCHANGES_MAX);
        let limit = usize::from(room);
        let role = ChannelRole {
            limit,
            operations: OpenIndex::new(limit),
            inbound: OpenIndex::new(limit),
            ends: VecDeque::with_capacity(limit),
            pacing: PathPacing::default(),
        };
        Port::with_room(role, room, 2 * limit)
    }

    /// Returns true when a program can be started: there is room, the ends of others have been taken, and not all exchange ids rest.
    #[must_use]
    pub fn can_start(&self) -> bool {
        self.table.has_room() && self.role.ends.len() < self.role.limit
    }

    /// Starts a program; its end comes with `tag`. False, and nothing is started, unless [`ChannelPort::can_start`], or
    /// where an exchange of this very start is open, and for a SCSI command: it is not of this port.
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
        if !self.can_start() || self.role.operations.get_key(operation).is_some() {
            return false;
        }
        let path = (target.d_id, target.channel_image, target.control_unit_image);
        let (protocol, initial_pacing) = match program {
            Program::Command(_) => {
                (Protocol::Command, self.role.pacing.window(path, target.login.initial_pacing))
            }
            Program::Transport(_) => (Protocol::Transport, target.login.initial_pacing),
            Program::Scsi(_) => return false,
        };
        let login = Login { initial_pacing, ..in_frames_of(protocol, &target.login) };
        let place = self.table.insert(now, |number| {
            let ids = (target.s_id, target.d_id);
            let end = ChannelEnd::new(program, &login, identity, now);
            let outgoing = Outgoing::new(FromSide::Channel, ids, number as u16, login.frame_payload_bytes);
            let target = Target { login, ..*target };
            let state = Started { tag, target, inbound: None, was_given_up: false };
            Exchange::new(end, outgoing, identity.into(), state)
        });
        if let Some(place) = place {
            self.role.operations.insert_key(operation, place);
            self.turns.add(place);
            self.run_timers(now);
        }
        place.is_some()
    }

    /// Takes a frame: device-level SB, transport mode, or basic link service.
    ///
    /// # Errors
    /// Why it had no effect.
    pub fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>) -> Result<(), Discard> {
        self.take_frame(now, frame, &mut ())
    }

    /// Returns how the next exchange ended.
    pub fn poll_end(&mut self) -> Option<ExchangeEnd> {
        self.role.ends.pop_front()
    }

    /// Takes back the buffer of an [`ExchangeEnd`], for data read later.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.buffers.give(buffer);
    }

    /// Withdraws the program that was started with `tag`.
    pub fn cancel(&mut self, tag: u32, now: Time) {
        self.for_each(&mut (), |exchange| {
            if exchange.state.tag == tag && !exchange.end.is_closed() {
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

    /// Checks the timers when they are due.
    pub fn handle_timeout(&mut self, now: Time) {
        self.check_timers(now, &mut ());
    }

    /// Shortens the wait for the next IUs of the open exchanges to this: the path had stalled, so that frames may be lost.
    pub fn hasten(&mut self, now: Time, span_us: u64) {
        self.for_each(&mut (), |exchange| exchange.end.hasten(now, span_us));
    }

    /// Ends every exchange, because the link is gone; nothing is left to be sent.
    pub fn handle_link_down(&mut self) {
        self.cut_off_all(&mut ());
        self.role.pacing = PathPacing::default();
    }

    /// Ends the exchanges with the control unit's port at address `peer`, which has logged out or was lost.
    pub fn handle_peer_gone(&mut self, peer: u32) {
        self.cut_off(&mut (), |exchange| exchange.state.target.d_id == peer);
        self.role.pacing.forget(peer);
    }

    /// Returns the place of the exchange that a control unit opened.
    pub(super) fn inbound_place(&self, peer: u32, ox_id: u16) -> Option<u16> {
        self.role.inbound.get(peer, ox_id)
    }

    /// Returns the exchange to which a frame belongs.
    fn find(&mut self, frame: &FcFrame<'_>) -> Result<u16, Discard> {
        let header = &frame.header;
        let place = match header.fc_type {
            fc_type::FCP | fc_type::BASIC_LINK_SERVICE => self.table.find(u32::from(header.ox_id), OX_ID),
            fc_type::SB_CONTROL_UNIT if header.seq_cnt == 0 => return self.place_of_iu(frame),
            fc_type::SB_CONTROL_UNIT => {
                return self.role.inbound.get(header.s_id, header.ox_id).ok_or(Discard::NoExchange);
            }
            fc_type => return Err(Discard::Kind { fc_type, r_ctl: header.r_ctl }),
        };
        match place {
            Found::Place(place) => Ok(place),
            Found::Over => Err(Discard::OldExchange),
            Found::Nothing => Err(Discard::NoExchange),
        }
    }

    /// Returns the exchange of the first frame of a command-mode IU: address and token identify the exchange pair.
    fn place_of_iu(&mut self, frame: &FcFrame<'_>) -> Result<u16, Discard> {
        let header = &frame.header;
        let noted = self.role.inbound.get(header.s_id, header.ox_id);
        let view = CommandIuView::new(frame.payload);
        let address = match view.and_then(|view| view.check_lrc().map(|()| view.address())) {
            Ok(address) => address,
            // The exchange id alone identifies an IU whose overhead cannot be read.
            Err(error) => return noted.ok_or(Discard::Opening(error)),
        };
        let operation = operation(header.s_id, &address);
        let Some(place) = self.role.operations.get_key(operation) else {
            return noted.ok_or(Discard::NoExchange);
        };
        let Some(exchange) = self.table.get_mut(place) else { return Err(Discard::NoExchange) };
        if exchange.state.target.d_id != header.s_id {
            return Err(Discard::Stranger { s_id: header.s_id });
        }
        match exchange.state.inbound {
            Some(ox_id) if ox_id == header.ox_id => Ok(place),
            // The control unit has one exchange for all IUs of an operation.
            Some(_) => noted.ok_or(Discard::NoExchange),
            None if exchange.address != address => noted.ok_or(Discard::NoExchange),
            None => {
                exchange.state.inbound = Some(header.ox_id);
                self.role.inbound.insert(header.s_id, header.ox_id, place);
                Ok(place)
            }
        }
    }
}

impl Role for ChannelRole {
    type End = ChannelEnd;
    type State = Started;

    const OPENS: bool = true;

    fn forget(&mut self, exchange: &mut Exchange, place: u16) -> bool {
        let Started { target, inbound, was_given_up, .. } = &exchange.state;
        if let Some(ox_id) = inbound {
            self.inbound.remove(target.d_id, *ox_id, place);
        }
        self.operations.remove_key(operation(target.d_id, &exchange.address), place);
        *was_given_up
    }
}

impl Serve<()> for ChannelRole {
    fn place_of(
        port: &mut ChannelPort,
        _now: Time,
        frame: &FcFrame<'_>,
        _units: &mut (),
    ) -> Result<u16, Discard> {
        let place = port.find(frame)?;
        let s_id = frame.header.s_id;
        match port.table.get_mut(place) {
            Some(exchange) if exchange.state.target.d_id == s_id => Ok(place),
            Some(_) => Err(Discard::Stranger { s_id }),
            None => Err(Discard::NoExchange),
        }
    }

    fn take_sequence(
        &mut self,
        exchange: &mut Exchange,
        now: Time,
        sequence: Sequence<'_>,
        buffers: &mut Buffers,
        _units: &mut (),
    ) -> Result<(), Discard> {
        match sequence.read(exchange.address, |offset, bytes| exchange.end.data_part(offset, bytes)) {
            Ok(iu) if iu.address == exchange.address => {
                if iu.kind().is_recovery() {
                    exchange.outgoing.give_up();
                }
                exchange.end.receive(now, iu);
                buffers.give(exchange.end.take_spare());
            }
            Ok(_) => exchange.end.handle_damaged(now, Cause::Protocol),
            Err(error) => exchange.end.handle_damaged(now, Cause::of_parse_error(&error)),
        }
        Ok(())
    }

    fn conclude(&mut self, exchange: &mut Exchange, _units: &mut ()) {
        if let Some(outcome) = exchange.end.poll_outcome() {
            outcome.count();
            let data = exchange.end.take_read_data();
            let Started { tag, target, was_given_up, .. } = &mut exchange.state;
            if let Some(window) = exchange.end.window() {
                let path = (target.d_id, target.channel_image, target.control_unit_image);
                self.pacing.remember(path, target.login.initial_pacing, window);
            }
            *was_given_up |=
                matches!(outcome, ChannelOutcome::InterfaceControlCheck(_) | ChannelOutcome::Cancelled);
            let is_settled = exchange.end.is_settled();
            let Target { device, number, .. } = *target;
            self.ends.push_back(ExchangeEnd { tag: *tag, device, number, is_settled, outcome, data });
        }
        if matches!(exchange.end, ChannelEnd::Transport(_)) && exchange.end.is_closed() {
            // The rest of a burst is not wanted any more; in command mode an answer to the status follows it.
            exchange.state.was_given_up |= exchange.outgoing.is_sending();
            exchange.outgoing.give_up();
        }
    }
}

/// Returns the key of an operation for an index. Two that are open at once have one key only where channel and
/// control-unit images are exchanged, and then the second is not started.
fn operation(control_unit: u32, address: &Address) -> u64 {
    let images = address.channel_image.rotate_left(4) ^ address.control_unit_image;
    u64::from(control_unit) << 40
        | u64::from(address.token) << 16
        | u64::from(address.device) << 8
        | u64::from(images)
}
