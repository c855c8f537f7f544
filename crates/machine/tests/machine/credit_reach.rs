//! Credits that do not cover a distance bind whatever the frames, without an option: the run by default agrees with the one
//! frame by frame, per stream, throughput within 2 % and mean response within 5 %.

use halftrack_base::Span;
use halftrack_config::{ProtocolChoice, Stream};
use halftrack_machine::{Fidelity, Options};
use halftrack_program::{Operation, Protocol};

use crate::site::{Knobs, OPTIONS, Topology, closed, open, run, shape, stream};

/// Compares the run by default with the one frame by frame.
fn agree(what: &str, knobs: &Knobs) {
    let (default, _) = run(knobs, OPTIONS);
    let (frame, _) = run(knobs, Options { fidelity: Fidelity::Frame, ..OPTIONS });
    for (b, f) in default.streams.iter().zip(&frame.streams) {
        let off = |b: f64, f: f64| (b / f - 1.0).abs();
        let rate = off(b.rate_per_s.mean, f.rate_per_s.mean);
        assert!(rate < 0.02, "{what}: {}: rate {:?} against {:?}", b.name, b.rate_per_s, f.rate_per_s);
        let response = off(b.response_us.mean, f.response_us.mean);
        assert!(response < 0.05, "{what}: {}: {:?} against {:?}", b.name, b.response_us, f.response_us);
    }
}

/// Reads and writes of `records` × 4 KiB, reads per million.
fn work(
    name: &str,
    records: u16,
    read_ppm: u32,
    protocol: Protocol,
    arrivals: halftrack_config::Arrivals,
) -> Stream {
    let mut work = stream(name, arrivals);
    work.read = shape(Operation::Read, records, 4096);
    work.write = shape(Operation::UpdateWrite, records, 4096);
    work.read_ppm = read_ppm;
    work.protocol = ProtocolChoice::Always(protocol);
    work
}

/// Puts `gbps` over `km` of the channel's own fibre, with `share` percent of the credits that full frames need.
fn at(gbps: u64, km: u64, share: u64, streams: Vec<Stream>) -> Knobs {
    let round_trip = Span::from_us(10 * km) + Span::from_us(2);
    let full = (gbps * 100_000_000 * round_trip.as_ps() / 1_000_000_000_000 / 2084).max(1);
    let credits = (full * share / 100).max(2) as u32;
    let warmup = Span::from_us(40 * km).max(Span::from_ms(10));
    Knobs {
        km,
        credits,
        link_bytes_per_s: gbps * 100_000_000,
        channels: 2,
        streams,
        warmup,
        interval: Span::from_us(100 * km).max(Span::from_ms(60)),
        ..Knobs::default()
    }
}

#[test]
fn short_frames_over_a_long_fibre_wait_for_credits_without_being_asked_to() {
    // 8 Gbit/s, 100 km, 500 credits: 4 KiB reads, whose frames have 1,077 octets, keep 500 of 743 under way.
    let reads = work("reads", 1, 1_000_000, Protocol::Transport, closed(400));
    let knobs = Knobs {
        topology: Topology::Cascade,
        isl: Some((100, 800_000_000, 500)),
        channels: 2,
        streams: vec![reads],
        warmup: Span::from_ms(20),
        interval: Span::from_ms(40),
        ..Knobs::default()
    };
    agree("closed", &knobs);
    let (run, _) = run(&knobs, OPTIONS);
    let rate = run.streams[0].rate_per_s.mean;
    assert!((rate / (500.0 / 4.0 / 1.005e-3) - 1.0).abs() < 0.02, "{rate}");
    let open = Knobs { streams: vec![stream("reads", open(160_000))], ..knobs };
    agree("open", &open);
}

#[test]
fn every_speed_distance_and_program_agrees_with_frame_by_frame() {
    let programs = [
        (1, 1_000_000, Protocol::Transport, 96),
        (1, 0, Protocol::Transport, 96),
        (8, 500_000, Protocol::Transport, 48),
        (1, 700_000, Protocol::Command, 48),
    ];
    for (index, (gbps, km)) in
        [(2, 100), (4, 30), (8, 10), (8, 100), (16, 50), (32, 10)].into_iter().enumerate()
    {
        for share in [40, 90, 130, 180, 260] {
            let (records, read_ppm, protocol, jobs) = programs[(index + share as usize) % programs.len()];
            let jobs = jobs * (1 + km as u32 / 20);
            let what =
                format!("{gbps} Gbit/s, {km} km, {share} %, {records} records, {read_ppm} ppm, {protocol:?}");
            agree(&what, &at(gbps, km, share, vec![work("work", records, read_ppm, protocol, closed(jobs))]));
        }
    }
}

/// The buffers before a slow link between directors fill, and the senders take turns by their credits: frames do that by
/// themselves.
#[test]
fn buffers_before_a_slower_link_are_waited_for_without_being_asked_to() {
    let reads = work("reads", 16, 1_000_000, Protocol::Transport, open(9_500));
    let knobs = Knobs {
        topology: Topology::Cascade,
        isl: Some((0, 800_000_000, 1000)),
        channels: 2,
        streams: vec![reads],
        warmup: Span::from_ms(20),
        interval: Span::from_ms(200),
        ..Knobs::default()
    };
    agree("open", &knobs);
    let (run, _) = run(&knobs, OPTIONS);
    assert!(run.intervals[0].links.iter().all(|link| link.sent == 0 || link.frames.is_some()));
}
