//! Which IOP thread does what, and what it costs.

use halftrack_base::Span;
use halftrack_config::{Arrivals, EadmKind, EadmWork, Selection, Stream};
use halftrack_machine::Fidelity;
use halftrack_record::{IopInterval, Run};

use crate::circuits::escon;
use crate::site::{Knobs, OPTIONS, closed, open, run, same_every_way, stream};

/// Returns the rows of the threads after `knobs` have run.
fn rows(knobs: &Knobs) -> Vec<IopInterval> {
    run(knobs, OPTIONS).0.intervals[0].iops.clone()
}

/// Puts a fourth of `rate` on each of four partitions.
fn four_partitions(rate: u64) -> Knobs {
    let of = |lpar| Stream { lpar, ..stream(&format!("work {lpar}"), open(rate / 4)) };
    Knobs {
        lpars: 4,
        // Of many, so that interrupts of one channel or port, which come one after the other, are few.
        channels: 32,
        ports: 32,
        own_channels: true,
        streams: (0..4).map(of).collect(),
        interval: Span::from_s(4),
        ..Knobs::default()
    }
}

/// The load of the published sample report (sap-2023, Figure 6): even threads have 98.9 % of the interrupts there, and
/// starts are equal. No parameter here has it so: an even thread that is busy leaves the interrupt to its sibling.
#[test]
fn at_light_load_even_threads_take_the_interrupts_and_starts_are_equal() {
    let rows = rows(&four_partitions(18_333));
    let sum = |parity: u16| -> u64 {
        rows.iter().filter(|row| row.number % 2 == parity).map(|row| row.interrupts).sum()
    };
    let share = 100.0 * sum(0) as f64 / (sum(0) + sum(1)) as f64;
    assert!((97.0..=99.0).contains(&share), "{share} % on even threads");
    let starts: u64 = rows.iter().map(|row| row.started).sum();
    for row in &rows {
        let off = row.started as f64 / (starts as f64 / 10.0) - 1.0;
        assert!(off.abs() < 0.01, "{row:?}");
    }
}

/// At a heavy load the sibling has its part: a thread is not left idle beside one that has work waiting.
#[test]
fn at_heavy_load_the_sibling_takes_its_part_of_the_interrupts() {
    let rows = rows(&Knobs { interval: Span::from_ms(20), ..four_partitions(800_000) });
    for pair in rows.chunks(2) {
        let share = pair[1].interrupts as f64 / (pair[0].interrupts + pair[1].interrupts) as f64;
        assert!((0.2..0.5).contains(&share), "{share} on the odd thread");
    }
}

/// Makes many channels, so that nothing but IOPs and image limits anything.
fn one_partition(arrivals: Arrivals, serial: Span) -> Knobs {
    Knobs {
        channels: 16,
        ports: 16,
        own_channels: true,
        image_serial: serial,
        streams: vec![stream("work", arrivals)],
        ..Knobs::default()
    }
}

fn busy_percent(run: &Run, station: &str) -> f64 {
    let stations = &run.intervals[0].stations;
    let found = stations.iter().find(|one| one.name == station).expect("there is such a station");
    100.0 * found.busy_ps as f64 / f64::from(found.servers) / run.intervals[0].length_ps as f64
}

/// A single image starts 1.2 million I/Os a second on z16 and 0.95 million on z15 (sap-2023, Conclusions), however many
/// jobs it has, while SAPs and CPs have time left.
#[test]
fn one_image_starts_no_more_than_its_serial_part_lets_through() {
    for (serial_ns, rate) in [(833.333, 1.2e6), (1052.632, 0.95e6)] {
        for jobs in [400, 1600] {
            let knobs = one_partition(closed(jobs), Span::from_us_f64(serial_ns / 1e3));
            let (run, _) = run(&knobs, OPTIONS);
            let off = run.streams[0].rate_per_s.mean / rate - 1.0;
            assert!(off.abs() < 0.002, "{} of {rate} a second", run.streams[0].rate_per_s.mean);
            assert!(busy_percent(&run, "lpar PROD1 serial part") > 99.9);
            let (iops, cps) = (busy_percent(&run, "IOPs"), busy_percent(&run, "lpar PROD1 CPs"));
            assert!(iops < 60.0 && cps < 60.0, "IOPs {iops} %, CPs {cps} %");
        }
    }
    let free = run(&one_partition(closed(1600), Span::ZERO), OPTIONS).0;
    assert!(free.streams[0].rate_per_s.mean > 2e6, "{:?}", free.streams[0].rate_per_s);
}

/// Starts that find it free are neither later for it nor an event more.
#[test]
fn the_serial_part_costs_nothing_while_it_is_free() {
    let even = Arrivals::Open { interarrival: Span::from_us(2), poisson: false };
    let in_turn = |serial| {
        let mut knobs = one_partition(even.clone(), serial);
        // No I/O waits for a base, so that no two are started closely.
        knobs.streams[0].selection = Selection::Sequential;
        run(&knobs, OPTIONS)
    };
    let (mut with, counted) = in_turn(Span::from_us(1));
    let (without, events) = in_turn(Span::ZERO);
    with.intervals[0].stations.retain(|one| one.name != "lpar PROD1 serial part");
    assert_eq!((with, counted), (without, events));
}

/// Each of four images has a serial part of its own.
#[test]
fn images_do_not_wait_for_each_other() {
    let (run, _) = run(
        &Knobs { image_serial: Span::from_us(4), interval: Span::from_ms(20), ..four_partitions(800_000) },
        OPTIONS,
    );
    let all: f64 = run.streams.iter().map(|one| one.rate_per_s.mean).sum();
    assert!((all / 8e5 - 1.0).abs() < 0.02, "{all} a second");
    let waits = busy_percent(&run, "lpar PROD2 serial part");
    assert!((75.0..85.0).contains(&waits), "{waits} %");
}

fn flow(kind: EadmKind, rate_per_s: u64) -> EadmWork {
    let interarrival = Span::from_s(1) / rate_per_s;
    EadmWork { name: format!("{kind:?}"), lpar: 0, kind, interarrival, poisson: true }
}

/// 100,000 compressions of 4 us and 50,000 operations of storage-class memory of 6 us a second are 4 % and 3 % of ten
/// threads, beside what the I/Os take. They show nowhere else, and the run is the same on one thread and two.
#[test]
fn compression_and_storage_class_memory_keep_iops_busy_and_show_apart() {
    let quiet = Knobs { streams: vec![stream("work", open(60_000))], ..Knobs::default() };
    let busy = Knobs {
        eadm: vec![flow(EadmKind::Compression, 100_000), flow(EadmKind::Scm, 50_000)],
        interval: Span::from_ms(200),
        ..quiet.clone()
    };
    let with = same_every_way(&busy, Fidelity::Burst, 5_000);
    let percent = |run: &Run, of: fn(&IopInterval) -> u64| {
        let interval = &run.intervals[0];
        let sum: u64 = interval.iops.iter().map(of).sum();
        100.0 * sum as f64 / 10.0 / interval.length_ps as f64
    };
    let (compression, scm) =
        (percent(&with, |row| row.compression_busy_ps), percent(&with, |row| row.scm_busy_ps));
    assert!((compression - 4.0).abs() < 0.1 && (scm - 3.0).abs() < 0.1, "{compression} %, {scm} %");
    let without = run(&Knobs { interval: busy.interval, ..quiet }, OPTIONS).0;
    let added = percent(&with, |row| row.busy_ps) - percent(&without, |row| row.busy_ps);
    assert!((added - compression - scm).abs() < 0.1, "{added} % more");
    let counts: [fn(&IopInterval) -> u64; 3] =
        [|row| row.started, |row| row.interrupts, |row| row.retries.channel_path_busy];
    let requests = |run: &Run| counts.map(|of| run.intervals[0].iops.iter().map(of).sum::<u64>());
    for (left, right) in requests(&with).into_iter().zip(requests(&without)) {
        assert!(left.abs_diff(right) <= 3, "{left} and {right} requests");
    }
    assert_eq!(with.intervals[0].devices.len(), without.intervals[0].devices.len());
    let [zip, page] = &with.intervals[0].eadm[..] else { panic!("two flows") };
    assert_eq!((zip.kind.as_str(), page.kind.as_str()), ("compression", "scm"));
    // What ran over an end of the interval is in one of the two alone.
    for (flow, percent) in [(zip, compression), (page, scm)] {
        let by_flow = 100.0 * flow.service_ps as f64 / 10.0 / with.intervals[0].length_ps as f64;
        assert!((by_flow - percent).abs() < 0.01, "{by_flow} % of {flow:?}, {percent} % of the IOPs");
        assert!(flow.started > 9_000 && flow.queue_ps < flow.service_ps, "{flow:?}");
    }
}

/// Adds up a count over the threads of an interval.
fn sum(rows: &[IopInterval], of: fn(&IopInterval) -> u64) -> u64 {
    rows.iter().map(of).sum()
}

/// Every retry costs its thread a microsecond (the site's): at one rate of starts, IOPs are the busier the more paths are
/// found busy. Four more SAPs have the same requests to try again: what is busy is the channels (IOP busy caution).
#[test]
fn retries_keep_iops_busy_and_more_iops_do_not_make_them_fewer() {
    let work = |rate, iop_threads| Knobs {
        streams: vec![stream("work", open(rate))],
        iop_threads,
        interval: Span::from_s(2),
        ..escon()
    };
    let retries = |rows: &[IopInterval]| sum(rows, |row| row.retries.channel_path_busy);
    let per_start = |rows: &[IopInterval]| retries(rows) as f64 / sum(rows, |row| row.started) as f64;
    let (light, heavy, more) = (rows(&work(100, 10)), rows(&work(900, 10)), rows(&work(900, 18)));
    assert!(per_start(&heavy) > 5.0 * per_start(&light), "{} and {}", per_start(&heavy), per_start(&light));
    assert!(per_start(&heavy) > 0.3, "{} retries a start", per_start(&heavy));
    for rows in [&light, &heavy, &more] {
        let (starts, interrupts) = (sum(rows, |row| row.started), sum(rows, |row| row.interrupts));
        let busy_us = sum(rows, |row| row.busy_ps) as f64 / 1e6;
        let demand_us = 2.65 * starts as f64 + 1.76 * interrupts as f64 + retries(rows) as f64;
        assert!((busy_us - demand_us).abs() < 20.0, "{busy_us} us busy, {demand_us} us asked for");
    }
    let off = retries(&more) as f64 / retries(&heavy) as f64 - 1.0;
    assert!(off.abs() < 0.02, "{} retries became {}", retries(&heavy), retries(&more));
}

/// The initiative queue is the one thing that more SAPs take away.
#[test]
fn a_queue_at_the_iops_is_capacity() {
    let queue = |iop_threads| {
        let streams = vec![stream("work", open(420_000))];
        let rows = rows(&Knobs { iop_threads, streams, channels: 8, ports: 8, ..Knobs::default() });
        let enqueued = sum(&rows, |row| row.enqueued);
        (sum(&rows, |row| row.queue_sum) - enqueued) as f64 / enqueued as f64
    };
    let (two, four) = (queue(2), queue(4));
    assert!(two > 0.5 && four < 0.1 * two, "{two} found waiting on two threads, {four} on four");
}
