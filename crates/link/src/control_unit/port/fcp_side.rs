//! FCP at a port: exchanges with logical units.

use halftrack_base::Time;
use halftrack_exchange::PortCounts;
use halftrack_exchange::fcp::{FcpAgreement, FcpPeer, FcpTargetPort, FcpTimers};
use halftrack_fabric::{ExchangeRequest, NPort, PortEvent};
use halftrack_wire::FrameSink;
use halftrack_wire::els::FcpLogin;

use super::side::{PortParts, Taken};
use crate::control_unit::PortOptions;
use crate::control_unit::luns::PortLuns;
use crate::control_unit::notice::NoticeKind;
use crate::control_unit::units::UnitTable;
use crate::exchange_status::exchange_status;
use crate::fibre::Closing;
use crate::frame_kind::FrameKind;
use crate::transport::Transport;

/// Service parameters that a port of logical units offers.
pub(super) const OFFER: FcpLogin = FcpLogin::TARGET
    .with(FcpLogin::READ_READY_DISABLED)
    .with(FcpLogin::CONFIRMATION)
    .with(FcpLogin::RETRY)
    .with(FcpLogin::REC);

/// The exchanges of a port of logical units.
pub(super) struct FcpSide {
    exchanges: FcpTargetPort,
    timers: Option<FcpTimers>,
    address: u32,
}

impl FcpSide {
    /// Returns the side of a port without logins.
    pub fn new(options: &PortOptions) -> Self {
        Self { exchanges: FcpTargetPort::new(options.open_exchanges), timers: options.fcp, address: 0 }
    }

    pub fn take_frames<T: Transport>(
        &mut self,
        parts: &mut PortParts<'_, T>,
        units: &mut UnitTable,
    ) -> Result<Taken, Closing> {
        let mut luns = units.luns_of_port(parts.number);
        let now = parts.now;
        while let Some(incoming) = parts.fibre.next_frame()? {
            if !*parts.linked {
                *parts.linked = true;
                parts.logins.handle_link_up(now);
            }
            let frame = &incoming.frame;
            match FrameKind::of(frame) {
                FrameKind::Device => {
                    if let Err(why) = self.exchanges.handle_frame(now, frame, &mut luns) {
                        let peer = frame.header.s_id;
                        if !parts.logins.is_logged_in(peer) {
                            parts.logins.handle_stranger(now, peer);
                        }
                        parts.counters.discard_exchange(&why);
                    }
                }
                FrameKind::LinkService => {
                    if let Err(why) = parts.logins.handle_frame(now, frame) {
                        parts.counters.discard_login(&why);
                    }
                    return Ok(Taken::Login);
                }
                FrameKind::LinkControl | FrameKind::Unknown => {
                    parts.counters.discard("a TYPE that means nothing here");
                }
            }
            // What a command read goes out at once, from buffers that are still in the processor's cache.
            while parts.fibre.can_send() && self.exchanges.poll_frame(now, parts.fibre) {}
            parts.fibre.send_if_many(now)?;
        }
        Ok(Taken::All)
    }

    pub fn end_turn(&mut self, now: Time, number: u16, units: &mut UnitTable) {
        if units.luns().has_progress(number) {
            self.exchanges.take_progress(now, &mut units.luns_of_port(number));
        }
    }

    pub fn poll_frame(&mut self, now: Time, sink: &mut impl FrameSink) -> bool {
        self.exchanges.poll_frame(now, sink)
    }

    pub fn set_address(&mut self, address: u32) {
        self.address = address;
    }

    pub fn log_in(
        &mut self,
        now: Time,
        number: u16,
        event: &PortEvent,
        units: &mut UnitTable,
    ) -> Option<NoticeKind<'static>> {
        let PortEvent::FcpPeerLoggedIn { peer, name, frame_payload_bytes, login } = *event else {
            return None;
        };
        let mut agreement = FcpAgreement::of_login(login, 0);
        if let Some(timers) = self.timers {
            agreement.timers = timers;
        }
        let mut luns = units.luns_of_port(number);
        let peer_login = FcpPeer { own: self.address, address: peer, frame_payload_bytes, agreement };
        self.lose(now, peer, &mut luns);
        luns.admit(peer, name);
        self.exchanges.log_in(now, peer_login, &mut luns);
        Some(NoticeKind::FcpLoggedIn { peer, name, retry: agreement.is_retried })
    }

    pub fn log_out(&mut self, now: Time, number: u16, peer: u32, units: &mut UnitTable) -> bool {
        self.lose(now, peer, &mut units.luns_of_port(number));
        !self.exchanges.peers().is_empty()
    }

    /// Ends the exchanges of an initiator, and what its nexus has at the units.
    fn lose(&mut self, now: Time, peer: u32, luns: &mut PortLuns<'_>) {
        self.exchanges.log_out(now, peer, luns);
        luns.lose(now, peer);
    }

    pub fn answer(&mut self, request: &ExchangeRequest, logins: &mut NPort) {
        let state =
            if request.is_own { None } else { self.exchanges.exchange_state(request.peer, request.ox_id) };
        logins.answer_exchange_request(request, state.map(exchange_status));
    }

    pub fn handle_timeout(&mut self, now: Time, number: u16, units: &mut UnitTable) {
        self.exchanges.handle_timeout(now, &mut units.luns_of_port(number));
    }

    pub fn poll_timeout(&self) -> Option<Time> {
        self.exchanges.poll_timeout()
    }

    pub fn handle_link_down(&mut self, now: Time, number: u16, units: &mut UnitTable) {
        let mut luns = units.luns_of_port(number);
        let peers: Vec<_> = self.exchanges.peers().iter().map(|peer| peer.address).collect();
        self.exchanges.handle_link_down(now, &mut luns);
        peers.into_iter().for_each(|peer| luns.lose(now, peer));
    }

    pub fn forget_hosts(&mut self) {
        self.address = 0;
    }

    pub fn open(&self) -> usize {
        self.exchanges.open()
    }

    pub fn counts(&self) -> PortCounts {
        self.exchanges.counts()
    }
}
