//! Limits that host adapters of a box share, and the effect of a port that has too much to do on others.

use halftrack_base::Span;
use halftrack_config::{ProtocolChoice, Share, Stream};
use halftrack_program::{Operation, Protocol};
use halftrack_record::{Interval, Run};

use crate::site::{Knobs, OPTIONS, closed, open, run, shape, stream};

const INTERVAL: Span = Span::from_ms(100);

fn share(name: &str, mb_per_s: u64) -> Share {
    Share {
        name: name.into(),
        read_bytes_per_s: None,
        write_bytes_per_s: None,
        bytes_per_s: Some(mb_per_s * 1_000_000),
        parent: None,
        standby_parent: None,
    }
}

/// Makes four channels, each with a port and a stream of its own, full of blocks of 128K, in the direction of `read_ppm`.
fn streaming(read_ppm: u32, box_shares: Vec<Share>) -> Run {
    let of_port = |port: u32| {
        let mut work = stream(&format!("port {port}"), closed(16));
        (work.read, work.write) = (shape(Operation::Read, 32, 4096), shape(Operation::UpdateWrite, 32, 4096));
        (work.read_ppm, work.devices) = (read_ppm, (64 * port..64 * (port + 1)).collect());
        work
    };
    let knobs = Knobs {
        channels: 4,
        own_channels: true,
        streams: (0..4).map(of_port).collect(),
        box_shares,
        interval: INTERVAL,
        ..Knobs::default()
    };
    run(&knobs, OPTIONS).0
}

/// Adds up the data moved, MB/s.
fn mb_per_s(run: &Run) -> f64 {
    let channels = &run.intervals[0].channels;
    let bytes: u64 = channels.iter().map(|one| one.read_bytes + one.write_bytes).sum();
    bytes as f64 / 1e6 / 0.1
}

fn busy(run: &Run, station: &str) -> f64 {
    let interval = &run.intervals[0];
    let found = interval.stations.iter().find(|one| one.name == station);
    let found = found.unwrap_or_else(|| panic!("no {station}"));
    found.busy_ps as f64 / interval.length_ps as f64
}

#[test]
fn the_bus_of_the_box_holds_back_what_its_ports_could_do() {
    for read_ppm in [1_000_000, 0, 500_000] {
        let free = mb_per_s(&streaming(read_ppm, Vec::new()));
        assert!(free > 4000.0, "{free} MB/s");
        let run = streaming(read_ppm, vec![share("box BOXA", 1500)]);
        let limited = mb_per_s(&run);
        assert!((limited / 1500.0 - 1.0).abs() < 0.02, "{read_ppm} ppm: {limited} MB/s");
        assert!(busy(&run, "box BOXA bus") > 0.98, "{}", busy(&run, "box BOXA bus"));
        assert_eq!(run.streams[0].failed, 0);
    }
}

/// One port on a narrow bay, two on a wide one, the first on neither, and the box above all.
#[test]
fn a_bay_holds_back_its_own_ports_only() {
    let below = |name: &str, mb_per_s| Share { parent: Some(0), ..share(name, mb_per_s) };
    let bays =
        vec![share("box BOXA", 100_000), below("bay 00 of BOXA", 300), below("bay 01 of BOXA", 100_000)];
    let run = streaming(1_000_000, bays);
    let rate = |channel: usize| run.intervals[0].channels[channel].read_bytes as f64 / 1e5;
    assert!(busy(&run, "bay 00 of BOXA bus") > 0.98, "{}", busy(&run, "bay 00 of BOXA bus"));
    assert!((rate(1) / 300.0 - 1.0).abs() < 0.03, "{} MB/s behind the narrow bay", rate(1));
    assert!(rate(2) > 3.0 * rate(1) && rate(3) > 3.0 * rate(1), "{} and {} MB/s", rate(2), rate(3));
}

#[test]
fn the_clusters_of_the_box_work_for_every_io() {
    for protocol in [Protocol::Command, Protocol::Transport] {
        let at = |box_io| {
            let work = Stream { protocol: ProtocolChoice::Always(protocol), ..stream("work", closed(128)) };
            let knobs = Knobs {
                channels: 4,
                own_channels: true,
                streams: vec![work],
                box_io,
                interval: INTERVAL,
                ..Knobs::default()
            };
            run(&knobs, OPTIONS).0
        };
        let rate = |run: &Run| run.streams[0].completed as f64 / 0.1;
        let (free, limited) = (at(Span::ZERO), at(Span::from_us(25)));
        assert!(rate(&free) > 60_000.0, "{protocol:?}: {}", rate(&free));
        assert!((rate(&limited) / 40_000.0 - 1.0).abs() < 0.01, "{protocol:?}: {}", rate(&limited));
        assert!(busy(&limited, "box BOXA clusters") > 0.99);
        assert!(free.intervals[0].stations.iter().all(|one| one.name != "box BOXA clusters"));
    }
}

/// Puts `channels` early FICON channels with 32 open exchanges each on one port that holds 192, all full of work.
fn on_one_port(channels: usize) -> Interval {
    let work = Stream {
        protocol: ProtocolChoice::Always(Protocol::Command),
        ..stream("work", closed(48 * channels as u32))
    };
    let knobs = Knobs {
        channels,
        ports: 1,
        devices_per_lcu: 256,
        aliases: 512,
        hyperpav: true,
        open_exchanges: (32, 32),
        exchanges_per_port: 192,
        streams: vec![work],
        interval: INTERVAL,
        ..Knobs::default()
    };
    run(&knobs, OPTIONS).0.intervals.remove(0)
}

fn of_devices(interval: &Interval, of: impl Fn(&halftrack_record::DeviceInterval) -> u64) -> f64 {
    let completed: u64 = interval.devices.iter().map(|device| device.completed).sum();
    interval.devices.iter().map(of).sum::<u64>() as f64 / completed as f64 / 1e6
}

/// The paper of 2002: control unit busy is zero on FICON unless many channels overload one port. Five channels have 160
/// exchanges, which the port holds; eight have 256 and are answered busy.
#[test]
fn only_many_channels_on_one_port_are_answered_control_unit_busy() {
    let busy =
        |interval: &Interval| interval.lcus[0].paths.iter().map(|path| path.control_unit_busy).sum::<u64>();
    let (one, five, eight) = (on_one_port(1), on_one_port(5), on_one_port(8));
    assert_eq!((busy(&one), busy(&five)), (0, 0));
    assert!(busy(&eight) > 100, "{}", busy(&eight));
    let retries: u64 = eight.iops.iter().map(|iop| iop.retries.control_unit_busy).sum();
    assert!(retries >= busy(&eight), "each answer costs an IOP a retry: {retries}");
    let conn = |interval: &Interval| of_devices(interval, |device| device.conn_ps + device.cmr_ps);
    assert!(conn(&five) > 3.0 * conn(&one), "{} and {} us", conn(&one), conn(&five));
}

/// A port has a ceiling and a knee of its own: with four channels before it none is half used when the port is full.
#[test]
fn a_port_has_its_own_ceiling_and_knee() {
    let at = |rate| {
        let work =
            Stream { protocol: ProtocolChoice::Always(Protocol::Transport), ..stream("work", open(rate)) };
        let knobs =
            Knobs { channels: 4, ports: 1, streams: vec![work], interval: INTERVAL, ..Knobs::default() };
        run(&knobs, OPTIONS).0
    };
    // 4 us an I/O in transport mode: 250,000 a second.
    let (light, half, knee) = (at(10_000), at(125_000), at(230_000));
    let port = |run: &Run| busy(run, "port BOXA 0000 processor");
    assert!((port(&half) - 0.5).abs() < 0.02 && port(&knee) > 0.9, "{} {}", port(&half), port(&knee));
    let channel = |run: &Run| run.intervals[0].channels[0].processor_busy_ps as f64 / 1e11;
    assert!(channel(&knee) < 0.3, "{}", channel(&knee));
    let response = |run: &Run| run.streams[0].response_us.mean;
    assert!(response(&half) < 1.3 * response(&light), "{} {}", response(&light), response(&half));
    assert!(response(&knee) > 1.3 * response(&half), "{} {}", response(&half), response(&knee));
}
