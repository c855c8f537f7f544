//! The host adapters: ports with the exchanges that they hold, the shares and circuits between them, and the control units
//! that serve them.
//!
//! An event of an exchange passes its components in turn; each keeps its own state and gets the [`Context`] for the rest.

pub(super) mod ahead;
mod arriving;
// The lane at the port changes the state of the host adapters; its file stands with all else of the lane.
#[path = "../../express/at_port.rs"]
mod at_port;
mod bus;
mod collect;
mod ending;
mod recovery;
mod sending;

use super::bus::Burst;
use super::circuit::Circuits;
use super::context::Context;
use super::control_units::ControlUnits;
use super::exchanges::Exchanges;
use super::port::Port;
use crate::data::Volumes;
use crate::events::cargo::Cargo;
use crate::fabric::share::Shares;
use crate::fabric::watches::Watches;
use crate::laws::census::Census;
use crate::wiring::lanes::NO_PATH;
use crate::wiring::{ComponentKind, Wiring};

/// All host adapters.
#[derive(Debug)]
pub(super) struct HostAdapters {
    ports: Vec<Port>,
    control_units: ControlUnits,
    /// Limits that ports share.
    shares: Shares,
    exchanges: Exchanges,
    /// Something may leave a port before what its processor still works on.
    goes_ahead: bool,
    circuits: Circuits,
    /// Timers of exchanges that have lost frames.
    watches: Watches,
    /// Room for the frames of a burst while they are cut, and whether each closes its exchange.
    frames: Vec<(Cargo, bool)>,
}

impl HostAdapters {
    /// Makes the host adapters before any exchange.
    pub(super) fn new(w: &Wiring) -> Self {
        let port = |(index, port): (usize, &halftrack_config::ControlUnitPort)| {
            let service = w.service.of_port(&port.control_unit, &port.name);
            Port::new(port, w.costs.of_port[index], (w.sequencer(ComponentKind::Port, index), service))
        };
        Self {
            ports: w.configuration.ports.iter().enumerate().map(port).collect(),
            control_units: ControlUnits::new(w),
            shares: Shares::new(&w.configuration.box_shares),
            exchanges: Exchanges::new(),
            goes_ahead: !w.express.cover_hits(&w.plans),
            circuits: Circuits::new(w),
            watches: Watches::default(),
            frames: Vec::new(),
        }
    }

    /// Frees the ports that exchange `slot` has on `path`.
    fn release_circuit(&mut self, context: &mut Context, w: &Wiring, path: u32, slot: u32) {
        self.circuits.release(context, w, &mut self.ports, path, slot);
    }

    /// Sends the transit in `slot`, whose head is ready, over its next link, unless it requests a circuit that is refused.
    #[inline(always)]
    pub(super) fn on_hop(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let parcel = &context.transit(slot).parcel;
        let requests = parcel.opens && parcel.envelope.path == NO_PATH;
        if !requests || self.circuits.try_join_channels(context, w, slot) {
            context.on_hop(w, slot);
        }
    }

    /// Frees the ports of the circuit between channels that device `device` has had.
    #[cold]
    pub(super) fn on_circuit_over(&mut self, context: &mut Context, w: &Wiring, device: u32) {
        self.circuits.release_channels(context, w, &mut self.ports, device);
    }

    /// Frees the ports behind a bridge of exchange `slot`, whose last frames the bridge has.
    #[cold]
    pub(super) fn on_released(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        self.release_circuit(context, w, self.exchanges[slot].path(), slot);
    }

    /// Reports to the host that the control unit's half of exchange `slot` over `path` is over.
    fn send_closed(&mut self, context: &mut Context, w: &Wiring, slot: u32, path: u32) {
        let path = &w.paths[path as usize];
        self.ports[path.port as usize].send_closed(context, w, path, slot);
    }

    /// Returns the control units behind the ports.
    pub(super) fn control_units(&mut self) -> &mut ControlUnits {
        &mut self.control_units
    }

    /// Returns the volumes of a run with real data.
    pub(super) fn volumes(&self) -> Option<&Volumes> {
        self.control_units.volumes()
    }

    /// Counts what is under way in the express lane, and receive buffers that wait for the bus of a port.
    pub(super) fn census(&self, context: &Context, w: &Wiring, census: &mut Census) {
        for store in self.ports.iter().flat_map(|port| port.bus.waiting()).filter_map(Burst::transit) {
            census.buffer(w, store);
        }
        for command in context.pending().commands_under_way() {
            census.transit(w, &command.transit(w), true);
        }
        for answer in context.pending().answers_under_way() {
            let envelope = self.exchanges[answer.exchange].envelope;
            census.transit(w, &answer.transit(w, envelope), false);
        }
    }
}

impl HostAdapters {
    /// Lets the first command in the slot `transit` go on, which has its ports, and what has come behind it.
    #[cold]
    pub(super) fn on_bridged(&mut self, context: &mut Context, w: &Wiring, transit: u32) {
        let envelope = context.transit(transit).parcel.envelope;
        let path = &w.paths[envelope.path as usize];
        let is_lost = context.is_lost(envelope);
        for slot in self.circuits.take_held(context, envelope.exchange) {
            let transit = context.take(slot);
            if !is_lost {
                self.admit(context, w, transit, None);
            } else if transit.parcel.opens {
                self.release_circuit(context, w, envelope.path, envelope.exchange);
                self.ports[path.port as usize].send_closed(context, w, path, envelope.exchange);
            }
        }
    }
}
