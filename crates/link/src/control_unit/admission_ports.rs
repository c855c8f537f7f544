//! The ports of a control unit, for the admission of connections.

use halftrack_base::Time;
use halftrack_wire::WorldWideName;

use super::port::HostAdapterPort;
use crate::lobby::{Admission, Occupant};
use crate::transport::Transport;

/// All ports.
pub(super) struct AdmissionPorts<'a, T>(pub(super) &'a mut [HostAdapterPort<T>]);

impl<T: Transport> Admission for AdmissionPorts<'_, T> {
    fn admits(&self, port: usize, name: WorldWideName) -> bool {
        self.0[port].admits(name)
    }

    fn holder(&self, name: WorldWideName) -> Option<usize> {
        self.0.iter().position(|port| port.direct_peer() == Some(name))
    }

    fn probe(&mut self, now: Time, port: usize) {
        self.0[port].probe(now);
    }

    fn occupant(&self, port: usize) -> Occupant {
        self.0[port].occupant()
    }

    fn takes_silent(&self, _: usize) -> bool {
        true
    }
}
