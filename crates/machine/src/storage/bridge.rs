//! The bridge in an ESCON director in time: FICON from the channel, a circuit to the control unit for each I/O.
//!
//! ```text
//! first command ─► connect ─ port busy ─► held at the bridge, what follows it too ─ port free ─┐
//!                     ▼                                                                        ▼
//!                 connected ◄──────────────────────────────────────────────────────────────────┘
//!                     ▼
//!                 interlocks of each CCW ─► data, status ─► released
//! ```
//!
//! The channel is told nothing of ports that are busy: the bridge has taken its command and holds it.

use halftrack_engine::{SimDuration, SimTime};

use super::StorageState;
use crate::events::event::StorageEvent;
use crate::events::message::Transit;
use crate::fabric::group::Cargo;
use crate::fabric::link::Launched;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// Interlocks of a CCW: its command, and its status.
const INTERLOCKS_OF_A_CCW: u64 = 2;

impl StorageState {
    /// Holds what came for an exchange whose ports are another's.
    #[cold]
    pub(super) fn hold_at_bridge(&mut self, mut transit: Transit) {
        transit.parcel.tail_lag = SimDuration::ZERO;
        let slot = self.context.fibres.transits_mut().put(transit);
        self.at_bridges.push(slot);
    }

    /// True while the first command of exchange `slot` is held.
    #[cold]
    pub(super) fn is_held_at_bridge(&self, slot: u32) -> bool {
        self.at_bridges
            .iter()
            .any(|held| self.context.fibres.transits()[*held].parcel.envelope.exchange == slot)
    }

    /// Ports have come free: the commands held that find theirs free have them now, the oldest first.
    #[cold]
    pub(super) fn let_go_of_bridges(&mut self, w: &Wiring) {
        for at in 0..self.at_bridges.len() {
            let transit = self.at_bridges[at];
            let parcel = &self.context.fibres.transits()[transit].parcel;
            let (path, exchange, opens) = (parcel.envelope.path, parcel.envelope.exchange, parcel.opens);
            let port = w.paths[path as usize].port as usize;
            // Which has its ports already is about to go on.
            let waits = opens && !self.circuits.holds(w.circuits.of(path), exchange);
            if waits && self.ports[port].reconnecting == 0 && self.joins(w, path, exchange) {
                let order = self.ports[port].sequencer.next();
                self.context.push(self.context.now, order, StorageEvent::Bridged { transit });
            }
        }
    }

    /// The last that exchange `slot` sends is under way: its ports are free when the bridge has it.
    #[cold]
    pub(super) fn release_behind_bridge(&mut self, path: &PathWire, slot: u32, launched: &Launched) {
        let order = self.ports[path.port as usize].sequencer.next();
        let at = launched.at + launched.tail_lag;
        self.context.push(at, order, StorageEvent::Released { exchange: slot });
    }

    /// The first command in the slot `transit` has its ports: it goes on, and what has come behind it.
    #[cold]
    pub(super) fn on_bridged(&mut self, w: &Wiring, transit: u32) {
        let envelope = self.context.fibres.transits()[transit].parcel.envelope;
        let is_lost = envelope.epoch != self.epochs[w.paths[envelope.path as usize].channel as usize];
        let held = std::mem::take(&mut self.at_bridges);
        let (own, others) = held.into_iter().partition(|slot| {
            self.context.fibres.transits()[*slot].parcel.envelope.exchange == envelope.exchange
        });
        self.at_bridges = others;
        let own: Vec<u32> = own;
        for slot in own {
            let transit = self.context.fibres.take(slot);
            if !is_lost {
                self.admit(w, transit, None);
            } else if transit.parcel.opens {
                self.release_circuit(w, envelope.path, envelope.exchange);
                self.tell_closed(w, envelope.exchange, envelope.path);
            }
        }
    }
}

/// When what has arrived over `path` and would be `ready` has been said to the control unit: for each CCW its interlocks,
/// of which the trip of the FICON units themselves is one.
#[cold]
pub(super) fn after_dialogue(w: &Wiring, path: &PathWire, cargo: &Cargo, ready: SimTime) -> SimTime {
    let bridge = w.configuration.channels[path.channel as usize].hardware.bridge;
    let interlocks = INTERLOCKS_OF_A_CCW * u64::from(cargo.commands(w));
    let Some((bridge, more)) = bridge.zip(interlocks.checked_sub(1)) else { return ready };
    ready + bridge.interlock * interlocks + escon_round_trip(w, path) * more
}

/// Time of an answer without data between a bridge and the port of `path`, there and back.
pub(super) fn escon_round_trip(w: &Wiring, path: &PathWire) -> SimDuration {
    let (outbound, inbound) = (path.outbound.range(), path.inbound.range());
    let behind = w.hops[outbound].iter().skip(1).chain(w.hops[inbound].iter().rev().skip(1));
    let links = behind.map(|hop| &w.configuration.links[hop.link as usize]);
    links.map(|link| link.propagation + link.forward_latency).sum()
}
