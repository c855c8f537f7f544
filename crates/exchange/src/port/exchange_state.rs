//! State of an open exchange, as REC requests it (FC-LS; recovery reference section 4.1).
//!
//! The channel opens every exchange of transport mode. In command mode each side has an exchange of its own, in which it
//! alone sends, so that an answer of the other names one of two.

use std::fmt;

use halftrack_wire::choices::CONTROL_UNIT_EXCHANGES;

use super::channel_port::ChannelPort;
use super::control_unit_port::ControlUnitPort;
use super::table::Found;
use crate::channel_end::ChannelEnd;
use crate::control_unit_end::ControlUnitEnd;
use crate::device::Device;

/// Bits of an exchange's number that are its exchange id.
const ID: u32 = 0xFFFF;

/// State of an exchange at one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeState {
    /// This end holds the sequence initiative.
    pub has_initiative: bool,
    /// The exchange is over at this end.
    pub is_complete: bool,
    /// Octets of data that this end has received in whole sequences.
    pub received_bytes: u32,
}

impl ExchangeState {
    /// Returns the state with the initiative as in one exchange of a pair: who opened it keeps it to the end.
    fn of_pair(self, is_pair: bool, is_own: bool) -> Self {
        if is_pair { Self { has_initiative: is_own, ..self } } else { self }
    }
}

impl ChannelPort {
    /// Returns the state of the exchange with `peer` that this end opened with this id, or the peer when not `is_own`.
    #[must_use]
    pub fn exchange_state(&mut self, peer: u32, ox_id: u16, is_own: bool) -> Option<ExchangeState> {
        let place = if is_own {
            match self.table.find(u32::from(ox_id), ID) {
                Found::Place(place) => place,
                Found::Over | Found::Nothing => return None,
            }
        } else {
            self.inbound_place(peer, ox_id)?
        };
        let exchange = self.table.get_mut(place)?;
        let is_pair = matches!(exchange.end, ChannelEnd::Command(_));
        (exchange.state.peer() == peer).then(|| exchange.recorded_state().of_pair(is_pair, is_own))
    }
}

impl<D: Device + fmt::Debug> ControlUnitPort<D> {
    /// Returns the state of the exchange with `peer` that this end opened with this id, or the peer when not `is_own`.
    #[must_use]
    pub fn exchange_state(&mut self, peer: u32, ox_id: u16, is_own: bool) -> Option<ExchangeState> {
        let place = if is_own {
            let number = ox_id.checked_sub(*CONTROL_UNIT_EXCHANGES.start())?;
            match self.table.find(u32::from(number), ID) {
                Found::Place(place) => place,
                Found::Over | Found::Nothing => return None,
            }
        } else {
            self.place_of_peer(peer, ox_id)?
        };
        let exchange = self.table.get_mut(place)?;
        let is_pair = matches!(exchange.end, ControlUnitEnd::Command(_));
        (exchange.state.peer() == peer).then(|| exchange.recorded_state().of_pair(is_pair, is_own))
    }
}
