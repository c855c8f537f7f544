//! Path from a channel's port to one control unit: its logical path, its devices varied online, all its open exchanges.
//!
//! ```text
//! Down ─ login ─► Establishing ─ logical path established ─► Grouping ─ every device answered ─► Online
//!  ▲                    │                                       │                                  │
//!  └── after a while ◄──┴─── the login or the logical path is lost, the control unit is silent ◄───┘
//! ```
//!
//! The port, with its link, is the owner's: a channel for disks alone gives its link up with the path, and one with other
//! partners keeps it.

mod health;
mod login;
mod starts;
mod varying;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use halftrack_base::Time;
use halftrack_exchange::{ChannelPort, ExchangeState, Program, Target};
use halftrack_subsystem::{
    LogicalPaths, PROBE_WAIT, PathEvent, PathHealth, PathRole, PathWatch, Subchannels, Watched,
};
use halftrack_wire::els::SbLogin;
use halftrack_wire::{FcFrame, FrameSink, WorldWideName};

use super::channel_path::PathChange;
use super::discovery;
use super::link_path::{RETRY, SETUP_TIMEOUT};
use super::volume_size::VolumeSize;
use crate::frame_kind::FrameKind;

const PS_PER_US: u64 = 1_000_000;
/// Tags of the programs that vary a device online: the unit address is in the low octet.
const VARY_ONLINE: u32 = 0x8000_0000;

/// Host and devices of a path.
#[derive(Debug, Clone)]
pub struct UnitPathOptions {
    /// Name of the host's node.
    pub node: WorldWideName,
    /// Image of the channel, and of the control unit.
    pub images: (u8, u8),
    /// The host puts its paths into a path group.
    pub path_group: bool,
    /// Bases, which are varied online when the logical path comes up.
    pub units: Vec<u8>,
    /// Exchanges open at once.
    pub open_exchanges: u16,
    /// Subchannels of the devices, which all paths to them share.
    pub subchannels: Rc<RefCell<Subchannels>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Down,
    Establishing,
    Grouping,
    Online,
}

/// Path to one control unit.
pub struct UnitPath {
    logical_paths: LogicalPaths,
    port: ChannelPort,
    stage: Stage,
    /// Before it is not tried again.
    retry_at: Time,
    /// When it must be online.
    setup_by: Option<Time>,
    images: (u8, u8),
    /// Login with the control unit.
    target: Option<Target>,
    has_transport: bool,
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
    /// A frame came in this turn.
    is_heard: bool,
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
    /// It was lost, until that is taken.
    is_lost: bool,
    /// Why it is not online, for the message.
    trouble: String,
    now: Time,
}

impl UnitPath {
    /// Returns a path without a login.
    ///
    /// # Panics
    /// Never: the chain that varies devices online is a right one.
    pub fn new(options: UnitPathOptions) -> Self {
        let UnitPathOptions { node, images, path_group, units, open_exchanges, subchannels } = options;
        let vary_online = discovery::vary_online(node, images.0, path_group);
        Self {
            logical_paths: LogicalPaths::new(PathRole::Channel),
            port: ChannelPort::new(open_exchanges),
            stage: Stage::Down,
            retry_at: Time::ZERO,
            setup_by: None,
            images,
            target: None,
            has_transport: false,
            units,
            unvaried: Vec::new(),
            asked: Vec::new(),
            varying: 0,
            vary_at: Time::ZERO,
            late: Vec::new(),
            subchannels,
            watch: PathWatch::default(),
            is_heard: false,
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
            is_lost: false,
            trouble: String::new(),
            now: Time::ZERO,
        }
    }

    /// Returns what a port offers for transport mode to control units of disks.
    pub fn offer() -> SbLogin {
        let flags = SbLogin::TRANSPORT_MODE | SbLogin::FIRST_TRANSFER_READY_DISABLED;
        SbLogin { flags, ..SbLogin::default() }
    }

    /// Returns whether the control unit agreed to transport mode.
    pub fn has_transport(&self) -> bool {
        self.has_transport
    }

    /// Returns the size of each base, as the devices reported it over this path.
    pub fn sizes(&self) -> &BTreeMap<u8, VolumeSize> {
        &self.found
    }

    /// Returns whether I/O may go over it.
    pub fn is_online(&self) -> bool {
        self.stage == Stage::Online
    }

    /// Returns the subchannels of the devices.
    pub(super) fn subchannels(&self) -> &RefCell<Subchannels> {
        &self.subchannels
    }

    /// Returns why it is not online; empty when nothing went wrong.
    pub fn trouble(&self) -> &str {
        &self.trouble
    }

    /// Notes why it is not online.
    pub fn set_trouble(&mut self, trouble: String) {
        self.trouble = trouble;
    }

    /// Returns what became of the path, once.
    pub fn poll_change(&mut self) -> Option<PathChange> {
        self.change.take()
    }

    /// Returns when a path that was lost is tried again, once after each loss.
    pub fn take_loss(&mut self) -> Option<Time> {
        std::mem::take(&mut self.is_lost).then_some(self.retry_at)
    }

    /// Returns whether a frame from this port is of the path.
    pub fn is_with(&self, peer: u32) -> bool {
        self.target.is_some_and(|target| target.d_id == peer)
    }

    /// Returns the state of an exchange with the control unit.
    pub fn exchange_state(&mut self, peer: u32, ox_id: u16, is_own: bool) -> Option<ExchangeState> {
        self.port.exchange_state(peer, ox_id, is_own)
    }

    /// Takes the address that the port was given.
    pub fn set_address(&mut self, address: u32) {
        self.logical_paths.set_address(address);
    }

    /// Begins a turn.
    pub fn begin_turn(&mut self, now: Time) {
        self.now = now;
    }

    /// Begins the time in which the path must come online.
    pub fn begin_setup(&mut self, now: Time) {
        self.setup_by.get_or_insert(now.saturating_add(SETUP_TIMEOUT));
    }

    /// Takes a frame for a device, or of link control.
    #[inline]
    pub fn handle_frame(&mut self, now: Time, kind: FrameKind, frame: &FcFrame<'_>) {
        match kind {
            FrameKind::Device if self.target.is_some() => {
                self.is_heard = true;
                // A frame without an exchange is late or a stranger's: nothing follows from it.
                let _ = self.port.handle_frame(now, frame);
            }
            FrameKind::Device => self.logical_paths.reject(frame),
            FrameKind::LinkControl => {
                self.is_heard = true;
                let _ = self.logical_paths.handle_frame(now, frame);
            }
            FrameKind::LinkService | FrameKind::Unknown => {}
        }
    }

    /// Draws the consequences of the frames of a turn.
    #[inline]
    pub fn end_frames(&mut self, now: Time) {
        if std::mem::take(&mut self.is_heard) {
            (self.heard, self.stalled) = (now, None);
            if self.watch.handle_frame(now, self.port.open() > 0) {
                self.port.hasten(now, PROBE_WAIT.as_ps() / PS_PER_US);
            }
        }
        self.take_path_events(now);
        self.vary_more_online(now);
    }

    /// Follows what became of the logical path.
    fn take_path_events(&mut self, now: Time) {
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
                    return self
                        .lose(now, format!("no logical path to control-unit image {image:02X}: {why}"));
                }
            }
        }
    }

    /// Sends at most one frame of an exchange; false when there is none. The caller holds a buffer credit for it.
    #[inline]
    pub fn poll_exchange_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        self.port.poll_frame(sink)
    }

    /// Sends at most one frame of link control; false when there is none. The caller holds a buffer credit for it.
    #[inline]
    pub fn poll_control_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        self.logical_paths.poll_frame(sink)
    }

    /// Returns the time at which [`UnitPath::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> Time {
        let parts = [
            self.logical_paths.poll_timeout(),
            self.port.poll_timeout(),
            self.watch.poll_timeout(),
            self.test_by,
            self.setup_by,
            (self.stage == Stage::Grouping && self.vary_at > self.now).then_some(self.vary_at),
            (self.stage == Stage::Down && self.target.is_some()).then_some(self.retry_at),
        ];
        parts.into_iter().flatten().min().unwrap_or(Time::MAX)
    }

    /// Handles the timers that are due.
    pub fn handle_timeout(&mut self, now: Time) {
        let due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if self.stage == Stage::Down {
            self.establish(now);
        }
        if due(self.logical_paths.poll_timeout()) {
            self.logical_paths.handle_timeout(now);
        }
        if due(self.port.poll_timeout()) {
            self.port.handle_timeout(now);
        }
        match self.watch.handle_timeout(now, self.port.open() > 0) {
            Watched::Probe => self.probe(),
            Watched::Stalled => self.stalled = Some(now),
            Watched::Nothing => {}
        }
        self.take_path_events(now);
        self.vary_more_online(now);
        if due(self.test_by) {
            return self.rest(now, "its test was not answered".to_owned());
        }
        if due(self.setup_by) {
            let why = if self.trouble.is_empty() { "no answer".to_owned() } else { self.trouble.clone() };
            self.lose(now, why);
        }
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

    /// Gives the logical path up: every exchange ends. With a login it is tried again after a while.
    pub fn lose(&mut self, now: Time, why: String) {
        self.logical_paths.handle_link_down();
        while self.logical_paths.poll_event().is_some() {}
        self.port.handle_link_down();
        for unit in self.asked.drain(..) {
            self.subchannels.borrow_mut().withdraw_request(unit);
        }
        (self.watch, self.stalled) = (PathWatch::default(), None);
        (self.is_failing, self.test_by, self.setup_by) = (false, None, None);
        self.late.clear();
        (self.stage, self.retry_at, self.is_lost) = (Stage::Down, now.saturating_add(RETRY), true);
        self.trouble.clone_from(&why);
        self.change = Some(PathChange::Offline { why });
    }

    /// Forgets the login, with the link.
    pub fn forget_login(&mut self) {
        self.target = None;
    }
}
