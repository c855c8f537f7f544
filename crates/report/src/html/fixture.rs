//! A configuration from a study of the repository, and a made-up run on it.

use std::path::Path;

use halftrack_catalog::Catalog;
use halftrack_config::{Channel, Configuration, Device, Link};
use halftrack_record::{
    ChannelInterval, ChannelKind, ChannelPart, CheckerReport, DeviceInterval, Estimate, Guideline, Interval,
    LinkInterval, Mode, Operations, Recoveries, ResponseTimes, Run, RunHeader, StationInterval,
    StreamSummary, SystemHeader, WarmupSummary,
};

use crate::golden::{both, program};

const LENGTH_PS: u64 = 1_000_000_000_000;

/// Runs `studies/z16-oltp` with two intervals in which utilisations climb with the place of each part.
pub(crate) fn site() -> (Run, Configuration) {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/z16-oltp");
    let (catalog, _) = Catalog::load(&[]);
    let loaded = halftrack_config::load(&study, &catalog);
    let configuration = loaded.configuration.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    (run(&configuration), configuration)
}

fn run(configuration: &Configuration) -> Run {
    let systems = configuration.lpars.iter();
    let systems = systems.map(|lpar| SystemHeader {
        name: lpar.name.clone(),
        smfid: lpar.smfid.clone(),
        cpc: lpar.cpc,
        css: lpar.css,
        mif: lpar.mif,
        has_ifls: lpar.ifl_threads.is_some(),
    });
    let estimate = |mean: f64| Estimate { mean, half_width: mean / 50.0, confidence: 0.95 };
    let streams = configuration.streams.iter().map(|stream| StreamSummary {
        name: stream.name.clone(),
        completed: 20_000,
        failed: 0,
        rate_per_s: estimate(10_000.0),
        response_us: estimate(150.0),
        load: None,
        response_times: ResponseTimes {
            values_ps: vec![100_000_000, 300_000_000],
            counts: vec![15_000, 5_000],
        },
    });
    Run {
        header: RunHeader {
            study: configuration.study.clone(),
            seed: 1,
            fidelity: "burst".to_owned(),
            machine_type: configuration.cpcs[0].machine_type,
            model: configuration.cpcs[0].model.clone(),
            iocds: configuration.cpcs[0].iocds.clone(),
            definition_file: None,
            start: configuration.run.start.clone(),
            cycle_ms: 1000,
            mode: Mode::Lpar,
            drawers: 0,
            sap_cores: Vec::new(),
            cpcs: Vec::new(),
            varies: false,
            systems: systems.collect(),
        },
        intervals: (0..2).map(|index| interval(configuration, index)).collect(),
        streams: streams.collect(),
        warmup: WarmupSummary::default(),
        precision: None,
        programs: vec![program("OLTP1")],
        credit_shortages: Vec::new(),
        offered_too_much: Vec::new(),
        connection_changes: Vec::new(),
        relocations: Vec::new(),
        checkers: vec![CheckerReport { law: "Little".to_owned(), checks: 42, violations: Vec::new() }],
        data: None,
    }
}

fn interval(configuration: &Configuration, index: u32) -> Interval {
    let channels: Vec<_> = configuration
        .channels
        .iter()
        .enumerate()
        .map(|(place, one)| channel(configuration, one, busy_ps(place, index)))
        .collect();
    let names = configuration.channels.iter().map(|channel| format!("channel {} processor", channel.name));
    let names = names.chain(configuration.ports.iter().map(|port| format!("port {} processor", port.name)));
    let station = |(place, name): (usize, String)| StationInterval {
        name,
        servers: 1,
        busy_ps: busy_ps(place, index),
        completions: 1000,
    };
    Interval {
        index,
        start_ps: u64::from(index) * LENGTH_PS,
        length_ps: LENGTH_PS,
        stations: names.enumerate().map(station).collect(),
        caches: Vec::new(),
        synchronous_links: Vec::new(),
        islinks: Vec::new(),
        islink_flows: Vec::new(),
        eadm: Vec::new(),
        compression_functions: Vec::new(),
        compression: Vec::new(),
        conversations: Vec::new(),
        pools: Vec::new(),
        channels,
        iops: Vec::new(),
        lcus: Vec::new(),
        links: configuration
            .links
            .iter()
            .enumerate()
            .map(|(place, one)| link(one, busy_ps(place, index)))
            .collect(),
        devices: configuration.devices.iter().map(|one| device(configuration, one)).collect(),
    }
}

fn busy_ps(place: usize, index: u32) -> u64 {
    LENGTH_PS / 100 * (place as u64 + 10 * u64::from(index)).min(99)
}

fn channel(configuration: &Configuration, channel: &Channel, busy_ps: u64) -> ChannelInterval {
    let part = |lpar: &halftrack_config::Lpar| ChannelPart {
        lpar: lpar.name.clone(),
        processor_busy_ps: busy_ps / 2,
        read_bytes: 40_960_000,
        write_bytes: 4_096_000,
        sequences: 0,
    };
    ChannelInterval {
        chpid: channel.chpid,
        cpc: channel.cpc,
        css: channel.css.clone(),
        pchid: channel.identity.pchid(),
        kind: ChannelKind::FiconSwitched,
        generation: channel.generation,
        link_gbps: channel.link_gbps,
        shared: true,
        online: true,
        processor_busy_ps: busy_ps,
        bus_busy_ps: busy_ps / 5,
        read_bytes: 81_920_000,
        write_bytes: 8_192_000,
        operations: both(
            Operations { started: 1000, deferred: 0, active_sum: 1000 },
            Operations { started: 10_000, deferred: 0, active_sum: 20_000 },
        ),
        recoveries: Recoveries::default(),
        connections: None,
        parts: configuration.lpars.iter().map(part).collect(),
        estimate: None,
        guideline: Some(Guideline { processor_percent: 50, bus_percent: Some(70) }),
    }
}

fn link(link: &Link, busy_ps: u64) -> LinkInterval {
    LinkInterval {
        name: link.name.clone(),
        bytes_per_s: link.bytes_per_s,
        busy_ps,
        sent: 1000,
        frames: Some(1000),
        credit_wait_ps: 0,
        lost: 0,
        wire_bytes: 0,
    }
}

fn device(configuration: &Configuration, device: &Device) -> DeviceInterval {
    const US: u64 = 1_000_000;
    let completed = 10 + u64::from(device.unit_address);
    DeviceInterval {
        lpar: configuration.lpars[0].name.clone(),
        subchannel_set: device.subchannel_set,
        number: device.number,
        device_type: device.device_type.clone(),
        cylinders: device.cylinders,
        volser: device.volser.clone(),
        storage_group: device.storage_group.clone(),
        lcu: configuration.lcus[device.lcu as usize].number,
        completed,
        pend_ps: completed * 20 * US,
        cmr_ps: completed * 5 * US,
        disc_ps: completed * u64::from(device.unit_address) * US,
        conn_ps: completed * 80 * US,
        ..DeviceInterval::default()
    }
}
