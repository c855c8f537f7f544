//! Inter-switch links: one that binds, two that share the load, one that a slow receiver fills.

use halftrack_machine::{Fidelity, Options};
use halftrack_program::Operation;
use halftrack_record::{LinkInterval, Run};

use crate::site::{Knobs, OPTIONS, Topology, closed, run, shape, stream};

/// Makes three channels with more large reads than one inter-switch link carries.
fn large(topology: Topology) -> Knobs {
    let mut work = stream("large", closed(96));
    work.read = shape(Operation::Read, 32, 4096);
    Knobs { topology, channels: 3, ports: 6, streams: vec![work], ..Knobs::default() }
}

fn read_bytes(run: &Run) -> u64 {
    run.intervals[0].channels.iter().map(|channel| channel.read_bytes).sum()
}

/// Returns the inter-switch links on which data came back.
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

/// Runs two channels with logical control units of their own over one inter-switch link. Large reads are on both, one at a
/// time on the second.
fn a_slow_and_a_fast_channel(first_bus_mb_per_s: u64) -> (Run, f64) {
    let mut slow = stream("slow", closed(24));
    slow.read = shape(Operation::Read, 32, 4096);
    slow.devices = (0..64).collect();
    let mut fast = stream("victim", closed(1));
    fast.read = shape(Operation::Read, 32, 4096);
    fast.devices = (64..128).collect();
    let knobs = Knobs {
        topology: Topology::Cascade,
        channels: 2,
        ports: 2,
        own_channels: true,
        first_bus_mb_per_s,
        streams: vec![slow, fast],
        ..Knobs::default()
    };
    let (run, _) = run(&knobs, Options { fidelity: Fidelity::Frame, ..OPTIONS });
    let victim = run.intervals[0].channels[1].read_bytes as f64;
    (run, victim)
}

/// Returns how long a link had something to send and no credit, share of the time.
fn credit_wait(run: &Run, name: &str) -> f64 {
    let interval = &run.intervals[0];
    let link = interval.links.iter().find(|link| link.name == name).expect("a link");
    link.credit_wait_ps as f64 / interval.length_ps as f64
}

/// A channel that takes its frames slowly keeps the buffers of its fibre; the director cannot send to it and keeps the
/// buffers of the inter-switch link, and then what is for others waits too (slow drain).
#[test]
fn a_slow_receiver_fills_the_inter_switch_link_and_slows_its_neighbour() {
    let (quick, unhindered) = a_slow_and_a_fast_channel(6100);
    let (slow, hindered) = a_slow_and_a_fast_channel(200);
    for (name, from) in [("director > channel 0", 0.5), ("far director > director", 0.5)] {
        assert!(credit_wait(&slow, name) > from, "{name}: {}", credit_wait(&slow, name));
        assert!(credit_wait(&quick, name) < 0.05, "{name}: {}", credit_wait(&quick, name));
    }
    assert_eq!(credit_wait(&slow, "director > channel 1"), 0.0, "its own receiver is quick");
    assert!(hindered < 0.6 * unhindered, "{hindered} of {unhindered}");
}
