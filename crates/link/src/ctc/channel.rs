//! A channel that is a control unit too: its link, its logins, its logical paths both ways, and its devices. Beside its partner it
//! may reach a control unit of disks, over the same port.
//!
//! ```text
//! Down ─ fibre ─► LoggingIn ─ both logical paths are there ─► Online
//!   ▲                │                                           │
//!   └────────────────┴──── link, login or a logical path lost ◄──┘
//! ```

mod devices;
mod disks;
mod events;
mod frames;

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_exchange::unsolicited_status::{StatusPresenter, StatusTaker};
use halftrack_exchange::{ChannelPort, ControlUnitPort, Target};
use halftrack_fabric::{LinkPlace, NPort, NPortParameters, PortProtocol, Role};
use halftrack_subsystem::{LogicalPaths, PathRole, PathWatch, Watched};
use halftrack_wire::WorldWideName;
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;
use halftrack_wire::els::{NodeDescriptor, SbLogin};

use super::adapters::{AdapterDevice, Adapters};
use super::program::CtcOutcome;
use crate::driver::{UnitPath, UnitPathOptions};
use crate::plug::{Plug, PlugState, Plugged};
use crate::{Closing, Fibre, FibreOptions, FrameTap, HostClock};
use devices::Device;

/// How long a channel whose link was lost waits for the next one.
const RETRY: Span = Span::from_ms(250);
/// How long after the link came up the channel must be online.
const SETUP_TIMEOUT: Span = Span::from_s(20);
/// Open exchanges of a channel, each way: one a device, and answers of busy.
const OPEN_EXCHANGES: u16 = 512;
/// Senders of exchanges: own programs, those of the other channel, disks.
const SENDERS: usize = 3;
/// Octets that are sent without waiting for the end of a turn: blocks are long, and calls of the operating system are fewer.
const SEND_BYTES: usize = 64 * 1024;

/// Identity and devices of a channel.
#[derive(Debug, Clone)]
pub struct CtcChannelOptions {
    /// Channel-path id.
    pub chpid: u8,
    /// Name of its port.
    pub port_name: WorldWideName,
    /// Name of the node.
    pub node_name: WorldWideName,
    /// Name of the other channel's port.
    pub partner: WorldWideName,
    /// Image of this system, and of the other one.
    pub images: (u8, u8),
    /// Receive buffers.
    pub credits: u16,
    /// Unit addresses of the devices.
    pub units: Vec<u8>,
    /// Clock that both ends have, if they do.
    pub clock: Option<HostClock>,
    /// Control unit of disks that it reaches too.
    pub disks: Option<DiskUnit>,
}

/// Control unit of disks, behind the same director as the other channel.
#[derive(Debug, Clone)]
pub struct DiskUnit {
    /// Port of the control unit.
    place: LinkPlace,
    /// Path to it.
    path: UnitPathOptions,
}

impl DiskUnit {
    /// Returns the control unit at this link address, of the director of this domain or the channel's own.
    #[must_use]
    pub fn new(domain: Option<u8>, area: u8, path: UnitPathOptions) -> Self {
        Self { place: LinkPlace { domain, area }, path }
    }
}

/// A device of a system: the place of its channel, and its unit address there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CtcDeviceId {
    /// Place of the channel.
    pub channel: usize,
    /// Unit address.
    pub unit: u8,
}

/// Returns whether the port `own` has the control-unit function of a unit towards `partner`. Our choice: that of even units is at
/// the lower name, that of odd ones at the other, so that both channels have their share.
#[must_use]
pub fn has_function(own: WorldWideName, partner: WorldWideName, unit: u8) -> bool {
    (own < partner) == unit.is_multiple_of(2)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Down { retry_at: Time },
    LoggingIn,
    Online,
}

/// Event of a channel or of one of its devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChannelEvent {
    /// Programs may be started.
    Online,
    /// The link is lost; its programs have ended.
    Offline(String),
    /// The program of a unit has ended.
    Ended(u8, CtcOutcome),
    /// A unit presents attention.
    Attention(u8),
    /// The own side of a unit was reset.
    Reset(u8),
}

/// A channel.
pub(super) struct CtcChannel<P: Plug> {
    options: CtcChannelOptions,
    plug: P,
    fibre: Option<Fibre<P::Transport>>,
    /// The port has had the event that the link is up.
    is_linked: bool,
    n_port: NPort,
    /// Logical paths to the functions of the other channel, and from it to the functions here.
    outward: LogicalPaths,
    inward: LogicalPaths,
    programs: ChannelPort,
    exchanges: ControlUnitPort<AdapterDevice>,
    adapters: Adapters,
    presenter: StatusPresenter,
    taker: StatusTaker,
    watch: PathWatch,
    devices: Vec<Device>,
    /// Path to the control unit of disks.
    disks: Option<UnitPath>,
    target: Option<Target>,
    stage: Stage,
    since: Time,
    links: u64,
    trouble: String,
    /// Sender of exchanges that is the first in turn.
    first_sender: usize,
    /// A reset was not answered.
    has_failed_reset: bool,
    events: VecDeque<ChannelEvent>,
}

impl<P: Plug> CtcChannel<P> {
    /// Returns a channel without a link.
    pub fn new(options: CtcChannelOptions, plug: P) -> Self {
        let (own_image, _) = options.images;
        let login = options.disks.as_ref().map_or_else(SbLogin::default, |_| UnitPath::offer());
        let mut n_port = NPort::new(NPortParameters {
            port_name: options.port_name,
            node_name: options.node_name,
            role: Role::ChannelToChannel,
            receive_credit: options.credits,
            frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES as u16,
            node: NodeDescriptor {
                parameters: [0x20, own_image, options.chpid],
                tag: u16::from(options.chpid),
                ..crate::driver::node_descriptor(options.node_name)
            },
            protocol: PortProtocol::Ficon(Some(login)),
            peers: vec![options.partner],
            hosts: None,
        });
        if let Some(disks) = &options.disks {
            n_port.add_control_unit(disks.place);
        }
        let is_here = |unit: &u8| has_function(options.port_name, options.partner, *unit);
        let adapters = Adapters::new(own_image, options.units.iter().copied().filter(is_here));
        let devices = options.units.iter().map(|&unit| Device::new(unit, is_here(&unit))).collect();
        let images = std::iter::once(own_image).collect();
        Self {
            plug,
            fibre: None,
            is_linked: false,
            n_port,
            outward: LogicalPaths::new(PathRole::Channel),
            inward: LogicalPaths::new(PathRole::ControlUnit { images, paths_max: 1 }),
            programs: ChannelPort::new(OPEN_EXCHANGES),
            exchanges: ControlUnitPort::new(OPEN_EXCHANGES),
            adapters,
            presenter: StatusPresenter::default(),
            taker: StatusTaker::default(),
            watch: PathWatch::default(),
            devices,
            disks: options.disks.as_ref().map(|disks| UnitPath::new(disks.path.clone())),
            target: None,
            stage: Stage::Down { retry_at: Time::ZERO },
            since: Time::ZERO,
            links: 0,
            trouble: String::new(),
            first_sender: 0,
            has_failed_reset: false,
            events: VecDeque::new(),
            options,
        }
    }

    /// Returns what the channel is.
    pub fn options(&self) -> &CtcChannelOptions {
        &self.options
    }

    /// Returns why the channel is not online; empty when nothing went wrong.
    pub fn trouble(&self) -> &str {
        &self.trouble
    }

    /// Returns whether programs may be started.
    pub fn is_online(&self) -> bool {
        self.stage == Stage::Online
    }

    /// Returns the source of its links, and the link, when there is one.
    pub fn plug_and_fibre(&mut self) -> (&P, Option<&mut Fibre<P::Transport>>) {
        (&self.plug, self.fibre.as_mut())
    }

    /// Returns what became of the channel or its devices next.
    pub fn poll_event(&mut self) -> Option<ChannelEvent> {
        self.events.pop_front()
    }

    /// Runs one turn; true when there was something to do. `tap` gives the capture of a link that comes up.
    pub fn turn(&mut self, now: Time, tap: &mut dyn FnMut() -> Option<Box<dyn FrameTap>>) -> bool {
        if self.fibre.is_none() {
            return self.plug_in(now, tap);
        }
        let worked = self.work(now).unwrap_or_else(|why| {
            self.lose(now, &why.to_string());
            true
        });
        if now >= self.poll_timeout() {
            self.handle_timeout(now);
        }
        worked
    }

    fn plug_in(&mut self, now: Time, tap: &mut dyn FnMut() -> Option<Box<dyn FrameTap>>) -> bool {
        if matches!(self.stage, Stage::Down { retry_at } if now < retry_at) {
            return false;
        }
        match self.plug.poll(now) {
            PlugState::New(plugged) => {
                self.take_link(now, plugged, tap());
                true
            }
            PlugState::Waiting | PlugState::Spent => false,
            PlugState::Failed(error) => {
                self.trouble = format!("no connection: {error}");
                false
            }
        }
    }

    fn take_link(&mut self, now: Time, plugged: Plugged<P::Transport>, tap: Option<Box<dyn FrameTap>>) {
        let options = FibreOptions {
            own_name: self.options.port_name,
            receive_credit: self.options.credits,
            check_crc: true,
            clock: self.options.clock,
        };
        self.links += 1;
        let mut fibre = if plugged.opened {
            Fibre::open(plugged.transport, options, self.links, now)
        } else {
            Fibre::accept(plugged.transport, options, now)
        };
        if let Some(tap) = tap {
            fibre.set_tap(tap);
        }
        self.is_linked = plugged.opened;
        if plugged.opened {
            self.n_port.handle_link_up(now);
        }
        (self.fibre, self.stage, self.since) = (Some(fibre), Stage::LoggingIn, now);
    }

    fn work(&mut self, now: Time) -> Result<bool, Closing> {
        let Some(fibre) = &mut self.fibre else { return Ok(false) };
        let mut worked = fibre.receive(now)?;
        self.n_port.take_invalid_crcs(now, fibre.counters().damaged);
        while self.take_frame(now)? {}
        self.take_events(now);
        self.end_disk_frames(now);
        worked |= self.serve_devices(now);
        worked |= self.send(now)?;
        let Some(fibre) = &mut self.fibre else { return Ok(worked) };
        fibre.flush(now, !worked)?;
        Ok(worked)
    }

    fn send(&mut self, now: Time) -> Result<bool, Closing> {
        let mut worked = false;
        while let Some(fibre) = self.fibre.as_mut().filter(|fibre| fibre.can_send()) {
            let sent = self.n_port.poll_frame(fibre)
                || self.outward.poll_frame(fibre)
                || self.inward.poll_frame(fibre)
                || self.disks.as_mut().is_some_and(|disks| disks.poll_control_frame(fibre))
                || self.presenter.poll_frame(now, fibre)
                || self.taker.poll_frame(fibre);
            // Exchanges of the three kinds send in turn.
            self.first_sender += 1;
            let mut senders = (0..SENDERS).map(|sender| (self.first_sender + sender) % SENDERS);
            let sent = sent
                || senders.any(|sender| match sender {
                    0 => self.programs.poll_frame(fibre),
                    1 => self.exchanges.poll_frame(fibre),
                    _ => self.disks.as_mut().is_some_and(|disks| disks.poll_exchange_frame(fibre)),
                });
            if !sent {
                break;
            }
            worked = true;
            fibre.send_if_more(now, SEND_BYTES)?;
        }
        Ok(worked)
    }

    /// Returns the time at which [`CtcChannel::turn`] wants to be called though nothing came.
    pub fn poll_timeout(&self) -> Time {
        let setup = match self.stage {
            Stage::Down { retry_at } => return retry_at.max(self.plug.poll_timeout().unwrap_or(Time::MAX)),
            Stage::LoggingIn => self.since.saturating_add(SETUP_TIMEOUT),
            Stage::Online => Time::MAX,
        };
        let parts = [
            self.n_port.poll_timeout(),
            self.outward.poll_timeout(),
            self.inward.poll_timeout(),
            self.programs.poll_timeout(),
            self.exchanges.poll_timeout(),
            self.presenter.poll_timeout(),
            self.watch.poll_timeout(),
        ];
        let parts = parts.into_iter().flatten().min().unwrap_or(Time::MAX);
        let disks = self.disks.as_ref().map_or(Time::MAX, UnitPath::poll_timeout);
        self.fibre.as_ref().map_or(Time::MAX, Fibre::poll_timeout).min(setup).min(parts).min(disks)
    }

    fn handle_timeout(&mut self, now: Time) {
        let Some(fibre) = &mut self.fibre else { return };
        if let Err(why) = fibre.handle_timeout(now) {
            return self.lose(now, &why.to_string());
        }
        self.n_port.handle_timeout(now);
        self.outward.handle_timeout(now);
        self.inward.handle_timeout(now);
        self.programs.handle_timeout(now);
        self.exchanges.handle_timeout(now, &mut self.adapters);
        self.presenter.handle_timeout(now);
        match self.watch.handle_timeout(now, self.programs.open() > 0) {
            Watched::Probe => self.probe(),
            Watched::Stalled => self.lose_partner(now, "its probes are not answered"),
            Watched::Nothing => {}
        }
        self.take_events(now);
        if let Some(disks) = &mut self.disks {
            disks.handle_timeout(now);
        }
        if self.stage == Stage::LoggingIn && now >= self.since.saturating_add(SETUP_TIMEOUT) {
            let why = if self.trouble.is_empty() { "no answer".to_owned() } else { self.trouble.clone() };
            self.lose_partner(now, &why);
        }
    }

    fn probe(&mut self) {
        if let (Stage::Online, Some(target)) = (self.stage, self.target) {
            self.outward.test(target.d_id, target.channel_image);
        }
    }

    /// Logs out of the other channel.
    pub fn log_out(&mut self, now: Time) {
        self.n_port.log_out(now);
    }

    /// Gives the link up: every exchange ends, and another link is waited for after a while.
    pub fn lose(&mut self, now: Time, why: &str) {
        let was_online = self.is_online();
        self.fibre = None;
        self.n_port.handle_link_down();
        while self.n_port.poll_event().is_some() {}
        self.end_paths();
        self.lose_disks(now, why);
        self.stage = Stage::Down { retry_at: now.saturating_add(RETRY) };
        why.clone_into(&mut self.trouble);
        if was_online {
            self.events.push_back(ChannelEvent::Offline(why.to_owned()));
        }
    }
}
