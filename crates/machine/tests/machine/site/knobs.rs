//! Settings of a site that tests vary.

use halftrack_base::Span;
use halftrack_config::{
    Bridge, ChannelCircuit, Compression, Conversations, DataPath, Disturbance, EadmWork, EndpointSecurity,
    FrameErrors, HeldBus, Prices, Share, Stream, SynchronousIo, UnitCircuit,
};
use halftrack_fabric::endpoint_security::Terms;

use super::us;

/// How channels and host-adapter ports are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Topology {
    /// Every channel reaches every port through one director.
    #[default]
    Director,
    /// Every channel reaches every port through two directors and the one inter-switch link between them.
    Cascade,
    /// As a cascade, with so many inter-switch links in a row.
    Row(u32),
    /// As a cascade, with two inter-switch links side by side.
    Trunk,
    /// Channel `n` is cabled to port `n`, for as many as there are of the fewer.
    Direct,
    /// Every channel is cabled to every port: its bus.
    Bus,
}

impl Topology {
    /// Returns true when directors are between channels and ports.
    pub fn is_switched(self) -> bool {
        !matches!(self, Topology::Direct | Topology::Bus)
    }
}

/// FCP in a site.
#[derive(Debug, Clone, Copy)]
pub struct Fcp {
    /// The first so many channels are FCP channels. Logical control units with such a channel are logical units.
    pub channels: u32,
    /// Commands that the host keeps open at one unit.
    pub queue_depth: u16,
    /// Time of each write on its own stage.
    pub write: Span,
}

/// The settings of a site that tests vary.
#[derive(Debug, Clone)]
pub struct Knobs {
    pub topology: Topology,
    /// Machines: channel and partition `n` are on machine `n` of as many, by turns.
    pub cpcs: u8,
    pub lpars: u8,
    pub iop_threads: u16,
    /// Serial part of a start in an image.
    pub image_serial: Span,
    /// The channels of a logical control unit lead to different ports.
    pub spread: bool,
    /// Each logical control unit has one channel, by turns.
    pub own_channels: bool,
    /// Rate of the bus of the first channel, MB/s.
    pub first_bus_mb_per_s: u64,
    /// Rate of the bus of every host-adapter port, MB/s.
    pub port_bus_mb_per_s: u64,
    pub channels: usize,
    pub ports: usize,
    pub devices_per_lcu: u16,
    pub aliases: u32,
    pub km: u64,
    pub credits: u32,
    pub zhpf: bool,
    pub hyperpav: bool,
    pub synchronous: SynchronousIo,
    /// Open exchanges of a channel, in all and in command mode.
    pub open_exchanges: (u32, u32),
    /// Channel-processor prices in command mode, of channels that are not circuits.
    pub command: Prices,
    /// Channel-processor prices in transport mode, and what moves the data.
    pub transport: Prices,
    /// Host-adapter prices in command mode, of ports that are not circuits, and in transport mode.
    pub port_command: Prices,
    pub port_transport: Prices,
    pub data_path: DataPath,
    /// Firmware of the channels that stays with every transfer.
    pub held_bus: Option<HeldBus>,
    /// Exchanges that a host-adapter port holds open.
    pub exchanges_per_port: u32,
    /// Tracks that the cache of the control unit holds.
    pub cache_tracks: u32,
    /// Work of its clusters for each I/O.
    pub box_io: Span,
    /// Shares of its ports: port `n` is on share `n`, or on the last there is.
    pub box_shares: Vec<Share>,
    /// Bytes of a write that may come with the command.
    pub first_transfer_bytes: u32,
    /// Bytes of a burst of written data; zero for all.
    pub transfer_ready_bytes: u32,
    /// Shares of channels: channel `n` is on share `n`, where there are any.
    pub shares: Vec<Share>,
    /// Channels and host adapters are ESCON or parallel.
    pub circuit: Option<(ChannelCircuit, UnitCircuit)>,
    /// Channels are FICON to a bridge, behind which are the ESCON host adapters of `circuit`.
    pub bridge: Option<Bridge>,
    /// Some channels are FCP.
    pub fcp: Option<Fcp>,
    /// Rate of the links of the ports, where it is not that of the others, bytes per second.
    pub port_bytes_per_s: Option<u64>,
    /// Rate of every link, bytes per second.
    pub link_bytes_per_s: u64,
    /// Octets between two frames.
    pub fill_bytes: u32,
    /// Length, rate and credits of what is between two directors, where they are not 1 km and those of every link.
    pub isl: Option<(u64, u64, u32)>,
    /// Bit errors of every link.
    pub errors: Option<FrameErrors>,
    /// Rate of the middle one of inter-switch links in a row.
    pub middle_isl_bytes_per_s: Option<u64>,
    pub streams: Vec<Stream>,
    pub eadm: Vec<EadmWork>,
    pub compression: Compression,
    /// Sockets between partitions.
    pub conversations: Conversations,
    pub disturbances: Vec<Disturbance>,
    /// Terms of every path for endpoint security, and the security of the site.
    pub security: (Terms, Option<EndpointSecurity>),
    pub warmup: Span,
    /// Look for the end of warm-up instead.
    pub detect_warmup: bool,
    /// Octets move too.
    pub real_data: bool,
    pub interval: Span,
    pub intervals: u32,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            topology: Topology::Director,
            cpcs: 1,
            lpars: 1,
            iop_threads: 10,
            image_serial: Span::ZERO,
            spread: false,
            own_channels: false,
            first_bus_mb_per_s: 6100,
            port_bus_mb_per_s: 6400,
            channels: 1,
            ports: 4,
            devices_per_lcu: 64,
            aliases: 0,
            km: 1,
            credits: 90,
            zhpf: true,
            hyperpav: false,
            synchronous: SynchronousIo::default(),
            open_exchanges: (512, 64),
            command: Prices { program: us(35.95), kib: us(0.9375), ..Prices::default() },
            transport: Prices { program: us(3.31), ..Prices::default() },
            port_command: Prices { program: us(8.0), unit: us(0.5), ..Prices::default() },
            port_transport: Prices { program: us(4.0), ..Prices::default() },
            data_path: DataPath::Router,
            held_bus: None,
            exchanges_per_port: 1024,
            cache_tracks: 0,
            box_io: Span::ZERO,
            box_shares: Vec::new(),
            first_transfer_bytes: 65_536,
            transfer_ready_bytes: 0,
            shares: Vec::new(),
            circuit: None,
            bridge: None,
            fcp: None,
            port_bytes_per_s: None,
            link_bytes_per_s: 3_200_000_000,
            fill_bytes: 0,
            isl: None,
            errors: None,
            middle_isl_bytes_per_s: None,
            streams: Vec::new(),
            eadm: Vec::new(),
            compression: Compression::default(),
            conversations: Conversations::default(),
            disturbances: Vec::new(),
            security: (Terms::default(), None),
            warmup: Span::from_ms(5),
            detect_warmup: false,
            real_data: false,
            interval: Span::from_ms(20),
            intervals: 1,
        }
    }
}
