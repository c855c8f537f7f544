//! Several machines at one director and one port of a control unit: what each of them gets, and what its reports see.

use halftrack_base::Span;
use halftrack_config::{Arrivals, Stream};
use halftrack_program::Positioning;
use halftrack_record::{Interval, Run};

use crate::circuits::escon;
use crate::site::{Knobs, OPTIONS, closed, open, run, stream};

/// Makes two machines of one partition and one FICON channel each, before one port.
pub fn two_machines() -> Knobs {
    Knobs { cpcs: 2, lpars: 2, channels: 2, ports: 1, iop_threads: 2, ..Knobs::default() }
}

/// Makes two such machines with ESCON channels.
pub fn two_escon_machines() -> Knobs {
    Knobs { cpcs: 2, lpars: 2, channels: 2, iop_threads: 2, ..escon() }
}

/// Makes read hits as channels of either kind have them.
pub fn reads(name: &str, arrivals: Arrivals) -> Stream {
    let mut work = stream(name, arrivals);
    work.read.positioning = Positioning::DefineExtentLocateRecord;
    work.write.positioning = Positioning::DefineExtentLocateRecord;
    work
}

/// Streams of the first and of the second machine.
fn of_both(a: Stream, b: Stream) -> Vec<Stream> {
    vec![Stream { name: "a".into(), lpar: 0, ..a }, Stream { name: "b".into(), lpar: 1, ..b }]
}

fn only(run: &Run) -> &Interval {
    &run.intervals[0]
}

/// Counts the port-busy answers in the LCU rows of a partition.
fn director_port_busy(run: &Run, lpar: &str) -> u64 {
    let rows = only(run).lcus.iter().filter(|row| row.lpar == lpar);
    rows.flat_map(|row| &row.paths).map(|path| path.director_port_busy).sum()
}

/// Counts the control-unit-busy answers in the LCU rows of all partitions.
fn control_unit_busy(run: &Run) -> u64 {
    only(run).lcus.iter().flat_map(|row| &row.paths).map(|path| path.control_unit_busy).sum()
}

/// Retries for a busy director port on the IOPs of a machine.
fn retries(run: &Run, cpc: u8) -> u64 {
    let iops = only(run).iops.iter().filter(|iop| iop.cpc == cpc);
    iops.map(|iop| iop.retries.director_port_busy).sum()
}

fn response_us(run: &Run, stream: &str) -> f64 {
    run.streams.iter().find(|one| one.name == stream).expect("a stream").response_us.mean
}

/// ficon-2002: an ESCON director joins two ports for one program; whoever else wants one of them gets port busy.
#[test]
fn the_escon_channel_of_a_second_machine_gets_port_busy() {
    let work = || reads("work", open(400));
    let alone = Knobs { streams: vec![work()], ..two_escon_machines() };
    let (alone, _) = run(&alone, OPTIONS);
    assert_eq!(director_port_busy(&alone, "PROD1"), 0);
    let (both, _) = run(&Knobs { streams: of_both(work(), work()), ..two_escon_machines() }, OPTIONS);
    for (lpar, cpc) in [("PROD1", 0), ("PROD2", 1)] {
        let (rows, retries) = (director_port_busy(&both, lpar), retries(&both, cpc));
        assert!(rows > 20 && retries > 20, "{lpar}: {rows} in its rows, {retries} on its IOPs");
    }
    assert!(response_us(&both, "a") > 1.3 * response_us(&alone, "work"));
    assert!(both.streams.iter().all(|stream| stream.failed == 0 && stream.completed > 100));
}

/// ficon-2002: frames of many exchanges share a FICON port, so that nobody is answered busy; past the knee of the
/// port's processor everybody waits longer.
#[test]
fn ficon_channels_of_two_machines_share_a_port_without_busy() {
    let alone = |rate| {
        let work = Stream { name: "a".into(), ..reads("a", open(rate)) };
        run(&Knobs { streams: vec![work], ..two_machines() }, OPTIONS).0
    };
    let beside = |rate, other: Stream| {
        run(&Knobs { streams: of_both(reads("a", open(rate)), other), ..two_machines() }, OPTIONS).0
    };
    let quiet = beside(1000, reads("b", open(1000)));
    let loaded = beside(1000, reads("b", closed(64)));
    for run in [&quiet, &loaded] {
        let busy = ["PROD1", "PROD2"].map(|lpar| director_port_busy(run, lpar));
        assert_eq!((busy, control_unit_busy(run)), ([0, 0], 0));
        assert_eq!((retries(run, 0), retries(run, 1)), (0, 0));
        assert!(run.streams.iter().all(|stream| stream.failed == 0));
    }
    let usual = response_us(&alone(1000), "a");
    let (near, far) = (response_us(&quiet, "a"), response_us(&loaded, "a"));
    assert!(near < 1.1 * usual, "{near} beside a light load, {usual} alone");
    assert!(far > 2.0 * usual, "{far} beside a port that is full, {usual} alone");
}

#[test]
fn each_machine_counts_what_is_its_own() {
    let streams = of_both(reads("a", open(2000)), reads("b", open(1000)));
    let (run, counters) = run(&Knobs { streams, ..two_machines() }, OPTIONS);
    let header = &run.header;
    let machines: Vec<_> = header.cpcs.iter().map(|cpc| cpc.name.as_str()).collect();
    let systems: Vec<_> = header.systems.iter().map(|system| (system.name.as_str(), system.cpc)).collect();
    assert_eq!((machines, systems), (vec!["A", "B"], vec![("PROD1", 0), ("PROD2", 1)]));
    let interval = only(&run);
    let threads: Vec<_> = interval.iops.iter().map(|iop| (iop.cpc, iop.number)).collect();
    assert_eq!(threads, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let started =
        |cpc| -> u64 { interval.iops.iter().filter(|iop| iop.cpc == cpc).map(|iop| iop.started).sum() };
    for (index, (channel, lpar)) in interval.channels.iter().zip(["PROD1", "PROD2"]).enumerate() {
        let parts: Vec<_> = channel.parts.iter().map(|part| part.lpar.as_str()).collect();
        assert_eq!((usize::from(channel.cpc), parts), (index, vec![lpar]));
        let operations = channel.started();
        assert!(operations > 0 && operations.abs_diff(started(index as u8)) <= 2, "{operations} starts");
    }
    assert!(started(0) > 3 * started(1) / 2, "{} and {}", started(0), started(1));
    let stations: Vec<_> = interval.stations.iter().map(|station| station.name.as_str()).collect();
    assert!(
        stations.contains(&"A.IOPs") && stations.contains(&"channel B.CSS0.41 processor"),
        "{stations:?}"
    );
    assert!(counters.ios > 50);
}

/// The work of a port for all machines adds up, and that is to be held against its knee: reports of one system show a part
/// of it.
#[test]
fn a_port_is_as_busy_as_all_machines_make_it() {
    let percent = |rates: [u64; 2]| {
        let streams = of_both(reads("a", open(rates[0])), reads("b", open(rates[1])));
        let interval = Span::from_ms(100);
        let (run, _) = run(&Knobs { streams, interval, ..two_machines() }, OPTIONS);
        let port = only(&run).stations.iter().find(|one| one.name == "port BOXA 0000 processor");
        let port = port.expect("the station of the port");
        (100.0 * port.busy_ps as f64 / only(&run).length_ps as f64, response_us(&run, "a"))
    };
    let ((own, usual), (other, _)) = (percent([8000, 1]), percent([1, 16_000]));
    let (both, longer) = percent([8000, 16_000]);
    assert!((both / (own + other) - 1.0).abs() < 0.1, "{both} % of {own} % and {other} %");
    assert!(longer > usual, "{longer} us beside {usual} us");
}
