//! One channel path: its link, its login, its logical path, and all its open exchanges.
//!
//! ```text
//! Down ─► Connecting ─► LoggingIn ─ logical path established ─► Grouping ─ every device answered ─► Online
//!  ▲                        │                                                                         │
//!  └── after a while ◄──────┴────────────── the link, the login or the logical path is lost ◄─────────┘
//! ```

mod events;
mod health;
mod incidents;
mod on_link;
mod starts;
mod varying;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::rc::Rc;

use halftrack_base::CodePage;
use halftrack_base::Time;
use halftrack_config::ChannelFile;
use halftrack_config::channel_file::ChannelPathEntry;
use halftrack_exchange::{ChannelPort, Program, Target};
use halftrack_fabric::timing::RETRY_INTERVAL;
use halftrack_fabric::{NPort, NPortParameters, PortProtocol, Role};
use halftrack_subsystem::{LogicalPaths, PROBE_WAIT, PathHealth, PathRole, PathWatch, Subchannels};
use halftrack_wire::WorldWideName;
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;
use halftrack_wire::els::{LinkIncident, NodeDescriptor, SbLogin};

use super::discovery;
use super::link_path::RETRY;
use super::volume_size::VolumeSize;
use crate::connector::Connector;
use crate::frame_kind::FrameKind;
use crate::{Closing, Fibre, FibreOptions, FrameTap, HostClock};

const PS_PER_US: u64 = 1_000_000;
/// Tags of the programs that vary a device online: the unit address is in the low octet.
const VARY_ONLINE: u32 = 0x8000_0000;

/// State of a path for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathChange {
    /// I/O may go over it.
    Online,
    /// I/O may not go over it any more, or does not come that far.
    Offline {
        /// Why.
        why: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Down { retry_at: Time },
    Connecting,
    LoggingIn,
    Grouping,
    Online,
}

/// One channel path.
pub struct ChannelPath<C: Connector> {
    chpid: u8,
    connector: C,
    options: FibreOptions,
    fibre: Option<Fibre<C::Transport>>,
    n_port: NPort,
    logical_paths: LogicalPaths,
    port: ChannelPort,
    stage: Stage,
    since: Time,
    /// Links so far: distinguishes each from the earlier ones.
    links: u64,
    images: (u8, u8),
    target: Option<Target>,
    transport: bool,
    /// Bases, which are varied online when the logical path comes up.
    units: Vec<u8>,
    /// Devices to be varied online still; devices whose subchannels were requested; devices under way.
    unvaried: Vec<u8>,
    asked: Vec<u8>,
    varying: usize,
    /// No device is varied online before: one changes its state.
    vary_at: Time,
    /// Devices that did not answer in time when they were varied online.
    late: Vec<u8>,
    subchannels: Rc<RefCell<Subchannels>>,
    watch: PathWatch,
    /// When something came last.
    heard: Time,
    /// When the path was found to be stalled, until that is taken.
    stalled: Option<Time>,
    health: PathHealth,
    /// Its exchanges timed out in a row, until that is taken.
    is_failing: bool,
    /// When an exchange ended last with an answer of the control unit.
    answered: Time,
    /// When the answers of the path began, after a pause or at all.
    answers_since: Time,
    /// When the answer to the test of a path on trial must have come.
    test_by: Option<Time>,
    vary_online: Program,
    found: BTreeMap<u8, VolumeSize>,
    change: Option<PathChange>,
    /// Link incidents that its owner has not taken yet.
    incidents: VecDeque<LinkIncident>,
    /// Why it is not online, for the message.
    trouble: String,
    /// The other side refused a login, so that it closes the link.
    is_refused: bool,
    now: Time,
}

impl<C: Connector> ChannelPath<C> {
    /// Returns the path that `entry` of `file` describes, to the bases `units`, over links from `connector`; `clock` is the
    /// host's.
    pub fn new(
        file: &ChannelFile,
        entry: &ChannelPathEntry,
        units: Vec<u8>,
        connector: C,
        clock: Option<HostClock>,
        subchannels: Rc<RefCell<Subchannels>>,
    ) -> Self {
        let vary_online = discovery::vary_online(file.node, file.channel_image, file.path_group);
        let node = NodeDescriptor {
            parameters: [0x20, file.channel_image, entry.chpid],
            tag: u16::from(entry.chpid),
            ..node_descriptor(file.node)
        };
        let flags = SbLogin::TRANSPORT_MODE | SbLogin::FIRST_TRANSFER_READY_DISABLED;
        let n_port = NPort::new(NPortParameters {
            port_name: entry.port_name,
            node_name: file.node,
            role: Role::Channel,
            receive_credit: entry.credits,
            frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES as u16,
            node,
            protocol: PortProtocol::Ficon(Some(SbLogin { flags, ..SbLogin::default() })),
            peers: entry.control_unit_port.into_iter().collect(),
            hosts: None,
        });
        let options =
            FibreOptions { own_name: entry.port_name, receive_credit: entry.credits, check_crc: true, clock };
        Self {
            chpid: entry.chpid,
            connector,
            options,
            fibre: None,
            n_port,
            logical_paths: LogicalPaths::new(PathRole::Channel),
            port: ChannelPort::new(entry.open_exchanges),
            stage: Stage::Down { retry_at: Time::ZERO },
            since: Time::ZERO,
            links: 0,
            images: (file.channel_image, file.control_unit_image),
            target: None,
            transport: false,
            units,
            unvaried: Vec::new(),
            asked: Vec::new(),
            varying: 0,
            vary_at: Time::ZERO,
            late: Vec::new(),
            subchannels,
            watch: PathWatch::default(),
            heard: Time::ZERO,
            stalled: None,
            health: PathHealth::default(),
            is_failing: false,
            answered: Time::ZERO,
            answers_since: Time::ZERO,
            test_by: None,
            vary_online: vary_online.expect("a chain of three commands is a chain"),
            found: BTreeMap::new(),
            change: None,
            incidents: VecDeque::new(),
            trouble: String::new(),
            is_refused: false,
            now: Time::ZERO,
        }
    }

    /// Returns whether the control unit agreed to transport mode.
    pub fn has_transport(&self) -> bool {
        self.transport
    }

    /// Returns the size of each base, as the devices reported it over this path.
    pub fn sizes(&self) -> &BTreeMap<u8, VolumeSize> {
        &self.found
    }

    /// Returns whether I/O may go over it.
    pub fn is_online(&self) -> bool {
        self.stage == Stage::Online
    }

    /// Keeps the path down: the login was refused and the link closed, and no attempt follows at once.
    fn stay_down(&mut self, now: Time) {
        self.lose(now, self.trouble.clone());
        self.stage = Stage::Down { retry_at: now.saturating_add(RETRY_INTERVAL) };
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
            Some(Err(error)) => self.lose(now, connect_trouble(&error)),
        }
    }

    #[inline]
    fn take_frames(&mut self, now: Time) -> Result<bool, Closing> {
        let Some(fibre) = &mut self.fibre else { return Ok(false) };
        let worked = fibre.receive(now)?;
        self.n_port.take_invalid_crcs(now, fibre.counters().damaged);
        let mut heard = false;
        while let Some(incoming) = fibre.next_frame()? {
            let frame = &incoming.frame;
            match FrameKind::of(frame) {
                FrameKind::Device if self.target.is_some() => {
                    heard = true;
                    // A frame without an exchange is late or a stranger's: nothing follows from it.
                    let _ = self.port.handle_frame(now, frame);
                }
                FrameKind::Device => self.logical_paths.reject(frame),
                FrameKind::LinkService => {
                    let _ = self.n_port.handle_frame(now, frame);
                }
                FrameKind::LinkControl => {
                    heard = true;
                    let _ = self.logical_paths.handle_frame(now, frame);
                }
                FrameKind::Unknown => {}
            }
        }
        if heard {
            (self.heard, self.stalled) = (now, None);
            if self.watch.handle_frame(now, self.port.open() > 0) {
                self.port.hasten(now, PROBE_WAIT.as_ps() / PS_PER_US);
            }
        }
        self.take_events(now);
        if let Some(lost) = self.take_path_events(now) {
            self.lose(now, lost);
        } else if self.stage == Stage::Grouping {
            self.vary_more_online(now);
        }
        Ok(worked)
    }

    /// Returns the time at which the path was found to be stalled, each time once: its probes were not answered.
    pub fn take_stall(&mut self) -> Option<Time> {
        self.stalled.take()
    }

    /// Returns whether I/O may go over the path and something has come over it since.
    pub fn has_answered_since(&self, since: Time) -> bool {
        self.stage == Stage::Online && self.heard > since
    }

    /// Sends something over the logical path that the control unit answers whatever its devices do.
    pub fn probe(&mut self) {
        if let (Stage::Online | Stage::Grouping, Some(target)) = (self.stage, self.target) {
            self.logical_paths.test(target.d_id, target.channel_image);
        }
    }

    /// Gives the link up: every exchange ends, and it is tried again after a while.
    pub fn lose(&mut self, now: Time, why: String) {
        self.fibre = None;
        self.target = None;
        self.n_port.handle_link_down();
        self.logical_paths.handle_link_down();
        while self.n_port.poll_event().is_some() {}
        while self.logical_paths.poll_event().is_some() {}
        self.port.handle_link_down();
        for unit in self.asked.drain(..) {
            self.subchannels.borrow_mut().withdraw_request(unit);
        }
        (self.watch, self.stalled) = (PathWatch::default(), None);
        (self.is_failing, self.test_by) = (false, None);
        self.late.clear();
        self.stage = Stage::Down { retry_at: now.saturating_add(RETRY) };
        self.trouble.clone_from(&why);
        self.change = Some(PathChange::Offline { why });
    }
}

fn connect_trouble(error: &io::Error) -> String {
    format!("no connection: {error}")
}

/// Returns the node descriptor of a host, in EBCDIC. Our choice: its sequence number is the lower part of its name, in hexadecimal
/// digits, by which a control unit distinguishes it from others.
pub(crate) fn node_descriptor(node: WorldWideName) -> NodeDescriptor {
    let sequence = CodePage::Page037.octets(&format!("{:012X}", node.0 & 0xFFFF_FFFF_FFFF));
    NodeDescriptor {
        sequence: std::array::from_fn(|at| sequence.get(at).copied().unwrap_or(0x40)),
        ..NodeDescriptor::default()
    }
}
