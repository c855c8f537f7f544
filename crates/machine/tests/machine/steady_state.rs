//! No allocation per I/O once a run has reached its population.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_generate::{Block, Request};
use halftrack_machine::Simulation;

use crate::site::{Knobs, OPTIONS, closed, configuration, stream};

#[test]
fn a_steady_run_allocates_nothing_per_io() {
    let knobs = Knobs { streams: vec![stream("work", closed(96))], ..Knobs::default() };
    let mut simulation = Simulation::new(Arc::new(configuration(&knobs)), OPTIONS).expect("it wires");
    simulation.advance(Span::from_ms(20));
    let before = simulation.counters().ios;
    let allocations = allocation_counter::measure(|| simulation.advance(Span::from_ms(20)));
    let ios = simulation.counters().ios - before;
    assert!(ios > 5_000, "{ios} I/Os");
    // A call of the window loop has a few vectors of its own, whatever the number of I/Os.
    assert!(allocations.count_total < 32, "{} allocations in {ios} I/Os", allocations.count_total);
}

/// The largest machine that there is, at its maximum: 384 channels, 20 partitions, 65,536 devices and aliases.
#[test]
fn nor_does_the_whole_machine() {
    let (catalog, _) = Catalog::load(&[]);
    let request = Request {
        model: "Max200".to_owned(),
        channels: 384,
        bases: 49_152,
        aliases: 16_384,
        lpars: Some(20),
        css: None,
        card: None,
        km: 1.0,
        load: None,
        block: Block::Named("4K"),
        seed: 1,
    };
    let written = halftrack_generate::write(&request, &catalog).expect("it fits");
    let configuration = written.read_again(&catalog).configuration.expect("it is accepted");
    let mut simulation = Simulation::new(Arc::new(configuration), OPTIONS).expect("it wires");
    simulation.advance(Span::from_ms(4));
    let before = simulation.counters().ios;
    let allocations = allocation_counter::measure(|| simulation.advance(Span::from_ms(2)));
    let ios = simulation.counters().ios - before;
    assert!(ios > 10_000, "{ios} I/Os");
    assert!(allocations.count_total < 100, "{} allocations in {ios} I/Os", allocations.count_total);
}

/// A logical link allocates for blocks that come out of their order, and for none of the units of a block.
#[test]
fn a_logical_link_allocates_little_per_block() {
    let study = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/published/isfc");
    let loaded = halftrack_config::load(&study, &Catalog::load(&[]).0);
    let configuration = loaded.configuration.expect("the study is right");
    let mut simulation = Simulation::new(Arc::new(configuration), OPTIONS).expect("it wires");
    simulation.advance(Span::from_ms(1000));
    let before = simulation.counters().events;
    let allocations = allocation_counter::measure(|| simulation.advance(Span::from_ms(1000)));
    let events = simulation.counters().events - before;
    assert!(events > 100_000, "{events} events");
    assert!(
        allocations.count_total * 200 < events,
        "{} allocations in {events} events",
        allocations.count_total
    );
}
