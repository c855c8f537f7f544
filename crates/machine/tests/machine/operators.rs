//! Paths that operators take off and give back: new starts avoid them, what is under way ends, the last path stays.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{Disturbance, DisturbanceKind};
use halftrack_machine::Simulation;
use halftrack_record::{ChannelInterval, Moment, PathState, Run};

use crate::site::{Knobs, OPTIONS, closed, configuration, run, stream};

/// Makes a run of 20 ms and more, disturbed from `at_us` on for `lasts_us`.
fn knobs(channels: usize, at_us: u64, lasts_us: u64, kinds: &[DisturbanceKind]) -> Knobs {
    let us = Span::from_us;
    let one = |kind: &DisturbanceKind| Disturbance { at: us(at_us), lasts: us(lasts_us), kind: *kind };
    let disturbances = kinds.iter().map(one).collect();
    Knobs { channels, streams: vec![stream("work", closed(32))], disturbances, ..Knobs::default() }
}

fn started(run: &Run, channel: usize) -> u64 {
    let channel: &ChannelInterval = &run.intervals[0].channels[channel];
    channel.started()
}

fn moment(knobs: &Knobs, at_us: u64) -> Moment {
    let mut simulation = Simulation::new(Arc::new(configuration(knobs)), OPTIONS).expect("wired");
    simulation.advance(Span::from_us(at_us));
    simulation.moment()
}

const VARY: DisturbanceKind = DisturbanceKind::VaryPath { lpar: 0, lcu: 0, channel: 0 };
const CONFIG: DisturbanceKind = DisturbanceKind::ConfigChp { lpar: 0, channel: 0 };
/// Longer than any run here.
const FOR_GOOD: u64 = 900_000;

#[test]
fn a_channel_that_is_configured_off_takes_no_start_and_a_varied_path_none_of_its_control_unit() {
    let (off, _) = run(&knobs(2, 0, FOR_GOOD, &[CONFIG]), OPTIONS);
    assert_eq!((started(&off, 0), off.streams[0].failed), (0, 0));
    assert!(started(&off, 1) > 500, "{}", started(&off, 1));

    let (varied, _) = run(&knobs(2, 0, FOR_GOOD, &[VARY]), OPTIONS);
    let [first, second] = [&varied.intervals[0].lcus[0], &varied.intervals[0].lcus[1]];
    assert_eq!((first.paths[0].taken, varied.streams[0].failed), (0, 0));
    assert!(first.paths[1].taken > 50 && second.paths[0].taken > 50, "{first:?} {second:?}");
}

#[test]
fn paths_that_come_back_are_used_again_and_every_io_ends_once() {
    // The laws of every run count each I/O's ends.
    for kind in [VARY, CONFIG] {
        let (run, _) = run(&knobs(2, 8_000, 4_000, &[kind]), OPTIONS);
        assert_eq!(run.streams[0].failed, 0, "{kind:?}");
        assert!(started(&run, 0) > 100, "{kind:?}: it is used before and after");
        assert!(started(&run, 0) < started(&run, 1), "{kind:?}");
    }
}

#[test]
fn the_last_path_stays_and_the_run_is_what_it_would_be_without_the_command() {
    let (plain, _) = run(&knobs(1, 0, 1, &[]), OPTIONS);
    for kind in [VARY, CONFIG] {
        let alone = knobs(1, 8_000, 4_000, &[kind]);
        let (refused, _) = run(&alone, OPTIONS);
        assert_eq!((refused.streams[0].failed, started(&refused, 0)), (0, started(&plain, 0)), "{kind:?}");
        let moment = moment(&alone, 9_000);
        assert_eq!((&moment.refused[..], &moment.paths[..]), (&[0][..], &[][..]), "{kind:?}");
    }
    // Of two channels the second stays when the first is off already.
    let second = DisturbanceKind::ConfigChp { lpar: 0, channel: 1 };
    let both = moment(&knobs(2, 8_000, 4_000, &[CONFIG, second]), 9_000);
    assert_eq!((&both.refused[..], &both.configured_off[..]), (&[1][..], &[(0, 0)][..]));
}

#[test]
fn a_moment_tells_why_a_path_is_not_whole() {
    let state = |lcu, online, physically_online, operational| PathState {
        lpar: 0,
        lcu,
        position: 0,
        online,
        physically_online,
        operational,
    };
    let at_9_ms = |kind| moment(&knobs(2, 8_000, 4_000, &[kind]), 9_000);
    assert_eq!(at_9_ms(VARY).paths, [state(0, false, true, true)]);
    let lcus = 0..4;
    let lost = at_9_ms(DisturbanceKind::PathLost { channel: 0 });
    assert_eq!(lost.paths, lcus.clone().map(|lcu| state(lcu, false, true, false)).collect::<Vec<_>>());
    assert_eq!((lost.dark, lost.at_ps), (vec![true, false], 9_000_000_000));
    let off = at_9_ms(CONFIG);
    assert_eq!(off.paths, lcus.map(|lcu| state(lcu, false, false, true)).collect::<Vec<_>>());
    assert_eq!(moment(&knobs(2, 8_000, 4_000, &[CONFIG]), 13_000).paths, []);
}

/// A fibre that comes back while its paths are varied off does not bring them online.
#[test]
fn what_an_operator_took_off_stays_off_when_the_fibre_is_lit_again() {
    let us = Span::from_us;
    let mut both = knobs(2, 8_000, 6_000, &[CONFIG]);
    let lost = DisturbanceKind::PathLost { channel: 0 };
    both.disturbances.push(Disturbance { at: us(9_000), lasts: us(1_000), kind: lost });
    let lit = moment(&both, 11_000);
    assert_eq!((lit.dark[0], lit.configured_off.len()), (false, 1));
    assert!(lit.paths.iter().all(|path| !path.online && path.operational), "{:?}", lit.paths);
    let (run, _) = run(&both, OPTIONS);
    assert_eq!(run.streams[0].failed, 0, "the other path carries all");
}
