//! Consequences of known changes to a site.

use halftrack_base::Span;
use halftrack_config::ProtocolChoice;
use halftrack_machine::{Fidelity, Options};
use halftrack_program::{Operation, Protocol};
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, Topology, closed, run, shape, stream};

/// Returns the mean response of a single job, µs.
fn light_response(km: u64, protocol: Protocol, operation: Operation) -> f64 {
    let mut work = stream("work", closed(1));
    work.protocol = ProtocolChoice::Always(protocol);
    work.read_ppm = if operation == Operation::Read { 1_000_000 } else { 0 };
    let knobs = Knobs { km, credits: 20_000, streams: vec![work], ..Knobs::default() };
    run(&knobs, OPTIONS).0.streams[0].response_us.mean
}

#[test]
fn distance_costs_one_round_trip_a_read_and_a_write_that_needs_no_transfer_ready() {
    for protocol in [Protocol::Command, Protocol::Transport] {
        for operation in [Operation::Read, Operation::UpdateWrite] {
            let near = light_response(1, protocol, operation);
            let far = light_response(51, protocol, operation);
            let per_10_km = (far - near) / 5.0;
            assert!((per_10_km - 100.0).abs() < 0.01, "{protocol:?} {operation:?}: {per_10_km} µs per 10 km");
        }
    }
}

#[test]
fn throughput_does_not_feel_distance_while_credits_and_exchanges_suffice() {
    let rate = |km| {
        let streams = vec![stream("work", closed(400))];
        let knobs = Knobs {
            km,
            credits: 20_000,
            devices_per_lcu: 256,
            streams,
            interval: Span::from_ms(100),
            ..Knobs::default()
        };
        run(&knobs, OPTIONS).0.streams[0].rate_per_s.mean
    };
    let (near, far) = (rate(1), rate(10));
    assert!((far / near - 1.0).abs() < 0.005, "{near} per second near, {far} far");
}

/// 90 credits fill 3,200 MB/s for the round trip of some 5.9 km; beyond, what a credit carries in a round trip counts.
#[test]
fn beyond_its_credits_a_link_droops_with_one_over_the_distance() {
    let read_bytes = |km| {
        let mut work = stream("large", closed(64));
        work.read = shape(Operation::Read, 32, 4096);
        let (warmup, interval) = (Span::from_ms(30), Span::from_ms(60));
        let knobs = Knobs { km, streams: vec![work], warmup, interval, ..Knobs::default() };
        run(&knobs, OPTIONS).0.intervals[0].channels[0].read_bytes as f64
    };
    let (near, within, beyond, far) = (read_bytes(1), read_bytes(5), read_bytes(20), read_bytes(40));
    assert!((within / near - 1.0).abs() < 0.02, "flat: {near}, {within}");
    assert!((1.9..2.02).contains(&(beyond / far)), "halved by twice the way: {beyond}, {far}");
    let reach_km = 20.0 * beyond / near;
    assert!((5.3..5.9).contains(&reach_km), "the droop begins at {reach_km} km");
}

#[test]
fn two_half_intervals_hold_what_one_whole_holds() {
    let knobs = Knobs { streams: vec![stream("work", closed(20))], ..Knobs::default() };
    let (whole, _) = run(&knobs, OPTIONS);
    let halves = Knobs { interval: knobs.interval / 2, intervals: 2, ..knobs };
    let (halves, _) = run(&halves, OPTIONS);
    let whole = &whole.intervals[0];
    let sum = |of: fn(&halftrack_record::Interval) -> u64| halves.intervals.iter().map(of).sum::<u64>();
    assert_eq!(
        whole.channels[0].operations[Protocol::Transport].started,
        sum(|i| i.channels[0].operations[Protocol::Transport].started)
    );
    assert_eq!(whole.channels[0].processor_busy_ps, sum(|i| i.channels[0].processor_busy_ps));
    assert_eq!(whole.channels[0].bus_busy_ps, sum(|i| i.channels[0].bus_busy_ps));
    assert_eq!(whole.channels[0].read_bytes, sum(|i| i.channels[0].read_bytes));
    let device = |i: &halftrack_record::Interval| i.devices.iter().map(|d| d.conn_ps).sum();
    assert_eq!(device(whole), sum(device));
    let iops = |i: &halftrack_record::Interval| i.iops.iter().map(|iop| iop.busy_ps).sum();
    assert_eq!(iops(whole), sum(iops));
}

#[test]
fn paths_of_a_group_take_equal_shares_whatever_their_load() {
    let mut batch = stream("batch", closed(8));
    batch.read = shape(Operation::Read, 32, 4096);
    let knobs = Knobs { channels: 4, streams: vec![batch], ..Knobs::default() };
    let (run, _) = run(&knobs, OPTIONS);
    let started: Vec<_> =
        run.intervals[0].channels.iter().map(|c| c.operations[Protocol::Transport].started).collect();
    let (least, most) = (started.iter().min().unwrap(), started.iter().max().unwrap());
    assert!(most - least <= 8, "{started:?}");
}

#[test]
fn relabelled_channels_carry_the_same_total() {
    // The order of channels decides ties only.
    let streams = vec![stream("work", closed(48))];
    let (run_, _) = run(&Knobs { channels: 2, streams, ..Knobs::default() }, OPTIONS);
    let total: u64 =
        run_.intervals[0].channels.iter().map(|c| c.operations[Protocol::Transport].started).sum();
    let by_device: u64 = run_.intervals[0].devices.iter().map(|d| d.completed).sum();
    assert!(total.abs_diff(by_device) <= 48, "{total} started, {by_device} completed");
}

#[test]
fn aliases_take_the_wait_for_the_base_away() {
    let iosq = |aliases| {
        let mut work = stream("work", closed(16));
        work.devices = vec![0, 1];
        let hyperpav = aliases > 0;
        let knobs = Knobs { aliases, hyperpav, streams: vec![work], ..Knobs::default() };
        let (run, _) = run(&knobs, OPTIONS);
        let device = &run.intervals[0].devices[0];
        assert_eq!(device.hyperpav, hyperpav);
        (device.iosq_ps / device.completed, run.streams[0].rate_per_s.mean)
    };
    let (without, slow) = iosq(0);
    let (with, fast) = iosq(16);
    assert!(without > 100_000_000, "16 jobs on two bases wait: {without} ps");
    assert_eq!(with, 0, "18 exposures for 16 jobs");
    assert!(fast > 3.0 * slow, "{fast} against {slow} per second");
}

/// One stream of one program: whatever is full first, more jobs bring no less.
#[test]
fn more_jobs_of_one_stream_bring_no_less() {
    let sites = [
        ("channel", Knobs::default()),
        ("port", Knobs { channels: 2, ports: 1, ..Knobs::default() }),
        ("isl", Knobs { topology: Topology::Cascade, isl: Some((0, 800_000_000, 1000)), ..Knobs::default() }),
        ("bus", Knobs { first_bus_mb_per_s: 300, ..Knobs::default() }),
    ];
    for (full_first, site) in &sites {
        for (protocol, records) in
            [(Protocol::Command, 1), (Protocol::Transport, 1), (Protocol::Transport, 16)]
        {
            for fidelity in [Fidelity::Burst, Fidelity::Frame] {
                let rate = |jobs: u32| {
                    let mut work = stream("work", closed(jobs));
                    work.protocol = ProtocolChoice::Always(protocol);
                    work.read.records = records;
                    // Jobs go round the devices, so that each finds its own free.
                    let knobs = Knobs {
                        devices_per_lcu: 256,
                        aliases: 256,
                        hyperpav: true,
                        credits: 2000,
                        streams: vec![work],
                        warmup: Span::from_ms(40),
                        interval: Span::from_ms(if records == 1 { 40 } else { 200 }),
                        ..site.clone()
                    };
                    run(&knobs, Options { fidelity, ..OPTIONS }).0.streams[0].rate_per_s.mean
                };
                let rates = [1, 2, 4, 8, 16, 32, 64].map(rate);
                let falls = rates.windows(2).any(|pair| pair[1] < 0.99 * pair[0]);
                assert!(!falls, "{full_first}, {protocol:?}, {records} records, {fidelity:?}: {rates:?}");
            }
        }
    }
}

/// Credits that no frame waits for make no difference.
#[test]
fn credits_that_are_not_waited_for_change_nothing() {
    let at = |credits: u32, fidelity: Fidelity| {
        let mut work = stream("large", closed(24));
        (work.read.records, work.write.records, work.read_ppm) = (8, 8, 500_000);
        let knobs = Knobs {
            topology: Topology::Cascade,
            channels: 2,
            credits: 1000,
            isl: Some((0, 800_000_000, credits)),
            streams: vec![work],
            interval: Span::from_ms(40),
            ..Knobs::default()
        };
        run(&knobs, Options { fidelity, ..OPTIONS }).0
    };
    let [few, more] = [1000, 1200].map(|credits| at(credits, Fidelity::Frame));
    let waited = |run: &Run| run.intervals[0].links.iter().map(|link| link.credit_wait_ps).sum::<u64>();
    assert_eq!((waited(&few), waited(&more)), (0, 0), "credits are plenty");
    assert_eq!(few, more);
    let rates = [1000, 1100, 1200].map(|credits| at(credits, Fidelity::Burst).streams[0].rate_per_s.mean);
    let frames = few.streams[0].rate_per_s.mean;
    assert!(rates.iter().all(|rate| (rate / frames - 1.0).abs() < 0.02), "{rates:?} by default, {frames}");
}
