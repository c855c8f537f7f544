//! Which IOP thread does what, and what it costs.

use halftrack_config::Stream;
use halftrack_engine::SimDuration;
use halftrack_interval::IopInterval;

use crate::site::{Knobs, OPTIONS, open, run, stream};

/// Rows of the threads after `knobs` have run.
fn rows(knobs: &Knobs) -> Vec<IopInterval> {
    run(knobs, OPTIONS).0.intervals[0].iops.clone()
}

/// A fourth of `rate` from each of four partitions.
fn four_partitions(rate: u64) -> Knobs {
    let of = |lpar| Stream { lpar, ..stream(&format!("work {lpar}"), open(rate / 4)) };
    Knobs {
        lpars: 4,
        // Of many, so that interrupts of one channel or port, which come one after the other, are few.
        channels: 32,
        ports: 32,
        own_channels: true,
        streams: (0..4).map(of).collect(),
        interval: SimDuration::from_s(4),
        ..Knobs::default()
    }
}

/// The load of the published sample report (sap-2023, Figure 6): even threads have 98.9 % of the interrupts there, and
/// starts are equal. Nothing here says so: an even thread that is busy leaves the interrupt to its sibling.
#[test]
fn at_light_load_even_threads_take_the_interrupts_and_starts_are_equal() {
    let rows = rows(&four_partitions(18_333));
    let sum = |parity: u16| -> u64 {
        rows.iter().filter(|row| row.number % 2 == parity).map(|row| row.interrupts).sum()
    };
    let share = 100.0 * sum(0) as f64 / (sum(0) + sum(1)) as f64;
    assert!((97.0..=99.0).contains(&share), "{share} % on even threads");
    let starts: u64 = rows.iter().map(|row| row.started).sum();
    for row in &rows {
        let off = row.started as f64 / (starts as f64 / 10.0) - 1.0;
        assert!(off.abs() < 0.01, "{row:?}");
    }
}

/// At a heavy load the sibling has its part: a thread is not left idle beside one that has work waiting.
#[test]
fn at_heavy_load_the_sibling_takes_its_part_of_the_interrupts() {
    let rows = rows(&Knobs { interval: SimDuration::from_ms(20), ..four_partitions(800_000) });
    for pair in rows.chunks(2) {
        let share = pair[1].interrupts as f64 / (pair[0].interrupts + pair[1].interrupts) as f64;
        assert!((0.2..0.5).contains(&share), "{share} on the odd thread");
    }
}
