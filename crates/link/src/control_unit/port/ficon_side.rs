//! FICON at a port: logical paths, and exchanges with devices.

use halftrack_base::Time;
use halftrack_engine::Prefetch;
use halftrack_exchange::{Carrier, ControlUnitPort, Login, PortCounts};
use halftrack_fabric::{ExchangeRequest, NPort, PortEvent};
use halftrack_subsystem::{ImageSet, LogicalPath, LogicalPaths, NodeIdentity, PathEvent, PathRole};
use halftrack_wire::choices::INITIAL_PACING;
use halftrack_wire::els::SbLogin;
use halftrack_wire::{FrameProtection, FrameSink};

use super::dispatch::Dispatch;
use super::side::{PortParts, Taken};
use crate::control_unit::PortOptions;
use crate::control_unit::notice::NoticeKind;
use crate::control_unit::unit_device::UnitDevice;
use crate::control_unit::units::{HostPort, PathKey, UnitTable};
use crate::exchange_status::exchange_status;
use crate::fibre::Closing;
use crate::frame_kind::FrameKind;
use crate::transport::Transport;

/// Most logical paths of a port: every image of a channel to every one of a few logical control units. Our choice.
const PATHS_MAX: usize = 4096;

/// Frames taken at a time while there are barriers: those of a few chains.
const FRAMES_BESIDE_BARRIERS: usize = 8;
/// Cache lines prefetched between two frames: a 4 KiB record in four steps.
const LINES_AT_A_TIME: usize = 16;

/// The logical paths and exchanges of a port of devices.
pub(super) struct FiconSide {
    paths: LogicalPaths,
    exchanges: ControlUnitPort<UnitDevice>,
    /// The channels that are logged in, and what was agreed with them.
    hosts: Vec<HostPort>,
    agreed: Vec<(u32, Login)>,
    iu_pacing: u8,
    /// Barriers of the volumes that had ended when endings were released last.
    barriers_seen: u64,
}

impl FiconSide {
    /// Returns the side of a port to these images without logins.
    pub fn new(options: &PortOptions, images: ImageSet) -> Self {
        Self {
            paths: LogicalPaths::new(PathRole::ControlUnit { images, paths_max: PATHS_MAX }),
            exchanges: ControlUnitPort::new(options.open_exchanges),
            hosts: Vec::new(),
            agreed: Vec::new(),
            iu_pacing: options.iu_pacing,
            barriers_seen: 0,
        }
    }

    /// Takes frames up to one that is of logins or logical paths. What it ends is ended before the next frame has an effect,
    /// and before it is answered. Where chains wait for barriers it takes a few, so that no barrier waits for chains that are
    /// still to be run.
    pub fn take_frames<T: Transport>(
        &mut self,
        parts: &mut PortParts<'_, T>,
        units: &mut UnitTable,
    ) -> Result<Taken, Closing> {
        let now = parts.now;
        let mut dispatch = Dispatch {
            logins: parts.logins,
            paths: &mut self.paths,
            exchanges: &mut self.exchanges,
            counters: parts.counters,
        };
        let mut most = if units.does_barriers() { FRAMES_BESIDE_BARRIERS } else { usize::MAX };
        let mut units = units.of_port(parts.number, &self.hosts);
        let mut ahead = Prefetch::default();
        while let Some(incoming) = parts.fibre.next_frame()? {
            ahead.rest();
            if !*parts.linked {
                *parts.linked = true;
                dispatch.logins.handle_link_up(now);
            }
            if dispatch.frame(now, &incoming.frame, &mut units) != FrameKind::Device {
                return Ok(Taken::Login);
            }
            // What the next command reads comes near while this one's data go out, a few lines at a time: all at
            // once would hold up the stores.
            ahead = parts.fibre.peek_frame().map_or_else(Prefetch::default, |next| units.look_ahead(&next));
            ahead.lines(LINES_AT_A_TIME);
            // What a command read goes out at once, from buffers that are still in the processor's cache.
            while parts.fibre.can_send() && dispatch.exchanges.poll_frame(parts.fibre) {
                ahead.lines(LINES_AT_A_TIME);
            }
            parts.fibre.send_if_many(now)?;
            most -= 1;
            if most == 0 {
                return Ok(Taken::Some);
            }
        }
        Ok(Taken::All)
    }

    pub fn end_turn(&mut self, now: Time, number: u16, units: &mut UnitTable) {
        if units.take_withdrawn(number) {
            self.exchanges.end_withdrawn(now, &mut units.of_port(number, &self.hosts));
        }
        units.end_batch();
        if self.barriers_seen != units.barriers_ended() {
            self.barriers_seen = units.barriers_ended();
            self.exchanges.end_waits(now, &mut units.of_port(number, &self.hosts));
        }
    }

    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        self.paths.poll_frame(sink) || self.exchanges.poll_frame(sink)
    }

    pub fn set_address(&mut self, address: u32) {
        self.paths.set_address(address);
    }

    pub fn log_in(
        &mut self,
        _now: Time,
        _number: u16,
        event: &PortEvent,
        _units: &mut UnitTable,
    ) -> Option<NoticeKind<'static>> {
        let PortEvent::PeerLoggedIn { peer, name, frame_payload_bytes, transport } = *event else {
            return None;
        };
        let login = self.login(frame_payload_bytes, transport);
        self.hosts.retain(|known| known.address != peer);
        self.hosts.push(HostPort { address: peer, name, node: None });
        self.agreed.retain(|(known, _)| *known != peer);
        self.agreed.push((peer, login));
        self.exchanges.log_in(peer, login);
        let transport = transport.is_some_and(|login| login.has(SbLogin::TRANSPORT_MODE));
        Some(NoticeKind::LoggedIn { peer, name, transport })
    }

    pub fn log_out(&mut self, _now: Time, number: u16, peer: u32, units: &mut UnitTable) -> bool {
        self.exchanges.log_out(peer, &mut units.of_port(number, &self.hosts));
        self.paths.handle_logged_out(peer);
        self.agreed.retain(|(known, _)| *known != peer);
        !self.agreed.is_empty()
    }

    pub fn answer(&mut self, request: &ExchangeRequest, logins: &mut NPort) {
        let state = self.exchanges.exchange_state(request.peer, request.ox_id, request.is_own);
        logins.answer_exchange_request(request, state.map(exchange_status));
    }

    pub fn poll_notice(
        &mut self,
        now: Time,
        number: u16,
        logins: &NPort,
        units: &mut UnitTable,
    ) -> Option<NoticeKind<'static>> {
        Some(match self.paths.poll_event()? {
            PathEvent::Established(path) => {
                if let Some(key) = self.key_of(number, path) {
                    units.reset_path(now, key, path.control_unit_image);
                }
                self.learn_node(logins, path.peer);
                NoticeKind::PathEstablished(path)
            }
            PathEvent::Removed { path, why } => {
                if let Some(key) = self.key_of(number, path) {
                    // A reservation of its path group stays.
                    units.forget_path(now, key);
                }
                // The exchanges of the path are over. Those of the channel's other paths go with them, and are
                // driven again: a channel that removes one path starts anew or ends.
                if let Some(&(peer, login)) = self.agreed.iter().find(|(peer, _)| *peer == path.peer) {
                    self.exchanges.log_out(peer, &mut units.of_port(number, &self.hosts));
                    self.exchanges.log_in(peer, login);
                }
                NoticeKind::PathRemoved(path, why)
            }
        })
    }

    /// Returns what exchanges with a host keep to.
    fn login(&self, frame_payload_bytes: u32, transport: Option<SbLogin>) -> Login {
        Login {
            frame_payload_bytes,
            initial_pacing: INITIAL_PACING,
            granted_pacing: self.iu_pacing,
            first_transfer_bytes: transport.map_or(0, SbLogin::first_transfer_bytes),
            transfer_ready_bytes: 0,
            carrier: Carrier::Ficon,
            window_bytes: 0,
            protection: FrameProtection::NONE,
        }
    }

    /// Returns the path as devices identify it, when its host is logged in.
    fn key_of(&self, port: u16, path: LogicalPath) -> Option<PathKey> {
        let host = self.hosts.iter().find(|host| host.address == path.peer)?;
        Some(PathKey { port, host: host.name, channel_image: path.channel_image })
    }

    /// Notes the node of a host, which has identified itself before it establishes a path.
    fn learn_node(&mut self, logins: &NPort, peer: u32) {
        let node = logins.node_of(peer).and_then(|node| NodeIdentity::of(&node));
        if let Some(host) = self.hosts.iter_mut().find(|host| host.address == peer) {
            host.node = node;
        }
    }

    pub fn handle_timeout(&mut self, now: Time, number: u16, units: &mut UnitTable) {
        self.paths.handle_timeout(now);
        self.exchanges.handle_timeout(now, &mut units.of_port(number, &self.hosts));
    }

    pub fn poll_timeout(&self) -> Option<Time> {
        [self.paths.poll_timeout(), self.exchanges.poll_timeout()].into_iter().flatten().min()
    }

    pub fn handle_link_down(&mut self, _now: Time, number: u16, units: &mut UnitTable) {
        self.exchanges.handle_link_down(&mut units.of_port(number, &self.hosts));
        self.paths.handle_link_down();
    }

    pub fn forget_hosts(&mut self) {
        self.hosts.clear();
        self.agreed.clear();
    }

    pub fn open(&self) -> usize {
        self.exchanges.open()
    }

    pub fn counts(&self) -> PortCounts {
        self.exchanges.counts()
    }
}
