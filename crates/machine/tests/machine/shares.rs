//! Cards, domains and a fanout: what shares a limit moves no more than it, and goes another way when it is lost.

use halftrack_base::Span;
use halftrack_config::{Disturbance, DisturbanceKind, ProtocolChoice, Share};
use halftrack_program::{Operation, Protocol};
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, closed, run, shape, stream};

const MB: u64 = 1_000_000;

fn share(name: &str, mb_per_s: Option<u64>, parent: Option<u32>, standby_parent: Option<u32>) -> Share {
    Share {
        name: name.into(),
        read_bytes_per_s: None,
        write_bytes_per_s: None,
        bytes_per_s: mb_per_s.map(|rate| rate * MB),
        parent,
        standby_parent,
    }
}

/// Makes two cards, each in a domain of its own that stands by for the other; an interconnect moves `mb_per_s`.
pub fn two_domains(mb_per_s: u64) -> Vec<Share> {
    vec![
        share("card 0", None, Some(2), Some(3)),
        share("card 1", None, Some(3), Some(2)),
        share("domain D0", Some(mb_per_s), None, None),
        share("domain D1", Some(mb_per_s), None, None),
    ]
}

/// Makes 128 KiB reads over two channels, more than they can do.
fn knobs(shares: Vec<Share>) -> Knobs {
    let mut work = stream("work", closed(64));
    work.protocol = ProtocolChoice::Always(Protocol::Transport);
    work.read = shape(Operation::Read, 32, 4096);
    // What waits for a limit has arrived and is counted: warm-up fills the queue.
    let warmup = Span::from_ms(30);
    Knobs { channels: 2, shares, streams: vec![work], warmup, ..Knobs::default() }
}

fn read_mb_per_s(run: &Run) -> f64 {
    let bytes: u64 = run.intervals[0].channels.iter().map(|channel| channel.read_bytes).sum();
    bytes as f64 / 1e6 / 0.020
}

fn busy_percent(run: &Run, station: &str) -> f64 {
    let found = run.intervals[0].stations.iter().find(|one| one.name == station);
    found.unwrap_or_else(|| panic!("no station {station}")).busy_ps as f64 / 0.020e12 * 100.0
}

#[test]
fn a_domain_moves_no_more_than_its_interconnect() {
    let free = read_mb_per_s(&run(&knobs(Vec::new()), OPTIONS).0);
    assert!(free > 5000.0, "{free} MB/s of two links without anything shared");
    let mut one_domain = two_domains(2000);
    one_domain[1].parent = Some(2);
    let (bound, _) = run(&knobs(one_domain), OPTIONS);
    let rate = read_mb_per_s(&bound);
    assert!((rate / 2000.0 - 1.0).abs() < 0.02, "{rate} MB/s over an interconnect of 2,000");
    assert!(busy_percent(&bound, "domain D0 bus") > 99.0);
    assert!(busy_percent(&bound, "domain D1 bus") < 0.01);
}

#[test]
fn two_domains_move_twice_as_much_and_what_is_above_both_limits_them_together() {
    let (two, _) = run(&knobs(two_domains(2000)), OPTIONS);
    let rate = read_mb_per_s(&two);
    assert!((rate / 4000.0 - 1.0).abs() < 0.02, "{rate} MB/s over two interconnects of 2,000");
    let mut on_fanout = two_domains(2000);
    on_fanout.push(share("fanout F1", Some(3000), None, None));
    on_fanout[2].parent = Some(4);
    on_fanout[3].parent = Some(4);
    let rate = read_mb_per_s(&run(&knobs(on_fanout), OPTIONS).0);
    assert!((rate / 3000.0 - 1.0).abs() < 0.02, "{rate} MB/s over a fanout of 3,000");
}

/// Runs the two domains of 2,000 MB/s, the first lost from `from_ms` to the end.
fn lost(from_ms: u64) -> Run {
    let kind = DisturbanceKind::InterconnectLost { share: 2 };
    let (at, lasts) = (Span::from_ms(from_ms), Span::from_s(1));
    run(&Knobs { disturbances: vec![Disturbance { at, lasts, kind }], ..knobs(two_domains(2000)) }, OPTIONS).0
}

#[test]
fn a_lost_interconnect_leaves_both_domains_to_the_other() {
    let run = lost(0);
    let rate = read_mb_per_s(&run);
    assert!((rate / 2000.0 - 1.0).abs() < 0.02, "{rate} MB/s over the one that is left");
    assert_eq!(run.streams[0].failed, 0, "no path is lost");
    assert!(busy_percent(&run, "domain D0 bus") < 0.01);
    // Half of the measured time over two, half over one.
    let rate = read_mb_per_s(&lost(40));
    assert!((2800.0..3300.0).contains(&rate), "{rate} MB/s when lost half-way");
}
