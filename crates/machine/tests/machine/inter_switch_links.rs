//! Inter-switch links: one that binds, two that share the load.

use halftrack_interval::{LinkInterval, Run};
use halftrack_machine::{Fidelity, Options};
use halftrack_program::Operation;

use crate::site::{Knobs, OPTIONS, Topology, closed, run, shape, stream};

/// Three channels with more large reads than one inter-switch link carries.
fn large(topology: Topology) -> Knobs {
    let mut work = stream("large", closed(96));
    work.read = shape(Operation::Read, 32, 4096);
    Knobs { topology, channels: 3, ports: 6, streams: vec![work], ..Knobs::default() }
}

fn read_bytes(run: &Run) -> u64 {
    run.intervals[0].channels.iter().map(|channel| channel.read_bytes).sum()
}

/// What came back over the inter-switch links.
fn back(run: &Run) -> Vec<&LinkInterval> {
    let links = run.intervals[0].links.iter();
    links.filter(|link| link.name.starts_with("far director > director")).collect()
}

#[test]
fn two_links_side_by_side_carry_twice_what_one_does_in_equal_parts() {
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let options = Options { fidelity, ..OPTIONS };
        let (one, _) = run(&large(Topology::Cascade), options);
        let (two, _) = run(&large(Topology::Trunk), options);
        let ratio = read_bytes(&two) as f64 / read_bytes(&one) as f64;
        assert!((1.95..2.05).contains(&ratio), "{fidelity:?}: {ratio}");
        let bytes: Vec<u64> = back(&two).iter().map(|link| link.wire_bytes).collect();
        let [first, second] = bytes[..] else { panic!("{bytes:?}") };
        let share = first as f64 / (first + second) as f64;
        assert!((0.49..0.51).contains(&share), "{fidelity:?}: {share}");
        let busy = |run: &Run| back(run)[0].busy_ps as f64 / run.intervals[0].length_ps as f64;
        assert!(busy(&one) > 0.97, "{fidelity:?}: the one link is what limits, {}", busy(&one));
    }
}

#[test]
fn a_second_link_that_is_not_needed_changes_no_rate() {
    let light = |topology| {
        let work = stream("light", crate::site::open(5_000));
        run(&Knobs { topology, streams: vec![work], ..Knobs::default() }, OPTIONS).1.ios
    };
    assert_eq!(light(Topology::Cascade), light(Topology::Trunk));
}
