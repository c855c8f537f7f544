//! Same study and seed: the same record, planned or live, on one thread or two.

use halftrack_base::Span;
use halftrack_config::{DataPath, Disturbance, DisturbanceKind, Locality, ProtocolChoice, Stream};
use halftrack_machine::{Fidelity, Options};
use halftrack_program::{Grouping, Operation, Protocol};

use crate::held_bus::FICON_Z900;
use crate::several_machines::{reads, two_escon_machines, two_machines};
use crate::shares::two_domains;
use crate::site::{Knobs, OPTIONS, Topology, closed, open, run, same_every_way, shape, stream};

/// Makes two channels, four kinds of work, with misses and writes.
fn mixed() -> Knobs {
    let mut legacy = stream("legacy", closed(6));
    legacy.protocol = ProtocolChoice::Always(Protocol::Command);
    legacy.read = shape(Operation::Read, 6, 27_998);
    let mut tracks = stream("tracks", closed(3));
    tracks.protocol = ProtocolChoice::Always(Protocol::Command);
    tracks.read = shape(Operation::Read, 32, 4096);
    tracks.read.grouping = Grouping::TrackData;
    let mut oltp = stream("oltp", open(20_000));
    oltp.read_ppm = 700_000;
    oltp.hit_ppm = 900_000;
    let mut batch = stream("batch", closed(4));
    batch.read = shape(Operation::Read, 32, 4096);
    batch.write = shape(Operation::UpdateWrite, 32, 4096);
    batch.read_ppm = 500_000;
    Knobs { channels: 2, streams: vec![batch, legacy, oltp, tracks], ..Knobs::default() }
}

fn every_way(knobs: &Knobs, fidelity: Fidelity) {
    let reference = same_every_way(knobs, fidelity, 500);
    let (other, _) = run(knobs, Options { fidelity, seed: 2, ..OPTIONS });
    assert_ne!(other.intervals, reference.intervals, "the seed has no effect");
}

#[test]
fn planned_and_live_and_any_number_of_threads_give_the_same_record() {
    every_way(&mixed(), Fidelity::Burst);
}

#[test]
fn frame_by_frame_too() {
    every_way(&mixed(), Fidelity::Frame);
}

#[test]
fn over_two_inter_switch_links_side_by_side_too() {
    let knobs = Knobs { topology: Topology::Trunk, ..mixed() };
    every_way(&knobs, Fidelity::Burst);
    every_way(&knobs, Fidelity::Frame);
}

#[test]
fn a_run_with_disturbances_too() {
    let mut knobs = mixed();
    let ms = Span::from_ms;
    knobs.disturbances = vec![
        Disturbance { at: ms(6), lasts: ms(2), kind: DisturbanceKind::PathLost { channel: 1 } },
        Disturbance { at: ms(10), lasts: ms(1), kind: DisturbanceKind::ControlUnitBusy { lcu: 0 } },
        Disturbance { at: ms(13), lasts: ms(1), kind: DisturbanceKind::ChannelBusy { channel: 0 } },
    ];
    every_way(&knobs, Fidelity::Burst);
    every_way(&knobs, Fidelity::Frame);
}

/// Reads of one chunk each way, which go by the row of their plan: the fibre is lost in every step of one, because the
/// losses come at odd times and last long enough for the next.
#[test]
fn short_reads_that_lose_their_fibre_in_any_step_too() {
    let us = Span::from_us;
    let lost = |at: u64| {
        let kind = DisturbanceKind::PathLost { channel: (at % 2) as u32 };
        Disturbance { at: us(6000 + 137 * at), lasts: us(61), kind }
    };
    let mut knobs = Knobs { channels: 2, streams: vec![stream("reads", closed(12))], ..Knobs::default() };
    knobs.disturbances = (0..60).map(lost).collect();
    let busy = [
        (15_100, DisturbanceKind::ControlUnitBusy { lcu: 0 }),
        (15_700, DisturbanceKind::ChannelBusy { channel: 0 }),
    ];
    knobs.disturbances.extend(busy.map(|(at, kind)| Disturbance { at: us(at), lasts: us(200), kind }));
    every_way(&knobs, Fidelity::Burst);
}

#[test]
fn firmware_that_moves_the_data_of_either_mode_too() {
    every_way(&Knobs { data_path: DataPath::Firmware, ..mixed() }, Fidelity::Burst);
}

#[test]
fn firmware_that_holds_the_bus_too() {
    // Slow cards: a longer interval for as many I/Os.
    let interval = Span::from_ms(100);
    let knobs = Knobs { held_bus: Some(FICON_Z900), zhpf: false, interval, ..mixed() };
    every_way(&knobs, Fidelity::Burst);
    every_way(&knobs, Fidelity::Frame);
}

#[test]
fn channels_that_share_and_lose_an_interconnect_too() {
    let ms = Span::from_ms;
    let kind = DisturbanceKind::InterconnectLost { share: 2 };
    let lost = Disturbance { at: ms(9), lasts: ms(8), kind };
    let knobs = Knobs { shares: two_domains(400), disturbances: vec![lost], ..mixed() };
    every_way(&knobs, Fidelity::Burst);
    every_way(&knobs, Fidelity::Frame);
}

#[test]
fn tracks_that_are_looked_up_too() {
    let mut knobs = Knobs { cache_tracks: 500, ..mixed() };
    for (stream, exponent) in knobs.streams.iter_mut().zip([None, Some(0.8), Some(1.2), None]) {
        stream.locality = Some(Locality { tracks: 300, exponent });
    }
    every_way(&knobs, Fidelity::Burst);
    every_way(&knobs, Fidelity::Frame);
}

#[test]
fn two_machines_at_one_port_too() {
    let own = |name: &str, lpar| Stream { lpar, ..reads(name, open(4000)) };
    let interval = Span::from_ms(100);
    let knobs = Knobs { streams: vec![own("a", 0), own("b", 1)], interval, ..two_machines() };
    every_way(&knobs, Fidelity::Burst);
    every_way(&knobs, Fidelity::Frame);
    let own = |name: &str, lpar| Stream { lpar, ..reads(name, open(400)) };
    let streams = vec![own("a", 0), own("b", 1)];
    let interval = Span::from_ms(1000);
    every_way(&Knobs { streams, interval, ..two_escon_machines() }, Fidelity::Burst);
}
