//! All open exchanges of one host-adapter port.

use std::collections::BTreeMap;

use halftrack_base::Time;
use halftrack_program::Protocol;
use halftrack_wire::choices::CONTROL_UNIT_EXCHANGES;
use halftrack_wire::command_iu::CommandIuView;
use halftrack_wire::fc_header::{FcHeader, FrameControl, fc_type, routing};
use halftrack_wire::heading::FromSide;
use halftrack_wire::{Address, FcFrame, FrameSink, IuKind, StartNumber};

use super::buffers::Buffers;
use super::discard::Discard;
use super::open_index::OpenIndex;
use super::outgoing::Outgoing;
use super::table::{OPEN_EXCHANGES_MAX, Table};
use super::turns::Turns;
use super::units::{Lent, Opened, Start, Units};
use super::{TIMER_STEP, in_frames_of};
use crate::control_unit_end::ControlUnitEnd;
use crate::device::Device;
use crate::end::{FramedEnd, Identity};
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::sequence::{Received, Sequence, SequenceFault, SequenceReceiver, most_bytes};
use crate::step::Delay;

/// How the exchanges of a [`ControlUnitPort`] closed since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortCounts {
    /// Programs that ended, with whatever status.
    pub completed: u64,
    /// Programs that were answered busy or with address exception.
    pub refused: u64,
    /// Exchanges that were given up.
    pub abandoned: u64,
}

#[derive(Debug)]
struct Exchange<D> {
    end: ControlUnitEnd<Lent<D>>,
    outgoing: Outgoing,
    receiver: SequenceReceiver,
    address: Address,
    peer: u32,
    /// The channel's exchange id.
    ox_id: u16,
    /// No IU has been given to the machine.
    is_fresh: bool,
    /// There was no room for it: it is answered busy.
    is_beyond_limit: bool,
    /// A frame was sent or received since the timers were looked at.
    moved: bool,
}

/// All open exchanges of one host-adapter port.
#[derive(Debug)]
pub struct ControlUnitPort<D> {
    limit: usize,
    table: Table<Exchange<D>>,
    /// Exchanges by the channel's address and exchange id.
    index: OpenIndex,
    turns: Turns,
    buffers: Buffers,
    logins: BTreeMap<u32, Login>,
    counts: PortCounts,
    timers_at: Option<Time>,
}

impl<D: Device> ControlUnitPort<D> {
    /// Returns a port with room for this many open exchanges, 1 to [`OPEN_EXCHANGES_MAX`]; what comes beyond is answered busy.
    #[must_use]
    pub fn new(open_exchanges: u16) -> ControlUnitPort<D> {
        let limit = open_exchanges.clamp(1, OPEN_EXCHANGES_MAX);
        // An answer of busy is an exchange too, until the channel has accepted the status.
        let room = limit + limit / 4 + 8;
        ControlUnitPort {
            limit: usize::from(limit),
            table: Table::new(room),
            index: OpenIndex::new(usize::from(room)),
            turns: Turns::new(usize::from(room)),
            buffers: Buffers::new(2 * usize::from(limit)),
            logins: BTreeMap::new(),
            counts: PortCounts::default(),
            timers_at: None,
        }
    }

    /// The port with address `peer` has logged in, or again with other values.
    pub fn log_in(&mut self, peer: u32, login: Login) {
        self.logins.insert(peer, login);
    }

    /// The port with address `peer` has logged out: its exchanges are given up.
    pub fn log_out(&mut self, peer: u32, units: &mut impl Units<Device = D>) {
        self.logins.remove(&peer);
        self.for_each(units, |exchange| {
            if exchange.peer == peer {
                exchange.outgoing.give_up();
                exchange.end.link_down();
            }
        });
    }

    /// Returns the exchanges that are open, answers of busy included.
    #[must_use]
    pub fn open(&self) -> usize {
        self.table.open()
    }

    /// Returns how exchanges closed.
    #[must_use]
    pub fn counts(&self) -> PortCounts {
        self.counts
    }

    /// Takes a frame: device-level SB, transport mode, or basic link service.
    ///
    /// # Errors
    /// Why it had no effect.
    pub fn handle_frame(
        &mut self,
        now: Time,
        frame: &FcFrame<'_>,
        units: &mut impl Units<Device = D>,
    ) -> Result<(), Discard> {
        let place = self.place_of(now, frame, units)?;
        let Some(exchange) = self.table.get_mut(place) else { return Err(Discard::NoExchange) };
        end_if_withdrawn(exchange, now);
        let most_bytes = most_bytes(&frame.header, || exchange.end.data_room());
        if exchange.receiver.is_interrupted_by(frame) {
            exchange.end.handle_damaged(now, Cause::Length);
        }
        if exchange.receiver.wants_buffer(frame) {
            exchange.receiver.lend(self.buffers.take());
        }
        let received = exchange.receiver.take(frame, most_bytes);
        exchange.moved |= received.is_ok();
        let taken = match received {
            Ok(Received::More) => return Ok(()),
            Ok(Received::Whole(sequence)) => take_sequence(exchange, now, sequence, units, &mut self.buffers),
            Err(SequenceFault::GivenUp) => return Err(SequenceFault::GivenUp.into()),
            Err(_) => {
                exchange.end.handle_damaged(now, Cause::Length);
                Ok(())
            }
        };
        self.settle(place, units);
        taken
    }

    /// Ends the exchanges whose devices were withdrawn by newer starts.
    pub fn end_withdrawn(&mut self, now: Time, units: &mut impl Units<Device = D>) {
        self.for_each(units, |exchange| end_if_withdrawn(exchange, now));
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
                self.finish(place);
                continue;
            }
            exchange.moved = true;
            let done = exchange.outgoing.send_frame(sink);
            if done.is_some() && !exchange.end.has_transmit() {
                self.turns.leave();
                self.finish(place);
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

    /// Returns the time at which `handle_timeout` wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.timers_at
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Time, units: &mut impl Units<Device = D>) {
        self.table.wake(now);
        if self.timers_at.is_none_or(|at| at > now) {
            return;
        }
        self.for_each(units, |exchange| {
            if std::mem::take(&mut exchange.moved) {
                exchange.end.handle_progress(now);
            } else if exchange.end.is_due(now) {
                exchange.outgoing.give_up();
                exchange.end.time_out(now);
            }
        });
        self.timers_at = (self.table.open() > 0).then(|| now.saturating_add(TIMER_STEP));
    }

    /// The link is gone: every exchange ends, nothing is left to be sent, and nobody is logged in.
    pub fn handle_link_down(&mut self, units: &mut impl Units<Device = D>) {
        self.logins.clear();
        self.for_each(units, |exchange| {
            exchange.outgoing.give_up();
            exchange.end.link_down();
        });
        self.turns.clear();
        self.timers_at = None;
    }

    /// Does something to every exchange, and what follows from it.
    fn for_each(&mut self, units: &mut impl Units<Device = D>, mut act: impl FnMut(&mut Exchange<D>)) {
        let mut from = 0;
        while let Some(place) = self.table.next_open(from) {
            if let Some(exchange) = self.table.get_mut(place) {
                act(exchange);
            }
            self.settle(place, units);
            from = place + 1;
        }
    }

    /// Returns the exchange to which a frame belongs; a command, or what withdraws one, opens its own.
    fn place_of(
        &mut self,
        now: Time,
        frame: &FcFrame<'_>,
        units: &mut impl Units<Device = D>,
    ) -> Result<u16, Discard> {
        let header = &frame.header;
        let FcHeader { s_id, ox_id, fc_type, r_ctl, .. } = *header;
        let Some(&login) = self.logins.get(&s_id) else { return Err(Discard::NotLoggedIn { s_id }) };
        if !matches!(fc_type, fc_type::SB_CHANNEL | fc_type::FCP | fc_type::BASIC_LINK_SERVICE) {
            return Err(Discard::Kind { fc_type, r_ctl });
        }
        let noted = self.index.get(s_id, ox_id);
        if let Some(place) = noted {
            let Some(exchange) = self.table.get_mut(place) else { return Err(Discard::NoExchange) };
            if !is_followed_by(exchange, frame) {
                return Ok(place);
            }
            // The channel has ended the exchange and uses its id again: the end of the old one was lost.
            exchange.outgoing.give_up();
            exchange.end.link_down();
            self.settle(place, units);
        }
        let address = opening(frame)?;
        let protocol = if fc_type == fc_type::SB_CHANNEL { Protocol::Command } else { Protocol::Transport };
        self.open_exchange(now, header, address, protocol, &login)
    }

    fn open_exchange(
        &mut self,
        now: Time,
        header: &FcHeader,
        address: Address,
        protocol: Protocol,
        login: &Login,
    ) -> Result<u16, Discard> {
        let is_beyond_limit = self.table.open() >= self.limit;
        let (peer, ox_id) = (header.s_id, header.ox_id);
        let login = &in_frames_of(protocol, login);
        let place = self.table.insert(now, |number| {
            let Address { channel_image, control_unit_image, device, token } = address;
            let identity = Identity { channel_image, control_unit_image, device, token };
            // In command mode the control unit answers in an exchange of its own.
            let own_id = match protocol {
                Protocol::Command => own_exchange(number),
                Protocol::Transport => ox_id,
            };
            let ids = (header.d_id, peer);
            Exchange {
                end: ControlUnitEnd::open(Lent(None), protocol, Delay::None, login, identity, now),
                outgoing: Outgoing::new(FromSide::ControlUnit, ids, own_id, login.frame_payload_bytes),
                receiver: SequenceReceiver::default(),
                address,
                peer,
                ox_id,
                is_fresh: true,
                is_beyond_limit,
                moved: false,
            }
        });
        let place = place.ok_or(Discard::Full)?;
        self.index.insert(peer, ox_id, place);
        self.timers_at.get_or_insert(now.saturating_add(TIMER_STEP));
        Ok(place)
    }

    /// Gives the device of an exchange back that needs it no more, lets the exchange send, or forgets it.
    fn settle(&mut self, place: u16, units: &mut impl Units<Device = D>) {
        let Some(exchange) = self.table.get_mut(place) else { return };
        if exchange.end.is_closed()
            && let Some(device) = exchange.end.device_mut().0.take()
        {
            units.close(device);
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
        if !exchange.end.is_closed() || exchange.outgoing.is_sending() || exchange.end.has_transmit() {
            return;
        }
        let outcome = exchange.end.take_outcome();
        let was_given_up = matches!(outcome, Some(ControlUnitOutcome::Abandoned(_)) | None);
        match outcome {
            Some(ControlUnitOutcome::Completed) => self.counts.completed += 1,
            Some(ControlUnitOutcome::Refused) => self.counts.refused += 1,
            Some(ControlUnitOutcome::Abandoned(_)) | None => self.counts.abandoned += 1,
        }
        self.index.remove(exchange.peer, exchange.ox_id, place);
        self.table.remove(place, was_given_up);
    }
}

/// Returns true when a frame begins another exchange with the id of this one.
fn is_followed_by<D: Device>(exchange: &Exchange<D>, frame: &FcFrame<'_>) -> bool {
    let header = &frame.header;
    if header.seq_cnt != 0 || exchange.is_fresh {
        return false;
    }
    match header.fc_type {
        fc_type::SB_CHANNEL => {
            let first = header.f_ctl.has(FrameControl::FIRST_SEQUENCE);
            first && opening(frame).is_ok_and(|address| address != exchange.address)
        }
        fc_type::FCP => header.r_ctl == routing::COMMAND && !exchange.end.is_closed(),
        _ => false,
    }
}

/// Returns the address of an exchange that a frame opens.
fn opening(frame: &FcFrame<'_>) -> Result<Address, Discard> {
    let header = &frame.header;
    if header.seq_cnt != 0 {
        return Err(Discard::NoExchange);
    }
    // Nothing that a control unit says in transport mode has an address of its own.
    let nobody = Address { token: u32::from(header.ox_id), ..Address::default() };
    match (header.fc_type, header.r_ctl) {
        (fc_type::SB_CHANNEL, _) => {
            let view = CommandIuView::new(frame.payload).map_err(Discard::Opening)?;
            view.check_lrc().map_err(Discard::Opening)?;
            match view.dib().map_err(Discard::Opening)?.kind() {
                IuKind::Command
                | IuKind::CommandData
                | IuKind::Cancel
                | IuKind::SystemReset
                | IuKind::SelectiveReset
                | IuKind::PurgePath => Ok(view.address()),
                _ => Err(Discard::NoExchange),
            }
        }
        (fc_type::FCP, routing::COMMAND) | (fc_type::BASIC_LINK_SERVICE, routing::ABTS) => Ok(nobody),
        _ => Err(Discard::NoExchange),
    }
}

/// Returns the id of the exchange in which a control unit answers: as far from the first of its ids as the table counts.
fn own_exchange(number: u32) -> u16 {
    CONTROL_UNIT_EXCHANGES.start() + number as u16
}

/// Ends an exchange whose device was withdrawn: what it still has to send but for its abort is not sent.
fn end_if_withdrawn<D: Device>(exchange: &mut Exchange<D>, now: Time) {
    let device = &mut exchange.end.device_mut().0;
    if device.as_ref().is_some_and(D::is_withdrawn) {
        *device = None;
        exchange.outgoing.give_up();
        exchange.end.supersede(now);
    }
}

/// Gives a whole sequence to its exchange, with the first the device.
fn take_sequence<U: Units>(
    exchange: &mut Exchange<U::Device>,
    now: Time,
    sequence: Sequence<'_>,
    units: &mut U,
    buffers: &mut Buffers,
) -> Result<(), Discard> {
    let iu = match sequence.read(exchange.address, |offset, bytes| exchange.end.data_part(offset, bytes)) {
        Ok(iu) => iu,
        Err(error) => {
            exchange.end.handle_damaged(now, Cause::of_parse_error(&error));
            return Ok(());
        }
    };
    let kind = iu.kind();
    if matches!(exchange.end, ControlUnitEnd::Command(_)) && iu.address != exchange.address {
        exchange.end.handle_damaged(now, Cause::Protocol);
        return Ok(());
    }
    if std::mem::take(&mut exchange.is_fresh) && !kind.is_recovery() {
        open_unit(exchange, now, &iu.address, units, buffers)?;
    }
    if kind.is_recovery() {
        exchange.outgoing.give_up();
    }
    exchange.end.receive(now, iu);
    Ok(())
}

/// Gets the device of an exchange, or the answer that there is none.
fn open_unit<U: Units>(
    exchange: &mut Exchange<U::Device>,
    now: Time,
    address: &Address,
    units: &mut U,
    buffers: &mut Buffers,
) -> Result<(), Discard> {
    if exchange.is_beyond_limit {
        exchange.end.answer_busy(BusyKind::ControlUnit);
        return Ok(());
    }
    let &Address { channel_image, control_unit_image, device, token } = address;
    let (peer, number) = (exchange.peer, StartNumber::new(token));
    match units.open(&Start { peer, channel_image, control_unit_image, device, number, now }) {
        Opened::Device(mut device) => {
            let mut buffer = buffers.take();
            device.lend(&mut buffer);
            buffers.give(buffer);
            exchange.end.device_mut().0 = Some(device);
        }
        Opened::AddressException => exchange.end.answer_address_exception(),
        Opened::Busy(kind) => exchange.end.answer_busy(kind),
        Opened::Active => exchange.end.answer_active(),
        Opened::Late => {
            exchange.end.discard();
            return Err(Discard::LateStart);
        }
    }
    Ok(())
}
