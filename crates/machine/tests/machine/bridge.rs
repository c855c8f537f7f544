//! The FICON bridge: eight I/Os at once over one fibre, each holding an ESCON port behind it; the ninth waits.

use halftrack_base::Span;
use halftrack_config::{Bridge, HeldBus, Stream};
use halftrack_machine::Fidelity;
use halftrack_program::{Positioning, Protocol};
use halftrack_record::{Interval, Run};

use crate::circuits::escon_circuit;
use crate::disturbances::{losses_of_two_channels, one_of_each, the_other_path_carries_all};
use crate::held_bus::FICON_Z900;
use crate::site::{Knobs, OPTIONS, closed, open, run, same_every_way, stream};

/// Length of the one interval of a test.
const INTERVAL_MS: u64 = 300;
/// I/Os that are active at a bridge.
const ACTIVE: u32 = 8;

/// Makes one FICON channel to a bridge, and eight ESCON ports behind it.
fn bridged() -> Knobs {
    Knobs {
        circuit: Some(escon_circuit()),
        bridge: Some(Bridge { interlock: Span::from_us(42), granted_pacing: 16 }),
        link_bytes_per_s: 100_000_000,
        port_bytes_per_s: Some(17_000_000),
        credits: 60,
        km: 0,
        ports: 8,
        devices_per_lcu: 16,
        open_exchanges: (ACTIVE, ACTIVE),
        interval: Span::from_ms(INTERVAL_MS),
        ..Knobs::default()
    }
}

/// Makes that channel without a bridge, and FICON ports.
fn native() -> Knobs {
    let knobs = bridged();
    Knobs {
        circuit: None,
        bridge: None,
        port_bytes_per_s: None,
        zhpf: false,
        open_exchanges: (32, 32),
        ..knobs
    }
}

fn reads(jobs: u32) -> Stream {
    let mut work = stream("reads", closed(jobs));
    work.read.positioning = Positioning::DefineExtentLocateRecord;
    work.write.positioning = Positioning::DefineExtentLocateRecord;
    work
}

fn only(run: &Run) -> &Interval {
    &run.intervals[0]
}

fn rate(run: &Run) -> f64 {
    run.streams[0].completed as f64 * 1000.0 / INTERVAL_MS as f64
}

/// Returns the mean response, us.
fn response(run: &Run) -> f64 {
    let devices = &only(run).devices;
    let completed: u64 = devices.iter().map(|device| device.completed).sum();
    let parts = devices.iter().map(|device| device.pend_ps + device.disc_ps + device.conn_ps);
    parts.sum::<u64>() as f64 / 1e6 / completed as f64
}

fn of(work: Stream, knobs: Knobs) -> Run {
    run(&Knobs { streams: vec![work], ..knobs }, OPTIONS).0
}

#[test]
fn eight_are_active_and_the_ninth_waits() {
    let few = of(reads(ACTIVE), bridged());
    let ficon = only(&few).channels[0].operations[Protocol::Command];
    assert_eq!(only(&few).channels[0].kind.acronym(), "FCV");
    assert_eq!(ficon.deferred, 0, "eight find a place each");
    let many = of(reads(ACTIVE + 1), bridged());
    let ficon = only(&many).channels[0].operations[Protocol::Command];
    assert!(ficon.deferred > ficon.started / 2, "{} of {} waited", ficon.deferred, ficon.started);
    assert!(ficon.active_sum <= u64::from(ACTIVE) * ficon.started, "never nine");
    assert!(ficon.active_sum > 7 * ficon.started, "{} over {}", ficon.active_sum, ficon.started);
    // No IOP gets a notice that a port was busy.
    let iops = only(&many).iops.iter();
    assert_eq!(
        iops.map(|iop| iop.retries.director_port_busy + iop.retries.channel_path_busy).sum::<u64>(),
        0
    );
    assert!(only(&many).channels[0].read_bytes > 0);
}

#[test]
fn ios_to_other_ports_overlap_and_those_to_one_port_do_not() {
    let alone = of(reads(1), bridged());
    let apart = of(reads(ACTIVE), bridged());
    let one_port = of(reads(ACTIVE), Knobs { ports: 1, ..bridged() });
    assert!(rate(&apart) > 3.5 * rate(&alone), "{} {}", rate(&apart), rate(&alone));
    assert!(rate(&one_port) < 1.4 * rate(&alone), "{} {}", rate(&one_port), rate(&alone));
    // What a circuit behind the bridge takes is about what ESCON takes: a millisecond.
    assert!((800.0..1250.0).contains(&rate(&one_port)), "{}", rate(&one_port));
}

/// ficon-2002: 0.2 ms for 10 km between channel and bridge, where native FICON has 0.1.
#[test]
fn ten_km_are_two_round_trips_and_one_without_a_bridge() {
    let delay = |knobs: fn() -> Knobs| {
        let at = |km| response(&of(reads(1), Knobs { km, ..knobs() }));
        at(10) - at(0)
    };
    assert!((delay(bridged) / 200.0 - 1.0).abs() < 0.01, "{} us", delay(bridged));
    assert!((delay(native) / 100.0 - 1.0).abs() < 0.01, "{} us", delay(native));
}

#[test]
fn slower_than_native_ficon_for_small_and_for_large_blocks() {
    let shapes = [(4096, 1), (27_998, 6)];
    for (record_bytes, records) in shapes {
        let work = |jobs| {
            let mut work = reads(jobs);
            (work.read.record_bytes, work.read.records) = (record_bytes, records);
            work
        };
        for jobs in [1, 16] {
            let (bridge, ficon) = (of(work(jobs), bridged()), of(work(jobs), native()));
            // Eight ESCON links carry more than one FICON link: at most the data that come to it are behind.
            assert!(rate(&bridge) < 0.9 * rate(&ficon), "{record_bytes}: {} {}", rate(&bridge), rate(&ficon));
            assert!(response(&bridge) > 1.1 * response(&ficon), "{record_bytes}");
        }
    }
}

/// The units of the dialogue are the firmware's work: it does about half of what it does native, and its clock sets the cards
/// apart. ficon-2002: FICON Express absorbs twice as many ESCON channels as the card of the G5 and G6.
#[test]
fn the_firmware_is_held_for_the_dialogue() {
    let held = |processor_mhz: f64, bus_mhz: f64, bytes_per_s| HeldBus {
        sequence: Span::from_us_f64(4680.0 / processor_mhz),
        frame: Span::from_us_f64(271.0 / bus_mhz),
        bytes_per_s,
        ..FICON_Z900
    };
    let most = |held: HeldBus, knobs: Knobs| rate(&of(reads(64), Knobs { held_bus: Some(held), ..knobs }));
    let bridge = |held| most(HeldBus { units_per_command: 3, ..held }, bridged());
    let (express, g5g6) = (held(333.0, 66.0, 528_000_000), held(166.0, 33.0, 132_000_000));
    for held in [express, g5g6] {
        let part = bridge(held) / most(held, native());
        assert!((0.4..0.6).contains(&part), "{part}");
    }
    let gain = bridge(express) / bridge(g5g6);
    assert!((1.8..2.2).contains(&gain), "{gain}");
}

#[test]
fn a_miss_lets_the_port_go_behind_the_bridge() {
    let misses = |jobs| {
        let work = Stream { hit_ppm: 500_000, ..reads(jobs) };
        of(work, Knobs { ports: 1, ..bridged() })
    };
    let run = misses(ACTIVE);
    let devices = &only(&run).devices;
    assert!(devices.iter().map(|device| device.disc_ps).sum::<u64>() > 0);
    // The others work while one is staged: 300 us a miss of 600 would be lost for each I/O else.
    assert!(rate(&run) > 0.75 * rate(&of(reads(ACTIVE), Knobs { ports: 1, ..bridged() })), "{}", rate(&run));
    assert_eq!(run.streams[0].failed, 0);
}

/// Two ports behind the bridge cannot carry what eight I/Os demand of them: their paths are what is full, and nothing else.
#[test]
fn few_ports_behind_a_bridge_are_what_is_full() {
    let (record, _) = run(&Knobs { ports: 2, streams: vec![reads(16)], ..bridged() }, OPTIONS);
    let interval = only(&record);
    let busy = |end: &str| {
        let of_kind = interval.stations.iter().filter(|station| station.name.ends_with(end));
        of_kind.map(|station| station.busy_ps as f64 / interval.length_ps as f64).collect::<Vec<_>>()
    };
    let paths = busy(" path");
    assert!(paths.len() == 2 && paths.iter().all(|busy| (0.9..=1.0).contains(busy)), "{paths:?}");
    assert!(busy(" processor").iter().all(|busy| *busy < 0.8), "{:?}", busy(" processor"));
}

/// Makes two channels to three ports, hits, misses, and writes whose first units come before the ports are free.
fn mixed() -> Knobs {
    let mut oltp = Stream { arrivals: open(700), ..reads(1) };
    (oltp.name, oltp.read_ppm, oltp.hit_ppm) = ("oltp".into(), 700_000, 700_000);
    let mut batch = reads(12);
    (batch.read.records, batch.write.records) = (6, 6);
    (batch.write.record_bytes, batch.read_ppm, batch.hit_ppm) = (27_998, 500_000, 800_000);
    Knobs { channels: 2, ports: 3, streams: vec![batch, oltp], ..bridged() }
}

#[test]
fn planned_and_live_and_any_number_of_threads_give_the_same_record() {
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let interval = Span::from_ms(150);
        let knobs = Knobs { km: 1, interval, disturbances: one_of_each(), ..mixed() };
        same_every_way(&knobs, fidelity, 50);
    }
}

#[test]
fn lost_paths_again_and_again_lose_no_io() {
    // Short programs: an I/O that meets both losses has no path left.
    let mut knobs = mixed();
    knobs.streams[0].arrivals = closed(4);
    for work in &mut knobs.streams {
        (work.read.records, work.write.records, work.write.record_bytes) = (1, 1, 4096);
    }
    knobs.disturbances = losses_of_two_channels();
    the_other_path_carries_all(&knobs);
}
