//! Starts that find no path free wait on the control-unit-header queue of their logical control unit (RMF: CONTENTION
//! RATE, DELAY Q), and every start waits for an IOP before its first attempt (AVG CSS DLY).

use halftrack_base::Span;
use halftrack_config::{Disturbance, DisturbanceKind};
use halftrack_record::LcuInterval;

use crate::circuits::escon;
use crate::site::{Knobs, OPTIONS, closed, open, run, stream};

fn escon_with(jobs: u32) -> Knobs {
    Knobs { streams: vec![stream("work", closed(jobs))], interval: Span::from_ms(200), ..escon() }
}

fn lcu(knobs: &Knobs) -> LcuInterval {
    run(knobs, OPTIONS).0.intervals[0].lcus[0].clone()
}

fn taken(lcu: &LcuInterval) -> u64 {
    lcu.paths.iter().map(|path| path.taken).sum()
}

/// One program at a time: of four jobs without think time three wait, and one that is put on the queue finds two there.
#[test]
fn starts_wait_for_the_path_of_an_escon_channel() {
    let alone = lcu(&escon_with(1));
    assert_eq!((alone.queued, alone.queue_sum), (0, 0));
    let four = lcu(&escon_with(4));
    assert!(four.queued as f64 > 0.9 * taken(&four) as f64, "{four:?}");
    let found = (four.queue_sum - four.queued) as f64 / four.queued as f64;
    assert!((1.5..=2.5).contains(&found), "{found} found on the queue");
}

/// FICON takes every start up to its open exchanges; beyond them it defers in the channel. Only a control unit that
/// answers busy puts starts on the queue.
#[test]
fn ficon_has_no_queue_but_for_control_unit_busy() {
    let work = |disturbances| Knobs {
        streams: vec![stream("work", open(20_000))],
        open_exchanges: (8, 8),
        disturbances,
        interval: Span::from_ms(200),
        ..Knobs::default()
    };
    let quiet = lcu(&work(Vec::new()));
    assert_eq!((quiet.queued, quiet.paths[0].control_unit_busy), (0, 0));
    let busy = Disturbance {
        at: Span::from_ms(50),
        lasts: Span::from_ms(5),
        kind: DisturbanceKind::ControlUnitBusy { lcu: 0 },
    };
    let disturbed = lcu(&work(vec![busy]));
    assert!(
        disturbed.queued > 0 && disturbed.paths[0].control_unit_busy >= disturbed.queued,
        "{disturbed:?}"
    );
}

/// An IOP that is free takes 2.65 us for a start (the site's); at a high rate on one thread starts wait for it.
#[test]
fn channel_subsystem_delay_is_the_way_through_the_iop() {
    let delay_us = |rate| {
        let knobs = Knobs { iop_threads: 1, streams: vec![stream("work", open(rate))], ..Knobs::default() };
        let (run, _) = run(&knobs, OPTIONS);
        let lcus = || run.intervals[0].lcus.iter();
        let delay: u64 = lcus().filter_map(|lcu| lcu.css_delay_ps).sum();
        delay as f64 / lcus().map(taken).sum::<u64>() as f64 / 1e6
    };
    let (light, heavy) = (delay_us(2_000), delay_us(150_000));
    assert!((light - 2.65).abs() < 0.05, "{light} us");
    assert!(heavy > 1.2 * light, "{heavy} us");
}
