//! No allocation per I/O once a run has reached its population.

use std::sync::Arc;

use halftrack_engine::SimDuration;
use halftrack_machine::Simulation;

use crate::site::{Knobs, OPTIONS, closed, configuration, stream};

#[test]
fn a_steady_run_allocates_nothing_per_io() {
    let knobs = Knobs { streams: vec![stream("work", closed(96))], ..Knobs::default() };
    let mut simulation = Simulation::new(Arc::new(configuration(&knobs)), OPTIONS).expect("it wires");
    simulation.advance(SimDuration::from_ms(20));
    let before = simulation.counters().ios;
    let allocations = allocation_counter::measure(|| simulation.advance(SimDuration::from_ms(20)));
    let ios = simulation.counters().ios - before;
    assert!(ios > 5_000, "{ios} I/Os");
    // A call of the window loop has a few vectors of its own, whatever the number of I/Os.
    assert!(allocations.count_total < 32, "{} allocations in {ios} I/Os", allocations.count_total);
}
