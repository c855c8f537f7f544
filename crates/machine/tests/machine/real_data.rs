//! Real data: nothing changes in time, everything arrives as it was sent, and what is damaged on the way is found.

use halftrack_base::Span;
use halftrack_config::{Disturbance, DisturbanceKind, ProtocolChoice, Stream};
use halftrack_machine::{ExchangeMode, Fidelity, Options, Simulation, Threads};
use halftrack_program::{Grouping, Operation, Protocol};
use halftrack_record::{DataSummary, FoundBy, Run};

use crate::site::{Knobs, OPTIONS, closed, configuration, open, run, shape, stream};

/// Reads and writes of every shape in both modes, with misses, some of them to the same volumes.
fn streams() -> Vec<Stream> {
    let command = |mut stream: Stream| {
        stream.protocol = ProtocolChoice::Always(Protocol::Command);
        stream
    };
    let mut halves = command(stream("halves", closed(4)));
    halves.read = shape(Operation::Read, 6, 27_998);
    halves.write = shape(Operation::UpdateWrite, 6, 27_998);
    halves.read_ppm = 600_000;
    let mut tracks = command(stream("tracks", closed(3)));
    tracks.read = shape(Operation::Read, 32, 4096);
    tracks.read.grouping = Grouping::TrackData;
    let mut oltp = stream("oltp", open(20_000));
    oltp.read_ppm = 700_000;
    oltp.hit_ppm = 900_000;
    let mut old = command(stream("old", closed(4)));
    old.read_ppm = 500_000;
    let mut odd = stream("odd", closed(4));
    odd.read = shape(Operation::Read, 30, 4095);
    odd.write = shape(Operation::UpdateWrite, 30, 4095);
    odd.read_ppm = 500_000;
    let mut batch = stream("batch", closed(4));
    batch.read = shape(Operation::Read, 32, 4096);
    batch.write = shape(Operation::UpdateWrite, 32, 4096);
    batch.read_ppm = 500_000;
    vec![batch, halves, odd, old, oltp, tracks]
}

fn site() -> Knobs {
    Knobs { channels: 2, streams: streams(), ..Knobs::default() }
}

/// Runs with real data. Returns the record without the entry for the data, and that entry.
fn with_data(knobs: Knobs, options: Options) -> (Run, DataSummary) {
    let (mut run, _) = run(&Knobs { real_data: true, ..knobs }, options);
    let data = run.data.take().expect("real data were asked for");
    (run, data)
}

#[test]
fn data_change_nothing_in_time_and_arrive_as_they_were_sent() {
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let (reference, _) = run(&site(), Options { fidelity, ..OPTIONS });
        let (planned, data) = with_data(site(), Options { fidelity, ..OPTIONS });
        assert_eq!(planned, reference);
        assert!(data.holds(), "{:?}", data.corrupt.first());
        assert!(data.records_read > 1000 && data.records_written > 500, "{data:?}");
        assert_eq!(data.unverified_ios, 0);
        let live =
            Options { fidelity, exchange: ExchangeMode::Live, threads: Threads::Exactly(2), ..OPTIONS };
        assert_eq!(with_data(site(), live), (reference, data), "live, on two threads");
    }
}

#[test]
fn retries_and_lost_paths_lose_no_data() {
    let ms = Span::from_ms;
    let disturbances = vec![
        Disturbance { at: ms(6), lasts: ms(2), kind: DisturbanceKind::PathLost { channel: 1 } },
        Disturbance { at: ms(10), lasts: ms(1), kind: DisturbanceKind::ControlUnitBusy { lcu: 0 } },
    ];
    let knobs = Knobs { disturbances, ..site() };
    let (reference, _) = run(&knobs, OPTIONS);
    let (disturbed, data) = with_data(knobs, OPTIONS);
    assert_eq!(disturbed, reference);
    assert!(data.holds(), "{:?}", data.corrupt.first());
}

#[test]
fn exactly_what_was_damaged_is_found() {
    for corrupt in [1, 7, 100] {
        let (_, data) = with_data(site(), Options { corrupt, ..OPTIONS });
        assert_eq!((data.corrupted, data.corrupt.len()), (corrupt, corrupt as usize));
        assert!(data.holds());
        let found = |by| data.corrupt.iter().any(|record| record.found_by == by);
        assert!(
            corrupt < 100 || found(FoundBy::Read) && found(FoundBy::Scan),
            "reads and writes are damaged"
        );
    }
}

#[test]
fn more_damage_than_ios_does_not_hold() {
    let (_, data) = with_data(site(), Options { corrupt: u32::MAX, ..OPTIONS });
    assert!(!data.holds());
    assert!(data.corrupted > 1000);
}

#[test]
fn a_volume_too_small_for_its_programs_is_refused() {
    let mut configuration = configuration(&Knobs { real_data: true, ..site() });
    for device in &mut configuration.devices {
        device.cylinders = 1;
    }
    let error = Simulation::new(configuration.into(), OPTIONS).expect_err("no room for the records");
    assert!(error.to_string().starts_with("real data: a volume of 1 cylinders is too small"), "{error}");
}
