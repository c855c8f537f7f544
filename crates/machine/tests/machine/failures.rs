//! Parts that fail, halt or drain slowly, and come back: every I/O ends once, and what has another path takes it.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{Disturbance, DisturbanceKind, Part, ProtocolChoice, SwitchPort};
use halftrack_machine::{Fidelity, Options, Simulation};
use halftrack_program::{Operation, Protocol};
use halftrack_record::{Moment, Run};

use crate::site::{Knobs, OPTIONS, Topology, closed, configuration, run, same_every_way, shape, stream};

const PROTOCOLS: [Protocol; 2] = [Protocol::Command, Protocol::Transport];
const FIRST_ISL: Part = Part::Isl(SwitchPort { domain: 0x61, port: 0xE0 });
const SECOND_ISL: Part = Part::Isl(SwitchPort { domain: 0x62, port: 0xE1 });

fn lost(part: Part) -> DisturbanceKind {
    DisturbanceKind::PartLost { part }
}

fn at(at_ms: u64, lasts_ms: u64, kind: DisturbanceKind) -> Disturbance {
    Disturbance { at: Span::from_ms(at_ms), lasts: Span::from_ms(lasts_ms), kind }
}

/// Makes two channels that lead to all ports over a trunk of two inter-switch links, each logical control unit over two ports.
fn trunk(protocol: Protocol, disturbances: Vec<Disturbance>) -> Knobs {
    let mut work = stream("work", closed(32));
    work.protocol = ProtocolChoice::Always(protocol);
    work.read_ppm = 700_000;
    Knobs {
        topology: Topology::Trunk,
        channels: 2,
        spread: true,
        streams: vec![work],
        disturbances,
        ..Knobs::default()
    }
}

fn after(knobs: &Knobs, at_us: u64) -> Moment {
    let mut simulation = Simulation::new(Arc::new(configuration(knobs)), OPTIONS).expect("wired");
    simulation.advance(Span::from_us(at_us));
    simulation.moment()
}

/// Returns true for a link from the directors of the channels to those of the ports.
fn is_inter_switch(name: &str) -> bool {
    name.starts_with("director") && name.ends_with("> far director")
}

/// Returns the octets that came from channels over each inter-switch link of a trunk.
fn over_links(run: &Run) -> Vec<u64> {
    let links = run.intervals[0].links.iter();
    links.filter(|link| is_inter_switch(&link.name)).map(|link| link.wire_bytes).collect()
}

#[test]
fn a_part_beside_which_another_stands_fails_no_io() {
    for protocol in PROTOCOLS {
        for part in [Part::Port(1), FIRST_ISL, SECOND_ISL, Part::Channel(1)] {
            let (run, _) = run(&trunk(protocol, vec![at(8, 6, lost(part))]), OPTIONS);
            let stream = &run.streams[0];
            assert_eq!(stream.failed, 0, "{protocol:?} {part:?}");
            assert!(stream.completed > 500, "{protocol:?} {part:?}: {}", stream.completed);
        }
    }
}

#[test]
fn the_other_link_of_a_trunk_carries_what_the_lost_one_would() {
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let options = Options { fidelity, ..OPTIONS };
        let knobs = trunk(Protocol::Transport, vec![at(0, 60, lost(FIRST_ISL))]);
        let (run_without, _) = run(&knobs, options);
        let [first, second] = over_links(&run_without)[..] else { panic!("two links") };
        assert_eq!(first, 0, "{fidelity:?}");
        assert!(second > 1_000_000, "{fidelity:?}: {second}");
        assert_eq!(run_without.streams[0].failed, 0, "{fidelity:?}");
        assert!(after(&knobs, 9_000).paths.is_empty(), "every path has another link");
    }
}

#[test]
fn what_every_path_leads_over_fails_io_until_it_is_back() {
    for protocol in PROTOCOLS {
        for part in [Part::Director(0x62), Part::ControlUnit(0), Part::Power] {
            let (run, _) = run(&trunk(protocol, vec![at(8, 4, lost(part))]), OPTIONS);
            let stream = &run.streams[0];
            assert!(stream.failed > 0, "{protocol:?} {part:?}");
            assert!(stream.completed > 500, "{protocol:?} {part:?}: {}", stream.completed);
            assert!(run.intervals[0].lcus[0].paths.iter().all(|path| path.online), "{protocol:?} {part:?}");
        }
    }
}

#[test]
fn a_path_is_back_when_the_last_loss_of_it_is_over() {
    let losses = vec![
        at(6, 4, lost(Part::Port(0))),
        at(8, 6, lost(Part::Port(0))),
        at(9, 2, DisturbanceKind::PathLost { channel: 0 }),
    ];
    let knobs = trunk(Protocol::Transport, losses);
    let lost_at = |at_us: u64| {
        let paths = after(&knobs, at_us).paths;
        paths.iter().map(|path| (path.lcu, path.position, path.operational)).collect::<Vec<_>>()
    };
    // Port 0 is the first of logical control unit 0 and the second of logical control unit 3.
    let of_port = vec![(0, 0, false), (3, 1, false)];
    let of_both = vec![(0, 0, false), (1, 0, false), (2, 0, false), (3, 0, false), (3, 1, false)];
    assert_eq!(lost_at(5_900), []);
    assert_eq!(lost_at(7_000), of_port);
    assert_eq!(lost_at(10_500), of_both);
    assert_eq!(lost_at(12_000), of_port);
    assert_eq!(lost_at(14_100), []);
}

#[test]
fn ios_wait_for_a_part_that_halts_and_none_fails() {
    for protocol in PROTOCOLS {
        let ios = |disturbances| run(&trunk(protocol, disturbances), OPTIONS).0.streams[0].completed;
        let whole = ios(Vec::new());
        for part in [Part::Port(1), FIRST_ISL, Part::Channel(0), Part::Director(0x61), Part::ControlUnit(0)] {
            let knobs = trunk(protocol, vec![at(8, 10, DisturbanceKind::Stalled { part })]);
            let (halted, _) = run(&knobs, OPTIONS);
            let stream = &halted.streams[0];
            assert_eq!(stream.failed, 0, "{protocol:?} {part:?}");
            // Half of the interval passes without an end, but for what is on its way.
            assert!(stream.completed < whole * 7 / 10, "{protocol:?} {part:?}: {}", stream.completed);
            assert!(stream.completed > whole / 4, "{protocol:?} {part:?}: {}", stream.completed);
        }
    }
}

#[test]
fn a_link_that_halts_is_not_busy_meanwhile() {
    let knobs = trunk(Protocol::Transport, vec![at(5, 20, DisturbanceKind::Stalled { part: FIRST_ISL })]);
    let (run, _) = run(&knobs, OPTIONS);
    let links = run.intervals[0].links.iter().filter(|link| is_inter_switch(&link.name));
    links.for_each(|link| assert!(link.busy_ps < run.intervals[0].length_ps / 10, "{link:?}"));
}

#[test]
fn a_slow_drain_bounds_the_frames_of_its_link() {
    let mut work = stream("large", closed(16));
    work.read = shape(Operation::Read, 32, 4096);
    let (credits, late) = (20, Span::from_us(100));
    let slow = DisturbanceKind::SlowDrain { part: Part::Channel(0), late };
    let knobs =
        Knobs { credits, streams: vec![work], disturbances: vec![at(0, 100, slow)], ..Knobs::default() };
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let bytes = |knobs: &Knobs| {
            let (run, _) = run(knobs, Options { fidelity, ..OPTIONS });
            assert_eq!(run.streams[0].failed, 0);
            run.intervals[0].channels[0].read_bytes as f64
        };
        // A credit is out for its lateness and the way there and back: 20 frames of 2 KiB each 110 us.
        let bound = f64::from(credits) * 2048.0 / 110e-6 * 20e-3;
        let slow_bytes = bytes(&knobs);
        assert!((0.9 * bound..1.05 * bound).contains(&slow_bytes), "{fidelity:?}: {slow_bytes} of {bound}");
        let whole = Knobs { disturbances: Vec::new(), ..knobs.clone() };
        assert!(bytes(&whole) > 2.0 * slow_bytes, "{fidelity:?}");
    }
}

/// Makes every part fail in turn, and then every one halt, in a run of 160 ms.
fn in_turn() -> Vec<Disturbance> {
    let parts = [
        Part::Channel(0),
        Part::Port(0),
        FIRST_ISL,
        Part::Director(0x61),
        SECOND_ISL,
        Part::ControlUnit(0),
        Part::Port(3),
        Part::Power,
    ];
    let fail = (0..).zip(parts).map(|(index, part)| at(10 + 8 * index, 5, lost(part)));
    let halt = (0..).zip(parts).map(|(index, part)| at(80 + 8 * index, 3, DisturbanceKind::Stalled { part }));
    let drain = DisturbanceKind::SlowDrain { part: Part::Port(2), late: Span::from_us(30) };
    fail.chain(halt).chain([at(20, 100, drain)]).collect()
}

#[test]
fn planned_and_live_on_any_threads_with_every_part_lost_in_turn() {
    for protocol in PROTOCOLS {
        let knobs = Knobs { interval: Span::from_ms(155), ..trunk(protocol, in_turn()) };
        for fidelity in [Fidelity::Burst, Fidelity::Frame] {
            let run = same_every_way(&knobs, fidelity, 3_000);
            assert!(run.streams[0].failed > 0);
            assert!(after(&knobs, 150_000).paths.is_empty(), "everything came back");
        }
    }
}

#[test]
fn bursts_and_frames_lose_the_same_paths() {
    for protocol in PROTOCOLS {
        let knobs = Knobs { interval: Span::from_ms(155), ..trunk(protocol, in_turn()) };
        let completed = |fidelity| run(&knobs, Options { fidelity, ..OPTIONS }).0.streams[0].completed as f64;
        let ratio = completed(Fidelity::Burst) / completed(Fidelity::Frame);
        assert!((0.97..1.03).contains(&ratio), "{protocol:?}: {ratio}");
    }
}

#[test]
fn real_data_arrive_whole_whatever_fails() {
    let knobs =
        Knobs { interval: Span::from_ms(155), real_data: true, ..trunk(Protocol::Transport, in_turn()) };
    let (run, counters) = run(&knobs, OPTIONS);
    assert!(counters.ios > 3_000);
    assert!(run.data.expect("real data").holds());
}
