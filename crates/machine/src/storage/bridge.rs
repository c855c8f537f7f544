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
//! The channel gets no notice of ports that are busy: the bridge has taken its command and holds it.

use halftrack_base::{Span, Time};

use super::circuit::Circuits;
use super::context::Context;
use super::port::Port;
use crate::events::cargo::Cargo;
use crate::events::event::StorageEvent;
use crate::events::message::Transit;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// Interlocks of a CCW: its command, and its status.
const INTERLOCKS_OF_A_CCW: u64 = 2;

impl Circuits {
    /// Holds what came for an exchange whose ports are another's.
    #[cold]
    pub(super) fn hold_at_bridge(&mut self, context: &mut Context, mut transit: Transit) {
        transit.parcel.tail_lag = Span::ZERO;
        self.at_bridges.push(context.put(transit));
    }

    /// Returns true while the first command of exchange `slot` is held.
    #[cold]
    pub(super) fn is_held_at_bridge(&self, context: &Context, slot: u32) -> bool {
        self.at_bridges.iter().any(|held| context.transit(*held).parcel.envelope.exchange == slot)
    }

    /// Lets go of the commands held that find their ports free, the oldest first.
    #[cold]
    pub(super) fn let_go_of_bridges(&mut self, context: &mut Context, w: &Wiring, ports: &mut [Port]) {
        for at in 0..self.at_bridges.len() {
            let transit = self.at_bridges[at];
            let parcel = &context.transit(transit).parcel;
            let (path, exchange, opens) = (parcel.envelope.path, parcel.envelope.exchange, parcel.opens);
            let port = &mut ports[w.paths[path as usize].port as usize];
            // Which has its ports already is about to go on.
            let waits = opens && !self.holds(w, path, exchange);
            if waits && !port.has_reconnecting() && self.try_join(context, w, port, (path, exchange)) {
                context.push(context.now(), port.sequencer.next(), StorageEvent::Bridged { transit });
            }
        }
    }

    /// Takes out the slots of all that is held for `exchange`.
    pub(super) fn take_held(&mut self, context: &Context, exchange: u32) -> Vec<u32> {
        let is_its_own = |slot: &u32| context.transit(*slot).parcel.envelope.exchange == exchange;
        let (own, others) = std::mem::take(&mut self.at_bridges).into_iter().partition(is_its_own);
        self.at_bridges = others;
        own
    }
}

/// Returns when the dialogue with the control unit is over about what has arrived over `path` and would be `ready`. Each CCW
/// has its interlocks, of which the trip of the FICON units themselves is one.
#[cold]
pub(super) fn after_dialogue(w: &Wiring, path: &PathWire, cargo: &Cargo, ready: Time) -> Time {
    let bridge = w.configuration.channels[path.channel as usize].hardware.bridge;
    let interlocks = INTERLOCKS_OF_A_CCW * u64::from(cargo.commands(w));
    let Some((bridge, more)) = bridge.zip(interlocks.checked_sub(1)) else { return ready };
    ready + bridge.interlock * interlocks + escon_round_trip(w, path) * more
}

/// Returns the time of an answer without data between a bridge and the port of `path`, there and back.
pub(super) fn escon_round_trip(w: &Wiring, path: &PathWire) -> Span {
    let (outbound, inbound) = (path.outbound.range(), path.inbound.range());
    let behind = w.hops[outbound].iter().skip(1).chain(w.hops[inbound].iter().rev().skip(1));
    let links = behind.map(|hop| &w.configuration.links[hop.link as usize]);
    links.map(|link| link.propagation + link.forward_latency).sum()
}
