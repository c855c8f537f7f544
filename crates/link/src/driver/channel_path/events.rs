//! Events of the login of a channel path's port.

use halftrack_base::Time;
use halftrack_fabric::PortEvent;

use super::ChannelPath;
use crate::connector::Connector;
use crate::exchange_status::exchange_status;

impl<C: Connector> ChannelPath<C> {
    /// Handles events of the port's login.
    pub(super) fn take_events(&mut self, now: Time) {
        while let Some(event) = self.n_port.poll_event() {
            match event {
                PortEvent::Attached { address, credit, .. } => {
                    if let Some(fibre) = &mut self.fibre {
                        fibre.set_credit(credit);
                    }
                    self.unit.set_address(address);
                }
                PortEvent::PeerLoggedIn { peer, frame_payload_bytes, transport, .. } => {
                    let ids = (self.n_port.address(), peer);
                    self.unit.log_in(now, ids, frame_payload_bytes, transport);
                    self.is_refused &= !self.unit.is_with(peer);
                }
                PortEvent::PeerLoggedOut { peer, why, .. } => {
                    self.unit.log_out(now, peer, format!("the login is over: {why}"));
                }
                PortEvent::Refused { name, why } => {
                    self.unit.set_trouble(format!("{name}: {why}"));
                    self.is_refused = true;
                }
                PortEvent::ProbeAnswered | PortEvent::FcpPeerLoggedIn { .. } => {}
                PortEvent::ExchangeRequested(request) => {
                    let state = self.unit.exchange_state(request.peer, request.ox_id, request.is_own);
                    self.n_port.answer_exchange_request(&request, state.map(exchange_status));
                }
                PortEvent::IncidentNoted(incident) | PortEvent::IncidentReported(incident) => {
                    self.keep_incident(incident);
                }
            }
        }
    }
}
