//! A host-adapter port: its fibre, its logins, its logical paths and its exchanges.

mod dispatch;

use halftrack_base::Time;
use halftrack_engine::Prefetch;
use halftrack_exchange::{Carrier, ControlUnitPort, Login};
use halftrack_fabric::{NPort, NPortParameters, PortEvent, PortProtocol, Role};
use halftrack_subsystem::{ImageSet, LogicalPath, LogicalPaths, NodeIdentity, PathEvent, PathRole};
use halftrack_wire::choices::{COMMAND_FRAME_PAYLOAD_BYTES, PRLI_TRANSPORT_MODE};
use halftrack_wire::els::SbLogin;
use halftrack_wire::{FrameProtection, WorldWideName};

use dispatch::Dispatch;

use super::PortOptions;
use super::entrance::Entrance;
use super::notice::{Notice, NoticeKind};
use super::port_counters::PortCounters;
use super::unit_device::UnitDevice;
use super::units::{HostPort, PathKey, UnitTable};
use crate::clock::HostClock;
use crate::connection_notice::ConnectionNotice;
use crate::exchange_status::exchange_status;
use crate::fibre::{Closing, Fibre, FibreOptions, FrameTap};
use crate::frame_kind::FrameKind;
use crate::lobby::Occupant;
use crate::plug::Plugged;
use crate::transport::Transport;

/// Most logical paths of a port: every image of a channel to every one of a few logical control units. Our choice.
const PATHS_MAX: usize = 4096;
/// IUs that a channel may send before the first command response (reference section 6.4).
const INITIAL_PACING: u8 = 16;

/// Frames taken at a time while there are barriers: those of a few chains.
const FRAMES_BESIDE_BARRIERS: usize = 8;
/// Cache lines prefetched between two frames: a 4 KiB record in four steps.
const LINES_AT_A_TIME: usize = 16;

/// Takes notices.
pub type Notices<'a> = &'a mut dyn FnMut(&Notice<'_>);

/// A host-adapter port.
pub struct HostAdapterPort<T> {
    options: PortOptions,
    number: u16,
    logins: NPort,
    paths: LogicalPaths,
    exchanges: ControlUnitPort<UnitDevice>,
    fibre: Option<Fibre<T>>,
    /// The state machine of logins has had the event that the link is up.
    linked: bool,
    entrance: Entrance,
    /// The channels that are logged in, and what was agreed with them.
    hosts: Vec<HostPort>,
    agreed: Vec<(u32, Login)>,
    counters: PortCounters,
    /// Barriers of the volumes that had ended when endings were released last.
    barriers_seen: u64,
    /// Frames have come that are still to be taken.
    has_more: bool,
}

impl<T: Transport> HostAdapterPort<T> {
    /// Creates a port without a fibre, number `number` of its control unit, to these images.
    pub fn new(options: PortOptions, number: u16, images: ImageSet) -> Self {
        let logins = NPort::new(NPortParameters {
            port_name: options.port_name,
            node_name: options.node_name,
            role: Role::ControlUnit,
            receive_credit: options.credits,
            frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES as u16,
            node: options.node,
            protocol: PortProtocol::Ficon(Some(transport_mode(options.first_transfer_bytes))),
            peers: Vec::new(),
            hosts: options.hosts.clone(),
        });
        let exchanges = ControlUnitPort::new(options.open_exchanges);
        Self {
            options,
            number,
            logins,
            paths: LogicalPaths::new(PathRole::ControlUnit { images, paths_max: PATHS_MAX }),
            exchanges,
            fibre: None,
            linked: false,
            entrance: Entrance::default(),
            hosts: Vec::new(),
            agreed: Vec::new(),
            counters: PortCounters::default(),
            barriers_seen: 0,
            has_more: false,
        }
    }

    /// Returns what the port is.
    pub fn options(&self) -> &PortOptions {
        &self.options
    }

    /// Returns whether the port has no fibre.
    pub fn is_dark(&self) -> bool {
        self.fibre.is_none()
    }

    /// Returns the fibre.
    pub fn fibre_mut(&mut self) -> Option<&mut Fibre<T>> {
        self.fibre.as_mut()
    }

    /// Returns the exchanges that are open.
    pub fn open_exchanges(&self) -> usize {
        self.exchanges.open()
    }

    /// Returns what the port did since it was made.
    pub fn counters(&self) -> PortCounters {
        let mut counters = self.counters.clone();
        if let Some(fibre) = &self.fibre {
            counters.add_fibre(fibre.counters());
        }
        counters.exchanges = self.exchanges.counts();
        counters.skip_reported();
        counters
    }

    /// Returns a fibre for the port, the `nonce`-th of the control unit, whose clock this is.
    pub fn fibre_of(&self, now: Time, plugged: Plugged<T>, nonce: u64, clock: Option<HostClock>) -> Fibre<T> {
        let options = FibreOptions {
            own_name: self.options.port_name,
            receive_credit: self.options.credits,
            check_crc: true,
            clock,
        };
        if plugged.opened {
            Fibre::open(plugged.transport, options, nonce, now)
        } else {
            Fibre::accept(plugged.transport, options, now)
        }
    }

    /// Takes a fibre, which the other end opened or not.
    pub fn plug(&mut self, mut fibre: Fibre<T>, is_accepted: bool, tap: Option<Box<dyn FrameTap>>) {
        if let Some(tap) = tap {
            fibre.set_tap(tap);
        }
        self.counters.connections += 1;
        self.entrance.enter(is_accepted);
        self.fibre = Some(fibre);
    }

    /// Returns whether the port of this name may log in.
    pub(super) fn admits(&self, name: WorldWideName) -> bool {
        let hosts = self.options.hosts.as_ref();
        name != self.options.port_name && hosts.is_none_or(|hosts| hosts.contains(&name))
    }

    /// Returns the name of the port at the other end of the fibre, when it is logged in.
    pub(super) fn direct_peer(&self) -> Option<WorldWideName> {
        self.logins.direct_peer()
    }

    /// Asks it whether it is still there.
    pub(super) fn probe(&mut self, now: Time) {
        self.logins.probe(now);
    }

    /// Returns who has the port.
    pub(super) fn occupant(&self) -> Occupant {
        if self.is_dark() { Occupant::None } else { self.entrance.occupant(&self.logins) }
    }

    /// Returns how the fibre came about.
    pub(super) fn entrance_mut(&mut self) -> &mut Entrance {
        &mut self.entrance
    }

    /// Returns the time until which the port does not connect again.
    pub fn holds_off(&self, now: Time) -> Option<Time> {
        self.entrance.holds_off(now)
    }

    /// Runs one turn: takes received frames, sends what may be sent; true when there was something to do.
    pub fn turn(&mut self, now: Time, units: &mut UnitTable, notices: Notices<'_>) -> bool {
        if self.fibre.is_none() {
            return false;
        }
        let result = self.work(now, units, notices);
        result.unwrap_or_else(|why| {
            self.close(now, &why, units, notices);
            true
        })
    }

    fn work(&mut self, now: Time, units: &mut UnitTable, notices: Notices<'_>) -> Result<bool, Closing> {
        let Some(fibre) = &mut self.fibre else { return Ok(false) };
        let more = std::mem::take(&mut self.has_more);
        let mut worked = fibre.receive(now)? | self.entrance.take_octets() | more;
        self.logins.take_invalid_crcs(now, fibre.counters().damaged);
        loop {
            let more = worked && self.take_frames(now, units)?;
            self.take_events(now, units, notices);
            if !more {
                break;
            }
        }
        if units.take_withdrawn(self.number) {
            self.exchanges.end_withdrawn(now, &mut units.of_port(self.number, &self.hosts));
        }
        units.end_batch();
        if self.barriers_seen != units.barriers_ended() {
            self.barriers_seen = units.barriers_ended();
            self.exchanges.end_waits(now, &mut units.of_port(self.number, &self.hosts));
        }
        let Some(fibre) = &mut self.fibre else { return Ok(worked) };
        while fibre.can_send()
            && (self.logins.poll_frame(fibre)
                || self.paths.poll_frame(fibre)
                || self.exchanges.poll_frame(fibre))
        {
            worked = true;
            fibre.send_if_many(now)?;
        }
        fibre.flush(now, !worked)?;
        self.entrance.check_refused(&self.logins)?;
        Ok(worked)
    }

    /// Takes frames up to one that is of logins or logical paths; true after such a one. What it ends is ended before the
    /// next frame has an effect, and before it is answered. Where chains wait for barriers it takes a few, so that no barrier
    /// waits for chains that are still to be run.
    fn take_frames(&mut self, now: Time, units: &mut UnitTable) -> Result<bool, Closing> {
        let Some(fibre) = &mut self.fibre else { return Ok(false) };
        if !self.linked {
            let hosts = self.options.hosts.as_deref();
            let may = fibre.attached().map(|attached| attached.narrow(hosts));
            self.logins.set_hosts(may.unwrap_or_else(|| self.options.hosts.clone()));
        }
        let mut dispatch = Dispatch {
            logins: &mut self.logins,
            paths: &mut self.paths,
            exchanges: &mut self.exchanges,
            counters: &mut self.counters,
        };
        let mut most = if units.does_barriers() { FRAMES_BESIDE_BARRIERS } else { usize::MAX };
        let mut units = units.of_port(self.number, &self.hosts);
        let mut ahead = Prefetch::default();
        while let Some(incoming) = fibre.next_frame()? {
            ahead.rest();
            if !self.linked {
                self.linked = true;
                dispatch.logins.handle_link_up(now);
            }
            if dispatch.frame(now, &incoming.frame, &mut units) != FrameKind::Device {
                return Ok(true);
            }
            // What the next command reads comes near while this one's data go out, a few lines at a time: all at
            // once would hold up the stores.
            ahead = fibre.peek_frame().map_or_else(Prefetch::default, |next| units.look_ahead(&next));
            ahead.lines(LINES_AT_A_TIME);
            // What a command read goes out at once, from buffers that are still in the processor's cache.
            while fibre.can_send() && dispatch.exchanges.poll_frame(fibre) {
                ahead.lines(LINES_AT_A_TIME);
            }
            fibre.send_if_many(now)?;
            most -= 1;
            if most == 0 {
                self.has_more = true;
                return Ok(false);
            }
        }
        if fibre.is_up() && !self.linked {
            self.linked = true;
            self.logins.handle_link_up(now);
        }
        Ok(false)
    }

    /// Follows what became of logins and logical paths.
    fn take_events(&mut self, now: Time, units: &mut UnitTable, notices: Notices<'_>) {
        while let Some(event) = self.logins.poll_event() {
            let Some(kind) = self.take_login_event(now, event, units) else { continue };
            notices(&Notice { at: now, port: &self.options.id, kind });
        }
        while let Some(event) = self.paths.poll_event() {
            let kind = match event {
                PathEvent::Established(path) => {
                    if let Some(key) = self.key_of(path) {
                        units.reset_path(now, key, path.control_unit_image);
                    }
                    self.learn_node(path.peer);
                    NoticeKind::PathEstablished(path)
                }
                PathEvent::Removed { path, why } => {
                    self.forget(now, path, units);
                    // The exchanges of the path are over. Those of the channel's other paths go with them, and are
                    // driven again: a channel that removes one path starts anew or ends.
                    if let Some(&(peer, login)) = self.agreed.iter().find(|(peer, _)| *peer == path.peer) {
                        self.exchanges.log_out(peer, &mut units.of_port(self.number, &self.hosts));
                        self.exchanges.log_in(peer, login);
                    }
                    NoticeKind::PathRemoved(path, why)
                }
            };
            notices(&Notice { at: now, port: &self.options.id, kind });
        }
    }

    fn take_login_event(
        &mut self,
        now: Time,
        event: PortEvent,
        units: &mut UnitTable,
    ) -> Option<NoticeKind<'static>> {
        Some(match event {
            PortEvent::ProbeAnswered => {
                self.entrance.note_probe_answered();
                return None;
            }
            PortEvent::ExchangeRequested(request) => {
                let state = self.exchanges.exchange_state(request.peer, request.ox_id, request.is_own);
                self.logins.answer_exchange_request(&request, state.map(exchange_status));
                return None;
            }
            PortEvent::IncidentNoted(incident) => NoticeKind::Incident(incident),
            PortEvent::IncidentReported(_) | PortEvent::FcpPeerLoggedIn { .. } => return None,
            PortEvent::Attached { address, credit, fabric } => {
                self.paths.set_address(address);
                if let Some(fibre) = &mut self.fibre {
                    fibre.set_credit(credit);
                }
                NoticeKind::Attached { address, fabric }
            }
            PortEvent::PeerLoggedIn { peer, name, frame_payload_bytes, transport } => {
                let login = self.login(frame_payload_bytes, transport);
                self.hosts.retain(|known| known.address != peer);
                self.hosts.push(HostPort { address: peer, name, node: None });
                self.agreed.retain(|(known, _)| *known != peer);
                self.agreed.push((peer, login));
                self.exchanges.log_in(peer, login);
                if let Some(fibre) = &mut self.fibre {
                    fibre.set_ending(false);
                }
                let transport = transport.is_some_and(|login| login.has(SbLogin::TRANSPORT_MODE));
                NoticeKind::LoggedIn { peer, name, transport }
            }
            PortEvent::PeerLoggedOut { peer, name, why } => {
                self.exchanges.log_out(peer, &mut units.of_port(self.number, &self.hosts));
                self.paths.handle_logged_out(peer);
                self.agreed.retain(|(known, _)| *known != peer);
                if let Some(fibre) = &mut self.fibre {
                    fibre.set_ending(self.agreed.is_empty());
                }
                NoticeKind::LoggedOut { peer, name, why }
            }
            PortEvent::Refused { name, why } => {
                self.counters.logins_refused += 1;
                self.entrance.refuse(now, &self.logins, name, why.to_string());
                NoticeKind::Refused { name, why }
            }
        })
    }

    /// Returns what exchanges with a host keep to.
    fn login(&self, frame_payload_bytes: u32, transport: Option<SbLogin>) -> Login {
        Login {
            frame_payload_bytes,
            initial_pacing: INITIAL_PACING,
            granted_pacing: self.options.iu_pacing,
            first_transfer_bytes: transport.map_or(0, SbLogin::first_transfer_bytes),
            transfer_ready_bytes: 0,
            carrier: Carrier::Ficon,
            window_bytes: 0,
            protection: FrameProtection::NONE,
        }
    }

    /// Drops the state kept for a path; a reservation of its path group stays.
    fn forget(&self, now: Time, path: LogicalPath, units: &mut UnitTable) {
        if let Some(key) = self.key_of(path) {
            units.forget_path(now, key);
        }
    }

    /// Returns the path as devices identify it, when its host is logged in.
    fn key_of(&self, path: LogicalPath) -> Option<PathKey> {
        let host = self.hosts.iter().find(|host| host.address == path.peer)?;
        Some(PathKey { port: self.number, host: host.name, channel_image: path.channel_image })
    }

    /// Notes the node of a host, which has identified itself before it establishes a path.
    fn learn_node(&mut self, peer: u32) {
        let node = self.logins.node_of(peer).and_then(|node| NodeIdentity::of(&node));
        if let Some(host) = self.hosts.iter_mut().find(|host| host.address == peer) {
            host.node = node;
        }
    }

    /// Timers may be due.
    pub fn handle_timeout(&mut self, now: Time, units: &mut UnitTable, notices: Notices<'_>) {
        let Some(fibre) = &mut self.fibre else { return };
        let checked = fibre.handle_timeout(now).and_then(|()| self.entrance.check_login(now, &self.logins));
        if let Err(why) = checked {
            self.close(now, &why, units, notices);
            return;
        }
        self.notify_clock(now, notices);
        self.logins.handle_timeout(now);
        self.paths.handle_timeout(now);
        self.exchanges.handle_timeout(now, &mut units.of_port(self.number, &self.hosts));
    }

    /// Returns the time at which [`HostAdapterPort::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> Option<Time> {
        let fibre = self.fibre.as_ref()?.poll_timeout();
        let others = [
            self.logins.poll_timeout(),
            self.paths.poll_timeout(),
            self.exchanges.poll_timeout(),
            self.entrance.poll_timeout(),
        ];
        others.into_iter().flatten().chain([fibre]).min()
    }

    /// Tells whether the age of frames is checked, when that has changed.
    fn notify_clock(&mut self, at: Time, notices: Notices<'_>) {
        let is_in = self.entrance.occupant(&self.logins) == Occupant::LoggedIn;
        let Some(fibre) = self.fibre.as_ref().filter(|fibre| is_in && fibre.is_up()) else { return };
        if self.entrance.take_clock(fibre.has_common_clock()) == Some(false) {
            let kind = NoticeKind::Connection(ConnectionNotice::NoCommonClock(&fibre.peer()));
            notices(&Notice { at, port: &self.options.id, kind });
        }
    }

    /// Says LOGO to every host, before the link is closed in order.
    pub fn log_out(&mut self, now: Time) {
        self.logins.log_out(now);
    }

    /// Gives the fibre up: exchanges end, logins and logical paths are over, nothing else is touched.
    pub fn close(&mut self, now: Time, why: &Closing, units: &mut UnitTable, notices: Notices<'_>) {
        let Some(fibre) = self.fibre.take() else { return };
        self.counters.add_fibre(fibre.counters());
        self.linked = false;
        if let Some(code) = why.incident() {
            self.logins.note_incident(now, code);
        }
        self.exchanges.handle_link_down(&mut units.of_port(self.number, &self.hosts));
        self.logins.handle_link_down();
        self.paths.handle_link_down();
        let peer = &fibre.peer();
        let kind = NoticeKind::Connection(ConnectionNotice::Closed { peer, why });
        notices(&Notice { at: now, port: &self.options.id, kind });
        self.take_events(now, units, notices);
        self.hosts.clear();
        self.agreed.clear();
    }
}

/// Returns the parameters of PRLI: transport mode, with a first burst of writes or without.
fn transport_mode(first_transfer_bytes: u32) -> SbLogin {
    let first_transfer_4k = u16::try_from(first_transfer_bytes / 4096).unwrap_or(u16::MAX);
    let first = if first_transfer_4k > 0 { SbLogin::FIRST_TRANSFER_READY_DISABLED } else { 0 };
    SbLogin { first_transfer_4k, initiation_delay_s: 0, flags: PRLI_TRANSPORT_MODE | first }
}
