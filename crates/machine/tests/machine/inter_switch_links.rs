//! Inter-switch links: one that binds, two that share the load, several in a row, one that a slow receiver fills.

use halftrack_config::ProtocolChoice;
use halftrack_machine::{Fidelity, Options};
use halftrack_program::{Operation, Protocol};
use halftrack_record::{LinkInterval, Run};

use crate::site::{Knobs, OPTIONS, Topology, closed, open, run, same_every_way, shape, stream};

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
        let work = stream("light", open(5_000));
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

/// One I/O at a time in transport mode has one round trip: each inter-switch link more costs it the director's forwarding and
/// the light's way, there and back, and nothing else, as frames are cut through.
#[test]
fn each_link_of_a_row_costs_a_hop_and_its_light_there_and_back() {
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let response_us = |length| {
            let mut work = stream("work", closed(1));
            work.protocol = ProtocolChoice::Always(Protocol::Transport);
            work.hit_ppm = 1_000_000;
            work.devices = vec![0];
            let knobs = Knobs { topology: Topology::Row(length), streams: vec![work], ..Knobs::default() };
            let (run, _) = run(&knobs, Options { fidelity, ..OPTIONS });
            let device = run.intervals[0].devices.iter().find(|device| device.completed > 0).expect("one");
            (device.pend_ps + device.conn_ps) as f64 / device.completed as f64 / 1e6
        };
        let one = response_us(1);
        for length in 2..5 {
            // Forwarding in 1.5 µs, a kilometre in 5 µs.
            let added = response_us(length) - one;
            let expected = f64::from(length - 1) * 2.0 * (1.5 + 5.0);
            assert!(
                (added - expected).abs() < 0.3,
                "{fidelity:?}, {length} links: {added} µs, not {expected}"
            );
        }
    }
}

/// The slowest link of a row limits the rate, at its own speed, whatever is before and behind it. Laws of the run, Little's
/// among them, hold at all of its queues.
#[test]
fn the_middle_link_of_a_row_limits_what_passes_at_its_speed() {
    let bytes_per_s = 400_000_000;
    let knobs = Knobs { middle_isl_bytes_per_s: Some(bytes_per_s), ..large(Topology::Row(3)) };
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let (run, _) = run(&knobs, Options { fidelity, ..OPTIONS });
        let interval = &run.intervals[0];
        let back = |name: &str| interval.links.iter().find(|link| link.name == name).expect("a link");
        let row = ["director 3 > director 2", "director 2 > director 1", "director 1 > director 0"].map(back);
        let busy = row.map(|link| link.busy_ps as f64 / interval.length_ps as f64);
        // What is behind it is occupied for as long, as frames are cut through.
        assert!(busy[1] > 0.97 && busy[0] < 0.7, "{fidelity:?}: {busy:?}");
        let rate = read_bytes(&run) as f64 / (interval.length_ps as f64 / 1e12) / bytes_per_s as f64;
        assert!((0.9..1.0).contains(&rate), "{fidelity:?}: {rate} of its speed");
    }
}

#[test]
fn planned_and_live_exchanges_are_the_same_over_a_row() {
    let mut work = stream("work", open(8_000));
    work.read = shape(Operation::Read, 4, 4096);
    let knobs =
        Knobs { topology: Topology::Row(3), channels: 2, ports: 2, streams: vec![work], ..Knobs::default() };
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        same_every_way(&knobs, fidelity, 100);
    }
}
