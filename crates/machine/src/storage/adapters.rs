//! The host adapters: ports with the exchanges that they hold, the shares and circuits between them, and the control units
//! that serve them.
//!
//! An event of an exchange passes its components in turn; each keeps its own state and gets the [`Context`] for the rest.

use super::circuit::Circuits;
use super::context::Context;
use super::control_units::ControlUnits;
use super::exchanges::Exchanges;
use super::port::Port;
use crate::events::message::Transit;
use crate::fabric::share::Shares;
use crate::wiring::{ComponentKind, Wiring};

/// All host adapters.
#[derive(Debug)]
pub(super) struct HostAdapters {
    pub ports: Vec<Port>,
    pub control_units: ControlUnits,
    /// Limits that ports share.
    pub shares: Shares,
    pub exchanges: Exchanges,
    /// Something may leave a port before what its processor still works on.
    pub goes_ahead: bool,
    pub circuits: Circuits,
    /// Room for the frames of a burst while they are cut.
    pub frames: Vec<Transit>,
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
            frames: Vec::new(),
        }
    }

    /// Frees the ports that exchange `slot` has on `path`.
    pub(super) fn release_circuit(&mut self, context: &mut Context, w: &Wiring, path: u32, slot: u32) {
        self.circuits.release(context, w, &mut self.ports, path, slot);
    }

    /// Frees the ports behind a bridge of exchange `slot`, whose last frames the bridge has.
    #[cold]
    pub(super) fn on_released(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        self.release_circuit(context, w, self.exchanges[slot].path(), slot);
    }

    /// Reports to the host that the control unit's half of exchange `slot` over `path` is over.
    pub(super) fn send_closed(&mut self, context: &mut Context, w: &Wiring, slot: u32, path: u32) {
        let path = &w.paths[path as usize];
        self.ports[path.port as usize].send_closed(context, w, path, slot);
    }
}
