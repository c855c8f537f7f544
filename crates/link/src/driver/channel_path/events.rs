//! Events of a channel path: of the login of its port, and of its logical path.

use halftrack_base::Time;
use halftrack_exchange::{Carrier, Login, Target};
use halftrack_fabric::PortEvent;
use halftrack_subsystem::{LogicalPath, PathEvent};
use halftrack_wire::choices::INITIAL_PACING;
use halftrack_wire::els::SbLogin;
use halftrack_wire::{FrameProtection, StartNumber};

use super::{ChannelPath, Stage};
use crate::connector::Connector;
use crate::exchange_status::exchange_status;

/// Octets of the unit in which the login counts the first transfer of a write.
const FIRST_TRANSFER_UNIT_BYTES: u32 = 4096;

impl<C: Connector> ChannelPath<C> {
    /// Handles events of the port's login.
    pub(super) fn take_events(&mut self, now: Time) {
        while let Some(event) = self.n_port.poll_event() {
            match event {
                PortEvent::Attached { address, credit, .. } => {
                    if let Some(fibre) = &mut self.fibre {
                        fibre.set_credit(credit);
                    }
                    self.logical_paths.set_address(address);
                }
                PortEvent::PeerLoggedIn { peer, frame_payload_bytes, transport, .. } => {
                    self.logged_in(now, peer, frame_payload_bytes, transport);
                }
                PortEvent::PeerLoggedOut { peer, why, .. } => {
                    self.logical_paths.handle_logged_out(peer);
                    self.trouble = format!("the login is over: {why}");
                }
                PortEvent::Refused { name, why } => {
                    self.trouble = format!("{name}: {why}");
                    self.is_refused = true;
                }
                PortEvent::ProbeAnswered | PortEvent::FcpPeerLoggedIn { .. } => {}
                PortEvent::ExchangeRequested(request) => {
                    let state = self.port.exchange_state(request.peer, request.ox_id, request.is_own);
                    self.n_port.answer_exchange_request(&request, state.map(exchange_status));
                }
                PortEvent::IncidentNoted(incident) | PortEvent::IncidentReported(incident) => {
                    self.keep_incident(incident);
                }
            }
        }
    }

    fn logged_in(&mut self, now: Time, peer: u32, frame_payload_bytes: u32, login: Option<SbLogin>) {
        let (channel_image, control_unit_image) = self.images;
        if self.target.is_some_and(|target| target.d_id != peer) {
            return;
        }
        self.is_refused = false;
        let agreed = login.filter(|login| login.has(SbLogin::TRANSPORT_MODE));
        let early = agreed.filter(|login| login.has(SbLogin::FIRST_TRANSFER_READY_DISABLED));
        let first = early.map_or(0, |login| u32::from(login.first_transfer_4k) * FIRST_TRANSFER_UNIT_BYTES);
        self.transport = agreed.is_some();
        self.target = Some(Target {
            s_id: self.n_port.address(),
            d_id: peer,
            login: Login {
                frame_payload_bytes,
                initial_pacing: INITIAL_PACING,
                granted_pacing: 0,
                first_transfer_bytes: first,
                transfer_ready_bytes: 0,
                carrier: Carrier::Ficon,
                window_bytes: 0,
                protection: FrameProtection::NONE,
            },
            channel_image,
            control_unit_image,
            device: 0,
            number: StartNumber::default(),
        });
        self.logical_paths.establish(now, LogicalPath { peer, channel_image, control_unit_image });
    }

    /// Returns what became of the logical path; why the path is lost, when it is.
    pub(super) fn take_path_events(&mut self, now: Time) -> Option<String> {
        while let Some(event) = self.logical_paths.poll_event() {
            match event {
                PathEvent::Established(_) => {
                    self.found.clear();
                    self.unvaried = self.units.iter().rev().copied().collect();
                    self.stage = Stage::Grouping;
                    self.vary_more_online(now);
                }
                PathEvent::Removed { path, why } => {
                    let image = path.control_unit_image;
                    return Some(format!("no logical path to control-unit image {image:02X}: {why}"));
                }
            }
        }
        None
    }
}
