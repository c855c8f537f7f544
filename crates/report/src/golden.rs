//! A run made by hand, whose reports print the example rows of the RMF reference, and checks of columns.

use halftrack_program::{PerProtocol, Protocol};
use halftrack_record::{
    ChannelInterval, ChannelKind, ChannelPart, CheckerReport, CompressionFunctionInterval,
    CompressionInterval, ConversationInterval, DefinitionFile, DeviceInterval, Estimate, Guideline, Interval,
    IopInterval, LcuInterval, LcuPath, LinkInterval, Mode, Operations, ProgramSummary, Recoveries,
    ResponseTimes, Retries, Run, RunHeader, StationInterval, StreamSummary, SynchronousIo,
    SynchronousLinkInterval, SynchronousRequests, SystemHeader, WarmupSummary,
};

use crate::field::Field;

/// 14.59.999.
const LENGTH_PS: u64 = 899_999_000_000_000;
const PS_PER_US: u64 = 1_000_000;
const MB: f64 = 1e6;

/// Returns events in the interval at a rate per second.
fn count(per_second: f64) -> u64 {
    (per_second * 899.999).round() as u64
}

/// Returns the busy time in the interval, ps.
fn busy(percent: f64) -> u64 {
    (LENGTH_PS as f64 * percent / 100.0).round() as u64
}

fn operations(rate: f64, active: f64) -> Operations {
    let started = count(rate);
    Operations { started, deferred: 0, active_sum: (started as f64 * active).round() as u64 }
}

/// Returns operations of both protocols.
pub(crate) fn both(command: Operations, transport: Operations) -> PerProtocol<Operations> {
    PerProtocol::from_fn(|protocol| match protocol {
        Protocol::Command => command,
        Protocol::Transport => transport,
    })
}

fn part(lpar: &str, percent: f64, read_mb: f64, write_mb: f64) -> ChannelPart {
    ChannelPart {
        lpar: lpar.to_owned(),
        processor_busy_ps: busy(percent),
        read_bytes: count(read_mb * MB),
        write_bytes: count(write_mb * MB),
        sequences: 0,
    }
}

fn channel(chpid: u8, css: &[u8], bus_percent: f64, parts: Vec<ChannelPart>) -> ChannelInterval {
    ChannelInterval {
        cpc: 0,
        chpid,
        css: css.to_vec(),
        pchid: Some(0x100 + u16::from(chpid)),
        kind: ChannelKind::FiconSwitched,
        generation: 0x21,
        link_gbps: 16,
        shared: true,
        online: true,
        processor_busy_ps: parts.iter().map(|part| part.processor_busy_ps).sum(),
        bus_busy_ps: busy(bus_percent),
        read_bytes: parts.iter().map(|part| part.read_bytes).sum(),
        write_bytes: parts.iter().map(|part| part.write_bytes).sum(),
        operations: PerProtocol::default(),
        recoveries: Recoveries::default(),
        connections: None,
        parts,
        estimate: None,
        guideline: Some(Guideline { processor_percent: 50, bus_percent: Some(70) }),
    }
}

fn channels() -> Vec<ChannelInterval> {
    vec![
        ChannelInterval {
            operations: both(operations(101.2, 1.1), operations(5000.3, 1.2)),
            ..channel(
                0x40,
                &[0],
                4.40,
                vec![part("SYN1", 3.20, 12.10, 3.00), part("SYN3", 4.30, 17.90, 4.00)],
            )
        },
        ChannelInterval {
            operations: both(operations(100.7, 1.1), operations(4969.4, 1.2)),
            ..channel(
                0x41,
                &[0, 1],
                4.38,
                vec![part("SYN1", 3.18, 12.02, 2.97), part("SYN2PROD", 4.26, 17.79, 3.97)],
            )
        },
        ChannelInterval { online: false, ..channel(0x42, &[0], 0.0, Vec::new()) },
        ChannelInterval {
            kind: ChannelKind::Ficon,
            generation: 0,
            link_gbps: 0,
            shared: false,
            ..channel(0x50, &[1], 0.0, Vec::new())
        },
    ]
}

fn iop(number: u16, [enqueued, started, interrupts]: [f64; 3], busy_percent: f64) -> IopInterval {
    let retried = |percent: f64| (count(started) as f64 * percent / 100.0).round() as u64;
    IopInterval {
        cpc: 0,
        number,
        busy_ps: busy(busy_percent),
        enqueued: count(enqueued),
        queue_sum: (count(enqueued) as f64 * 1.01).round() as u64,
        started: count(started),
        interrupts: count(interrupts),
        retries: Retries {
            channel_path_busy: retried(0.2),
            director_port_busy: retried(0.1),
            control_unit_busy: retried(0.1),
            device_busy: 0,
        },
        compression_busy_ps: 0,
        scm_busy_ps: 0,
    }
}

/// Returns a device with mean times in µs: IOSQ, PEND, CMR, INT, DISC, CONN.
fn device(lpar: &str, number: u16, lcu: u16, rate: f64, times_us: [u64; 6]) -> DeviceInterval {
    let completed = count(rate);
    let [iosq_ps, pend_ps, cmr_ps, interrupt_ps, disc_ps, conn_ps] =
        times_us.map(|us| completed * us * PS_PER_US);
    DeviceInterval {
        lpar: lpar.to_owned(),
        number,
        device_type: "33903".to_owned(),
        cylinders: 3339,
        volser: "SYN001".to_owned(),
        storage_group: "SGPROD".to_owned(),
        lcu,
        completed,
        iosq_ps,
        pend_ps,
        cmr_ps,
        interrupt_ps,
        disc_ps,
        conn_ps,
        exposures_ps: disc_ps + conn_ps,
        in_use_ps: disc_ps + conn_ps,
        ..DeviceInterval::default()
    }
}

fn devices() -> Vec<DeviceInterval> {
    let hyperpav = |device: DeviceInterval| DeviceInterval {
        device_type: "33909".to_owned(),
        cylinders: 262_668,
        volser: "SYN002".to_owned(),
        storage_group: String::new(),
        hyperpav: true,
        ..device
    };
    let base = hyperpav(device("SYN1", 0x8100, 0x50, 1000.0, [250, 150, 100, 4, 500, 1000]));
    let in_use_ps = base.completed * 660 * PS_PER_US;
    vec![
        device("SYN1", 0x8000, 0x40, 812.4, [0, 12, 4, 5, 21, 84]),
        DeviceInterval { subchannel_set: 1, ..device("SYN2PROD", 0x8000, 0x40, 10.0, [0, 12, 4, 5, 0, 84]) },
        DeviceInterval { in_use_ps, exposures_ps: in_use_ps / 2 * 5, ..base },
        hyperpav(device("SYN1", 0x8101, 0x50, 0.0, [0; 6])),
    ]
}

/// Returns a path with operations per second and mean CMR in µs.
fn path(chpid: u8, rate: f64, cmr_us: u64) -> LcuPath {
    let taken = count(rate);
    LcuPath { chpid, taken, cmr_ps: taken * cmr_us * PS_PER_US, online: true, ..LcuPath::default() }
}

fn lcu(lcu: u16, control_units: &[u16], paths: Vec<LcuPath>, device: &DeviceInterval) -> LcuInterval {
    LcuInterval {
        lpar: device.lpar.clone(),
        lcu,
        control_units: control_units.to_vec(),
        paths,
        requests: device.completed,
        open_exchange_ps: device.cmr_ps + device.disc_ps + device.conn_ps,
        connect_ps: device.conn_ps,
        response_times: match lcu {
            0x40 => response_times([50, 30, 19, 1]),
            _ => response_times([50, 30, 5, 15]),
        },
        ..LcuInterval::default()
    }
}

/// Returns responses of 100, 200, 300 and 900 us, so many of each.
fn response_times(counts: [u64; 4]) -> ResponseTimes {
    let values_ps = [100, 200, 300, 900].map(|us| us * PS_PER_US).to_vec();
    ResponseTimes { values_ps, counts: counts.to_vec() }
}

fn lcus(devices: &[DeviceInterval]) -> Vec<LcuInterval> {
    let mut four =
        vec![path(0x40, 203.1, 4), path(0x41, 203.3, 4), path(0x43, 203.0, 4), path(0x44, 203.0, 4)];
    four[3].taken = devices[0].completed - four[..3].iter().map(|path| path.taken).sum::<u64>();
    let taken = count(1000.0);
    let busy_path = LcuPath {
        control_unit_busy: taken / 10,
        control_unit_busy_ps: taken * 500 * PS_PER_US,
        ..path(0x40, 1000.0, 100)
    };
    let offline_path = LcuPath { chpid: 0x42, ..LcuPath::default() };
    vec![
        lcu(0x40, &[0x8000], four, &devices[0]),
        lcu(0x40, &[0x8000], vec![path(0x41, 10.0, 4)], &devices[1]),
        LcuInterval {
            alias_waits: taken / 8,
            aliases_in_use_max: 3,
            ..lcu(0x50, &[0x8100, 0x8101], vec![busy_path, offline_path], &devices[2])
        },
    ]
}

fn stations(processor_percent: f64) -> Vec<StationInterval> {
    let station = |name: &str, servers: u32, percent: f64| StationInterval {
        name: name.to_owned(),
        servers,
        busy_ps: busy(percent) * u64::from(servers),
        completions: count(5000.0),
    };
    vec![
        station("channel 0.40 bus", 1, 4.4),
        station("channel 0.40 processor", 1, processor_percent),
        station("iop", 2, 11.1),
    ]
}

/// Returns an interval as in the reference.
fn first_interval() -> Interval {
    let devices = devices();
    Interval {
        index: 0,
        start_ps: 0,
        length_ps: LENGTH_PS,
        channels: channels(),
        iops: vec![iop(0, [3021.5, 3010.25, 2890.1], 11.20), iop(1, [2987.25, 2990.0, 2870.5], 11.00)],
        lcus: lcus(&devices),
        devices,
        stations: stations(7.5),
        caches: Vec::new(),
        synchronous_links: Vec::new(),
        islinks: Vec::new(),
        islink_flows: Vec::new(),
        eadm: Vec::new(),
        compression_functions: Vec::new(),
        compression: Vec::new(),
        conversations: Vec::new(),
        pools: Vec::new(),
        links: vec![LinkInterval {
            name: "pchid 140 > 11.20".to_owned(),
            bytes_per_s: 1_600_000_000,
            busy_ps: busy(12.5),
            sent: count(3010.25),
            frames: None,
            credit_wait_ps: 0,
            lost: 0,
            wire_bytes: count(200.0 * MB),
        }],
    }
}

/// Returns a busier interval that passes each guideline: channel processor 63 %, bus 71.5 %, IOPs 70.2 %.
fn second_interval() -> Interval {
    let mut interval =
        Interval { index: 1, start_ps: LENGTH_PS, stations: stations(63.0), ..first_interval() };
    interval.channels[0].processor_busy_ps = busy(63.0);
    interval.channels[0].bus_busy_ps = busy(71.5);
    interval.iops[0].busy_ps = busy(75.0);
    interval.iops[1].busy_ps = busy(65.4);
    interval
}

/// Returns two intervals of 14.59.999 with two reporting systems in two channel subsystems.
pub(crate) fn run() -> Run {
    let system = |name: &str, smfid: &str, css, mif| {
        let (name, smfid) = (name.to_owned(), smfid.to_owned());
        SystemHeader { name, smfid, cpc: 0, css, mif, has_ifls: false }
    };
    let created = "2024-12-01T10:00:00".to_owned();
    Run {
        header: RunHeader {
            study: "golden".to_owned(),
            seed: 1,
            fidelity: "burst".to_owned(),
            machine_type: 3931,
            model: "Max39".to_owned(),
            iocds: "SYN".to_owned(),
            definition_file: Some(DefinitionFile { name: "IODF00".to_owned(), created }),
            start: "2025-01-01T08:00:00".to_owned(),
            cycle_ms: 1000,
            mode: Mode::Lpar,
            drawers: 0,
            sap_cores: Vec::new(),
            cpcs: Vec::new(),
            varies: false,
            systems: vec![system("SYN1", "SYN1", 0, 1), system("SYN2PROD", "S2PR", 1, 1)],
        },
        warmup: WarmupSummary { discarded_ps: 50_000_000_000, detected: None },
        precision: None,
        intervals: vec![first_interval(), second_interval()],
        streams: vec![StreamSummary {
            name: "oltp".to_owned(),
            completed: 1_462_316,
            failed: 3,
            rate_per_s: Estimate { mean: 812.4, half_width: 3.21, confidence: 0.95 },
            response_us: Estimate { mean: 117.25, half_width: 0.5, confidence: 0.95 },
            load: None,
            response_times: response_times([900_000, 500_000, 60_000, 2_316]),
        }],
        programs: vec![program("oltp")],
        credit_shortages: Vec::new(),
        offered_too_much: Vec::new(),
        connection_changes: Vec::new(),
        relocations: Vec::new(),
        checkers: vec![
            CheckerReport { law: "Little per station".to_owned(), checks: 30, violations: Vec::new() },
            CheckerReport {
                law: "credits".to_owned(),
                checks: 12,
                violations: vec!["pchid 140: 1 credit leaked".to_owned()],
            },
        ],
        data: None,
    }
}

/// Returns a run whose first system compresses, with a function in use and one without a card.
pub(crate) fn compression_run() -> Run {
    let mut run = run();
    let function = |pfid, pchid, group: Option<&str>, state: &str| CompressionFunctionInterval {
        cpc: 0,
        pfid,
        pchid,
        vf: 3,
        resource_group: group.map(str::to_owned),
        lpar: Some("SYN1".to_owned()),
        state: state.to_owned(),
        ..CompressionFunctionInterval::default()
    };
    for interval in &mut run.intervals {
        let used = CompressionFunctionInterval {
            allocated_ps: 900_000_000 * PS_PER_US,
            requests: 1_000_000,
            queue_ps: 45_000_000 * PS_PER_US,
            execution_ps: 225_000_000 * PS_PER_US,
            read_bytes: 100_000_000_000,
            written_bytes: 50_000_000_000,
            ..function(0x14, Some(0x108), Some("RG1"), "ALLC")
        };
        interval.compression_functions = vec![used, function(0x15, None, None, "STBY")];
        interval.compression = vec![CompressionInterval {
            name: "SMF1".to_owned(),
            lpar: "SYN1".to_owned(),
            exploiter: "smf".to_owned(),
            operation: "deflate".to_owned(),
            started: 1_000_900,
            requests: 1_000_000,
            response_ps: 270_000_000 * PS_PER_US,
            response_max_ps: 900 * PS_PER_US,
            plain_bytes: 100_000_000_000,
            compressed_bytes: 50_000_000_000,
            software_requests: 900,
            software_bytes: 90_000_000,
            software_ps: Some(LENGTH_PS / 2),
            saved_ps: Some(LENGTH_PS * 4),
        }];
    }
    run
}

/// Returns a run whose first system talks to another one, once over each path.
pub(crate) fn conversation_run() -> Run {
    let mut run = run();
    for interval in &mut run.intervals {
        let fallback = ConversationInterval {
            name: "FILES".to_owned(),
            client: "SYN1".to_owned(),
            server: "SYN2PROD".to_owned(),
            path: "tcp".to_owned(),
            fallback: Some("SYN2PROD has no RoCE function".to_owned()),
            network: "NET1".to_owned(),
            connections: 4,
            ..ConversationInterval::default()
        };
        let exchanges = 1_000_000;
        let talk = ConversationInterval {
            name: "TALK".to_owned(),
            path: "smc-r".to_owned(),
            fallback: None,
            connections: 1,
            fallen_back: 1,
            started: exchanges + 1,
            exchanges,
            broken: 1,
            latency_ps: exchanges * 120 * PS_PER_US,
            latency_max_ps: 900 * PS_PER_US,
            bytes: exchanges * 2048,
            client_ps: exchanges * 15 * PS_PER_US,
            server_ps: exchanges * 16 * PS_PER_US,
            moves: 2,
            resent_bytes: 2048,
            ..fallback.clone()
        };
        interval.conversations = vec![fallback, talk];
    }
    run
}

/// Returns the run with synchronous I/O of two devices of SYN1, the first with the figures of the reference.
pub(crate) fn synchronous_run() -> Run {
    let reads = SynchronousRequests {
        successes: count(512.3),
        bytes: count(512.3) * 4096,
        response_ps: count(512.3) * 18 * PS_PER_US,
        link_busy: count(0.526),
        cache_miss: count(13.149),
        ..SynchronousRequests::default()
    };
    let writes = SynchronousRequests {
        successes: count(100.0),
        bytes: count(100.0) * 8192,
        response_ps: count(100.0) * 31 * PS_PER_US,
        cache_miss: count(2.0),
        timeouts: count(1.0),
        other: count(3.0),
        ..SynchronousRequests::default()
    };
    let mut run = run();
    for interval in &mut run.intervals {
        let none = SynchronousRequests::default();
        interval.devices[0].synchronous = Some(SynchronousIo { read: reads, write: none });
        interval.devices[2].synchronous = Some(SynchronousIo { read: reads, write: writes });
        let link = |port: u8, percent| SynchronousLinkInterval {
            name: format!("pchid 180.{port} > BOXA H00{}", port - 1),
            successes: reads.successes + writes.successes / 2,
            local_rejects: reads.link_busy,
            remote_rejects: reads.cache_miss + writes.cache_miss / 2,
            timeouts: writes.timeouts / 2,
            read_bytes: reads.bytes,
            written_bytes: writes.bytes / 2,
            held_ps: busy(percent),
        };
        interval.synchronous_links = vec![link(1, 20.0), link(2, 10.0)];
    }
    run
}

/// Checks a line of numbers against its columns. Each number ends at its right edge, a blank stands before each column,
/// and nothing is beyond the last.
pub(crate) fn assert_columns(line: &str, fields: &[Field]) {
    let characters: Vec<_> = line.chars().collect();
    assert_eq!(characters.len(), fields.last().map_or(0, |field| field.right + 1));
    for field in fields {
        assert_ne!(characters[field.right], ' ', "{field:?} is empty in {line}");
        if let Some(before) = field.left.checked_sub(1) {
            assert_eq!(characters[before], ' ', "{field:?} overflows in {line}");
        }
    }
    for pair in fields.windows(2) {
        assert!(pair[0].right + 1 < pair[1].left + 1, "{pair:?} overlap");
        assert_eq!(characters[pair[0].right + 1], ' ', "no blank after {:?} in {line}", pair[0]);
    }
}

/// Returns a 4 KiB read in transport mode of a stream.
pub(crate) fn program(stream: &str) -> ProgramSummary {
    ProgramSummary {
        stream: stream.to_owned(),
        operation: "read".to_owned(),
        protocol: Protocol::Transport,
        is_scsi: false,
        hit: true,
        units_out: 1,
        units_in: 2,
        frames_out: 1,
        frames_in: 4,
        wire_out_bytes: 136,
        wire_in_bytes: 4332,
        data_out_bytes: 0,
        data_in_bytes: 4096,
        mean_frame_bytes: 1083.0,
    }
}
