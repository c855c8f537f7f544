//! Parallel channels: bus and tags to several control units, one program at a time, 4.5 MB/s.

use halftrack_base::Span;
use halftrack_config::{ChannelCircuit, Disturbance, DisturbanceKind, Interface, Stream, UnitCircuit};
use halftrack_machine::Fidelity;
use halftrack_program::{Positioning, Protocol};
use halftrack_record::{Interval, Run};

use crate::site::{Knobs, OPTIONS, Topology, closed, open, run, same_every_way, stream};

/// Length of the one interval of a test.
const INTERVAL_MS: u64 = 2000;

/// Makes one channel with `ports` control units on its bus.
fn bus(ports: usize, interface: Interface) -> Knobs {
    let us = Span::from_us;
    let channel = ChannelCircuit { interface, window_bytes: 1024, port_busy_retry: Span::ZERO };
    let unit = UnitCircuit { reconnect: us(100), reconnect_retry: us(1400) };
    Knobs {
        topology: Topology::Bus,
        circuit: Some((channel, unit)),
        link_bytes_per_s: 4_500_000,
        credits: 65_535,
        km: 0,
        ports,
        open_exchanges: (256, 256),
        interval: Span::from_ms(INTERVAL_MS),
        ..Knobs::default()
    }
}

/// Reads of so many records of so many bytes.
fn reads(jobs: u32, records: u16, record_bytes: u16) -> Stream {
    let mut work = stream("reads", closed(jobs));
    work.read.positioning = Positioning::DefineExtentLocateRecord;
    (work.read.records, work.read.record_bytes) = (records, record_bytes);
    work
}

fn only(run: &Run) -> &Interval {
    &run.intervals[0]
}

/// Returns the MB/s of the first channel, both ways.
fn rate(run: &Run) -> f64 {
    let channel = &only(run).channels[0];
    (channel.read_bytes + channel.write_bytes) as f64 * 1e6 / only(run).length_ps as f64
}

#[test]
fn never_above_4_5_mb_per_s_and_near_it_for_large_blocks() {
    let of = |jobs, records, record_bytes| {
        let work = reads(jobs, records, record_bytes);
        let (run, _) = run(&Knobs { streams: vec![work], ..bus(2, Interface::Block) }, OPTIONS);
        rate(&run)
    };
    let small = [of(1, 1, 4096), of(8, 1, 4096)];
    let large = [of(1, 6, 27_998), of(8, 6, 27_998)];
    assert!(small.iter().chain(&large).all(|rate| *rate < 4.5), "{small:?} {large:?}");
    assert!(large[1] > 4.1, "{large:?}");
    assert!(small[1] < 0.7 * large[1], "a small block is selected as long as a large one: {small:?}");
}

#[test]
fn control_units_on_one_bus_share_it_one_program_at_a_time() {
    let of = |ports| {
        let knobs = Knobs { streams: vec![reads(8, 6, 27_998)], ..bus(ports, Interface::Block) };
        let (run, _) = run(&knobs, OPTIONS);
        let channel = &only(&run).channels[0];
        assert_eq!(
            channel.operations[Protocol::Command].active_sum,
            channel.operations[Protocol::Command].started,
            "never two programs"
        );
        assert!(channel.processor_busy_ps as f64 > 0.97 * only(&run).length_ps as f64);
        assert_eq!((channel.kind.acronym(), run.streams[0].failed), ("BLOCK", 0));
        run
    };
    let (alone, both) = (of(1), of(2));
    assert!((rate(&both) / rate(&alone) - 1.0).abs() < 0.02, "{} {}", rate(&both), rate(&alone));
    let by_unit: Vec<u64> = only(&both).lcus.iter().map(|lcu| lcu.paths[0].taken).collect();
    let all: u64 = by_unit.iter().sum();
    assert!(by_unit.len() == 2 && by_unit.iter().all(|taken| 10 * taken > 3 * all), "{by_unit:?}");
    let retries: u64 = only(&both).iops.iter().map(|iop| iop.retries.channel_path_busy).sum();
    assert!(retries > 0, "the others found the channel busy");
}

/// While one control unit stages what it has not got, the bus is the other's.
#[test]
fn a_miss_leaves_the_bus_to_the_other_control_unit() {
    let of = |jobs, ports| {
        let work = Stream { hit_ppm: 0, ..reads(jobs, 1, 4096) };
        let (run, _) = run(&Knobs { streams: vec![work], ..bus(ports, Interface::Block) }, OPTIONS);
        (rate(&run), run)
    };
    let ((one, _), (many, shared)) = (of(1, 1), of(6, 2));
    assert!(many > 1.2 * one, "{many} {one}");
    let missed: u64 = only(&shared)
        .stations
        .iter()
        .filter(|station| station.name.ends_with("missed reconnections"))
        .map(|station| station.completions)
        .sum();
    assert!(missed > 0, "sometimes the bus is not free when the data are there");
}

#[test]
fn a_byte_multiplexer_in_burst_mode_works_alike() {
    let of = |interface| {
        let (run, _) = run(&Knobs { streams: vec![reads(4, 6, 27_998)], ..bus(2, interface) }, OPTIONS);
        (rate(&run), only(&run).channels[0].kind.acronym())
    };
    let ((block, _), (byte, name)) = (of(Interface::Block), of(Interface::Byte));
    assert_eq!((byte, name), (block, "BYTE"));
}

/// Hits, misses and writes to both control units; the path is lost, and one of them busy for a while.
#[test]
fn planned_and_live_and_any_number_of_threads_give_the_same_record() {
    let mut oltp = reads(1, 1, 4096);
    oltp.arrivals = open(150);
    oltp.write.positioning = Positioning::DefineExtentLocateRecord;
    (oltp.read_ppm, oltp.hit_ppm) = (700_000, 700_000);
    let ms = Span::from_ms;
    let knobs = Knobs {
        streams: vec![reads(2, 6, 27_998), oltp],
        interval: ms(400),
        disturbances: vec![
            Disturbance { at: ms(90), lasts: ms(9), kind: DisturbanceKind::PathLost { channel: 0 } },
            Disturbance { at: ms(180), lasts: ms(9), kind: DisturbanceKind::ControlUnitBusy { lcu: 1 } },
        ],
        ..bus(2, Interface::Block)
    };
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        same_every_way(&knobs, fidelity, 20);
    }
}
