//! Circuits in time: the director joins their ports, a miss lets them go, and the control unit reconnects.
//!
//! ```text
//! first command ─► connect ─ port busy ─► notice to the channel
//!                     ▼
//!                 connected ─ miss ─► away, staging ─► connect ─ busy ─► again after a time
//!                     ▼                                   ▼
//!                 program over: release              a round trip, data
//! ```
//!
//! The request is decided where the first command arrives, at the far end of the route: one hop later than at the
//! director's near port.

use halftrack_base::{Span, Time};
use halftrack_engine::{Order, TimeIntegral};
use halftrack_fabric::{Answer, CircuitSwitch};

use super::bridge::escon_round_trip;
use super::context::Context;
use super::exchange::StorageExchange;
use super::port::Port;
use crate::events::event::{Notice, StorageEvent};
use crate::wiring::Wiring;
use crate::wiring::lanes::DeviceWire;
use crate::wiring::latency::{outbound_latency, status_latency};
use crate::wiring::path_wire::PathWire;

/// Reconnections of one host-adapter port that found something busy.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Missed {
    /// How many.
    count: u64,
    /// Time lost by them, ps.
    lost_ps: u64,
}

impl Missed {
    /// Counts one more, after which the control unit tries again when `retry` is over.
    pub(super) fn count(&mut self, retry: Span) {
        self.count += 1;
        self.lost_ps += retry.as_ps();
    }

    /// Takes the time lost, ps, and the count since the last call.
    pub(super) fn collect(&mut self) -> (u64, u64) {
        let Self { count, lost_ps } = std::mem::take(self);
        (lost_ps, count)
    }
}

/// How long one host-adapter port was joined: to one channel or bridge at a time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Joined {
    /// 1 while it is, else 0.
    ports: TimeIntegral,
    connections: u64,
}

impl Joined {
    /// Joins the port from `now` on, if it is not joined yet.
    pub(super) fn begin(&mut self, now: Time) {
        if self.ports.level() == 0 {
            self.ports.change(now, 1);
            self.connections += 1;
        }
    }

    /// Ends its joining.
    pub(super) fn end(&mut self, now: Time) {
        self.ports.change(now, -1);
    }

    /// Takes the time joined, ps, and the connections since the last call.
    pub(super) fn collect(&mut self, now: Time) -> (u64, u64) {
        // One port at most, so never more than the interval.
        (self.ports.take_until(now) as u64, std::mem::take(&mut self.connections))
    }
}

/// The circuits of the storage, those behind bridges included.
#[derive(Debug)]
pub(super) struct Circuits {
    /// All directors of circuits.
    switch: CircuitSwitch,
    /// Slots of what bridges hold until ports are free, in the order in which it came.
    pub(super) at_bridges: Vec<u32>,
}

impl Circuits {
    /// Makes circuits of which no port is joined.
    pub(super) fn new(w: &Wiring) -> Self {
        Self { switch: CircuitSwitch::new(w.circuits.ports), at_bridges: Vec::new() }
    }

    /// Joins the ports of `path_index` for the program that opens exchange `slot`. Returns false when a port is another's.
    /// Then the channel gets a notice, and the buffer of its command is free again, with the order of its `credit`.
    #[cold]
    pub(super) fn try_open(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        ports: &mut [Port],
        (path_index, slot): (u32, u32),
        credit: Option<Order>,
    ) -> bool {
        let path = &w.paths[path_index as usize];
        let port = &mut ports[path.port as usize];
        let is_bridge_free = !path.is_bridged || !port.has_reconnecting();
        let answer = is_bridge_free.then(|| self.join(context, w, port, (path_index, slot)));
        if answer == Some(Answer::Connected) {
            return true;
        }
        context.return_credit(w, path, context.now(), credit);
        if !path.is_bridged {
            let is_overtaken = answer == Some(Answer::PortBusy(path.channel));
            let notice = if is_overtaken { Notice::Overtaken } else { Notice::PortBusy };
            port.send_notice(context, w, path, slot, notice);
        }
        false
    }

    /// Joins the ports of `path` for exchange `slot`, of which one is the host adapter's `port`, if none is another's.
    pub(super) fn try_join(
        &mut self,
        context: &Context,
        w: &Wiring,
        port: &mut Port,
        (path, slot): (u32, u32),
    ) -> bool {
        self.join(context, w, port, (path, slot)) == Answer::Connected
    }

    fn join(&mut self, context: &Context, w: &Wiring, port: &mut Port, (path, slot): (u32, u32)) -> Answer {
        let answer = self.switch.connect(w.circuits.of(path), slot);
        if answer == Answer::Connected {
            port.joined.begin(context.now());
        }
        answer
    }

    /// Returns true while the ports of `path` are those of exchange `slot`.
    pub(super) fn holds(&self, w: &Wiring, path: u32, slot: u32) -> bool {
        self.switch.holds(w.circuits.of(path), slot)
    }

    /// Lets the path of `exchange` go at a miss: it is for others while the data are staged.
    #[cold]
    pub(super) fn disconnect(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        ports: &mut [Port],
        exchange: &mut StorageExchange,
    ) {
        exchange.away = true;
        let (path_index, slot) = (exchange.envelope.path, exchange.envelope.exchange);
        self.release(context, w, ports, path_index, slot);
        let path = &w.paths[path_index as usize];
        if path.is_circuit {
            ports[path.port as usize].send_notice(context, w, path, slot, Notice::Disconnected);
        }
    }

    /// Requests the path of `exchange` again, whose data are there. What is to be sent goes on when the channel has
    /// answered.
    #[cold]
    pub(super) fn reconnect(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        port: &mut Port,
        exchange: &mut StorageExchange,
    ) {
        let (path_index, slot) = (exchange.envelope.path, exchange.envelope.exchange);
        let path = &w.paths[path_index as usize];
        let times = w.configuration.ports[path.port as usize].hardware.circuit.unwrap_or_default();
        let connected = self.try_join(context, w, port, (path_index, slot));
        exchange.set_reconnecting(!connected, port);
        let wait = if connected {
            exchange.away = false;
            times.reconnect + round_trip(w, path)
        } else {
            port.missed.count(times.reconnect_retry);
            times.reconnect_retry
        };
        exchange.disconnected += wait;
        if connected && path.is_circuit {
            port.send_notice(context, w, path, slot, Notice::Reconnected);
        }
        let order = port.sequencer.next();
        context.push(context.now() + wait, order, StorageEvent::Send { exchange: slot });
    }

    /// Frees the ports of `path` that exchange `slot` has, whose program is over, or away.
    #[cold]
    pub(super) fn release(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        ports: &mut [Port],
        path: u32,
        slot: u32,
    ) {
        let route = w.circuits.of(path);
        // FICON has no ports to let go.
        if route.is_empty() {
            return;
        }
        if self.switch.holds(route, slot) {
            ports[w.paths[path as usize].port as usize].joined.end(context.now());
        }
        self.free(context, w, ports, (route, slot));
    }

    /// Joins the ports between two channels for the device whose unit in `slot` requests them. Returns false when one is
    /// another's: then the unit goes no further, and its channel gets a notice.
    #[cold]
    pub(super) fn try_join_channels(&mut self, context: &mut Context, w: &Wiring, slot: u32) -> bool {
        let (device, from) = DeviceWire::of_lane(context.transit(slot).parcel.envelope.exchange);
        let Answer::PortBusy(port) = self.switch.connect(w.circuits.of_device(device), device) else {
            return true;
        };
        context.take(slot);
        let own = w.lanes.lanes[DeviceWire::lane(device, from) as usize].channels[0];
        let notice = if port == own { Notice::Overtaken } else { Notice::PortBusy };
        let back = &w.lanes.lanes[DeviceWire::lane(device, 1 - from) as usize];
        context.send_notice_over(w, w.last_link(back.route), device, notice);
        false
    }

    /// Frees the ports between the channels of device `device`.
    pub(super) fn release_channels(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        ports: &mut [Port],
        device: u32,
    ) {
        self.free(context, w, ports, (w.circuits.of_device(device), device));
    }

    /// Frees the ports of a route that its holder has: some that bridges wait for may be among them.
    fn free(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        ports: &mut [Port],
        (route, holder): (&[u32], u32),
    ) {
        self.switch.release(route, holder);
        if !self.at_bridges.is_empty() {
            self.let_go_of_bridges(context, w, ports);
        }
    }
}

/// Returns the time of an answer without data between the two ends of the circuit of `path`, there and back.
fn round_trip(w: &Wiring, path: &PathWire) -> Span {
    if path.is_bridged {
        escon_round_trip(w, path)
    } else {
        status_latency(w, path) + outbound_latency(w, path)
    }
}
