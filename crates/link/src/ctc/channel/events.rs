//! Events of a channel's login and of its logical paths.

use halftrack_base::Time;
use halftrack_exchange::{Carrier, Login, Target};
use halftrack_fabric::PortEvent;
use halftrack_subsystem::{LogicalPath, PathEvent};
use halftrack_wire::choices::INITIAL_PACING;
use halftrack_wire::{FrameProtection, StartNumber, WorldWideName};

use super::{ChannelEvent, CtcChannel, Stage};
use crate::driver::UnitPath;
use crate::exchange_status::exchange_status;
use crate::plug::Plug;

/// IUs that a control unit grants. Our choice: a data chain of 1 MiB goes out without a pause.
const GRANTED_PACING: u8 = 255;

impl<P: Plug> CtcChannel<P> {
    /// Follows what became of the login and the logical paths.
    pub(super) fn take_events(&mut self, now: Time) {
        while let Some(event) = self.n_port.poll_event() {
            match event {
                PortEvent::Attached { address, credit, fabric } => {
                    if let Some(fibre) = &mut self.fibre {
                        fibre.set_credit(credit);
                    }
                    self.outward.set_address(address);
                    self.inward.set_address(address);
                    self.presenter.set_address(address);
                    self.taker.set_address(address);
                    self.attach_disks(address, fabric);
                }
                PortEvent::PeerLoggedIn { peer, name, frame_payload_bytes, .. } if self.is_partner(name) => {
                    self.log_in(now, peer, frame_payload_bytes);
                }
                PortEvent::PeerLoggedOut { name, why, .. } if self.is_partner(name) => {
                    self.leave(format!("the login is over: {why}"));
                }
                PortEvent::Refused { name, why } if self.is_partner(name) || name == self.n_port.name() => {
                    self.trouble = format!("{name}: {why}");
                }
                event @ (PortEvent::PeerLoggedIn { .. }
                | PortEvent::PeerLoggedOut { .. }
                | PortEvent::Refused { .. }) => self.take_disk_event(now, event),
                PortEvent::ExchangeRequested(request) => {
                    let state = if self.is_of_disks(request.peer) {
                        let of = |disks: &mut UnitPath| {
                            disks.exchange_state(request.peer, request.ox_id, request.is_own)
                        };
                        self.disks.as_mut().and_then(of)
                    } else if request.is_own {
                        self.programs.exchange_state(request.peer, request.ox_id, request.is_own)
                    } else {
                        self.exchanges.exchange_state(request.peer, request.ox_id, request.is_own)
                    };
                    self.n_port.answer_exchange_request(&request, state.map(exchange_status));
                }
                PortEvent::ProbeAnswered
                | PortEvent::FcpPeerLoggedIn { .. }
                | PortEvent::IncidentNoted(_)
                | PortEvent::IncidentReported(_) => {}
            }
        }
        self.take_path_events(now);
    }

    /// Returns whether this is the name of the other channel.
    fn is_partner(&self, name: WorldWideName) -> bool {
        name == self.options.partner
    }

    fn log_in(&mut self, now: Time, peer: u32, frame_payload_bytes: u32) {
        let (channel_image, control_unit_image) = self.options.images;
        if self.target.is_some_and(|target| target.d_id == peer) {
            return;
        }
        let login = Login {
            frame_payload_bytes,
            initial_pacing: INITIAL_PACING,
            granted_pacing: GRANTED_PACING,
            first_transfer_bytes: 0,
            transfer_ready_bytes: 0,
            carrier: Carrier::Ficon,
            window_bytes: 0,
            protection: FrameProtection::NONE,
        };
        self.target = Some(Target {
            s_id: self.n_port.address(),
            d_id: peer,
            login,
            channel_image,
            control_unit_image,
            device: 0,
            number: StartNumber::default(),
        });
        self.exchanges.log_in(peer, login);
        self.outward.establish(now, LogicalPath { peer, channel_image, control_unit_image });
    }

    /// Follows the logical paths: the channel is online when both are there.
    pub(super) fn take_path_events(&mut self, now: Time) {
        while let Some(event) = self.outward.poll_event() {
            if let PathEvent::Removed { path, why } = event {
                let image = path.control_unit_image;
                return self
                    .lose_partner(now, &format!("no logical path to control-unit image {image:02X}: {why}"));
            }
        }
        while let Some(event) = self.inward.poll_event() {
            if let PathEvent::Removed { path, why } = event {
                let image = path.channel_image;
                return self
                    .lose_partner(now, &format!("no logical path from channel image {image:02X}: {why}"));
            }
        }
        let Some(target) = self.target.filter(|_| self.stage == Stage::LoggingIn) else { return };
        let (peer, own, other) = (target.d_id, target.channel_image, target.control_unit_image);
        if self.outward.is_established(peer, own, other) && self.inward.is_established(peer, other, own) {
            self.stage = Stage::Online;
            self.trouble.clear();
            self.events.push_back(ChannelEvent::Online);
        }
    }

    /// Ends what was under way with the other channel, which has logged out; the link stays for its next login.
    pub(super) fn leave(&mut self, why: String) {
        let was_online = self.stage == Stage::Online;
        self.end_paths();
        self.stage = Stage::LoggingIn;
        self.trouble.clone_from(&why);
        if was_online {
            self.events.push_back(ChannelEvent::Offline(why));
        }
    }
}
