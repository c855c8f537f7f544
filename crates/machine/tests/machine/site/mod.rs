//! A small site built by hand, so that tests can turn every knob: one partition, `channels` FICON Express32S-like
//! channels through one director to `ports` host-adapter ports, one logical control unit behind each port.

use std::sync::Arc;

use halftrack_config::{
    Arrivals, Channel, ChannelHardware, Configuration, ControlUnitHardware, ControlUnitPort, Cpc, Device,
    Disturbance, Lcu, Link, Lpar, Path, PathGroup, Prices, ProtocolChoice, RunOptions, Selection, Stream,
};
use halftrack_engine::SimDuration;
use halftrack_interval::Run;
use halftrack_machine::{ExchangeMode, Fidelity, Options, RunCounters, Simulation};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape};

/// What can be turned.
#[derive(Debug, Clone)]
pub struct Knobs {
    pub channels: usize,
    pub ports: usize,
    pub devices_per_lcu: u16,
    pub aliases: u32,
    pub km: u64,
    pub credits: u32,
    pub zhpf: bool,
    pub hyperpav: bool,
    pub streams: Vec<Stream>,
    pub disturbances: Vec<Disturbance>,
    pub warmup: SimDuration,
    pub interval: SimDuration,
    pub intervals: u32,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            channels: 1,
            ports: 4,
            devices_per_lcu: 64,
            aliases: 0,
            km: 1,
            credits: 90,
            zhpf: true,
            hyperpav: false,
            streams: Vec::new(),
            disturbances: Vec::new(),
            warmup: SimDuration::from_ms(5),
            interval: SimDuration::from_ms(20),
            intervals: 1,
        }
    }
}

/// `records` × `record_bytes` by one CCW a record.
pub fn shape(operation: Operation, records: u16, record_bytes: u16) -> ProgramShape {
    ProgramShape {
        operation,
        record_bytes,
        records,
        grouping: Grouping::Records,
        positioning: Positioning::Prefix,
    }
}

/// A stream of 4K read hits on every device; refine by struct update.
pub fn stream(name: &str, arrivals: Arrivals) -> Stream {
    Stream {
        name: name.into(),
        lpar: 0,
        devices: Vec::new(),
        selection: Selection::Uniform,
        read: shape(Operation::Read, 1, 4096),
        write: shape(Operation::UpdateWrite, 1, 4096),
        read_ppm: 1_000_000,
        hit_ppm: 1_000_000,
        protocol: ProtocolChoice::Eligible,
        arrivals,
    }
}

/// A closed population without think time.
pub fn closed(jobs: u32) -> Arrivals {
    Arrivals::Closed { jobs, think: SimDuration::ZERO, exponential: false }
}

/// Poisson arrivals.
pub fn open(rate_per_s: u64) -> Arrivals {
    Arrivals::Open { interarrival: SimDuration::from_s(1) / rate_per_s, poisson: true }
}

fn us(us: f64) -> SimDuration {
    SimDuration::from_us_f64(us)
}

fn channel(index: usize, zhpf: bool) -> Channel {
    let chpid = 0x40 + index as u8;
    Channel {
        name: format!("CSS0.{chpid:02X}"),
        css: vec![0],
        chpid,
        pchid: 0x100 + 4 * index as u16,
        shared: true,
        switched: true,
        hardware: ChannelHardware {
            id: "fex32s".into(),
            zhpf,
            open_exchanges: 512,
            open_exchanges_command: 64,
            command: Prices { program: us(35.95), kib: us(0.9375), ..Prices::default() },
            transport: Prices { program: us(3.31), ..Prices::default() },
            bus_bytes_per_s: 6_100_000_000,
            frame_payload_bytes: 2048,
            transport_limit_64k: 255,
        },
        link_gbps: 32,
        generation: 0x2E,
        initial_pacing: 16,
    }
}

fn port(index: usize) -> ControlUnitPort {
    ControlUnitPort {
        name: format!("BOXA {index:04X}"),
        control_unit: "BOXA".into(),
        hardware: ControlUnitHardware {
            id: "ds8950".into(),
            zhpf: true,
            command: Prices { program: us(8.0), unit: us(0.5), ..Prices::default() },
            transport: Prices { program: us(4.0), ..Prices::default() },
            bus_bytes_per_s: 6_400_000_000,
            exchanges_per_port: 1024,
            pacing: 64,
            first_transfer_bytes: 65_536,
            transfer_ready_bytes: 0,
            hit: us(20.0),
            miss: us(600.0),
            staging_servers: 64,
            busy_hold: us(100.0),
        },
    }
}

fn link(name: String, km: u64, credits: u32, to_director: bool) -> Link {
    let bytes_per_s = 3_200_000_000;
    let propagation = SimDuration::from_us(5) * km;
    // Credits × a full frame against what a round trip holds.
    let needs_frames =
        u64::from(credits) * 2084 < bytes_per_s / 1_000_000 * 2 * propagation.as_ps() / 1_000_000;
    Link {
        name,
        bytes_per_s,
        propagation,
        credits,
        forward_latency: if to_director { us(1.5) } else { SimDuration::ZERO },
        needs_frames,
        fed_by: 1,
    }
}

/// Both directions of every fibre: channels first, then ports.
fn links(knobs: &Knobs) -> Vec<Link> {
    let mut links = Vec::new();
    for index in 0..knobs.channels {
        links.push(link(format!("channel {index} > director"), knobs.km, knobs.credits, true));
        let mut down = link(format!("director > channel {index}"), knobs.km, knobs.credits, false);
        down.fed_by = knobs.ports as u32;
        links.push(down);
    }
    for index in 0..knobs.ports {
        links.push(link(format!("port {index} > director"), 0, knobs.credits, true));
        let mut up = link(format!("director > port {index}"), 0, knobs.credits, false);
        up.fed_by = knobs.channels as u32;
        links.push(up);
    }
    links
}

/// The logical control unit behind port `index`, over every channel.
fn lcu(knobs: &Knobs, index: usize) -> Lcu {
    let (port, port_links) = (index as u32, 2 * knobs.channels as u32);
    let path = |channel: u32| Path {
        channel,
        port,
        outbound: vec![2 * channel, port_links + 2 * port + 1],
        inbound: vec![port_links + 2 * port, 2 * channel + 1],
    };
    let paths = (0..knobs.channels as u32).map(path).collect();
    Lcu {
        number: 0x1000 + 0x100 * index as u16,
        control_unit: 0,
        image: index as u8,
        aliases: knobs.aliases,
        path_groups: vec![PathGroup { css: 0, paths }],
    }
}

fn device(knobs: &Knobs, index: u16) -> Device {
    let per_lcu = knobs.devices_per_lcu;
    Device {
        subchannel_set: 0,
        number: 0x1000 + 0x100 * (index / per_lcu) + index % per_lcu,
        unit_address: (index % per_lcu) as u8,
        lcu: u32::from(index / per_lcu),
        device_type: "33909".into(),
        volser: format!("HT{index:04}"),
        storage_group: String::new(),
        cylinders: 10_017,
        zhpf: true,
    }
}

fn cpc() -> Cpc {
    Cpc {
        machine_type: 3931,
        model: "Max39".into(),
        iop_threads: 10,
        iop_start: us(2.65),
        iop_interrupt: us(1.76),
        iop_retry: us(1.0),
        interrupt_thread_stride: 2,
        cp_start: us(1.0),
        cp_interrupt: us(1.0),
    }
}

/// The Configuration that `knobs` describe.
pub fn configuration(knobs: &Knobs) -> Configuration {
    let devices: Vec<_> =
        (0..knobs.ports as u16 * knobs.devices_per_lcu).map(|index| device(knobs, index)).collect();
    let all_devices: Vec<u32> = (0..devices.len() as u32).collect();
    let with_devices = |stream: &Stream| {
        let devices = if stream.devices.is_empty() { all_devices.clone() } else { stream.devices.clone() };
        Stream { devices, ..stream.clone() }
    };
    Configuration {
        study: "test".into(),
        iocds: "TEST01".into(),
        cpc: cpc(),
        lpars: vec![Lpar {
            name: "PROD1".into(),
            css: 0,
            mif: 1,
            cps: 8,
            zhpf: knobs.zhpf,
            hyperpav: knobs.hyperpav,
        }],
        channels: (0..knobs.channels).map(|index| channel(index, true)).collect(),
        links: links(knobs),
        ports: (0..knobs.ports).map(port).collect(),
        lcus: (0..knobs.ports).map(|index| lcu(knobs, index)).collect(),
        devices,
        streams: knobs.streams.iter().map(with_devices).collect(),
        run: RunOptions {
            seed: 1,
            warmup: knobs.warmup,
            interval: knobs.interval,
            intervals: knobs.intervals,
            batches: 10,
            start: "2026-01-01T08:00:00".into(),
            cycle_ms: 1000,
        },
        disturbances: knobs.disturbances.clone(),
    }
}

/// The usual options.
pub const OPTIONS: Options =
    Options { seed: 1, fidelity: Fidelity::Burst, exchange: ExchangeMode::Planned, threads: 1 };

/// Runs and demands that every law held.
pub fn run(knobs: &Knobs, options: Options) -> (Run, RunCounters) {
    let simulation = Simulation::new(Arc::new(configuration(knobs)), options).expect("the site can be wired");
    let (run, counters) = simulation.run(&mut |_| {});
    for checker in &run.checkers {
        assert!(checker.violations.is_empty(), "{}: {:?}", checker.law, checker.violations);
        assert!(checker.checks > 0, "{} was never checked", checker.law);
    }
    (run, counters)
}
