//! Bursts and single frames agree: per stream, throughput within 2 %, mean response within 5 %.

use halftrack_base::Span;
use halftrack_config::{Arrivals, ProtocolChoice, Stream};
use halftrack_machine::{Fidelity, Options};
use halftrack_program::{Operation, Protocol};
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, closed, open, run, shape, stream};

fn agree(knobs: &Knobs) {
    let (burst, _) = run(knobs, OPTIONS);
    let (frame, _) = run(knobs, Options { fidelity: Fidelity::Frame, ..OPTIONS });
    for (b, f) in burst.streams.iter().zip(&frame.streams) {
        let off = |b: f64, f: f64| (b / f - 1.0).abs();
        let rate = off(b.rate_per_s.mean, f.rate_per_s.mean);
        assert!(rate < 0.02, "{}: rate {:?} against {:?}", b.name, b.rate_per_s, f.rate_per_s);
        let response = off(b.response_us.mean, f.response_us.mean);
        assert!(response < 0.05, "{}: {:?} against {:?}", b.name, b.response_us, f.response_us);
    }
}

fn large(name: &str, arrivals: halftrack_config::Arrivals) -> Stream {
    let mut large = stream(name, arrivals);
    large.read = shape(Operation::Read, 32, 4096);
    large
}

/// Makes closed jobs that only read, and as many that only write, transfers of so many records.
fn readers_and_writers(jobs: u32, records: u16) -> Vec<Stream> {
    let of = |name: &str, read_ppm| {
        let mut stream = large(name, closed(jobs));
        (stream.read.records, stream.write.records, stream.read_ppm) = (records, records, read_ppm);
        stream
    };
    vec![of("readers", 1_000_000), of("writers", 0)]
}

#[test]
fn a_mix_of_4k_and_128k_at_half_load() {
    let streams = vec![large("128K", open(6_000)), stream("4K", open(60_000))];
    agree(&Knobs { streams, interval: Span::from_ms(100), ..Knobs::default() });
}

#[test]
fn a_mix_of_4k_and_128k_read_and_written_in_both_modes() {
    for (protocol, small, big) in [(Protocol::Transport, 60_000, 10_000), (Protocol::Command, 4_000, 1_000)] {
        for read_ppm in [0, 500_000] {
            let of = |mut stream: Stream| {
                stream.read_ppm = read_ppm;
                stream.write.records = stream.read.records;
                stream.protocol = ProtocolChoice::Always(protocol);
                stream
            };
            let streams = vec![of(large("128K", open(big))), of(stream("4K", open(small)))];
            agree(&Knobs { streams, interval: Span::from_ms(100), ..Knobs::default() });
        }
    }
}

#[test]
fn a_mix_of_closed_streams() {
    // About 1,600 MB/s. On a full link the 4K would wait behind whole bursts of the 128K.
    let thinking =
        |jobs, think_us| Arrivals::Closed { jobs, think: Span::from_us(think_us), exponential: true };
    let streams = vec![large("128K", thinking(6, 400)), stream("4K", thinking(8, 60))];
    agree(&Knobs { streams, interval: Span::from_ms(200), ..Knobs::default() });
}

#[test]
fn a_channel_filled_both_ways_by_readers_and_writers() {
    for records in [8, 32] {
        let streams = readers_and_writers(120, records);
        let (warmup, interval) = (Span::from_ms(80), Span::from_ms(400));
        // The bus is the bottleneck; at 6,100 MB/s the link would be one as well.
        let bus = Knobs { first_bus_mb_per_s: 5400, ports: 4, spread: true, ..Knobs::default() };
        agree(&Knobs { streams, warmup, interval, ..bus });
    }
}

/// Runs a site for 0.2 s whose bus is backlogged in both directions with like programs: each gets half of it.
fn shared_evenly(knobs: Knobs, fidelity: Fidelity, records: u16) -> Run {
    let knobs = Knobs {
        streams: readers_and_writers(64, records),
        warmup: Span::from_ms(80),
        interval: Span::from_ms(200),
        ..knobs
    };
    let (run, _) = run(&knobs, Options { fidelity, ..OPTIONS });
    let rates: Vec<f64> = run.streams.iter().map(|stream| stream.rate_per_s.mean).collect();
    let share = rates[0] / (rates[0] + rates[1]);
    assert!((0.45..0.55).contains(&share), "{records} records, {fidelity:?}: {rates:?}");
    run
}

/// Both directions of a bus are backlogged with like programs: each gets half, and so do channels of one card.
#[test]
fn directions_share_a_bus_evenly() {
    for records in [1, 16, 32] {
        for fidelity in [Fidelity::Burst, Fidelity::Frame] {
            let knobs = Knobs { first_bus_mb_per_s: 800, ports: 4, spread: true, ..Knobs::default() };
            let run = shared_evenly(knobs, fidelity, records);
            let channel = &run.intervals[0].channels[0];
            let moved = (channel.read_bytes + channel.write_bytes) as f64 / 0.2 / 800e6;
            assert!((moved - 1.0).abs() < 0.02, "{records} records, {fidelity:?}: {moved} of the rate");
        }
    }
}

/// The bus of a port likewise.
#[test]
fn directions_share_the_bus_of_a_port_evenly() {
    for records in [1, 16, 32] {
        for fidelity in [Fidelity::Burst, Fidelity::Frame] {
            let knobs = Knobs { port_bus_mb_per_s: 800, channels: 2, ports: 1, ..Knobs::default() };
            let run = shared_evenly(knobs, fidelity, records);
            let port = run.intervals[0].stations.iter().find(|one| one.name == "port BOXA 0000 bus");
            let busy_percent = port.expect("a bus").busy_ps as f64 / 0.2e12 * 100.0;
            assert!(
                busy_percent > 98.0,
                "{records} records, {fidelity:?}: the bus is busy for {busy_percent} %"
            );
        }
    }
}

#[test]
fn a_saturated_channel() {
    agree(&Knobs { streams: vec![stream("4K", closed(96))], ..Knobs::default() });
    let streams = vec![large("128K", closed(32))];
    agree(&Knobs { streams, interval: Span::from_ms(100), ..Knobs::default() });
}

/// The check words behind 32 or 64 KiB and the status leave with the last burst: with turns of their own at the fibre of the
/// port, the jobs were in step and the fibre idle meanwhile.
#[test]
fn closed_jobs_of_one_long_read_at_one_port() {
    for (records, jobs) in [(8, 8), (8, 24), (16, 8)] {
        let mut work = large("work", closed(jobs));
        (work.read.records, work.protocol) = (records, ProtocolChoice::Always(Protocol::Transport));
        let interval = Span::from_ms(100);
        agree(&Knobs { channels: 2, ports: 1, streams: vec![work], interval, ..Knobs::default() });
    }
}

#[test]
fn writes_and_misses() {
    let mut work = stream("work", closed(24));
    work.write = shape(Operation::UpdateWrite, 6, 27_998);
    work.read_ppm = 500_000;
    work.hit_ppm = 800_000;
    agree(&Knobs { streams: vec![work], interval: Span::from_ms(60), ..Knobs::default() });
}

#[test]
fn too_few_credits_for_the_distance_bind_by_themselves() {
    // 100 km: one round trip is 1 ms, in which 90 frames may be under way, 64 of 66 of them with 2048 bytes.
    let knobs = Knobs {
        km: 100,
        streams: vec![large("128K", closed(64))],
        warmup: Span::from_ms(60),
        interval: Span::from_ms(60),
        ..Knobs::default()
    };
    let (run, _) = run(&knobs, OPTIONS);
    let mb_per_s = run.intervals[0].channels[0].read_bytes as f64 / 0.060 / 1e6;
    let bound = 90.0 * 131_072.0 / 66.0 / 1e-3 / 1e6;
    assert!(mb_per_s < bound, "{mb_per_s} MB/s exceed the credits' {bound}");
    assert!(mb_per_s > 0.98 * bound, "{mb_per_s} MB/s leave the credits' {bound} unused");
}
