//! One path of an FCP channel: its link, its login, the units found over it, and all its open exchanges.
//!
//! ```text
//! Down ─► Connecting ─► LoggingIn ─ PRLI executed ─► Finding ─ every unit answered ─► Online
//!  ▲                        │                                                           │
//!  └── after a while ◄──────┴──────────── the link or the login is lost, or stalls ◄────┘
//! ```

mod on_link;

use std::collections::VecDeque;

use halftrack_base::{Decision, Time};
use halftrack_config::ChannelFile;
use halftrack_config::channel_file::{ChannelPathEntry, InitiatorTimeouts};
use halftrack_exchange::fcp::{
    CommandEnd, FcpAgreement, FcpInitiatorPort, FcpOutcome, FcpPeer, FcpRequest, FcpTimers,
};
use halftrack_fabric::{NPort, NPortParameters, PhysicalPort, PortEvent, PortProtocol, Role};
use halftrack_wire::WorldWideName;
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;
use halftrack_wire::els::{FcpLogin, LinkIncident};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::fcp::Lun;

use super::command;
use super::finding::{Finding, LunSize};
use super::nexus::{Initiator, Nexus};
use crate::connector::Connector;
use crate::driver::channel_path::{PathChange, node_descriptor};
use crate::driver::link_path::RETRY;
use crate::frame_kind::FrameKind;
use crate::{Closing, Fibre, FibreOptions, FrameTap, HostClock};

/// Bit of the tags of commands of the path itself: those that find units have the place of their nexus, and those that test a
/// silent path a bit more.
const OWN: u32 = 0x8000_0000;
const TEST: u32 = 0xC000_0000;
/// Number of the channel's own port on its link; the virtual ones follow.
const PHYSICAL: usize = 0;
/// Service parameters of the channel.
const OFFER: FcpLogin = FcpLogin::INITIATOR
    .with(FcpLogin::READ_READY_DISABLED)
    .with(FcpLogin::CONFIRMATION)
    .with(FcpLogin::RETRY)
    .with(FcpLogin::REC);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Down { retry_at: Time },
    Connecting,
    LoggingIn,
    Finding,
    Online,
}

/// One path.
pub struct FcpPath<C: Connector> {
    chpid: u8,
    connector: C,
    options: FibreOptions,
    fibre: Option<Fibre<C::Transport>>,
    n_port: PhysicalPort,
    port_name: WorldWideName,
    port: FcpInitiatorPort,
    stage: Stage,
    /// When the stage began.
    since: Time,
    links: u64,
    /// Its logins, by initiator.
    nexuses: Vec<Nexus>,
    timeouts: InitiatorTimeouts,
    sizes: Vec<(u8, LunSize)>,
    /// When a frame of an exchange came last, or one was begun after none was open.
    heard: Time,
    /// When the test that is out was sent.
    tested: Option<Time>,
    /// Since when nothing has come, once a test was not answered in time.
    stall: Option<Time>,
    change: Option<PathChange>,
    incidents: VecDeque<LinkIncident>,
    /// Why it is not online, for the message.
    trouble: String,
    /// The other side refused a login, so that it closes the link.
    is_refused: bool,
}

impl<C: Connector> FcpPath<C> {
    /// Returns the path that `entry` of `file` describes, for these initiators, over links from `connector`; `clock` is the
    /// host's.
    pub fn new(
        file: &ChannelFile,
        entry: &ChannelPathEntry,
        timeouts: InitiatorTimeouts,
        initiators: &[Initiator],
        connector: C,
        clock: Option<HostClock>,
    ) -> Self {
        let port_at = |port_name| NPortParameters {
            port_name,
            node_name: file.node,
            role: Role::Channel,
            receive_credit: entry.credits,
            frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES as u16,
            node: node_descriptor(file.node),
            protocol: PortProtocol::Fcp(OFFER),
            peers: entry.control_unit_port.into_iter().collect(),
            hosts: None,
        };
        let mut virtual_ports = Vec::new();
        let nexus = |initiator: &Initiator| {
            let Some(name) = &initiator.virtual_port else { return Nexus::new(PHYSICAL, initiator) };
            let named = entry.virtual_ports.iter().find(|port| port.name == *name);
            virtual_ports.extend(named.map(|port| port_at(port.port_name)));
            Nexus::new(virtual_ports.len(), initiator)
        };
        let nexuses = initiators.iter().map(nexus).collect();
        let n_port = PhysicalPort::new(port_at(entry.port_name), virtual_ports)
            .expect("the names of the ports of a channel file are all different");
        let options =
            FibreOptions { own_name: entry.port_name, receive_credit: entry.credits, check_crc: true, clock };
        Self {
            chpid: entry.chpid,
            connector,
            options,
            fibre: None,
            n_port,
            port_name: entry.port_name,
            port: FcpInitiatorPort::new(entry.open_exchanges),
            stage: Stage::Down { retry_at: Time::ZERO },
            since: Time::ZERO,
            links: 0,
            nexuses,
            timeouts,
            sizes: Vec::new(),
            heard: Time::ZERO,
            tested: None,
            stall: None,
            change: None,
            incidents: VecDeque::new(),
            trouble: String::new(),
            is_refused: false,
        }
    }

    /// Returns the units as they were found.
    pub fn sizes(&self) -> &[(u8, LunSize)] {
        &self.sizes
    }

    /// Returns whether I/O may go over it.
    #[inline]
    pub fn is_online(&self) -> bool {
        self.stage == Stage::Online
    }

    /// Returns the exchanges that are open.
    #[inline]
    pub fn open_exchanges(&self) -> usize {
        self.port.open()
    }

    /// Returns whether a command can be started.
    #[inline]
    pub fn can_start(&self) -> bool {
        self.is_online() && self.port.can_start()
    }

    /// Starts a command of the initiator at a place; false, and nothing is started, unless [`FcpPath::can_start`].
    #[inline]
    pub fn start(&mut self, now: Time, initiator: usize, request: FcpRequest, tag: u32) -> bool {
        if self.port.open() == 0 {
            self.heard = now;
        }
        let Some(peer) = self.nexuses.get(initiator).and_then(|nexus| nexus.peer.as_ref()) else {
            return false;
        };
        self.is_online() && self.port.start(now, peer, request, tag)
    }

    /// Returns the end of a command that was started by [`FcpPath::start`].
    #[inline]
    pub fn poll_end(&mut self, now: Time) -> Option<CommandEnd> {
        loop {
            let end = self.port.poll_end()?;
            if end.tag & OWN == 0 {
                return Some(end);
            }
            self.take_own_end(now, end);
        }
    }

    /// Takes back the buffer of an end.
    #[inline]
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.port.recycle(buffer);
    }

    fn take_own_end(&mut self, now: Time, end: CommandEnd) {
        if end.tag == TEST {
            self.tested = None;
        } else if self.stage == Stage::Finding {
            let index = (end.tag & !OWN) as usize;
            let nexus = &mut self.nexuses[index];
            if let FcpOutcome::Aborted(_) = end.outcome
                && nexus.peer.is_none()
            {
                return;
            }
            match nexus.finding.handle_end(&end.outcome, &end.data) {
                Ok(()) => self.find(now, index),
                Err(why) => {
                    let why = nexus.named(why);
                    self.lose(now, why);
                }
            }
        }
        self.port.recycle(end.data);
    }

    /// Sends the next command by which an initiator finds units, or comes online when all have theirs.
    fn find(&mut self, now: Time, index: usize) {
        let nexus = &self.nexuses[index];
        if nexus.finding.found().is_some() {
            if self.nexuses.iter().all(|nexus| nexus.peer.is_some() && nexus.finding.found().is_some()) {
                self.come_online(now);
            }
            return;
        }
        let (Some(request), Some(peer)) = (nexus.finding.request(), &nexus.peer) else { return };
        if !self.port.start(now, peer, request, OWN | index as u32) {
            self.lose(now, "too many exchange ids rest".to_owned());
        }
    }

    /// Comes online, unless a number is another unit than before or than for another initiator.
    fn come_online(&mut self, now: Time) {
        let mut found: Vec<(u8, LunSize)> = self
            .nexuses
            .iter()
            .flat_map(|nexus| nexus.finding.found().unwrap_or_default())
            .cloned()
            .collect();
        found.sort_by_key(|(lun, _)| *lun);
        found.dedup();
        if let Some(pair) = found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return self.lose(now, format!("LUN {} is not the same unit for all virtual ports", pair[0].0));
        }
        let changed = self.sizes.iter().find(|known| !found.contains(known)).map(|(lun, _)| *lun);
        if let Some(lun) = changed {
            return self.lose(now, format!("LUN {lun} is another unit than before"));
        }
        self.sizes = found;
        (self.stage, self.change) = (Stage::Online, Some(PathChange::Online));
        self.heard = now;
        self.trouble.clear();
    }

    fn connect(&mut self, now: Time, tap: &mut dyn FnMut() -> Option<Box<dyn FrameTap>>) {
        if let Stage::Down { retry_at } = self.stage {
            if now < retry_at {
                return;
            }
            self.stage = Stage::Connecting;
        }
        match self.connector.poll_connect() {
            None => self.since = now,
            Some(Ok(transport)) => {
                self.links += 1;
                let mut fibre = Fibre::open(transport, self.options.clone(), self.links, now);
                if let Some(tap) = tap() {
                    fibre.set_tap(tap);
                }
                self.fibre = Some(fibre);
                (self.stage, self.since) = (Stage::LoggingIn, now);
                self.n_port.handle_link_up(now);
                self.is_refused = false;
            }
            Some(Err(error)) => self.lose(now, format!("no connection: {error}")),
        }
    }

    #[inline]
    fn take_frames(&mut self, now: Time) -> Result<bool, Closing> {
        let Some(fibre) = &mut self.fibre else { return Ok(false) };
        let worked = fibre.receive(now)?;
        let damaged = fibre.counters().damaged;
        self.n_port.with_port(PHYSICAL, |port| port.take_invalid_crcs(now, damaged));
        while let Some(incoming) = fibre.next_frame()? {
            let frame = &incoming.frame;
            let header = &frame.header;
            match FrameKind::of(frame) {
                FrameKind::Device => {
                    self.heard = now;
                    // A frame without an exchange is late or a stranger's: nothing follows from it.
                    let _ = self.port.handle_frame(now, frame);
                }
                FrameKind::LinkService
                    if header.fc_type == fc_type::EXTENDED_LINK_SERVICE && self.port.awaits(header) =>
                {
                    let _ = self.port.handle_frame(now, frame);
                }
                FrameKind::LinkService => {
                    let _ = self.n_port.handle_frame(now, frame);
                }
                FrameKind::LinkControl | FrameKind::Unknown => {}
            }
        }
        self.take_events(now);
        Ok(worked)
    }

    fn take_events(&mut self, now: Time) {
        while let Some((index, event)) = self.n_port.poll_event() {
            let nexus = self.nexuses.iter_mut().find(|nexus| nexus.port == index);
            match event {
                PortEvent::Attached { credit, .. } => {
                    if let (PHYSICAL, Some(fibre)) = (index, &mut self.fibre) {
                        fibre.set_credit(credit);
                    }
                }
                PortEvent::FcpPeerLoggedIn { peer, frame_payload_bytes, login, .. } => {
                    self.logged_in(now, index, (peer, frame_payload_bytes), login);
                }
                PortEvent::PeerLoggedOut { peer, why, .. } => {
                    if nexus.is_some_and(|nexus| nexus.peer.is_some_and(|known| known.address == peer)) {
                        self.port.handle_logout(now, peer);
                        self.lose(now, format!("the login is over: {why}"));
                    }
                }
                PortEvent::Refused { name, why } => {
                    self.trouble = format!("{name}: {why}");
                    // A port without streams needs no login.
                    self.is_refused |= nexus.is_some();
                }
                PortEvent::ExchangeRequested(request) => {
                    self.n_port.with_port(index, |port| port.answer_exchange_request(&request, None));
                }
                PortEvent::IncidentNoted(incident) | PortEvent::IncidentReported(incident) => {
                    self.incidents.push_back(incident);
                }
                PortEvent::ProbeAnswered | PortEvent::PeerLoggedIn { .. } => {}
            }
        }
    }

    /// Begins to find the units of the initiator whose port at `index` has logged in to the target at `address`.
    fn logged_in(
        &mut self,
        now: Time,
        index: usize,
        (address, frame_payload_bytes): (u32, u32),
        login: FcpLogin,
    ) {
        let Some(own) = self.n_port.port(index).map(NPort::address) else { return };
        let Some(place) = self.nexuses.iter().position(|nexus| nexus.port == index) else { return };
        let nexus = &mut self.nexuses[place];
        if nexus.peer.is_some_and(|peer| peer.address != address) {
            return;
        }
        self.is_refused = false;
        let agreement = FcpAgreement::of_login(login, 0);
        let InitiatorTimeouts { recovery, command, abort, .. } = self.timeouts;
        let timers = FcpTimers { recovery, command, abort, ..agreement.timers };
        let agreement = FcpAgreement { timers, ..agreement };
        nexus.peer = Some(FcpPeer { own, address, frame_payload_bytes, agreement });
        nexus.finding = Finding::new(&nexus.luns);
        self.stage = Stage::Finding;
        self.find(now, place);
    }

    fn note_closing(&mut self, now: Time, closing: &Closing) {
        if let Some(code) = closing.incident() {
            self.n_port.with_port(PHYSICAL, |port| port.note_incident(now, code));
        }
    }

    /// Gives the link up: every exchange ends, and it is tried again after a while.
    pub fn lose(&mut self, now: Time, why: String) {
        self.fibre = None;
        self.nexuses.iter_mut().for_each(|nexus| nexus.peer = None);
        self.n_port.handle_link_down();
        while self.n_port.poll_event().is_some() {}
        self.port.handle_link_down(now);
        (self.tested, self.stall) = (None, None);
        self.stage = Stage::Down { retry_at: now.saturating_add(RETRY) };
        self.trouble.clone_from(&why);
        self.change = Some(PathChange::Offline { why });
    }

    /// Returns whether something has come over the path since.
    pub fn has_answered_since(&self, since: Time) -> bool {
        self.is_online() && self.heard > since
    }

    /// Returns, once, the time since which nothing has come over a path that was tested in vain.
    pub fn take_stall(&mut self) -> Option<Time> {
        self.stall.take().filter(|since| self.is_online() && *since == self.heard)
    }

    /// Sends TEST UNIT READY over a path with open exchanges on which nothing has come for a while. A test that is not answered in
    /// time counts anew: the path may be the only one that is left.
    fn test_if_silent(&mut self, now: Time) {
        let is_silent = now >= self.heard.saturating_add(self.timeouts.probe);
        let is_out = self.tested.is_some_and(|at| now < at.saturating_add(self.timeouts.path));
        let (Stage::Online, Some(nexus), true, false) = (self.stage, self.nexuses.first(), is_silent, is_out)
        else {
            return;
        };
        if self.port.open() == 0 {
            return;
        }
        let before = self.tested.replace(now);
        self.stall = before.filter(|tested| self.heard < *tested).map(|_| self.heard);
        let unit = nexus.luns.first().and_then(|lun| Lun::of_number((*lun).into())).unwrap_or_default();
        if let (None, Some(peer), true) = (before, &nexus.peer, self.port.can_start()) {
            Decision::PathProbed.count();
            let request = FcpRequest::without_data(unit, command::test_unit_ready());
            let _ = self.port.start(now, peer, request, TEST);
        }
    }
}
