//! All open exchanges of one host-adapter port.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use halftrack_base::Time;
use halftrack_program::Protocol;
use halftrack_wire::choices::CONTROL_UNIT_EXCHANGES;
use halftrack_wire::command_iu::CommandIuView;
use halftrack_wire::fc_header::{FcHeader, FrameControl, fc_type, routing};
use halftrack_wire::heading::FromSide;
use halftrack_wire::{Address, FcFrame, IuKind, ParseError, StartNumber};

use super::buffers::Buffers;
use super::discard::Discard;
use super::held_data::{HeldData, stated_bytes};
use super::open_index::OpenIndex;
use super::open_port::{self, Port, in_frames_of};
use super::outgoing::Outgoing;
use super::role::{Role, Serve};
use super::table::OPEN_EXCHANGES_MAX;
use super::units::{DeviceSlot, Opened, Start, Units};
use crate::control_unit_end::ControlUnitEnd;
use crate::device::Device;
use crate::end::{FramedEnd, Identity};
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::sequence::Sequence;
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

/// State of an exchange that a control unit keeps beside the machine.
#[derive(Debug)]
pub struct Opening {
    peer: u32,
    /// The channel's exchange id.
    ox_id: u16,
    /// No IU has been given to the machine.
    is_fresh: bool,
    /// There was no room for it: it is answered busy.
    is_beyond_limit: bool,
    /// Octets of its data that it has room for.
    held_bytes: u32,
}

impl Opening {
    /// Returns the address of the channel's port.
    pub(super) fn peer(&self) -> u32 {
        self.peer
    }
}

type Exchange<D> = open_port::Exchange<ControlUnitRole<D>>;

/// Role of a host-adapter port.
#[derive(Debug)]
pub struct ControlUnitRole<D> {
    limit: usize,
    /// Exchanges by the channel's address and exchange id.
    index: OpenIndex,
    logins: BTreeMap<u32, Login>,
    counts: PortCounts,
    held: HeldData,
    devices: PhantomData<D>,
}

/// All open exchanges of one host-adapter port.
pub type ControlUnitPort<D> = Port<ControlUnitRole<D>>;

impl<D: Device + fmt::Debug> ControlUnitPort<D> {
    /// Returns a port with room for this many open exchanges, 1 to [`OPEN_EXCHANGES_MAX`]; more are answered busy.
    #[must_use]
    pub fn new(open_exchanges: u16) -> ControlUnitPort<D> {
        let limit = open_exchanges.clamp(1, OPEN_EXCHANGES_MAX);
        // An answer of busy is an exchange too, until the channel has accepted the status.
        let room = limit + limit / 4 + 8;
        let role = ControlUnitRole {
            limit: usize::from(limit),
            index: OpenIndex::new(usize::from(room)),
            logins: BTreeMap::new(),
            counts: PortCounts::default(),
            held: HeldData::default(),
            devices: PhantomData,
        };
        Port::with_room(role, room, 2 * usize::from(limit))
    }

    /// Notes that the port with address `peer` has logged in, or again with other values.
    pub fn log_in(&mut self, peer: u32, login: Login) {
        self.role.logins.insert(peer, login);
    }

    /// Gives up the exchanges of the port with address `peer`, which has logged out.
    pub fn log_out(&mut self, peer: u32, units: &mut impl Units<Device = D>) {
        self.role.logins.remove(&peer);
        self.cut_off(units, |exchange| exchange.state.peer == peer);
    }

    /// Returns how exchanges closed.
    #[must_use]
    pub fn counts(&self) -> PortCounts {
        self.role.counts
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
        self.take_frame(now, frame, units)
    }

    /// Ends the exchanges whose devices were withdrawn by newer starts.
    pub fn end_withdrawn(&mut self, now: Time, units: &mut impl Units<Device = D>) {
        self.for_each(units, |exchange| end_if_withdrawn(exchange, now));
    }

    /// Presents the endings that were withheld and whose waits are over, in the order in which they began to wait.
    pub fn end_waits(&mut self, now: Time, units: &mut impl Units<Device = D>) {
        let mut waits = Vec::new();
        let mut from = 0;
        while let Some(place) = self.table.next_open(from) {
            if let Some(exchange) = self.table.get_mut(place)
                && exchange.end.is_withholding()
            {
                waits.push((exchange.end.device().wait(), place));
            }
            from = place + 1;
        }
        waits.sort_unstable();
        for (_, place) in waits {
            if let Some(exchange) = self.table.get_mut(place) {
                exchange.end.poll_wait(now);
            }
            self.settle(place, units);
        }
    }

    /// Returns the time at which `handle_timeout` wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.timers_at
    }

    /// Checks the timers when they are due.
    pub fn handle_timeout(&mut self, now: Time, units: &mut impl Units<Device = D>) {
        self.check_timers(now, units);
    }

    /// Ends every exchange, because the link is gone: nothing is left to be sent, and nobody is logged in.
    pub fn handle_link_down(&mut self, units: &mut impl Units<Device = D>) {
        self.role.logins.clear();
        self.cut_off_all(units);
    }

    /// Returns the place of the exchange that a channel opened.
    pub(super) fn place_of_peer(&self, peer: u32, ox_id: u16) -> Option<u16> {
        self.role.index.get(peer, ox_id)
    }

    /// Returns the exchange to which a frame belongs; a command opens its own, and so does its withdrawal.
    fn find_or_open(
        &mut self,
        now: Time,
        frame: &FcFrame<'_>,
        units: &mut impl Units<Device = D>,
    ) -> Result<u16, Discard> {
        let header = &frame.header;
        let FcHeader { s_id, ox_id, fc_type, r_ctl, .. } = *header;
        let Some(&login) = self.role.logins.get(&s_id) else { return Err(Discard::NotLoggedIn { s_id }) };
        if !matches!(fc_type, fc_type::SB_CHANNEL | fc_type::FCP | fc_type::BASIC_LINK_SERVICE) {
            return Err(Discard::Kind { fc_type, r_ctl });
        }
        let noted = self.role.index.get(s_id, ox_id);
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
        let address = match opening(frame) {
            Err(Discard::Opening(error)) if header.f_ctl.has(FrameControl::FIRST_SEQUENCE) => {
                self.abort_unread(now, header, &login, error, units)?;
                return Err(Discard::Opening(error));
            }
            address => address?,
        };
        let protocol = if fc_type == fc_type::SB_CHANNEL { Protocol::Command } else { Protocol::Transport };
        self.open_exchange(now, header, address, protocol, &login)
    }

    /// Aborts the exchange that a frame would open whose IU cannot be read: not even the device address is believed.
    fn abort_unread(
        &mut self,
        now: Time,
        header: &FcHeader,
        login: &Login,
        error: ParseError,
        units: &mut impl Units<Device = D>,
    ) -> Result<(), Discard> {
        let address = Address { token: u32::from(header.ox_id), ..Address::default() };
        let place = self.open_exchange(now, header, address, Protocol::Transport, login)?;
        if let Some(exchange) = self.table.get_mut(place)
            && let ControlUnitEnd::Transport(machine) = &mut exchange.end
        {
            exchange.state.is_fresh = false;
            machine.abort(Cause::of_parse_error(&error));
        }
        self.settle(place, units);
        Ok(())
    }

    fn open_exchange(
        &mut self,
        now: Time,
        header: &FcHeader,
        address: Address,
        protocol: Protocol,
        login: &Login,
    ) -> Result<u16, Discard> {
        let is_beyond_limit = self.table.open() >= self.role.limit;
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
            let end = ControlUnitEnd::open(DeviceSlot(None), protocol, Delay::None, login, identity, now);
            let outgoing =
                Outgoing::new(FromSide::ControlUnit, ids, own_id, login.frame_payload_bytes).answering(ox_id);
            let state = Opening { peer, ox_id, is_fresh: true, is_beyond_limit, held_bytes: 0 };
            Exchange::new(end, outgoing, address, state)
        });
        let place = place.ok_or(Discard::Full)?;
        self.role.index.insert(peer, ox_id, place);
        self.run_timers(now);
        Ok(place)
    }
}

impl<D: Device + fmt::Debug> Role for ControlUnitRole<D> {
    type End = ControlUnitEnd<DeviceSlot<D>>;
    type State = Opening;

    const OPENS: bool = false;

    fn forget(&mut self, exchange: &mut Exchange<D>, place: u16) -> bool {
        let outcome = exchange.end.take_outcome();
        outcome.iter().for_each(ControlUnitOutcome::count);
        let count = match outcome {
            Some(ControlUnitOutcome::Completed) => &mut self.counts.completed,
            Some(ControlUnitOutcome::Refused) => &mut self.counts.refused,
            Some(ControlUnitOutcome::Abandoned(_)) | None => &mut self.counts.abandoned,
        };
        *count += 1;
        self.index.remove(exchange.state.peer, exchange.state.ox_id, place);
        self.held.give_back(exchange.state.peer, exchange.state.held_bytes);
        matches!(outcome, Some(ControlUnitOutcome::Abandoned(_)) | None)
    }
}

impl<U: Units> Serve<U> for ControlUnitRole<U::Device> {
    fn place_of(
        port: &mut Port<Self>,
        now: Time,
        frame: &FcFrame<'_>,
        units: &mut U,
    ) -> Result<u16, Discard> {
        let place = port.find_or_open(now, frame, units)?;
        if let Some(exchange) = port.table.get_mut(place) {
            end_if_withdrawn(exchange, now);
        }
        Ok(place)
    }

    fn take_sequence(
        &mut self,
        exchange: &mut Exchange<U::Device>,
        now: Time,
        sequence: Sequence<'_>,
        buffers: &mut Buffers,
        units: &mut U,
    ) -> Result<(), Discard> {
        let iu = match sequence.read(exchange.address, |offset, bytes| exchange.end.data_part(offset, bytes))
        {
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
        let is_start = !kind.is_recovery() && kind != IuKind::RequestStatus;
        let is_fresh = std::mem::take(&mut exchange.state.is_fresh);
        if is_fresh && is_start {
            self.hold_data(exchange, stated_bytes(&iu));
            open_unit(exchange, now, &iu.address, units, buffers)?;
        } else if is_fresh && kind == IuKind::SelectiveReset {
            units.reset(&start(exchange.state.peer, now, &iu.address));
        }
        if kind.is_recovery() {
            exchange.outgoing.give_up();
        }
        exchange.end.receive(now, iu);
        buffers.give(exchange.end.take_spare());
        Ok(())
    }

    /// Gives the device back of an exchange that is over.
    fn conclude(&mut self, exchange: &mut Exchange<U::Device>, units: &mut U) {
        if !exchange.end.needs_device()
            && let Some(device) = exchange.end.device_mut().0.take()
        {
            units.close(device);
        }
    }
}

impl<D> ControlUnitRole<D> {
    /// Takes room for the data of an exchange, or has it answered busy.
    fn hold_data(&mut self, exchange: &mut Exchange<D>, bytes: u32)
    where
        D: Device + fmt::Debug,
    {
        if bytes == 0 || exchange.state.is_beyond_limit {
            return;
        }
        if self.held.take(exchange.state.peer, bytes) {
            exchange.state.held_bytes = bytes;
        } else {
            exchange.state.is_beyond_limit = true;
        }
    }
}

/// Returns true when a frame begins another exchange with the id of this one.
fn is_followed_by<D: Device + fmt::Debug>(exchange: &Exchange<D>, frame: &FcFrame<'_>) -> bool {
    let header = &frame.header;
    if header.seq_cnt != 0 || exchange.state.is_fresh {
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
    // No IU of a control unit has an address of its own in transport mode.
    let nobody = Address { token: u32::from(header.ox_id), ..Address::default() };
    match (header.fc_type, header.r_ctl) {
        (fc_type::SB_CHANNEL, _) => {
            let view = CommandIuView::new(frame.payload).map_err(Discard::Opening)?;
            view.check_lrc().map_err(Discard::Opening)?;
            match view.dib().map_err(Discard::Opening)?.kind() {
                IuKind::Command
                | IuKind::CommandData
                | IuKind::Cancel
                | IuKind::RequestStatus
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
fn end_if_withdrawn<D: Device + fmt::Debug>(exchange: &mut Exchange<D>, now: Time) {
    let device = &mut exchange.end.device_mut().0;
    if device.as_ref().is_some_and(D::is_withdrawn) {
        *device = None;
        exchange.outgoing.give_up();
        exchange.end.supersede(now);
    }
}

/// Returns the start by which a channel opens an exchange.
const fn start(peer: u32, now: Time, address: &Address) -> Start {
    let &Address { channel_image, control_unit_image, device, token } = address;
    let number = StartNumber::new(token);
    Start { peer, channel_image, control_unit_image, device, number, now }
}

/// Gets the device of an exchange, or the answer that there is none.
fn open_unit<U: Units>(
    exchange: &mut Exchange<U::Device>,
    now: Time,
    address: &Address,
    units: &mut U,
    buffers: &mut Buffers,
) -> Result<(), Discard> {
    if exchange.state.is_beyond_limit {
        exchange.end.answer_busy(BusyKind::ControlUnit);
        return Ok(());
    }
    match units.open(&start(exchange.state.peer, now, address)) {
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
