//! The checked, immutable description of the machines, their fabric, their storage and their work.
//!
//! Every vector is in canonical order (by the name given for each type), never in the order of the input
//! statements: the same machine described in another order gives an equal `Configuration`. Indices into the
//! vectors are the identities that the machine uses.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_program::{ProgramShape, Protocol};

use crate::compression::{CompressedStream, Compression};
use crate::conversations::Conversations;
use crate::cpc::{Cpc, Lpar};
use crate::data_path::{DataPath, HeldBus};
use crate::disturbance::Disturbance;
use crate::eadm::EadmWork;
use crate::endpoint_security::EndpointSecurity;
use crate::fcp::{FcpChannel, Initiator};
use crate::frame_errors::FrameErrors;
use crate::identity::ChannelIdentity;
use crate::islink::IsLink;
use crate::key_manager::KeyManager;
use crate::locality::Locality;
use crate::logical_control_unit::Lcu;
use crate::share::Share;
use crate::synchronous::{Directions, SynchronousIo, SynchronousStream};
use crate::trace::Trace;

/// A site, ready to be wired.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    /// Name of the study.
    pub study: String,
    /// The central processor complexes, by name.
    pub cpcs: Vec<Cpc>,
    /// Logical partitions that the plant gives processors to, by (CPC, CSS, MIF).
    pub lpars: Vec<Lpar>,
    /// Physical channels, by CPC and identity.
    pub channels: Vec<Channel>,
    /// Limits that channels share: fanouts and domains by name, then cards whose channels share something by first
    /// port.
    pub shares: Vec<Share>,
    /// Limits that host adapters share: boxes and bays, a box before its bays.
    pub box_shares: Vec<Share>,
    /// One-way links, by name.
    pub links: Vec<Link>,
    /// Host-adapter ports, by (control unit name, port name).
    pub ports: Vec<ControlUnitPort>,
    /// Logical control units, by number.
    pub lcus: Vec<Lcu>,
    /// Base devices, by (subchannel set, number, CPC); one that has the same number in several CPCs stands once.
    pub devices: Vec<Device>,
    /// The workload's streams, by name.
    pub streams: Vec<Stream>,
    /// Operations on EADM subchannels, by name.
    pub eadm: Vec<EadmWork>,
    /// Compression by zEDC Express cards.
    pub compression: Compression,
    /// Sockets between partitions.
    pub conversations: Conversations,
    /// Synchronous I/O over zHyperLink.
    pub synchronous: SynchronousIo,
    /// Logical links of ISFC, by name.
    pub islinks: Vec<IsLink>,
    /// Endpoint security; `None` where no part of the site takes part in it.
    pub endpoint_security: Option<EndpointSecurity>,
    /// How much service times vary.
    pub service: ServiceVariation,
    /// How long to run and how to slice it.
    pub run: RunOptions,
    /// Disturbances of the run, by time.
    pub disturbances: Vec<Disturbance>,
    /// The key manager; only pictures show it.
    pub key_manager: Option<KeyManager>,
}

impl Configuration {
    /// Returns true when partition `lpar` has work: a stream, compression, or an end of a conversation or logical link.
    #[must_use]
    pub fn has_work(&self, lpar: u32) -> bool {
        let streams = self.streams.iter().map(|stream| stream.lpar);
        let compression = self.compression.work.iter().map(|work| work.lpar);
        let conversations = self.conversations.hosts.iter().copied();
        let links = self.islinks.iter().flat_map(|link| link.lpars);
        streams.chain(compression).chain(conversations).chain(links).any(|one| one == lpar)
    }
}

/// Squared coefficients of variation of service times by kind of station; 0 is no variation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServiceVariation {
    /// Of channel processors.
    pub channel_scv: f64,
    /// Of host-adapter ports and the clusters of a box.
    pub control_unit_scv: f64,
    /// Of SAPs.
    pub sap_scv: f64,
}

/// A channel: one port of one card, one CHPID in one or several channel subsystems.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Canonical name: `CSS0.40`, the lowest CSS for a spanned channel; `B.CSS0.40` on a CPC with a name.
    pub name: String,
    /// Index of its CPC.
    pub cpc: u8,
    /// Channel subsystems.
    pub css: Vec<u8>,
    /// CHPID.
    pub chpid: u8,
    /// Its port.
    pub identity: ChannelIdentity,
    /// Shared between partitions.
    pub shared: bool,
    /// Behind a director.
    pub switched: bool,
    /// Capabilities of the card, and the cost of work on it.
    pub hardware: ChannelHardware,
    /// Index of what it shares with others: its card, where more than one of its channels is in use or it is in a
    /// domain.
    pub share: Option<u32>,
    /// Link speed in force, nominal Gbit/s.
    pub link_gbps: u32,
    /// Generation code of RMF's G column for card and speed, 0 when unknown.
    pub generation: u8,
    /// Largest number of IUs the channel sends before the first command response.
    pub initial_pacing: u8,
    /// Initiators of an FCP channel that streams use, by partition and subchannel.
    pub initiators: Vec<Initiator>,
}

/// Numbers of a channel card, resolved from the catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelHardware {
    /// Catalog id, such as `fex32s`.
    pub id: String,
    /// Transport mode supported.
    pub zhpf: bool,
    /// Open exchanges in all.
    pub open_exchanges: u32,
    /// Of which in command mode at most.
    pub open_exchanges_command: u32,
    /// Channel-processor prices in command mode.
    pub command: Prices,
    /// Channel-processor prices in transport mode.
    pub transport: Prices,
    /// Part of the card that moves the data.
    pub data_path: DataPath,
    /// The firmware that holds the bus, in place of the prices and of a bus that works beside the processor.
    pub held_bus: Option<HeldBus>,
    /// Rate of the joint read and write bus, bytes per second.
    pub bus_bytes_per_s: u64,
    /// Payload bytes of a full FC-2 frame (2048 or 2112).
    pub frame_payload_bytes: u32,
    /// Largest transfer of one transport-mode program, in units of 65,536 bytes (path MDC).
    pub transport_limit_64k: u32,
    /// Interface and rates of an ESCON or parallel channel; `None` for a FICON channel.
    pub circuit: Option<ChannelCircuit>,
    /// The bridge that it leads to (TYPE=FCV).
    pub bridge: Option<Bridge>,
    /// It is an FCP channel, whose transport mode is SCSI commands.
    pub fcp: Option<FcpChannel>,
    /// Shortest time between two blocks of a channel-to-channel device; `None` where nothing is given.
    pub turnaround: Option<Span>,
    /// Highest advised utilisations; `None` where nothing is advised.
    pub guideline: Option<ChannelGuideline>,
}

/// Highest advised utilisations of a channel, percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelGuideline {
    /// Of its processor, or of the path that one program holds at a time.
    pub processor_percent: u8,
    /// Of its bus; `None` where nothing is advised.
    pub bus_percent: Option<u8>,
}

/// Numbers of the bridge between a FICON channel and ESCON, beside the open exchanges and pacing of the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bridge {
    /// Its part of one interlock with the control unit.
    pub interlock: Span,
    /// IU-pacing value granted in its first command response.
    pub granted_pacing: u8,
}

/// Numbers of a channel whose path one program holds at a time: ESCON or parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelCircuit {
    /// Interface that it runs over.
    pub interface: Interface,
    /// Receive buffer: data that may be under way unanswered, bytes.
    pub window_bytes: u32,
    /// From a director's port-busy answer on every path until the start is tried again.
    pub port_busy_retry: Span,
}

/// Interface of a circuit, with its name in the deck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// ESCON, TYPE=CNC.
    Escon,
    /// ESCON with the control-unit function of channel-to-channel devices, TYPE=CTC.
    EsconFunction,
    /// Parallel, TYPE=BL: a block multiplexer.
    Block,
    /// Parallel, TYPE=BY: a byte multiplexer, which its control units keep in burst mode.
    Byte,
}

/// Processor times of the work that an exchange step names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// Once a program: fetch and decode, set up the exchange, end it.
    pub program: Span,
    /// Each CCW or DCW.
    pub command: Span,
    /// Each information unit sent or received.
    pub unit: Span,
    /// Each 1024 bytes of data that firmware moves, in proportion.
    pub kib: Span,
}

/// One direction of one fibre between two ports.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Canonical name: `pchid 100 > 11.20`, `chpid 40 > 11.20`, `pchid B.100 > 11.20`.
    pub name: String,
    /// Octets a second that its code leaves: frames and what is between them; data alone where it is not Fibre Channel.
    pub bytes_per_s: u64,
    /// Octets between two frames at least, which are counted nowhere but in the time that they take.
    pub fill_bytes: u32,
    /// One-way propagation time.
    pub propagation: Span,
    /// Receive buffers at the far end.
    pub credits: u32,
    /// Time that the far end takes to forward a frame when it is a director port; zero at an end point.
    pub forward_latency: Span,
    /// Distinct links that feed this one; a link fed by one needs no event of its own.
    pub fed_by: u32,
    /// Its bit errors, where frames are lost by them.
    pub errors: Option<FrameErrors>,
    /// The director ports at its near and at its far end; `None` at a channel or host adapter.
    pub switch_ports: [Option<SwitchPort>; 2],
}

/// A port of a director.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SwitchPort {
    /// Switch number of the director, its domain.
    pub domain: u8,
    /// Port number.
    pub port: u8,
}

impl SwitchPort {
    /// Address of the N_Port that is plugged in here, 24 bits: domain, port, 00.
    #[must_use]
    pub const fn address(self) -> u32 {
        (self.domain as u32) << 16 | (self.port as u32) << 8
    }
}

/// A host-adapter port of a control unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlUnitPort {
    /// Canonical name: `BOXA 0030`.
    pub name: String,
    /// Name of the control unit in the plant.
    pub control_unit: String,
    /// Cost of work on it.
    pub hardware: ControlUnitHardware,
    /// Index of what it shares with other ports, among the box shares; `None` when nothing limits them together.
    pub share: Option<u32>,
}

/// Numbers of a control unit and its host adapters, resolved from the catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlUnitHardware {
    /// Catalog id, such as `ds8950`.
    pub id: String,
    /// Transport mode supported.
    pub zhpf: bool,
    /// Host-adapter processor prices in command mode.
    pub command: Prices,
    /// Host-adapter processor prices in transport mode.
    pub transport: Prices,
    /// Rate of the port's bus, bytes per second, both directions together.
    pub bus_bytes_per_s: u64,
    /// Exchanges that one port holds open.
    pub exchanges_per_port: u32,
    /// IU-pacing value granted in the first command response; 0 grants no change.
    pub pacing: u8,
    /// Bytes of a write that may come with the command (first transfer ready disabled); 0 when none.
    pub first_transfer_bytes: u32,
    /// Largest burst that one transfer-ready requests, bytes.
    pub transfer_ready_bytes: u32,
    /// From a command's arrival until the control unit takes it up; its device time begins then.
    pub dispatch: Span,
    /// Cache access on a hit.
    pub hit: Span,
    /// Until written data are safe in the non-volatile storage of the other cluster, beyond a hit.
    pub write: Span,
    /// Rate at which one exchange's data move between cache and port, bytes per second.
    pub cache_bytes_per_s: u64,
    /// Tracks that the cache of the control unit holds; 0 when hits are drawn alone.
    pub cache_tracks: u32,
    /// Mean staging time on a miss.
    pub miss: Span,
    /// Staging operations of one control unit in parallel.
    pub staging_servers: u32,
    /// Time after which a control unit that answered busy presents control-unit end.
    pub busy_hold: Span,
    /// Work of the clusters of the box for each I/O, one after the other; zero when it limits nothing.
    pub box_io: Span,
    /// Interface and rates of an adapter for ESCON or the parallel interface; `None` for FICON.
    pub circuit: Option<UnitCircuit>,
}

/// Numbers of a host adapter whose path one program holds at a time: ESCON or parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnitCircuit {
    /// Work of a reconnection beside its round trip.
    pub reconnect: Span,
    /// From a reconnection that found a port or the channel busy until the next attempt.
    pub reconnect_retry: Span,
}

/// A base device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Subchannel set.
    pub subchannel_set: u8,
    /// Device number.
    pub number: u16,
    /// Unit address.
    pub unit_address: u8,
    /// Index of its logical control unit.
    pub lcu: u32,
    /// Device type as RMF prints it.
    pub device_type: String,
    /// Volume serial.
    pub volser: String,
    /// Storage group, may be empty.
    pub storage_group: String,
    /// Cylinders.
    pub cylinders: u32,
    /// Device supports transport mode.
    pub zhpf: bool,
    /// Directions of synchronous I/O that are on for the device, of those of its box.
    pub zhyperlink: Directions,
}

/// One stream of the I/O driver.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Name, unique in the workload.
    pub name: String,
    /// Index of the partition it runs in.
    pub lpar: u32,
    /// Indices of the devices, ascending.
    pub devices: Vec<u32>,
    /// How the next device is chosen.
    pub selection: Selection,
    /// Shape of its reads.
    pub read: ProgramShape,
    /// Shape of its writes.
    pub write: ProgramShape,
    /// Reads per million I/Os.
    pub read_ppm: u32,
    /// Cache hits per million reads, where no tracks are drawn.
    pub hit_ppm: u32,
    /// Cache hits for each of its devices in place of `hit_ppm`, where their boxes differ and it leaves the ratio to
    /// them; else empty.
    pub hit_ppm_of_device: Vec<u32>,
    /// Distribution of its tracks: the caches of the control units decide on hits and misses.
    pub locality: Option<Locality>,
    /// Which protocol to use.
    pub protocol: ProtocolChoice,
    /// Requests that it tries synchronously first; `None` where all of its I/O is asynchronous.
    pub synchronous: Option<SynchronousStream>,
    /// Compression of its data; `None` where they are those that its channels move.
    pub compression: Option<CompressedStream>,
    /// How I/Os arrive.
    pub arrivals: Arrivals,
}

impl Stream {
    /// Returns the cache hits per million reads: every value that holds for some of its devices.
    pub fn hit_ppms(&self) -> impl Iterator<Item = u32> {
        let alike = self.hit_ppm_of_device.is_empty().then_some(self.hit_ppm);
        alike.into_iter().chain(self.hit_ppm_of_device.iter().copied())
    }
}

/// How a stream chooses the device of its next I/O.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selection {
    /// Every device alike.
    Uniform,
    /// Device `k` (from 1, in ascending order) with weight `k^-exponent`.
    Zipf {
        /// The exponent, above 0.
        exponent: f64,
    },
    /// In ascending order, round and round; each job of a closed stream starts evenly spaced.
    Sequential,
}

/// Protocol of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolChoice {
    /// Transport mode where LPAR, channel, control unit and device allow it, else command mode.
    Eligible,
    /// Always this one.
    Always(Protocol),
    /// SCSI commands over FCP.
    Fcp,
}

/// How the I/Os of a stream arrive.
#[derive(Debug, Clone, PartialEq)]
pub enum Arrivals {
    /// A fixed number of jobs, each with one I/O at a time.
    Closed {
        /// Jobs.
        jobs: u32,
        /// Time between the end of one I/O and the start of the job's next.
        think: Span,
        /// Think time is exponentially distributed with mean `think`; else constant.
        exponential: bool,
    },
    /// Arrivals at a rate, whatever is in progress.
    Open {
        /// Mean time between arrivals.
        interarrival: Span,
        /// Poisson; else evenly spaced.
        poisson: bool,
    },
    /// As they were recorded.
    Traced(Arc<Trace>),
}

/// How long to run and how to slice it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// Default seed, overridden by the command line.
    pub seed: u64,
    /// Simulated but not measured; zero when its end is detected.
    pub warmup: Span,
    /// Measuring begins when the transients of all streams are seen to be over.
    pub detect_warmup: bool,
    /// Length of an interval.
    pub interval: Span,
    /// Number of intervals.
    pub intervals: u32,
    /// Batches for confidence intervals over the measured time.
    pub batches: u32,
    /// Date and time at which measuring begins, `YYYY-MM-DDThh:mm:ss`.
    pub start: String,
    /// RMF cycle, ms.
    pub cycle_ms: u32,
    /// The octets of the data move too, and are compared where they arrive.
    pub real_data: bool,
}
