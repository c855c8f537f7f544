//! ESCON: one program at a time on a channel, its path held from connection to end or miss, ports that are busy.

use halftrack_base::Span;
use halftrack_config::{ChannelCircuit, Interface, Stream, UnitCircuit};
use halftrack_machine::Fidelity;
use halftrack_program::{Positioning, Protocol};
use halftrack_record::{Interval, Run};

use crate::disturbances::{losses_of_two_channels, one_of_each, the_other_path_carries_all};
use crate::site::{Knobs, OPTIONS, Topology, closed, open, run, same_every_way, stream};

/// Length of the one interval of a test.
const INTERVAL_MS: u64 = 400;

/// Returns the circuit of an ESCON channel and that of an ESCON port.
pub fn escon_circuit() -> (ChannelCircuit, UnitCircuit) {
    let us = Span::from_us;
    let channel =
        ChannelCircuit { interface: Interface::Escon, window_bytes: 1530, port_busy_retry: us(100) };
    (channel, UnitCircuit { reconnect: us(50), reconnect_retry: us(200) })
}

/// Makes one ESCON channel and one port.
pub fn escon() -> Knobs {
    Knobs {
        circuit: Some(escon_circuit()),
        link_bytes_per_s: 17_000_000,
        credits: 65_535,
        km: 0,
        ports: 1,
        open_exchanges: (1024, 1024),
        interval: Span::from_ms(INTERVAL_MS),
        ..Knobs::default()
    }
}

fn by_locate_record(mut work: Stream) -> Stream {
    work.read.positioning = Positioning::DefineExtentLocateRecord;
    work.write.positioning = Positioning::DefineExtentLocateRecord;
    work
}

fn reads(jobs: u32, hit_ppm: u32) -> Stream {
    Stream { hit_ppm, ..by_locate_record(stream("reads", closed(jobs))) }
}

fn only(run: &Run) -> &Interval {
    &run.intervals[0]
}

/// Returns the part of the interval that the path of a channel was held.
fn held(run: &Run, channel: usize) -> f64 {
    let interval = only(run);
    interval.channels[channel].processor_busy_ps as f64 / interval.length_ps as f64
}

fn rate(run: &Run) -> f64 {
    run.streams[0].completed as f64 * 1000.0 / INTERVAL_MS as f64
}

/// Returns the times of an I/O, µs: pending, disconnected, connected.
fn times(run: &Run) -> [f64; 3] {
    let devices = &only(run).devices;
    let completed: u64 = devices.iter().map(|device| device.completed).sum();
    let mean = |ps: u64| ps as f64 / 1e6 / completed as f64;
    [
        mean(devices.iter().map(|device| device.pend_ps).sum()),
        mean(devices.iter().map(|device| device.disc_ps).sum()),
        mean(devices.iter().map(|device| device.conn_ps).sum()),
    ]
}

fn port_busy(run: &Run) -> (u64, u64) {
    let interval = only(run);
    let of_paths = interval.lcus.iter().flat_map(|lcu| &lcu.paths).map(|path| path.director_port_busy).sum();
    (of_paths, interval.iops.iter().map(|iop| iop.retries.director_port_busy).sum())
}

#[test]
fn one_program_at_a_time_however_many_wait() {
    let mut rates = Vec::new();
    for jobs in [1, 2, 16] {
        let (run, _) = run(&Knobs { streams: vec![reads(jobs, 1_000_000)], ..escon() }, OPTIONS);
        assert_eq!(only(&run).channels[0].kind.acronym(), "CNC_S");
        let operations = only(&run).channels[0].operations[Protocol::Command];
        assert_eq!(operations.active_sum, operations.started, "never two programs");
        assert!(only(&run).channels[0].operations[Protocol::Transport].started == 0);
        rates.push(rate(&run));
        if jobs == 16 {
            assert!(held(&run, 0) > 0.97, "{}", held(&run, 0));
            let retries: u64 = only(&run).iops.iter().map(|iop| iop.retries.channel_path_busy).sum();
            assert!(retries > 0, "the others found the channel busy");
            assert_eq!(port_busy(&run), (0, 0));
        }
    }
    assert!(rates[2] < 1.1 * rates[1], "no overlap: {rates:?}");
    // Four times 168 us of interlocks and half a millisecond of data and control unit.
    assert!((800.0..1300.0).contains(&rates[2]), "{rates:?}");
}

#[test]
fn the_second_channel_gets_port_busy() {
    let work = reads(8, 1_000_000);
    let (alone, _) = run(&Knobs { streams: vec![work.clone()], ..escon() }, OPTIONS);
    let (both, _) = run(&Knobs { channels: 2, streams: vec![work.clone()], ..escon() }, OPTIONS);
    let (of_paths, of_iops) = port_busy(&both);
    assert!(of_paths > 50 && of_iops > 50, "{of_paths} {of_iops}");
    assert!(rate(&both) < 1.1 * rate(&alone), "the port of the control unit is held by one of them");
    assert_eq!(both.streams[0].failed, 0);
    // A port each: nobody is in the other's way.
    let (apart, _) = run(
        &Knobs { channels: 2, ports: 2, topology: Topology::Direct, streams: vec![work], ..escon() },
        OPTIONS,
    );
    assert_eq!(port_busy(&apart), (0, 0));
    assert!(rate(&apart) > 1.9 * rate(&alone), "{} {}", rate(&apart), rate(&alone));
    assert_eq!(only(&apart).channels[0].kind.acronym(), "CNC_P");
}

#[test]
fn a_miss_lets_the_path_go_and_takes_it_again() {
    let one = |hit_ppm| run(&Knobs { streams: vec![reads(1, hit_ppm)], ..escon() }, OPTIONS).0;
    let (hits, misses) = (one(1_000_000), one(0));
    let ([_, no_disc, conn], [_, disc, miss_conn]) = (times(&hits), times(&misses));
    assert_eq!(no_disc, 0.0);
    // 600 us of staging and a round trip with 50 us.
    assert!((600.0..800.0).contains(&disc), "{disc}");
    assert!((miss_conn / conn - 1.0).abs() < 0.1, "{miss_conn} {conn}");
    assert!(held(&misses, 0) < 0.7, "{}", held(&misses, 0));
    // With several at once the channel works for the others meanwhile.
    let (many, _) = run(&Knobs { streams: vec![reads(8, 0)], ..escon() }, OPTIONS);
    assert!(held(&many, 0) > 0.9, "{}", held(&many, 0));
    // The port is joined when the request has come to it, so for a little less.
    let port = only(&many).stations.iter().find(|station| station.name == "port BOXA 0000 path");
    let joined = port.expect("a station").busy_ps as f64 / only(&many).length_ps as f64;
    assert!(joined > 0.8 && joined < held(&many, 0), "{joined}");
    assert!(rate(&many) > 1.4 * rate(&misses));
}

/// ficon-2002: reconnections fail as often as the path is held by others.
#[test]
fn missed_reconnections_rise_with_utilisation() {
    let missed = |rate_per_s| {
        let work = Stream { hit_ppm: 500_000, ..by_locate_record(stream("reads", open(rate_per_s))) };
        let (run, _) = run(&Knobs { streams: vec![work], ..escon() }, OPTIONS);
        let name = "port BOXA 0000 missed reconnections";
        let station = only(&run).stations.iter().find(|station| station.name == name).expect("a station");
        station.completions as f64 / run.streams[0].completed as f64
    };
    let (low, middle, high) = (missed(100), missed(400), missed(700));
    assert!(low < middle && middle < high, "{low} {middle} {high}");
    assert!(high > 3.0 * low, "{low} {high}");
}

/// ficon-2002: at most 60 us a km for a read of 4K, six trips. Below nine km the buffer does not matter.
#[test]
fn eight_km_are_six_trips_of_a_read() {
    let response = |km| {
        let (run, _) = run(&Knobs { km, streams: vec![reads(1, 1_000_000)], ..escon() }, OPTIONS);
        times(&run).iter().sum::<f64>()
    };
    let per_km = (response(8) - response(0)) / 8.0;
    assert!((per_km / 60.0 - 1.0).abs() < 0.05, "{per_km} us a km");
}

#[test]
fn the_rate_of_large_reads_falls_with_the_distance() {
    let rate_at = |km| {
        let mut work = reads(4, 1_000_000);
        (work.read.record_bytes, work.read.records) = (27_998, 6);
        let (run, _) = run(&Knobs { km, streams: vec![work], ..escon() }, OPTIONS);
        let interval = only(&run);
        interval.channels[0].read_bytes as f64 / 1e6 / (interval.length_ps as f64 / 1e12)
    };
    let rates = [0, 20, 40].map(rate_at);
    assert!(rates[0] > 13.0 && rates[0] < 17.0, "{rates:?}");
    // Handshakes grow, too, so that the whole program falls a little below 45 % of its rate.
    assert!((0.40..0.50).contains(&(rates[1] / rates[0])), "{rates:?}");
    assert!(rates[2] < 0.6 * rates[1], "{rates:?}");
}

/// ficon-2002: 1,530 bytes a round trip of 20 km are 45 % of 17 MB/s. What blocks of two sizes differ in is their data
/// alone: the trips of their programs are the same.
#[test]
fn the_buffer_lets_45_percent_of_the_data_through_at_20_km() {
    let data_mb_per_s = |km| {
        let took_us = |record_bytes| {
            let mut work = reads(1, 1_000_000);
            (work.read.record_bytes, work.read.records) = (record_bytes, 2);
            let (run, _) = run(&Knobs { km, streams: vec![work], ..escon() }, OPTIONS);
            times(&run).iter().sum::<f64>()
        };
        2.0 * 14_000.0 / (took_us(28_000) - took_us(14_000))
    };
    let (near, far) = (data_mb_per_s(0), data_mb_per_s(20));
    assert!((near / 17.0 - 1.0).abs() < 0.02, "{near}");
    assert!((far / near / 0.45 - 1.0).abs() < 0.05, "{far} of {near}");
}

/// ficon-2002: an ESCON channel is busy for as long as its one I/O is in progress, whatever of it is at work.
#[test]
fn the_channel_is_busy_while_its_one_program_is_in_progress() {
    let busy_us = |rate_per_s, hit_ppm| {
        let work = Stream { hit_ppm, ..by_locate_record(stream("reads", open(rate_per_s))) };
        let (run, _) = run(&Knobs { streams: vec![work], ..escon() }, OPTIONS);
        let per_io = only(&run).channels[0].processor_busy_ps as f64 / 1e6 / run.streams[0].completed as f64;
        (per_io, times(&run))
    };
    let (light, [pend, _, conn]) = busy_us(50, 1_000_000);
    assert!(conn < light && light < pend + conn, "{conn} {light} {pend}: from the first command to the end");
    let (heavy, _) = busy_us(500, 1_000_000);
    assert!((heavy / light - 1.0).abs() < 0.02, "waiting for the channel is not its time: {heavy} {light}");
    // Staging lets it go.
    let (missing, [_, disc, _]) = busy_us(50, 0);
    assert!(missing < light + 0.25 * disc, "{missing} {light} {disc}");
}

/// Makes two channels to one port, hits, misses and writes.
fn mixed() -> Knobs {
    let mut oltp = by_locate_record(stream("oltp", open(500)));
    (oltp.read_ppm, oltp.hit_ppm) = (700_000, 700_000);
    let mut batch = reads(3, 800_000);
    batch.read.records = 6;
    batch.write.records = 6;
    batch.read_ppm = 500_000;
    Knobs { channels: 2, streams: vec![batch, oltp], lpars: 1, ..escon() }
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
    let mut knobs = mixed();
    knobs.disturbances = losses_of_two_channels();
    the_other_path_carries_all(&knobs);
}
