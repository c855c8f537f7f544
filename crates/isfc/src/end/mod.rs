//! One end of a logical link.
//!
//! An [`End`] is given events and the time, and is polled for orders, deliveries and notices; it starts nothing itself.
//!
//! ```text
//! device operational ─► Set Extended Mode ─► Write hello ◄─► Read hello ─► active: Write and Read data
//!                                              ▲                  │
//!            partner not ready, device lost ───┴──────────────────┘
//! ```
//!
//! Each side begins on a device with a hello. A hello wants an answer as long as the partner's has not come on the device, so
//! that a side that has lost what came before is greeted again. Blocks have numbers for each pair of incarnations; the
//! receiver puts them in order and drops duplicates, and the sender keeps them until they are confirmed. Each block confirms
//! what was received of the other direction. When a side loses a device, it reports which blocks it has, and those written
//! on that device that it does not have go again.

mod activation;
mod ending;
mod ordering;
mod receiving;

use std::collections::{BTreeSet, VecDeque};

use halftrack_base::{Span, Time};

use crate::block::{Incarnation, StreamId};
use crate::counters::Counters;
use crate::designation::Role;
use crate::device::Device;
use crate::device_number::DeviceNumber;
use crate::hello::Level;
use crate::inbound::{Delivery, Inbound};
use crate::order::Notice;
use crate::outbound::Outbound;
use crate::payload::Payload;
use crate::system_name::SystemName;

/// Settings of an end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Name of the own system.
    pub system: SystemName,
    /// Name of its collection.
    pub collection: SystemName,
    /// Level of the own system.
    pub level: Level,
    /// Incarnation of the own system, greater than that of each start before.
    pub incarnation: Incarnation,
    /// Name that the partner must have. Without it the first hello decides.
    pub node: Option<SystemName>,
    /// Most octets of data in a block.
    pub block_bytes: u32,
    /// Octets of data that are kept until the partner has confirmed them.
    pub send_bytes: u64,
    /// Octets in order that wait to be taken, above which nothing is read.
    pub receive_bytes: u64,
    /// Span after which a Write to a partner that is not ready is tried again, although no attention has come.
    pub retry: Option<Span>,
}

/// System at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Partner {
    /// Name.
    pub system: SystemName,
    /// Name of its collection.
    pub collection: SystemName,
    /// Level.
    pub level: Level,
    /// Incarnation.
    pub incarnation: Incarnation,
}

/// State of a device of a link, for displays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceState {
    /// Its path is not there.
    NotOperational,
    /// The hellos have not crossed.
    Starting,
    /// The partner is not ready.
    NotReady,
    /// Data flow.
    Active,
    /// It is no part of the link.
    Refused,
}

/// Report of a device of a link, for displays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeviceReport {
    /// Number.
    pub number: DeviceNumber,
    /// State.
    pub state: DeviceState,
    /// This side writes on it.
    pub is_written: bool,
    /// Counts.
    pub counters: Counters,
}

/// One end of a logical link.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct End {
    pub(crate) settings: Settings,
    pub(crate) partner: Option<Partner>,
    /// In the order of their numbers.
    pub(crate) devices: Vec<Device>,
    pub(crate) outbound: Outbound,
    pub(crate) inbound: Inbound,
    /// Own devices on which blocks of the partner may have been lost, to be reported.
    pub(crate) losses: BTreeSet<DeviceNumber>,
    /// The partner wants a confirmation.
    pub(crate) owes_report: bool,
    notices: VecDeque<Notice>,
    /// Counts of devices that are gone.
    gone: Counters,
}

impl End {
    /// Makes the end of a link that has no devices yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            outbound: Outbound::new(settings.send_bytes, settings.block_bytes),
            inbound: Inbound::new(settings.receive_bytes),
            settings,
            partner: None,
            devices: Vec::new(),
            losses: BTreeSet::new(),
            owes_report: false,
            notices: VecDeque::new(),
            gone: Counters::default(),
        }
    }

    /// Takes data to the end of a stream. Returns whether there was room: else [`Notice::Room`] follows.
    ///
    /// When nothing is kept, data of any length are taken.
    pub fn send(&mut self, stream: StreamId, payload: &Payload) -> bool {
        self.outbound.push(stream, payload)
    }

    /// Returns how many octets of data can be sent now.
    pub fn room_bytes(&self) -> u64 {
        self.outbound.room_bytes()
    }

    /// Returns how many octets of data are kept until they are confirmed.
    pub fn kept_bytes(&self) -> u64 {
        self.outbound.kept_bytes()
    }

    /// Returns the offset of the octet of a stream that is sent next.
    pub fn next_offset(&self, stream: StreamId) -> u64 {
        self.outbound.next_offset(stream)
    }

    /// Returns the offset up to which the partner has a stream: its Reads took what is before.
    pub fn acknowledged(&self, stream: StreamId) -> u64 {
        self.outbound.acknowledged(stream)
    }

    /// Sets the offset from which a stream is received, which its application has kept over a start of the system. It must come
    /// before the first device is operational.
    pub fn resume(&mut self, stream: StreamId, offset: u64) {
        self.inbound.resume(stream, offset);
    }

    /// Makes a stream a conversation: it begins at offset 0 with each start of either system, and nothing of it is kept over one.
    ///
    /// It must be one at both ends, before the first device is operational. [`Notice::NodeAdded`] has it that the partner has
    /// started; whatever is delivered behind it is of this start.
    pub fn converse(&mut self, stream: StreamId) {
        self.inbound.converse(stream);
        self.outbound.converse(stream);
    }

    /// Returns the next data that have come, in the order of their stream.
    pub fn poll_delivery(&mut self) -> Option<Delivery> {
        self.inbound.poll()
    }

    /// Returns the next notice.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// Returns the instant at which [`End::poll_order`] may have an order although no event has come.
    pub fn deadline(&self) -> Option<Time> {
        let retry = self.settings.retry?;
        let waiting = self.devices.iter().filter(|device| device.is_free() && !device.has_inbound);
        waiting.filter_map(|device| device.not_ready).map(|since| since.saturating_add(retry)).min()
    }

    /// Returns the settings.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the system at the other end, as soon as a hello has come from it.
    pub const fn partner(&self) -> Option<&Partner> {
        self.partner.as_ref()
    }

    /// Returns the node to which the link leads, as it was given or as a hello had it.
    pub fn node(&self) -> Option<SystemName> {
        self.partner.map(|partner| partner.system).or(self.settings.node)
    }

    /// Returns whether data flow on at least one device.
    pub fn is_up(&self) -> bool {
        self.devices.iter().any(|device| device.is_active)
    }

    /// Returns the devices in the order of their numbers.
    pub fn devices(&self) -> impl Iterator<Item = DeviceReport> + '_ {
        let linked: Vec<usize> = self.linked().collect();
        let designation = self.designation(linked.len());
        self.devices.iter().enumerate().map(move |(at, device)| {
            let place = linked.iter().position(|one| *one == at);
            let is_written = designation.zip(place).is_some_and(|(one, place)| one.is_written(place));
            DeviceReport {
                number: device.number,
                state: state(device),
                is_written,
                counters: device.counters,
            }
        })
    }

    /// Returns the counts of the link: those of all devices that it has or had.
    pub fn counters(&self) -> Counters {
        let mut sum = self.gone;
        for device in &self.devices {
            sum += device.counters;
        }
        sum
    }

    fn role(&self) -> Option<Role> {
        Role::of(self.settings.system, self.partner?.system)
    }

    fn notify(&mut self, notice: Notice) {
        self.notices.push_back(notice);
    }

    fn index(&self, device: DeviceNumber) -> Option<usize> {
        self.devices.binary_search_by_key(&device, |one| one.number).ok()
    }
}

const fn state(device: &Device) -> DeviceState {
    if device.is_refused {
        DeviceState::Refused
    } else if !device.is_operational {
        DeviceState::NotOperational
    } else if device.is_active {
        DeviceState::Active
    } else if device.not_ready.is_some() {
        DeviceState::NotReady
    } else {
        DeviceState::Starting
    }
}
