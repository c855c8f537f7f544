//! Circuits of ESCON channel-to-channel devices, each over the channels of both ends and the director ports between them.
//!
//! ```text
//!         units ─► request ────────────────► accepted ─ answer ─► connected ─ no unit is left ─► idle
//! idle ──────┤        ▲ │ port busy: the channel is others' meanwhile
//!            ▼        │ ▼
//!          in line    again, after a time
//! ```
//!
//! The channel of the end with the command requests it, and for all else, data and statuses, the channel with the adapter's
//! function. While a circuit is there both channels are held, as by a program for disks, so that one device of a channel at a
//! time moves something. A request takes the way of a frame: a director joins all ports or none, and between channels on one cable
//! the other channel accepts it. Where two requests meet there, that of the function goes on.

use std::collections::VecDeque;

use halftrack_base::Span;

use super::Channels;
use crate::channels::Outside;
use crate::events::event::{HostEvent, Notice};
use crate::events::message::{Body, Message};
use crate::events::unit::Unit;
use crate::wiring::Wiring;
use crate::wiring::lanes::DeviceWire;

/// State of a circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// There is none, and nobody needs it.
    #[default]
    Idle,
    /// It waits in the line of the channel that is to request it.
    InLine,
    /// The request is under way.
    Requested,
    /// It was refused, and is requested again after a time.
    Refused,
    /// The other channel has accepted it, and the answer is under way.
    Accepted,
    /// Units cross it.
    Connected,
}

/// The circuit of a device.
#[derive(Debug, Clone, Copy, Default)]
struct Circuit {
    state: State,
    /// End that requests it.
    from: usize,
    /// Slot of the unit that requests it.
    request: u32,
    /// Units that have still to be handled at their far ends.
    units: usize,
}

/// The circuits of all devices.
#[derive(Debug, Default)]
pub(super) struct UnitCircuits {
    /// By device.
    circuits: Vec<Circuit>,
    /// By channel: devices that wait for it.
    lines: Vec<VecDeque<u32>>,
}

impl UnitCircuits {
    /// Makes circuits of which none is connected.
    pub(super) fn new(w: &Wiring) -> Self {
        if w.lanes.devices.iter().all(|device| !device.is_circuit) {
            return Self::default();
        }
        let circuits = vec![Circuit::default(); w.lanes.devices.len()];
        Self { circuits, lines: vec![VecDeque::new(); w.configuration.channels.len()] }
    }

    /// Returns true while units may cross the circuit of a lane.
    pub(super) fn is_connected(&self, lane: u32) -> bool {
        self.circuits[DeviceWire::of_lane(lane).0 as usize].state == State::Connected
    }

    /// Returns true when the answer to a request that went over `lane` is under way.
    pub(super) fn is_accepted(&self, lane: u32) -> bool {
        let (device, from) = DeviceWire::of_lane(lane);
        let circuit = self.circuits.get(device as usize);
        circuit.is_some_and(|circuit| circuit.state == State::Accepted && circuit.from == from)
    }

    /// Counts units of a device as handled, or as withdrawn.
    pub(super) fn count_done(&mut self, device: u32, count: usize) {
        if let Some(circuit) = self.circuits.get_mut(device as usize) {
            circuit.units -= count;
        }
    }

    /// Returns true while devices wait for `channel`.
    fn has_line(&self, channel: u32) -> bool {
        self.lines.get(channel as usize).is_some_and(|line| !line.is_empty())
    }
}

impl Channels {
    /// Counts the units that a lane is to send, of which this is the first, and has their circuit requested where there is none.
    pub(super) fn need_circuit(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        lane: u32,
        (first, count): (Option<Unit>, usize),
    ) {
        let (device, from) = DeviceWire::of_lane(lane);
        let (Some(all), Some(first)) = (&mut self.units, first) else { return };
        let circuit = &mut all.circuits.circuits[device as usize];
        circuit.units += count;
        if circuit.state == State::Idle {
            let function_end = w.lanes.devices[device as usize].function_end;
            circuit.from = if first.is_command() { from } else { function_end };
            self.try_request_circuit(out, w, device);
        }
    }

    /// Requests the circuit of a device, or has it wait for the channel. Returns false when nothing is under way after that.
    fn try_request_circuit(&mut self, out: &mut impl Outside, w: &Wiring, device: u32) -> bool {
        let Some(all) = &mut self.units else { return false };
        let circuit = &mut all.circuits.circuits[device as usize];
        if circuit.units == 0 {
            circuit.state = State::Idle;
            return false;
        }
        let lane = DeviceWire::lane(device, circuit.from);
        let wire = &w.lanes.lanes[lane as usize];
        let channel = &mut self.channels[wire.channels[0] as usize];
        let has_line = all.circuits.lines[wire.channels[0] as usize].front().is_some();
        if channel.is_path_held() || (circuit.state == State::Idle && has_line) {
            circuit.state = State::InLine;
            all.circuits.lines[wire.channels[0] as usize].push_back(device);
            return false;
        }
        channel.hold_path(out.now(), device, wire.lpars[0]);
        circuit.state = State::Requested;
        circuit.request = all.units.put(Unit { lane, requests: true, ..Unit::default() });
        let request = circuit.request;
        self.begin_unit(out, w, request);
        true
    }

    /// Accepts the request of a circuit that has come over `lane`. Returns false when it is refused instead.
    pub(super) fn try_accept_circuit(&mut self, out: &mut impl Outside, w: &Wiring, lane: u32) -> bool {
        let (device, from) = DeviceWire::of_lane(lane);
        let wire = &w.lanes.lanes[lane as usize];
        let far = &mut self.channels[wire.channels[1] as usize];
        let is_on_one_cable = wire.route.hops == 1;
        let gives_way = from != w.lanes.devices[device as usize].function_end;
        if is_on_one_cable && gives_way && far.is_path_held() {
            self.circuit_not_given(out, w, device, Notice::PortBusy);
            return false;
        }
        far.hold_path(out.now(), device, wire.lpars[1]);
        if let Some(all) = &mut self.units {
            all.circuits.circuits[device as usize].state = State::Accepted;
        }
        true
    }

    /// Has the units of both lanes of a device cross its circuit, whose request over `lane` is answered.
    #[cold]
    pub(super) fn connect_circuit(&mut self, out: &mut impl Outside, w: &Wiring, lane: u32) {
        let (device, from) = DeviceWire::of_lane(lane);
        let wire = &w.lanes.lanes[lane as usize];
        // A reconnection that is over by now may have had the channel last.
        self.channels[wire.channels[0] as usize].hold_path(out.now(), device, wire.lpars[0]);
        if let Some(all) = &mut self.units {
            all.circuits.circuits[device as usize].state = State::Connected;
        }
        self.prepare_unit(out, w, DeviceWire::lane(device, 1 - from));
        self.release_idle_circuit(out, w, device);
    }

    /// Handles the notice of a director that the circuit of a device is refused.
    pub(in crate::channels) fn circuit_of_units_refused(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        device: u32,
        notice: Notice,
    ) {
        if let Some(all) = &mut self.units {
            let request = all.circuits.circuits[device as usize].request;
            all.traffic.frames_received(all.units[request].circuit_chunk().frames, 0);
        }
        self.circuit_not_given(out, w, device, notice);
    }

    /// Lets the channel of a request go that was refused. The device requests it again, after a time where a port was another's.
    #[cold]
    fn circuit_not_given(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, notice: Notice) {
        let Some(all) = &mut self.units else { return };
        let circuit = &mut all.circuits.circuits[device as usize];
        circuit.state = State::Refused;
        let lane = DeviceWire::lane(device, circuit.from);
        all.units.give(circuit.request);
        all.lanes[lane as usize].unanswered -= 1;
        self.let_go(out, w, device, w.lanes.lanes[lane as usize].channels[0]);
        if notice == Notice::Overtaken {
            self.try_request_circuit(out, w, device);
        } else {
            self.request_again_later(out, w, device);
        }
    }

    /// Has the circuit of a device requested again after a time.
    fn request_again_later(&mut self, out: &mut impl Outside, w: &Wiring, device: u32) {
        let Some(all) = &mut self.units else { return };
        let circuit = &mut all.circuits.circuits[device as usize];
        circuit.state = State::Refused;
        let wire = &w.lanes.lanes[DeviceWire::lane(device, circuit.from) as usize];
        let retry = wire.circuit.map_or(Span::ZERO, |circuit| circuit.port_busy_retry);
        let order = self.channels[wire.channels[0] as usize].sequencer.next();
        out.push(out.now() + retry, order, HostEvent::CircuitTriedAgain { device });
    }

    /// Requests the circuit of a device again: the time until then is up.
    #[cold]
    pub(crate) fn on_circuit_tried_again(&mut self, out: &mut impl Outside, w: &Wiring, device: u32) {
        if self.try_request_circuit(out, w, device) {
            return;
        }
        let Some(all) = &self.units else { return };
        let from = all.circuits.circuits[device as usize].from;
        let channel = w.lanes.lanes[DeviceWire::lane(device, from) as usize].channels[0];
        if !self.channels[channel as usize].is_path_held() {
            self.try_next_in_line(out, w, channel);
        }
    }

    /// Releases the circuit of a device over which nothing is to be sent.
    pub(crate) fn release_idle_circuit(&mut self, out: &mut impl Outside, w: &Wiring, device: u32) {
        let Some(all) = &mut self.units else { return };
        let Some(circuit) = all.circuits.circuits.get_mut(device as usize) else { return };
        if circuit.state != State::Connected || circuit.units > 0 {
            return;
        }
        circuit.state = State::Idle;
        let lanes = [0, 1].map(|end| &w.lanes.lanes[DeviceWire::lane(device, end) as usize]);
        let channels = lanes.map(|lane| lane.channels[0]);
        if lanes[0].route.hops > 1 {
            // The last frame has released the ports on its way.
            let firsts = lanes.map(|lane| w.hops[lane.route.range()][0].link as usize);
            let times = firsts.map(|link| {
                let link = &w.configuration.links[link];
                link.propagation + link.forward_latency
            });
            let at = out.now() + times[0].min(times[1]).max(Span::from_ps(1));
            let order = self.channels[channels[0] as usize].sequencer.next();
            out.send(Message { at, order, body: Body::CircuitOver { device } });
        }
        for channel in channels {
            self.let_go(out, w, device, channel);
        }
    }

    /// Takes a channel back from the circuit of a device, if that has it.
    fn let_go(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, channel: u32) {
        let is_free = self.channels[channel as usize].try_release_path(out.now(), device);
        self.path_given_back(out, w, channel, (is_free, true));
    }

    /// Gives the path of a channel, which is free if `is_free`, to who waits for it. Disks and channel-to-channel devices take
    /// turns: after a device an I/O is driven first, which needs a thread for that, and the device that is first in line tries
    /// again after a time.
    pub(in crate::channels) fn path_given_back(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channel: u32,
        (is_free, by_device): (bool, bool),
    ) {
        let has_line = self.units.as_ref().is_some_and(|all| all.circuits.has_line(channel));
        let may_begin = has_line && !self.channels[channel as usize].is_path_held();
        if may_begin && !by_device && self.try_next_in_line(out, w, channel) {
            return;
        }
        let wakes = is_free && self.subchannels.try_wake_for_channel(out, w, &mut self.channels, channel);
        if !may_begin || !by_device {
            return;
        }
        if !wakes {
            self.try_next_in_line(out, w, channel);
        } else if let Some(device) = self.take_from_line(channel) {
            self.request_again_later(out, w, device);
        }
    }

    /// Requests the circuit of the first device in the line of a channel. Returns false when none needs one.
    fn try_next_in_line(&mut self, out: &mut impl Outside, w: &Wiring, channel: u32) -> bool {
        while let Some(device) = self.take_from_line(channel) {
            if self.try_request_circuit(out, w, device) {
                return true;
            }
        }
        false
    }

    fn take_from_line(&mut self, channel: u32) -> Option<u32> {
        self.units.as_mut()?.circuits.lines.get_mut(channel as usize)?.pop_front()
    }
}
