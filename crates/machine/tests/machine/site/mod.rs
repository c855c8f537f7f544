//! A small site built by hand, so that tests can turn every knob: one partition or more, `channels` FICON
//! Express32S-like channels through one director to `ports` host-adapter ports, one logical control unit for
//! each port.

mod knobs;

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{
    Arrivals, Channel, ChannelHardware, ChannelIdentity, Configuration, ControlUnitHardware, ControlUnitPort,
    Cpc, CpcName, Device, Directions, Eadm, FcpChannel, Initiator, Lcu, Link, Lpar, Luns, Path, PathGroup,
    Prices, ProtocolChoice, RoutePair, RunOptions, Selection, ServiceVariation, Stream, SwitchPort,
};
use halftrack_machine::{ExchangeMode, Fidelity, Options, RunCounters, Simulation, Threads};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape};
use halftrack_record::Run;

pub use knobs::{Fcp, Knobs, Topology};

/// Makes `records` × `record_bytes` by one CCW a record.
pub fn shape(operation: Operation, records: u16, record_bytes: u16) -> ProgramShape {
    ProgramShape {
        operation,
        record_bytes,
        records,
        grouping: Grouping::Records,
        positioning: Positioning::Prefix,
    }
}

/// Makes a stream of 4K read hits on every device; refine by struct update.
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
        hit_ppm_of_device: Vec::new(),
        locality: None,
        synchronous: None,
        compression: None,
        protocol: ProtocolChoice::Eligible,
        arrivals,
    }
}

/// Makes a closed population without think time.
pub fn closed(jobs: u32) -> Arrivals {
    Arrivals::Closed { jobs, think: Span::ZERO, exponential: false }
}

/// Makes Poisson arrivals.
pub fn open(rate_per_s: u64) -> Arrivals {
    Arrivals::Open { interarrival: Span::from_s(1) / rate_per_s, poisson: true }
}

/// Makes a span of so many microseconds.
pub fn us(us: f64) -> Span {
    Span::from_us_f64(us)
}

/// Returns what is FCP where channel `index` is.
fn fcp_of(knobs: &Knobs, index: u32) -> Option<Fcp> {
    knobs.fcp.filter(|fcp| index < fcp.channels)
}

/// Returns the FCP subchannel by which a channel reaches logical control unit `lcu`.
fn subchannel(lcu: usize, channel: u32) -> u16 {
    0x6000 + 0x10 * lcu as u16 + channel as u16
}

/// Makes the initiators of an FCP channel, one for each logical control unit.
fn initiators(knobs: &Knobs, index: usize) -> Vec<Initiator> {
    let lcus = if fcp_of(knobs, index as u32).is_some() { knobs.ports } else { 0 };
    let numbers = (0..lcus).map(|lcu| subchannel(lcu, index as u32));
    let named =
        |subchannel| Initiator { lpar: 0, subchannel, name: Initiator::name_of(0, (0, 1), subchannel) };
    numbers.map(named).collect()
}

fn channel(knobs: &Knobs, index: usize) -> Channel {
    let chpid = 0x40 + index as u8;
    let cpc = index as u8 % knobs.cpcs;
    Channel {
        name: format!("{}CSS0.{chpid:02X}", cpc_name(knobs, cpc).prefix()),
        cpc,
        css: vec![0],
        chpid,
        identity: ChannelIdentity::Pchid(0x100 + 4 * index as u16),
        shared: true,
        switched: knobs.topology.is_switched(),
        hardware: ChannelHardware {
            turnaround: None,
            guideline: None,
            id: "fex32s".into(),
            zhpf: knobs.circuit.is_none(),
            open_exchanges: knobs.open_exchanges.0,
            open_exchanges_command: knobs.open_exchanges.1,
            command: match (knobs.circuit, knobs.bridge) {
                (None, _) | (_, Some(_)) => knobs.command,
                (Some(_), None) => Prices { command: us(84.0), ..Prices::default() },
            },
            transport: knobs.transport,
            data_path: knobs.data_path,
            held_bus: knobs.held_bus,
            bus_bytes_per_s: 1_000_000 * if index == 0 { knobs.first_bus_mb_per_s } else { 6100 },
            frame_payload_bytes: 2048,
            transport_limit_64k: 255,
            circuit: knobs.circuit.filter(|_| knobs.bridge.is_none()).map(|(circuit, _)| circuit),
            bridge: knobs.bridge,
            fcp: fcp_of(knobs, index as u32).map(|fcp| FcpChannel { write: fcp.write }),
        },
        share: (!knobs.shares.is_empty()).then_some(index as u32),
        link_gbps: 32,
        generation: 0x2E,
        initial_pacing: if knobs.bridge.is_some() { 1 } else { 16 },
        initiators: initiators(knobs, index),
    }
}

fn port(knobs: &Knobs, index: usize) -> ControlUnitPort {
    ControlUnitPort {
        name: format!("BOXA {index:04X}"),
        control_unit: "BOXA".into(),
        hardware: ControlUnitHardware {
            id: "ds8950".into(),
            zhpf: true,
            command: match knobs.circuit {
                None => knobs.port_command,
                Some(_) => Prices { program: us(200.0), command: us(84.0), ..Prices::default() },
            },
            transport: knobs.port_transport,
            bus_bytes_per_s: 1_000_000 * knobs.port_bus_mb_per_s,
            exchanges_per_port: knobs.exchanges_per_port,
            pacing: 64,
            first_transfer_bytes: knobs.first_transfer_bytes,
            transfer_ready_bytes: knobs.transfer_ready_bytes,
            dispatch: us(2.0),
            hit: us(20.0),
            write: us(10.0),
            cache_bytes_per_s: 2_000_000_000,
            cache_tracks: knobs.cache_tracks,
            miss: us(600.0),
            staging_servers: 64,
            busy_hold: us(100.0),
            box_io: knobs.box_io,
            circuit: knobs.circuit.map(|(_, circuit)| circuit),
        },
        share: knobs.box_shares.len().checked_sub(1).map(|last| index.min(last) as u32),
    }
}

fn link(name: String, km: u64, knobs: &Knobs, to_director: bool) -> Link {
    let (bytes_per_s, credits) = (knobs.link_bytes_per_s, knobs.credits);
    let propagation = Span::from_us(5) * km;
    Link {
        name,
        bytes_per_s,
        fill_bytes: knobs.fill_bytes,
        propagation,
        credits,
        forward_latency: if to_director { us(1.5) } else { Span::ZERO },
        fed_by: 1,
        errors: knobs.errors,
        switch_ports: [None; 2],
    }
}

/// Makes both directions of every fibre: channels first, then ports, then what is between two directors. The fibre of a
/// channel that is cabled to a port is that of the channel.
fn links(knobs: &Knobs) -> Vec<Link> {
    let mut links = Vec::new();
    let (channels, ports) = (knobs.channels as u32, knobs.ports as u32);
    let switched = knobs.topology.is_switched();
    let (feed_channel, feed_port) = match knobs.topology {
        Topology::Director => (ports, channels),
        Topology::Cascade | Topology::Row(_) => (1, 1),
        Topology::Trunk => (2, 2),
        Topology::Direct | Topology::Bus => (0, 0),
    };
    let mut fibre = |near: String, far: &str, km, feeds: (u32, u32), directors: (bool, bool)| {
        let mut there = link(format!("{near} > {far}"), km, knobs, directors.1);
        let mut back = link(format!("{far} > {near}"), km, knobs, directors.0);
        (there.fed_by, back.fed_by) = feeds;
        links.extend([there, back]);
    };
    for index in 0..channels {
        fibre(format!("channel {index}"), "director", knobs.km, (0, feed_channel), (false, switched));
    }
    for index in 0..ports {
        fibre(format!("port {index}"), "far director", 0, (0, feed_port), (false, switched));
    }
    if let Topology::Row(length) = knobs.topology {
        for index in 0..length {
            let feed = |is_end: bool, all: u32| if is_end { all } else { 1 };
            let feeds = (feed(index == 0, channels), feed(index + 1 == length, ports));
            fibre(format!("director {index}"), &format!("director {}", index + 1), 1, feeds, (true, true));
        }
    } else {
        fibre("director".into(), "far director", 1, (channels, ports), (true, true));
    }
    if knobs.topology == Topology::Trunk {
        fibre("director, second".into(), "far director", 1, (channels, ports), (true, true));
    }
    for (port, link) in (0..).zip(&mut links[2 * (knobs.channels + knobs.ports)..]) {
        let ends = [0x61, 0x62].map(|domain| Some(SwitchPort { domain, port: 0xE0 + port / 2 }));
        link.switch_ports = if port % 2 == 0 { ends } else { [ends[1], ends[0]] };
    }
    if knobs.fcp.is_some() && switched {
        let far = if knobs.topology == Topology::Director { 0x61 } else { 0x62 };
        for (index, fibre) in (0..).zip(links.chunks_mut(2).take(knobs.channels + knobs.ports)) {
            let domain = if usize::from(index) < knobs.channels { 0x61 } else { far };
            let at = Some(SwitchPort { domain, port: 0x20 + index });
            (fibre[0].switch_ports, fibre[1].switch_ports) = ([None, at], [at, None]);
        }
    }
    if let Some((km, bytes_per_s, credits)) = knobs.isl {
        for link in &mut links[2 * (knobs.channels + knobs.ports)..] {
            (link.propagation, link.bytes_per_s, link.credits) =
                (Span::from_us(5) * km, bytes_per_s, credits);
        }
    }
    if let (Some(bytes_per_s), Topology::Row(length)) = (knobs.middle_isl_bytes_per_s, knobs.topology) {
        let middle = 2 * (knobs.channels + knobs.ports + length as usize / 2);
        links[middle..middle + 2].iter_mut().for_each(|link| link.bytes_per_s = bytes_per_s);
    }
    if let Some(bytes_per_s) = knobs.port_bytes_per_s {
        let of_ports = 2 * knobs.channels..2 * (knobs.channels + knobs.ports);
        links[of_ports].iter_mut().for_each(|link| link.bytes_per_s = bytes_per_s);
    }
    links
}

/// Makes the path from `channel` to `port` over the links of [`links`].
fn path(knobs: &Knobs, channel: u32, port: u32) -> Path {
    let (at_port, between) = (2 * knobs.channels as u32, 2 * (knobs.channels + knobs.ports) as u32);
    let (out, back) = (2 * channel, 2 * channel + 1);
    let (from_port, to_port) = (at_port + 2 * port, at_port + 2 * port + 1);
    let (outbound, inbound) = match knobs.topology {
        Topology::Director => (vec![out, to_port], vec![from_port, back]),
        Topology::Cascade | Topology::Trunk => {
            (vec![out, between, to_port], vec![from_port, between + 1, back])
        }
        Topology::Row(length) => {
            let there = (0..length).map(|index| between + 2 * index);
            let again = (0..length).rev().map(|index| between + 2 * index + 1);
            let outbound = std::iter::once(out).chain(there).chain([to_port]);
            let inbound = std::iter::once(from_port).chain(again).chain([back]);
            (outbound.collect(), inbound.collect())
        }
        Topology::Direct => (vec![out], vec![back]),
        Topology::Bus => (vec![to_port], vec![from_port]),
    };
    let second =
        RoutePair { outbound: vec![out, between + 2, to_port], inbound: vec![from_port, between + 3, back] };
    let alternatives = if knobs.topology == Topology::Trunk { vec![second] } else { Vec::new() };
    Path { channel, port, outbound, inbound, alternatives, security: knobs.security.0 }
}

/// Makes logical control unit `index`, over every channel that reaches its port or ports.
fn lcu(knobs: &Knobs, index: usize) -> Lcu {
    let (own, ports) = (index as u32, knobs.ports as u32);
    let port = |channel: u32| if knobs.spread { (own + channel) % ports } else { own };
    let reaches = |channel: &u32| knobs.topology != Topology::Direct || *channel == port(*channel);
    let own_channel = |channel: &u32| !knobs.own_channels || *channel == own % knobs.channels as u32;
    let channels = || (0..knobs.channels as u32).filter(reaches).filter(own_channel);
    let number = 0x1000 + 0x100 * index as u16;
    let group = |cpc: u8| {
        let own = channels().filter(|channel| *channel as u8 % knobs.cpcs == cpc);
        let paths = own.map(|channel| path(knobs, channel, port(channel))).collect();
        PathGroup { cpc, css: 0, number, paths }
    };
    let path_groups: Vec<PathGroup> = (0..knobs.cpcs).map(group).collect();
    let fcp = channels().next().and_then(|channel| fcp_of(knobs, channel));
    Lcu {
        number,
        control_unit: 0,
        image: index as u8,
        aliases: fcp
            .map_or(knobs.aliases, |fcp| u32::from(knobs.devices_per_lcu) * u32::from(fcp.queue_depth - 1)),
        luns: fcp.map(|fcp| Luns {
            name: format!("SET{index}"),
            queue_depth: fcp.queue_depth,
            lpar: 0,
            subchannels: path_groups[0].paths.iter().map(|path| subchannel(index, path.channel)).collect(),
        }),
        path_groups,
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
        zhyperlink: Directions::ALL,
    }
}

fn lpar(knobs: &Knobs, mif: u8) -> Lpar {
    Lpar {
        name: format!("PROD{mif}"),
        smfid: format!("PRD{mif}"),
        cpc: (mif - 1) % knobs.cpcs,
        css: 0,
        mif,
        cps: 8,
        ifl_threads: None,
        zhpf: knobs.zhpf,
        hyperpav: knobs.hyperpav,
    }
}

/// Names a machine where there are several.
fn cpc_name(knobs: &Knobs, index: u8) -> CpcName {
    let named = ["A", "B", "C"].get(usize::from(index)).filter(|_| knobs.cpcs > 1);
    named.and_then(|name| CpcName::parse(name)).unwrap_or_default()
}

fn cpc(knobs: &Knobs, index: u8) -> Cpc {
    Cpc {
        name: cpc_name(knobs, index),
        iocds: "TEST01".into(),
        definition_file: None,
        basic: false,
        machine_type: 3931,
        model: "Max39".into(),
        drawers: 1,
        sap_cores: Vec::new(),
        threads_per_core: 2,
        iop_threads: knobs.iop_threads,
        iop_start: us(2.65),
        iop_interrupt: us(1.76),
        iop_retry: us(1.0),
        interrupt_thread_stride: 2,
        cp_start: us(1.0),
        cp_interrupt: us(1.0),
        image_serial: knobs.image_serial,
        eadm: Some(Eadm { compression: us(4.0), scm: us(6.0) }),
    }
}

/// Makes the Configuration that `knobs` describe.
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
        cpcs: (0..knobs.cpcs).map(|index| cpc(knobs, index)).collect(),
        lpars: (1..=knobs.lpars).map(|mif| lpar(knobs, mif)).collect(),
        channels: (0..knobs.channels).map(|index| channel(knobs, index)).collect(),
        shares: knobs.shares.clone(),
        box_shares: knobs.box_shares.clone(),
        links: links(knobs),
        ports: (0..knobs.ports).map(|index| port(knobs, index)).collect(),
        lcus: (0..knobs.ports).map(|index| lcu(knobs, index)).collect(),
        devices,
        streams: knobs.streams.iter().map(with_devices).collect(),
        eadm: knobs.eadm.clone(),
        compression: knobs.compression.clone(),
        conversations: knobs.conversations.clone(),
        synchronous: knobs.synchronous.clone(),
        islinks: Vec::new(),
        run: RunOptions {
            seed: 1,
            warmup: knobs.warmup,
            detect_warmup: knobs.detect_warmup,
            interval: knobs.interval,
            intervals: knobs.intervals,
            batches: 10,
            start: "2026-01-01T08:00:00".into(),
            cycle_ms: 1000,
            real_data: knobs.real_data,
        },
        service: ServiceVariation::default(),
        disturbances: knobs.disturbances.clone(),
        endpoint_security: knobs.security.1,
        key_manager: None,
    }
}

/// The usual options.
pub const OPTIONS: Options = Options::new(1);

/// Runs and demands that every law held.
pub fn run(knobs: &Knobs, options: Options) -> (Run, RunCounters) {
    let mut simulation =
        Simulation::new(Arc::new(configuration(knobs)), options).expect("the site can be wired");
    let (run, counters) = simulation.run(&mut |_| {});
    for checker in &run.checkers {
        assert!(checker.violations.is_empty(), "{}: {:?}", checker.law, checker.violations);
        assert!(checker.checks > 0, "{} was never checked", checker.law);
    }
    (run, counters)
}

/// Checks that the run gives the same record, planned and live, on one thread and two, with more than so many I/Os in it.
pub fn same_every_way(knobs: &Knobs, fidelity: Fidelity, more_than_ios: u64) -> Run {
    let (reference, counters) = run(knobs, Options { fidelity, ..OPTIONS });
    assert!(counters.ios > more_than_ios, "{} I/Os are too few to mean anything", counters.ios);
    for exchange in [ExchangeMode::Planned, ExchangeMode::Live] {
        for threads in [1, 2] {
            let (again, same) =
                run(knobs, Options { fidelity, exchange, threads: Threads::Exactly(threads), ..OPTIONS });
            assert_eq!(again, reference, "{fidelity:?} {exchange:?} on {threads} threads");
            assert_eq!(same, counters, "{fidelity:?} {exchange:?} on {threads} threads");
        }
    }
    reference
}
