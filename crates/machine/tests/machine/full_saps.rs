//! Machines whose SAPs are full: on two threads images and SAPs are one process, channels and storage the other.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{
    Disturbance, DisturbanceKind, EadmKind, EadmWork, ProtocolChoice, ServiceVariation, Stream,
};
use halftrack_machine::{ExchangeMode, Fidelity, Options, Simulation, Threads};
use halftrack_program::Protocol;
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, closed, configuration, open, run, same_every_way, stream};

/// Makes a machine of few threads and many channels. Its services take constant times, so that ties are frequent.
fn full() -> Knobs {
    let mut reads = stream("reads", closed(200));
    reads.hit_ppm = 990_000;
    let mut mixed = stream("mixed", closed(16));
    mixed.protocol = ProtocolChoice::Always(Protocol::Command);
    mixed.read_ppm = 700_000;
    Knobs {
        iop_threads: 2,
        channels: 8,
        ports: 8,
        devices_per_lcu: 32,
        streams: vec![reads, mixed],
        interval: Span::from_ms(3),
        intervals: 3,
        ..Knobs::default()
    }
}

/// Checks that images are with the SAPs on two threads, and that the record is that of one.
fn same_on_two_threads(knobs: &Knobs, fidelity: Fidelity) -> Run {
    assert!(is_parted(knobs, 2));
    same_every_way(knobs, fidelity, 1_000)
}

/// Returns whether images and SAPs are a process of their own on so many threads.
fn is_parted(knobs: &Knobs, threads: usize) -> bool {
    let options = Options { threads: Threads::Exactly(threads), ..OPTIONS };
    let simulation = Simulation::new(Arc::new(configuration(knobs)), options).expect("the site can be wired");
    assert!(!(simulation.has_images_with_saps() && simulation.has_images_with_storage()));
    simulation.has_images_with_saps()
}

#[test]
fn one_thread_and_two_give_the_same_record() {
    let run = same_on_two_threads(&full(), Fidelity::Burst);
    let queues: u64 = run.intervals[1].iops.iter().map(|iop| iop.queue_sum).sum();
    let enqueued: u64 = run.intervals[1].iops.iter().map(|iop| iop.enqueued).sum();
    assert!(queues > 5 * enqueued, "{queues} {enqueued}");
}

#[test]
fn frame_by_frame_too() {
    same_on_two_threads(&Knobs { interval: Span::from_ms(1), ..full() }, Fidelity::Frame);
}

#[test]
fn with_several_machines_too() {
    let of =
        |lpar: u32, kind: &Stream| Stream { lpar, name: format!("{} {lpar}", kind.name), ..kind.clone() };
    let streams = full().streams.iter().flat_map(|kind| [of(0, kind), of(1, kind)]).collect();
    let knobs = Knobs { cpcs: 2, lpars: 2, streams, ..full() };
    same_on_two_threads(&knobs, Fidelity::Burst);
}

/// A start waits for its turn in the image, and SAPs have other work.
#[test]
fn with_serial_parts_and_work_of_eadm_subchannels_too() {
    let eadm = |name: &str, kind| {
        let interarrival = Span::from_us(50);
        EadmWork { name: name.into(), lpar: 0, kind, interarrival, poisson: kind == EadmKind::Scm }
    };
    let knobs = Knobs {
        image_serial: Span::from_ns(500),
        eadm: vec![eadm("compressions", EadmKind::Compression), eadm("flash", EadmKind::Scm)],
        ..full()
    };
    same_on_two_threads(&knobs, Fidelity::Burst);
}

/// Starts find channels and control units busy, wait for them and are tried again; a path is lost.
#[test]
fn with_retries_too() {
    let ms = Span::from_ms;
    let knobs = Knobs {
        open_exchanges: (3, 2),
        warmup: Span::ZERO,
        disturbances: vec![
            Disturbance { at: ms(1), lasts: ms(1), kind: DisturbanceKind::ControlUnitBusy { lcu: 1 } },
            Disturbance { at: ms(2), lasts: ms(3), kind: DisturbanceKind::PathLost { channel: 0 } },
            Disturbance { at: ms(4), lasts: ms(2), kind: DisturbanceKind::ChannelBusy { channel: 3 } },
        ],
        ..full()
    };
    let run = same_on_two_threads(&knobs, Fidelity::Burst);
    let retries = run.intervals.iter().flat_map(|interval| &interval.iops).map(|iop| iop.retries);
    let (channel, unit) = retries.fold((0, 0), |(channel, unit), retries| {
        (channel + retries.channel_path_busy, unit + retries.control_unit_busy)
    });
    assert!(channel > 0 && unit > 0, "{channel} {unit}");
}

#[test]
fn with_services_that_vary_too() {
    let of = |threads| {
        let service = ServiceVariation { sap_scv: 0.25, channel_scv: 0.1, control_unit_scv: 0.1 };
        let configuration = halftrack_config::Configuration { service, ..configuration(&full()) };
        let options =
            Options { threads: Threads::Exactly(threads), exchange: ExchangeMode::Planned, ..OPTIONS };
        let mut simulation = Simulation::new(Arc::new(configuration), options).expect("it can be wired");
        assert_eq!(simulation.has_images_with_saps(), threads > 1);
        simulation.run(&mut |_| {})
    };
    assert_eq!(of(1), of(2));
}

#[test]
fn images_stay_with_the_channels_or_the_storage_where_saps_have_time() {
    let light = Knobs { streams: vec![stream("light", open(20_000))], ..full() };
    assert!(!is_parted(&light, 2) && !is_parted(&full(), 1));
    let one_is_idle = Knobs { cpcs: 2, lpars: 2, ..full() };
    assert!(!is_parted(&one_is_idle, 2), "the SAPs of the second machine do nothing");
    run(&one_is_idle, OPTIONS);
}
