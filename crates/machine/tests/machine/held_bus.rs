//! A channel whose firmware stays with every transfer while the bus moves it: its maximum, its figures in reports, and the
//! readings of its parts and of its idle bus.

use halftrack_base::Span;
use halftrack_config::{DataPath, HeldBus, Prices, ProtocolChoice};
use halftrack_program::{Operation, Positioning, Protocol};
use halftrack_record::ChannelInterval;

use crate::site::{Knobs, OPTIONS, closed, open, run, shape, stream};

/// FICON of the z900: a processor of 333 MHz, a bus of 33 MHz and 32 bits.
pub const FICON_Z900: HeldBus = HeldBus {
    units_per_command: 0,
    sequence: Span::from_ns(14_054),
    frame: Span::from_ns(8212),
    bytes_per_s: 132_000_000,
    idle_bus_permille: 120,
};

/// Length of an interval.
const SECONDS: u64 = 4;

/// Reads of `records` × `bytes` on such a channel with work enough to fill it; its interval of four seconds.
fn filled(records: u16, bytes: u16) -> (Knobs, ChannelInterval) {
    let mut work = stream("reads", closed(24));
    work.read = shape(Operation::Read, records, bytes);
    work.read.positioning = Positioning::DefineExtentLocateRecord;
    let knobs = Knobs {
        held_bus: Some(FICON_Z900),
        zhpf: false,
        streams: vec![work],
        interval: Span::from_s(SECONDS),
        ..Knobs::default()
    };
    let (record, _) = run(&knobs, OPTIONS);
    let channel = record.intervals[0].channels[0].clone();
    (knobs, channel)
}

fn percent(ps: u64) -> f64 {
    ps as f64 / 1e10 / SECONDS as f64
}

#[test]
fn the_channel_is_held_for_the_sum_of_processor_and_bus() {
    // 4 KiB: 7 units and 8 frames; 27,648 bytes: 10 units and 20 frames; six of them: 35 and 95.
    for (records, bytes, units, frames) in [(1, 4096, 7, 8), (1, 27_648, 10, 20), (6, 27_648, 35, 95)] {
        let (_, channel) = filled(records, bytes);
        let data = u64::from(records) * u64::from(bytes);
        let processor = FICON_Z900.sequence * units;
        let bus = FICON_Z900.frame * frames + Span::from_ns(data * 1000 / 132);
        let most = 1e12 / (processor + bus).as_ps() as f64;
        let rate = channel.operations[Protocol::Command].started as f64 / SECONDS as f64;
        assert!((rate / most - 1.0).abs() < 0.01, "{records} x {bytes}: {rate} a second of {most}");
        let share = 100.0 * bus.as_ps() as f64 / (processor + bus).as_ps() as f64;
        let busy = percent(channel.bus_busy_ps);
        assert!((busy - share).abs() < 1.0, "{records} x {bytes}: bus {busy} %, not {share} %");
        assert!(percent(channel.processor_busy_ps) > 99.0);
    }
}

#[test]
fn the_estimate_reads_one_hundred_at_the_maximum_of_4k_and_less_where_the_bus_holds_the_channel() {
    let (_, small) = filled(1, 4096);
    let (_, large) = filled(6, 27_648);
    let read = |channel: &ChannelInterval| percent(channel.reported_processor_ps());
    assert!((read(&small) - 100.0).abs() < 1.0, "4K: {} %", read(&small));
    assert!((read(&large) - 39.0).abs() < 2.0, "6x27K: {} %", read(&large));
}

#[test]
fn parts_of_the_estimate_sum_to_it_and_an_idle_bus_polls() {
    let mut knobs = filled(1, 4096).0;
    knobs.lpars = 2;
    let work = knobs.streams[0].clone();
    knobs.streams =
        (0..2).map(|lpar| halftrack_config::Stream { lpar, arrivals: open(200), ..work.clone() }).collect();
    let (record, _) = run(&knobs, OPTIONS);
    let channel = &record.intervals[0].channels[0];
    let parts: u64 = channel.parts.iter().map(|part| channel.reported_part_ps(part)).sum();
    assert_eq!(parts, channel.reported_processor_ps());
    assert!(channel.parts.iter().all(|part| part.sequences > 500));
    // 400 a second move 400 x 97 us; the bus polls for 12 % of the time that the channel is idle.
    let polling = 0.12 * (100.0 - percent(channel.processor_busy_ps));
    let moving = percent(channel.bus_busy_ps) - polling;
    assert!((moving - 3.9).abs() < 0.5, "moves for {moving} %");
    // Nothing waits for what is polled: as a station the bus is busy when it moves data.
    let mut stations = record.intervals[0].stations.iter();
    let bus = stations.find(|station| station.name.ends_with(" bus")).expect("a bus");
    assert!((percent(bus.busy_ps) - moving).abs() < 0.1, "{} %", percent(bus.busy_ps));
}

#[test]
fn firmware_pays_for_every_unit_where_a_data_router_costs_nothing_for_the_data() {
    let us = Span::from_us;
    let most = |data_path| {
        let mut work = stream("reads", closed(24));
        work.protocol = ProtocolChoice::Always(Protocol::Transport);
        let transport = Prices { program: us(20), unit: us(60), ..Prices::default() };
        let interval = Span::from_ms(200);
        let knobs = Knobs { transport, data_path, streams: vec![work], interval, ..Knobs::default() };
        let (record, _) = run(&knobs, OPTIONS);
        record.intervals[0].channels[0].operations[Protocol::Transport].started as f64 * 5.0
    };
    assert!((most(DataPath::Router) / 50_000.0 - 1.0).abs() < 0.01, "{}", most(DataPath::Router));
    assert!(
        (most(DataPath::Firmware) / 5000.0 - 1.0).abs() < 0.01,
        "command, data and response: {}",
        most(DataPath::Firmware)
    );
}
