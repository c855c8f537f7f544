//! Circuits in time: the director joins their ports, a miss lets them go, and the control unit reconnects.
//!
//! ```text
//! first command ─► connect ─ port busy ─► told to the channel
//!                     ▼
//!                 connected ─ miss ─► away, staging ─► connect ─ busy ─► again after a time
//!                     ▼                                   ▼
//!                 program over: release              a round trip, data
//! ```
//!
//! The request is decided where the first command arrives, at the far end of the route: one hop later than at the
//! director's near port.

use halftrack_engine::{Order, SimDuration, SimTime, TimeIntegral};
use halftrack_fabric::Answer;

use super::StorageState;
use super::bridge::escon_round_trip;
use crate::events::event::{Notice, StorageEvent};
use crate::events::message::Body;
use crate::run::process::status_latency;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// Reconnections of one host-adapter port that found something busy.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Missed {
    /// How many.
    pub count: u64,
    /// Time lost by them, ps.
    pub lost_ps: u64,
}

/// How long one host-adapter port was joined: to one channel or bridge at a time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Joined {
    /// 1 while it is, else 0.
    ports: TimeIntegral,
    connections: u64,
}

impl Joined {
    /// The port is joined from `now` on, if it is not yet.
    fn begin(&mut self, now: SimTime) {
        if self.ports.level() == 0 {
            self.ports.change(now, 1);
            self.connections += 1;
        }
    }

    fn end(&mut self, now: SimTime) {
        self.ports.change(now, -1);
    }

    /// Time joined, ps, and connections since the last call.
    pub(crate) fn collect(&mut self, now: SimTime) -> (u64, u64) {
        // One port at most, so never more than the interval.
        (self.ports.take_until(now) as u64, std::mem::take(&mut self.connections))
    }
}

impl StorageState {
    /// Joins the ports of `path_index` for the program that opens exchange `slot`. False when one is another's, which
    /// the channel is told; the buffer of its command is then free again, with the order of its `credit`.
    #[cold]
    pub(super) fn connect(&mut self, w: &Wiring, path_index: u32, slot: u32, credit: Option<Order>) -> bool {
        let path = &w.paths[path_index as usize];
        if path.is_bridged {
            let is_free = self.ports[path.port as usize].reconnecting == 0;
            let joined = is_free && self.joins(w, path_index, slot);
            if !joined {
                self.context.return_credit(w, path, self.context.now, credit);
            }
            return joined;
        }
        let notice = match self.join(w, path_index, slot) {
            Answer::Connected => return true,
            Answer::PortBusy(port) if port == path.channel => Notice::Overtaken,
            Answer::PortBusy(_) => Notice::PortBusy,
        };
        self.context.return_credit(w, path, self.context.now, credit);
        self.tell_of_circuit(w, path, slot, notice);
        false
    }

    /// Joins the ports of `path` for exchange `slot`, if none is another's.
    pub(super) fn joins(&mut self, w: &Wiring, path: u32, slot: u32) -> bool {
        self.join(w, path, slot) == Answer::Connected
    }

    fn join(&mut self, w: &Wiring, path: u32, slot: u32) -> Answer {
        let answer = self.circuits.connect(w.circuits.of(path), slot);
        if answer == Answer::Connected {
            self.joined[w.paths[path as usize].port as usize].begin(self.context.now);
        }
        answer
    }

    /// A miss: the path is for others while the data are staged.
    #[cold]
    pub(super) fn disconnect(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot as usize];
        exchange.away = true;
        let path = exchange.path();
        self.release_circuit(w, path, slot);
        let path = &w.paths[path as usize];
        if path.is_circuit {
            self.tell_of_circuit(w, path, slot, Notice::Disconnected);
        }
    }

    /// The data are there: asks for the path again. What is to be sent goes on when the channel has answered.
    #[cold]
    pub(super) fn reconnect(&mut self, w: &Wiring, slot: u32) {
        let path_index = self.exchanges[slot as usize].path();
        let path = &w.paths[path_index as usize];
        let times = w.configuration.ports[path.port as usize].hardware.circuit.unwrap_or_default();
        let connected = self.joins(w, path_index, slot);
        let exchange = &mut self.exchanges[slot as usize];
        let waited = std::mem::replace(&mut exchange.reconnecting, !connected);
        let reconnecting = &mut self.ports[path.port as usize].reconnecting;
        *reconnecting = *reconnecting + u32::from(!connected) - u32::from(waited);
        let wait = if connected {
            exchange.away = false;
            times.reconnect + round_trip(w, path)
        } else {
            let missed = &mut self.missed[path.port as usize];
            missed.count += 1;
            missed.lost_ps += times.reconnect_retry.as_ps();
            times.reconnect_retry
        };
        exchange.disconnected += wait;
        if connected && path.is_circuit {
            self.tell_of_circuit(w, path, slot, Notice::Reconnected);
        }
        let order = self.ports[path.port as usize].sequencer.next();
        self.context.push(self.context.now + wait, order, StorageEvent::Send { exchange: slot });
    }

    /// The program of exchange `slot` is over, or away: the ports that it has are free.
    #[cold]
    pub(super) fn release_circuit(&mut self, w: &Wiring, path: u32, slot: u32) {
        let route = w.circuits.of(path);
        // FICON has no ports to let go.
        if route.is_empty() {
            return;
        }
        if self.circuits.holds(route, slot) {
            self.joined[w.paths[path as usize].port as usize].end(self.context.now);
        }
        self.circuits.release(route, slot);
        if !self.at_bridges.is_empty() {
            self.let_go_of_bridges(w);
        }
    }

    fn tell_of_circuit(&mut self, w: &Wiring, path: &PathWire, exchange: u32, notice: Notice) {
        let at: SimTime = self.context.now + status_latency(w, path);
        let order = self.ports[path.port as usize].sequencer.next();
        self.context.send_to_host(at, order, Body::Circuit { exchange, notice });
    }
}

/// Time of an answer without data between the two ends of the circuit of `path`, there and back.
fn round_trip(w: &Wiring, path: &PathWire) -> SimDuration {
    if path.is_bridged {
        escon_round_trip(w, path)
    } else {
        status_latency(w, path) + outbound_latency(w, path)
    }
}

/// Time that an answer without data takes from the channel to the port of `path`.
fn outbound_latency(w: &Wiring, path: &PathWire) -> SimDuration {
    w.hops[path.outbound.range()]
        .iter()
        .map(|hop| {
            let link = &w.configuration.links[hop.link as usize];
            link.propagation + link.forward_latency
        })
        .sum()
}
