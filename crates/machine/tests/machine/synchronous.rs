//! Synchronous I/O over zHyperLink: a loss system whose requests go on over the channels.

use std::collections::BTreeSet;
use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{
    Configuration, Directions, Disturbance, DisturbanceKind, Part, Stream, SynchronousIo, SynchronousLink,
    SynchronousRequest, SynchronousStream,
};
use halftrack_machine::{Options, Simulation, Threads};
use halftrack_record::{NotTried, Run, SynchronousRequests};

use crate::site::{Knobs, OPTIONS, closed, configuration, open, stream, us};

/// Time that a 4 KiB read holds a link, and that its CP spins, s.
const HOLD_S: f64 = 21.75e-6;
const SPIN_US: f64 = 26.0;

/// Makes a link of 10 m: a 4 KiB read holds it for 21.75 us, of which 0.52 us are its data.
fn link(index: u32) -> SynchronousLink {
    SynchronousLink {
        name: format!("pchid 180.{index:02} > BOXA"),
        control_unit: Some(0),
        hold_read: us(21.23),
        hold_write: us(47.23),
        bytes_per_s: 7_876_923_077,
        cpu: us(4.25),
        busy_reject: us(1.0),
        timeout: us(100.0),
    }
}

/// Makes `links` that each of `lpars` partitions reaches, everything switched on.
fn links(links: u32, lpars: u32) -> SynchronousIo {
    let on = Directions::ALL;
    SynchronousIo {
        links: (0..links).map(link).collect(),
        lpars: vec![on; lpars as usize],
        control_units: vec![on],
        reachable: (0..lpars).map(|lpar| ((lpar, 0), (0..links).collect())).collect(),
        ..SynchronousIo::default()
    }
}

/// Gives `stream` synchronous 4 KiB I/O.
fn synchronous(stream: Stream) -> Stream {
    let request = SynchronousRequest { bytes: 4096, fits: true, is_aligned: true };
    Stream { synchronous: Some(SynchronousStream { read: request, write: request }), ..stream }
}

/// Simulates; partitions have CPs enough that no request waits for one.
fn simulate(mut configuration: Configuration) -> Run {
    configuration.lpars.iter_mut().for_each(|lpar| lpar.cps = 64);
    let mut simulation = Simulation::new(Arc::new(configuration), OPTIONS).expect("it wires");
    let (run, counters) = simulation.run(&mut |_| {});
    for law in &run.checkers {
        assert!(law.violations.is_empty(), "{law:?}");
    }
    assert!(counters.ios > 0);
    run
}

/// Adds up the requests of every device of partition `lpar`, or of all; reads or writes.
fn sum(run: &Run, lpar: Option<&str>, write: bool) -> SynchronousRequests {
    let mut sum = SynchronousRequests::default();
    let devices = run.intervals.iter().flat_map(|interval| &interval.devices);
    for device in devices.filter(|device| lpar.is_none_or(|name| device.lpar == name)) {
        let both = device.synchronous.as_ref().expect("every device is used synchronously");
        let one = if write { both.write } else { both.read };
        sum.successes += one.successes;
        sum.bytes += one.bytes;
        sum.response_ps += one.response_ps;
        sum.link_busy += one.link_busy;
        sum.cache_miss += one.cache_miss;
        sum.timeouts += one.timeouts;
        sum.other += one.other;
        sum.fail_ps += one.fail_ps;
        sum.not_tried.guest += one.not_tried.guest;
        sum.not_tried.switched_off += one.not_tried.switched_off;
        sum.not_tried.size += one.not_tried.size;
        sum.not_tried.alignment += one.not_tried.alignment;
        sum.not_tried.no_link += one.not_tried.no_link;
    }
    sum
}

fn busy_share(requests: &SynchronousRequests) -> f64 {
    requests.link_busy as f64 / requests.attempts() as f64
}

fn asynchronous(run: &Run) -> u64 {
    run.intervals.iter().flat_map(|interval| &interval.devices).map(|device| device.completed).sum()
}

/// The blocking of a system of one place without a queue, to which requests come by chance (Erlang B).
#[test]
fn one_link_turns_away_as_many_as_erlang_has_it() {
    for rate_per_s in [5_000, 20_000, 45_000] {
        let streams = vec![synchronous(stream("work", open(rate_per_s)))];
        let knobs =
            Knobs { streams, synchronous: links(1, 1), interval: Span::from_ms(500), ..Knobs::default() };
        let run = simulate(configuration(&knobs));
        let found = busy_share(&sum(&run, None, false));
        let load = rate_per_s as f64 * HOLD_S;
        let expected = load / (1.0 + load);
        assert!((found - expected).abs() < 0.01, "{rate_per_s}/s: {found}, {expected} expected");
        // A success takes 26 us whatever the load.
        let requests = sum(&run, None, false);
        assert_eq!(requests.response_ps, requests.successes * us(SPIN_US).as_ps());
        assert_eq!(requests.bytes, requests.successes * 4096);
        let held = run.intervals[0].synchronous_links[0].held_ps as f64 / run.intervals[0].length_ps as f64;
        assert!((held - load / (1.0 + load)).abs() < 0.01, "{held}");
        let station = run.intervals[0].stations.iter().find(|one| one.name.starts_with("zHyperLink"));
        assert_eq!(station.map(|one| one.busy_ps), Some(run.intervals[0].synchronous_links[0].held_ps));
    }
}

/// Figure 17 of the paper on FICON Express32S: 17.13 to 17.31 % of the requests found their link in use.
#[test]
fn sixteen_links_turn_away_17_percent_of_the_printed_load() {
    let devices: Vec<u32> = (0..8).collect();
    let work = Stream { devices, ..synchronous(stream("work", open(8 * 19_480))) };
    let interval = Span::from_ms(200);
    let run = simulate(configuration(&Knobs {
        streams: vec![work],
        synchronous: links(16, 1),
        interval,
        ..Knobs::default()
    }));
    let found = busy_share(&sum(&run, None, false));
    assert!((found - 0.174).abs() < 0.005, "{found}");
    let requests = sum(&run, None, false);
    let of_links: u64 = run.intervals[0].synchronous_links.iter().map(|link| link.local_rejects).sum();
    // One of either may be booked at one end of an interval and not at the other.
    assert!(requests.link_busy.abs_diff(of_links) < 16, "{requests:?}, {of_links}");
}

/// It cannot find in use what nobody else uses, and spins all the time.
#[test]
fn one_job_never_finds_its_link_in_use() {
    let streams = vec![synchronous(stream("work", closed(1)))];
    let knobs = Knobs { streams, synchronous: links(1, 1), ..Knobs::default() };
    let run = simulate(configuration(&knobs));
    let requests = sum(&run, None, false);
    assert_eq!((requests.rejects(), asynchronous(&run)), (0, 0));
    let expected = knobs.interval.as_ps() / us(SPIN_US).as_ps();
    assert!(requests.successes.abs_diff(expected) <= 1, "{}", requests.successes);
    assert_eq!(run.streams[0].completed, requests.successes);
    assert!((run.streams[0].response_us.mean - SPIN_US).abs() < 1e-6);
    let cps =
        run.intervals[0].stations.iter().find(|one| one.name == "lpar PROD1 CPs").expect("CPs are a station");
    assert_eq!(cps.busy_ps, run.intervals[0].length_ps);
}

/// CP time is the rate times 26 us, as nothing else happens on them.
#[test]
fn spinning_is_time_of_the_partition() {
    let work = Stream {
        arrivals: halftrack_config::Arrivals::Open { interarrival: us(100.0), poisson: false },
        ..synchronous(stream("work", open(1)))
    };
    let run =
        simulate(configuration(&Knobs { streams: vec![work], synchronous: links(1, 1), ..Knobs::default() }));
    let cps = &run.intervals[0].stations.iter().find(|one| one.name == "lpar PROD1 CPs").expect("a station");
    let expected = run.intervals[0].length_ps as f64 / us(100.0).as_ps() as f64 * us(SPIN_US).as_ps() as f64;
    assert!((cps.busy_ps as f64 / expected - 1.0).abs() < 0.006, "{}", cps.busy_ps);
    assert_eq!(run.intervals[0].iops.iter().map(|iop| iop.enqueued).sum::<u64>(), 0);
}

/// Requests to one device need no base: four jobs on four links are as fast as one.
#[test]
fn requests_to_one_device_run_side_by_side() {
    let work = Stream { devices: vec![0], ..synchronous(stream("work", closed(4))) };
    let run = simulate(configuration(&Knobs {
        streams: vec![work],
        synchronous: links(64, 1),
        ..Knobs::default()
    }));
    let requests = sum(&run, None, false);
    assert!(requests.successes as f64 > 2.5 * 20_000.0 / SPIN_US, "{requests:?}");
}

/// Each partition is turned away by requests of the other, as by its own.
#[test]
fn two_partitions_share_a_link() {
    let work =
        |lpar: u32| Stream { lpar, ..synchronous(stream(["one", "two"][lpar as usize], open(10_000))) };
    let streams = vec![work(0), work(1)];
    let knobs = Knobs {
        lpars: 2,
        streams,
        synchronous: links(1, 2),
        interval: Span::from_ms(500),
        ..Knobs::default()
    };
    let run = simulate(configuration(&knobs));
    let load = 20_000.0 * HOLD_S;
    for name in ["PROD1", "PROD2"] {
        let found = busy_share(&sum(&run, Some(name), false));
        assert!((found - load / (1.0 + load)).abs() < 0.015, "{name}: {found}");
    }
    assert_eq!(run.intervals[0].synchronous_links.len(), 1);
}

/// A miss holds the link without data, and goes to the channels, where it is a miss again.
#[test]
fn misses_go_on_over_the_channels() {
    let work = Stream { hit_ppm: 700_000, ..synchronous(stream("work", closed(1))) };
    let interval = Span::from_ms(400);
    let run = simulate(configuration(&Knobs {
        streams: vec![work],
        synchronous: links(1, 1),
        interval,
        ..Knobs::default()
    }));
    let requests = sum(&run, None, false);
    let share = requests.cache_miss as f64 / requests.attempts() as f64;
    assert!((share - 0.3).abs() < 0.05, "{requests:?}");
    assert_eq!(requests.fail_ps, requests.cache_miss * us(21.23 + 4.25).as_ps());
    assert!(asynchronous(&run).abs_diff(requests.cache_miss) <= 1);
    let links = &run.intervals[0].synchronous_links[0];
    assert!(links.remote_rejects.abs_diff(requests.cache_miss) <= 1);
}

#[test]
fn writes_take_the_time_of_the_box_besides() {
    let work = Stream { read_ppm: 0, ..synchronous(stream("work", closed(1))) };
    let run =
        simulate(configuration(&Knobs { streams: vec![work], synchronous: links(1, 1), ..Knobs::default() }));
    let requests = sum(&run, None, true);
    assert!(requests.successes > 0 && sum(&run, None, false).attempts() == 0);
    assert_eq!(requests.response_ps, requests.successes * us(SPIN_US + 26.0).as_ps());
    assert_eq!(
        run.intervals[0].synchronous_links[0].written_bytes,
        4096 * run.intervals[0].synchronous_links[0].successes
    );
}

#[test]
fn a_request_without_an_answer_in_time_is_given_up() {
    let mut all = links(1, 1);
    all.links[0].timeout = us(15.0);
    let streams = vec![synchronous(stream("work", closed(1)))];
    let run = simulate(configuration(&Knobs { streams, synchronous: all, ..Knobs::default() }));
    let requests = sum(&run, None, false);
    assert!(requests.timeouts > 0 && requests.successes == 0, "{requests:?}");
    assert_eq!(requests.fail_ps, requests.timeouts * us(15.0).as_ps());
}

/// An I/O that is not tried is counted by its first reason, and goes to the channels at once.
#[test]
fn an_io_that_is_not_tried_has_a_reason() {
    let run = |all: SynchronousIo, change: fn(&mut SynchronousRequest)| {
        let mut work = synchronous(stream("work", closed(4)));
        change(&mut work.synchronous.as_mut().expect("it is synchronous").read);
        let run =
            simulate(configuration(&Knobs { streams: vec![work], synchronous: all, ..Knobs::default() }));
        let requests = sum(&run, None, false);
        assert_eq!(requests.attempts(), 0);
        assert!(
            requests.not_tried.total() > 100 && asynchronous(&run).abs_diff(requests.not_tried.total()) <= 4
        );
        let NotTried { guest, switched_off, size, alignment, no_link } = requests.not_tried;
        [guest, switched_off, size, alignment, no_link].map(|count| count > 0)
    };
    let long_and_odd = |request: &mut SynchronousRequest| (request.fits, request.is_aligned) = (false, false);
    let off = SynchronousIo { lpars: vec![Directions { read: false, write: true }], ..links(1, 1) };
    let guest = SynchronousIo { guests: BTreeSet::from([0]), ..off.clone() };
    assert_eq!(run(guest, long_and_odd), [true, false, false, false, false]);
    assert_eq!(run(off, long_and_odd), [false, true, false, false, false]);
    let off = SynchronousIo { control_units: vec![Directions::default()], ..links(1, 1) };
    assert_eq!(run(off, |_| {}), [false, true, false, false, false]);
    assert_eq!(run(links(1, 1), long_and_odd), [false, false, true, false, false]);
    let unlinked = || SynchronousIo { reachable: Default::default(), ..links(1, 1) };
    assert_eq!(run(unlinked(), |request| request.is_aligned = false), [false, false, false, true, false]);
    assert_eq!(run(unlinked(), |_| {}), [false, false, false, false, true]);
}

#[test]
fn a_device_has_a_switch_of_its_own() {
    let work = Stream { devices: vec![0, 1], ..synchronous(stream("work", closed(2))) };
    let knobs = Knobs { streams: vec![work], synchronous: links(4, 1), ..Knobs::default() };
    let mut configuration = configuration(&knobs);
    configuration.devices[0].zhyperlink = Directions::default();
    let (run, _) = Simulation::new(Arc::new(configuration), OPTIONS).expect("it wires").run(&mut |_| {});
    let of = |number: u16| {
        let mut devices = run.intervals.iter().flat_map(|interval| &interval.devices);
        devices.find(|one| one.number == number).and_then(|one| one.synchronous).expect("it is used").read
    };
    assert_eq!(of(0x1000).attempts(), 0);
    assert!(of(0x1000).not_tried.switched_off > 50, "{:?}", of(0x1000));
    assert!(of(0x1001).successes > 50 && of(0x1001).not_tried.total() == 0, "{:?}", of(0x1001));
}

/// A request begins when a CP is free: with one CP for four jobs the link is never found in use.
#[test]
fn a_request_waits_for_a_cp() {
    let streams = vec![synchronous(stream("work", closed(4)))];
    let mut configuration = configuration(&Knobs { streams, synchronous: links(1, 1), ..Knobs::default() });
    configuration.lpars[0].cps = 1;
    let (run, _) = Simulation::new(Arc::new(configuration), OPTIONS).expect("it wires").run(&mut |_| {});
    let requests = sum(&run, None, false);
    assert_eq!(requests.rejects(), 0);
    assert!(requests.successes.abs_diff(20_000 / 26) <= 1, "{requests:?}");
}

#[test]
fn threads_change_nothing() {
    let streams = || {
        vec![
            stream("ficon", open(3000)),
            synchronous(Stream { hit_ppm: 900_000, ..stream("work", open(20_000)) }),
        ]
    };
    let knobs = |streams| Knobs { streams, channels: 2, synchronous: links(2, 1), ..Knobs::default() };
    let run = |threads| {
        let configuration = configuration(&knobs(streams()));
        Simulation::new(Arc::new(configuration), Options { threads: Threads::Exactly(threads), ..OPTIONS })
            .expect("it wires")
            .run(&mut |_| {})
            .0
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn requests_allocate_nothing() {
    let streams = vec![synchronous(Stream { hit_ppm: 900_000, ..stream("work", closed(32)) })];
    let knobs = Knobs { streams, synchronous: links(4, 1), ..Knobs::default() };
    let mut simulation = Simulation::new(Arc::new(configuration(&knobs)), OPTIONS).expect("it wires");
    simulation.advance(Span::from_ms(20));
    let before = simulation.counters().ios;
    let allocations = allocation_counter::measure(|| simulation.advance(Span::from_ms(20)));
    let ios = simulation.counters().ios - before;
    assert!(ios > 2_000, "{ios} I/Os");
    assert!(allocations.count_total < 32, "{} allocations in {ios} I/Os", allocations.count_total);
}

/// Runs one job for 20 ms, of which a disturbance takes the second half.
fn disturbed(kind: DisturbanceKind) -> (SynchronousRequests, u64) {
    let disturbances = vec![Disturbance { at: Span::from_ms(15), lasts: Span::from_ms(10), kind }];
    let streams = vec![synchronous(stream("work", closed(1)))];
    let run = simulate(configuration(&Knobs {
        streams,
        synchronous: links(1, 1),
        disturbances,
        ..Knobs::default()
    }));
    (sum(&run, None, false), asynchronous(&run))
}

#[test]
fn commands_and_faults_send_requests_to_the_channels() {
    let half = 10_000 / 26;
    let (off, over) = disturbed(DisturbanceKind::SetiosZHyperLink { lpar: 0, oper: Directions::default() });
    assert!(off.successes.abs_diff(half) <= 2 && off.rejects() == 0, "{off:?}");
    assert!(off.not_tried.switched_off > 10 && over.abs_diff(off.not_tried.switched_off) <= 1);
    let (dark, over) = disturbed(DisturbanceKind::ZHyperLinkLost { link: 0 });
    assert!(dark.successes.abs_diff(half) <= 2 && dark.other > 10, "{dark:?}");
    assert!(over.abs_diff(dark.other) <= 1 && dark.rejects() == dark.other);
    // Nothing is answered over channels either, until the box goes on.
    let (halted, _) = disturbed(DisturbanceKind::Stalled { part: Part::ControlUnit(0) });
    assert!(halted.successes.abs_diff(half) <= 2 && halted.timeouts == 1, "{halted:?}");
    let (lost, _) = disturbed(DisturbanceKind::PartLost { part: Part::Power });
    assert!(lost.successes.abs_diff(half) <= 2 && lost.other > 0 && lost.timeouts == 0, "{lost:?}");
}
