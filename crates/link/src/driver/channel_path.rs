//! One channel path: a port, its link, its login, and the path to its control unit.
//!
//! ```text
//! Down ─► Connecting ─► Up ─ login ─► the path of the control unit ([`UnitPath`]) comes online
//!  ▲                    │                                          │
//!  └── after a while ◄──┴────── the link or that path is lost ◄────┘
//! ```

mod events;
mod incidents;
mod on_link;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::rc::Rc;

use halftrack_base::CodePage;
use halftrack_base::Time;
use halftrack_config::ChannelFile;
use halftrack_config::channel_file::ChannelPathEntry;
use halftrack_exchange::{ExchangeEnd, Program};
use halftrack_fabric::timing::RETRY_INTERVAL;
use halftrack_fabric::{NPort, NPortParameters, PortProtocol, Role};
use halftrack_subsystem::Subchannels;
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;
use halftrack_wire::els::{LinkIncident, NodeDescriptor};
use halftrack_wire::{StartNumber, WorldWideName};

use super::unit_path::{UnitPath, UnitPathOptions};
use super::volume_size::VolumeSize;
use crate::connector::Connector;
use crate::frame_kind::FrameKind;
use crate::{Closing, Fibre, FibreOptions, FrameTap, HostClock};

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
    Connecting { since: Time },
    Up,
}

/// One channel path.
pub struct ChannelPath<C: Connector> {
    chpid: u8,
    connector: C,
    options: FibreOptions,
    fibre: Option<Fibre<C::Transport>>,
    n_port: NPort,
    stage: Stage,
    /// Links so far: distinguishes each from the earlier ones.
    links: u64,
    unit: UnitPath,
    /// Link incidents that its owner has not taken yet.
    incidents: VecDeque<LinkIncident>,
    /// The other side refused a login, so that it closes the link.
    is_refused: bool,
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
        let node = NodeDescriptor {
            parameters: [0x20, file.channel_image, entry.chpid],
            tag: u16::from(entry.chpid),
            ..node_descriptor(file.node)
        };
        let n_port = NPort::new(NPortParameters {
            port_name: entry.port_name,
            node_name: file.node,
            role: Role::Channel,
            receive_credit: entry.credits,
            frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES as u16,
            node,
            protocol: PortProtocol::Ficon(Some(UnitPath::offer())),
            peers: entry.control_unit_port.into_iter().collect(),
            hosts: None,
        });
        let options =
            FibreOptions { own_name: entry.port_name, receive_credit: entry.credits, check_crc: true, clock };
        let unit = UnitPath::new(UnitPathOptions {
            node: file.node,
            images: (file.channel_image, file.control_unit_image),
            path_group: file.path_group,
            units,
            open_exchanges: entry.open_exchanges,
            subchannels,
        });
        Self {
            chpid: entry.chpid,
            connector,
            options,
            fibre: None,
            n_port,
            stage: Stage::Down { retry_at: Time::ZERO },
            links: 0,
            unit,
            incidents: VecDeque::new(),
            is_refused: false,
        }
    }

    /// Returns the path to the control unit.
    pub(super) fn unit(&mut self) -> &mut UnitPath {
        &mut self.unit
    }

    /// Returns whether the control unit agreed to transport mode.
    pub fn has_transport(&self) -> bool {
        self.unit.has_transport()
    }

    /// Returns the size of each base, as the devices reported it over this path.
    pub fn sizes(&self) -> &BTreeMap<u8, VolumeSize> {
        self.unit.sizes()
    }

    /// Returns whether I/O may go over it.
    pub fn is_online(&self) -> bool {
        self.unit.is_online()
    }

    /// Returns the end of an exchange that was started by [`ChannelPath::start`].
    #[inline]
    pub fn poll_end(&mut self) -> Option<ExchangeEnd> {
        let end = self.unit.poll_end();
        self.follow_loss();
        end
    }

    /// Takes back the buffer of an end.
    #[inline]
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.unit.recycle(buffer);
    }

    /// Returns the exchanges that are open.
    #[inline]
    pub fn open_exchanges(&self) -> usize {
        self.unit.open_exchanges()
    }

    /// Starts a program for a device; nothing when the path has no room or is not online, or the subchannel is not free.
    #[inline]
    pub fn start(&mut self, now: Time, unit: u8, program: &Program, tag: u32) -> Option<StartNumber> {
        self.unit.start(now, unit, program, tag)
    }

    /// Withdraws the program that was started with `tag`.
    pub fn cancel(&mut self, now: Time, tag: u32) {
        self.unit.cancel(now, tag);
    }

    /// Keeps the path down: the login was refused and the link closed, and no attempt follows at once.
    fn stay_down(&mut self, now: Time) {
        self.lose(now, self.unit.trouble().to_owned());
        self.stage = Stage::Down { retry_at: now.saturating_add(RETRY_INTERVAL) };
    }

    fn connect(&mut self, now: Time, tap: &mut dyn FnMut() -> Option<Box<dyn FrameTap>>) {
        if matches!(self.stage, Stage::Down { retry_at } if now < retry_at) {
            return;
        }
        match self.connector.poll_connect() {
            None => self.stage = Stage::Connecting { since: now },
            Some(Ok(transport)) => {
                self.links += 1;
                let mut fibre = Fibre::open(transport, self.options.clone(), self.links, now);
                if let Some(tap) = tap() {
                    fibre.set_tap(tap);
                }
                self.fibre = Some(fibre);
                self.stage = Stage::Up;
                self.unit.begin_setup(now);
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
        while let Some(incoming) = fibre.next_frame()? {
            let frame = &incoming.frame;
            match FrameKind::of(frame) {
                kind @ (FrameKind::Device | FrameKind::LinkControl) => {
                    self.unit.handle_frame(now, kind, frame);
                }
                FrameKind::LinkService => {
                    let _ = self.n_port.handle_frame(now, frame);
                }
                FrameKind::Unknown => {}
            }
        }
        self.take_events(now);
        self.unit.end_frames(now);
        self.follow_loss();
        Ok(worked)
    }

    /// Gives the link up: every exchange ends, and it is tried again after a while.
    pub fn lose(&mut self, now: Time, why: String) {
        self.unit.lose(now, why);
        self.follow_loss();
    }

    /// Takes the path out of its group, because its exchanges time out: it rests, and is tested before it returns.
    pub fn fail(&mut self, now: Time) {
        self.unit.rest(now, UnitPath::failure());
        self.follow_loss();
    }

    /// Gives the link up when the path over it is lost.
    fn follow_loss(&mut self) {
        let Some(retry_at) = self.unit.take_loss() else { return };
        self.fibre = None;
        self.n_port.handle_link_down();
        while self.n_port.poll_event().is_some() {}
        self.unit.forget_login();
        self.stage = Stage::Down { retry_at };
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
