//! FCP: SCSI commands from queues, past the SAPs, to logical units behind one channel or several.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{
    Arrivals, Disturbance, DisturbanceKind, ErrorUnit, FrameErrors, Part, Prices, ProtocolChoice, Share,
    Stream,
};
use halftrack_machine::{Fidelity, Options, Simulation, Threads};
use halftrack_program::{Operation, Protocol};
use halftrack_record::{ChannelKind, Run};
use halftrack_wire::FcFrame;

use crate::site::{Fcp, Knobs, OPTIONS, closed, configuration, open, run, same_every_way, shape, stream, us};

const FIDELITIES: [Fidelity; 2] = [Fidelity::Burst, Fidelity::Frame];
/// Price of an I/O on the processor of an FCP channel.
const PRICE_US: f64 = 2.0;
/// Time of a write on its stage.
const WRITE_US: f64 = 4.0;
const MB: u64 = 1_000_000;

/// Makes a site of FCP channels alone.
fn site(channels: u32, queue_depth: u16, streams: Vec<Stream>) -> Knobs {
    Knobs {
        channels: channels as usize,
        fcp: Some(Fcp { channels, queue_depth, write: us(WRITE_US) }),
        transport: Prices { program: us(PRICE_US), ..Prices::default() },
        port_transport: Prices { program: us(0.5), ..Prices::default() },
        first_transfer_bytes: 0,
        spread: channels > 1,
        streams,
        ..Knobs::default()
    }
}

/// Makes SCSI commands of so many records of 4 KiB, so many of a million of them reads.
fn scsi(name: &str, arrivals: Arrivals, records: u16, read_ppm: u32) -> Stream {
    let mut scsi = stream(name, arrivals);
    scsi.protocol = ProtocolChoice::Fcp;
    scsi.read = shape(Operation::Read, records, 4096);
    scsi.write = shape(Operation::UpdateWrite, records, 4096);
    scsi.read_ppm = read_ppm;
    scsi
}

/// Makes small reads, and reads and writes of 64 KiB with misses, over two channels.
fn mixed() -> Knobs {
    let mut large = scsi("large", open(6_000), 16, 500_000);
    large.hit_ppm = 800_000;
    site(2, 8, vec![scsi("small", closed(24), 1, 700_000), large])
}

fn rate_per_s(read_ppm: u32) -> f64 {
    let (run, _) = run(&site(1, 32, vec![scsi("work", closed(256), 1, read_ppm)]), OPTIONS);
    run.streams[0].rate_per_s.mean
}

fn mb_per_s(run: &Run, channel: usize) -> f64 {
    let one = &run.intervals[0].channels[channel];
    (one.read_bytes + one.write_bytes) as f64 * 1e6 / run.intervals[0].length_ps as f64
}

fn at(at_ms: u64, lasts_ms: u64, kind: DisturbanceKind) -> Disturbance {
    Disturbance { at: Span::from_ms(at_ms), lasts: Span::from_ms(lasts_ms), kind }
}

#[track_caller]
fn is_near(found: f64, expected: f64, share: f64) {
    assert!((found / expected - 1.0).abs() < share, "{found}, {expected} expected");
}

#[test]
fn planned_and_live_and_any_number_of_threads_give_the_same_record() {
    for fidelity in FIDELITIES {
        let reference = same_every_way(&mixed(), fidelity, 2_000);
        let (again, _) = run(&mixed(), Options { fidelity, threads: Threads::Exactly(4), ..OPTIONS });
        assert_eq!(again, reference, "{fidelity:?} on 4 threads");
        assert!(reference.streams.iter().all(|stream| stream.failed == 0 && stream.completed > 50));
    }
}

#[test]
fn no_sap_has_a_part_in_it() {
    let (run, counters) = run(&mixed(), OPTIONS);
    assert!(counters.ios > 2_000);
    for iop in run.intervals.iter().flat_map(|interval| &interval.iops) {
        assert_eq!((iop.started, iop.enqueued, iop.interrupts, iop.busy_ps), (0, 0, 0, 0));
    }
    for channel in &run.intervals[0].channels {
        assert_eq!((channel.kind, channel.operations[Protocol::Command].started), (ChannelKind::Fcp, 0));
        assert!(channel.operations[Protocol::Transport].started > 500);
    }
    assert!(run.intervals[0].devices.iter().all(|device| device.luns.is_some()));
    assert!(run.programs.iter().all(|program| program.is_scsi && program.protocol_name() == "fcp"));
}

/// Beside FICON, whose starts the SAPs count as ever.
#[test]
fn saps_count_the_starts_of_ficon_alone() {
    let ficon = Stream { devices: (64..128).collect(), ..stream("ficon", closed(8)) };
    let fcp = Stream { devices: (0..64).collect(), ..scsi("fcp", closed(8), 1, 500_000) };
    let knobs = Knobs {
        channels: 2,
        ports: 2,
        own_channels: true,
        spread: false,
        fcp: Some(Fcp { channels: 1, queue_depth: 8, write: us(WRITE_US) }),
        ..site(1, 8, vec![ficon, fcp])
    };
    let run = same_every_way(&knobs, Fidelity::Burst, 2_000);
    let interval = &run.intervals[0];
    let started: u64 = interval.iops.iter().map(|iop| iop.started).sum();
    let [fcp, ficon] = &interval.channels[..] else { panic!("two channels") };
    let of = |channel: &halftrack_record::ChannelInterval| channel.operations[Protocol::Transport].started;
    assert!(of(fcp) > 500 && started.abs_diff(of(ficon)) < 32, "{started} {} {}", of(fcp), of(ficon));
}

/// A processor with one price beside a stage that only writes pass.
#[test]
fn the_narrower_of_processor_and_write_stage_limits_the_rate() {
    for (read_ppm, expected_us) in
        [(1_000_000, PRICE_US), (750_000, PRICE_US), (250_000, 0.75 * WRITE_US), (0, WRITE_US)]
    {
        is_near(rate_per_s(read_ppm), 1e6 / expected_us, 0.02);
    }
    is_near(rate_per_s(500_000), 1e6 / PRICE_US, 0.06);
}

#[test]
fn a_write_passes_the_stage_once_however_long_it_is_and_in_whatever_bursts() {
    let mut knobs = site(1, 32, vec![scsi("work", closed(64), 16, 0)]);
    knobs.fcp = Some(Fcp { channels: 1, queue_depth: 32, write: us(100.0) });
    for (fidelity, transfer_ready_bytes) in FIDELITIES.into_iter().flat_map(|one| [(one, 0), (one, 16_384)]) {
        knobs.transfer_ready_bytes = transfer_ready_bytes;
        let (run, _) = run(&knobs, Options { fidelity, ..OPTIONS });
        is_near(run.streams[0].rate_per_s.mean, 10_000.0, 0.02);
        let mut stations = run.intervals[0].stations.iter();
        let stage = stations.find(|one| one.name == "channel CSS0.40 write stage").expect("it is there");
        assert!(stage.completions.abs_diff(run.streams[0].completed) < 64, "{stage:?}");
    }
}

/// Of sixteen jobs at one unit so many commands are open as the queue is deep; the others wait in the host.
#[test]
fn the_queue_depth_limits_what_is_open_at_one_unit() {
    for (depth, expected) in [(1, 1.0), (4, 4.0), (16, 16.0), (64, 16.0)] {
        let work = scsi("work", closed(16), 1, 500_000);
        let knobs = Knobs { ports: 1, devices_per_lcu: 1, ..site(1, depth, vec![work]) };
        let (run, _) = run(&knobs, OPTIONS);
        let device = &run.intervals[0].devices[0];
        let open = device.exposures_ps as f64 / run.intervals[0].length_ps as f64;
        // A job that is between two commands has none open.
        assert!(open <= expected && open > 0.9 * expected, "depth {depth}: {open} open");
        assert_eq!(device.iosq_ps > 0, depth < 16, "depth {depth}");
    }
}

/// Commands that are open at one unit are nothing to another of the same set.
#[test]
fn a_full_unit_does_not_hold_up_its_neighbours() {
    let busy = Stream { devices: vec![0], ..scsi("busy", closed(200), 16, 1_000_000) };
    let quiet = Stream { devices: vec![1], ..scsi("quiet", closed(1), 1, 1_000_000) };
    let knobs = Knobs { ports: 1, ..site(1, 2, vec![busy, quiet]) };
    let (run, _) = run(&knobs, OPTIONS);
    assert_eq!(run.intervals[0].devices[1].iosq_ps, 0);
    assert!(run.intervals[0].devices[0].iosq_ps > 0 && run.streams[1].completed > 100);
}

#[test]
fn a_lost_path_leaves_its_io_to_the_other() {
    for kind in [
        DisturbanceKind::PathLost { channel: 0 },
        DisturbanceKind::PartLost { part: Part::Port(1) },
        DisturbanceKind::PartLost { part: Part::Channel(1) },
    ] {
        let knobs = Knobs { disturbances: vec![at(8, 6, kind)], ..mixed() };
        for fidelity in FIDELITIES {
            let run = same_every_way(&knobs, fidelity, 2_000);
            assert!(run.streams.iter().all(|stream| stream.failed == 0), "{kind:?}: {:?}", run.streams);
            let started =
                |channel: usize| run.intervals[0].channels[channel].operations[Protocol::Transport].started;
            assert!(started(0) > 300 && started(1) > 300, "{kind:?}: {} {}", started(0), started(1));
        }
    }
}

#[test]
fn without_any_path_io_fails_until_one_is_back() {
    let lost = [0, 1].map(|channel| at(8, 4, DisturbanceKind::PathLost { channel })).to_vec();
    let run = same_every_way(&Knobs { disturbances: lost, ..mixed() }, Fidelity::Burst, 2_000);
    assert!(run.streams[0].failed > 0 && run.streams[0].completed > 500, "{:?}", run.streams);
}

fn lost(run: &Run) -> u64 {
    run.intervals.iter().flat_map(|interval| &interval.links).map(|link| link.lost).sum()
}

/// After the time-out of a command, 30 s in Linux, it goes over the other path. No missing-interrupt handler ends it before.
#[test]
fn lost_frames_are_recovered_from() {
    let work = scsi("work", open(20), 8, 500_000);
    let unit = ErrorUnit::Bit { data: 8, sent: 10 };
    let drops = DisturbanceKind::FramesDropped { part: Part::Channel(0), share_ppm: 50_000 };
    let knobs = Knobs { interval: Span::from_s(80), ..site(2, 32, vec![work]) };
    let noisy = Knobs { errors: Some(FrameErrors { chance: 3e-7, unit }), ..knobs.clone() };
    let dropping = Knobs { disturbances: vec![at(1_000, 5_000, drops)], ..knobs };
    for (knobs, fidelity) in
        [(&noisy, Fidelity::Burst), (&noisy, Fidelity::Frame), (&dropping, Fidelity::Burst)]
    {
        let run = same_every_way(knobs, fidelity, 500);
        let (mut time_outs, mut redrives, mut missing) = (0, 0, 0);
        for channel in run.intervals.iter().flat_map(|interval| &interval.channels) {
            time_outs += channel.recoveries.time_outs;
            redrives += channel.recoveries.redrives;
            missing += channel.recoveries.missing_interrupts;
        }
        assert!(
            lost(&run) > 10 && redrives > 5 && time_outs >= redrives,
            "{} {time_outs} {redrives}",
            lost(&run)
        );
        assert_eq!((run.streams[0].failed, missing), (0, 0), "all are redriven");
    }
}

/// Few exchanges at channel and port: what finds none waits, and nothing turns in a circle.
#[test]
fn what_finds_no_exchange_waits_for_one() {
    for (channel, port) in [(4, 1024), (512, 4), (3, 2)] {
        let knobs = Knobs { open_exchanges: (channel, 0), exchanges_per_port: port, ..mixed() };
        let run = same_every_way(&knobs, Fidelity::Burst, 500);
        assert!(
            run.streams.iter().all(|stream| stream.failed == 0 && stream.completed > 20),
            "{:?}",
            run.streams
        );
    }
}

/// Both protocols share what the card moves; FICON, alone on its card or not, stops before.
#[test]
fn a_card_limits_both_protocols_together_and_ficon_before() {
    let share = |name: &str, mb_per_s: u64, parent| Share {
        name: name.into(),
        bytes_per_s: Some(mb_per_s * MB),
        parent,
        ..Share::default()
    };
    let reads = |name: &str, devices: std::ops::Range<u32>, protocol| Stream {
        devices: devices.collect(),
        protocol,
        ..scsi(name, closed(64), 16, 1_000_000)
    };
    let of = |card_mb_per_s, ficon_mb_per_s| {
        let fcp = reads("fcp", 0..64, ProtocolChoice::Fcp);
        let ficon = reads("ficon", 64..128, ProtocolChoice::Always(Protocol::Transport));
        let shares =
            vec![share("card", card_mb_per_s, None), share("FICON of card", ficon_mb_per_s, Some(0))];
        let knobs = Knobs {
            channels: 2,
            ports: 2,
            own_channels: true,
            spread: false,
            shares,
            fcp: Some(Fcp { channels: 1, queue_depth: 32, write: us(WRITE_US) }),
            warmup: Span::from_ms(30),
            ..site(1, 32, vec![fcp, ficon])
        };
        let (run, _) = run(&knobs, OPTIONS);
        (mb_per_s(&run, 0), mb_per_s(&run, 1))
    };
    let (fcp, ficon) = of(2000, 9000);
    is_near(fcp + ficon, 2000.0, 0.02);
    let (fcp, ficon) = of(9000, 800);
    is_near(ficon, 800.0, 0.02);
    assert!(fcp > 2500.0, "{fcp} MB/s of FCP, which the limit of FICON is nothing to");
}

/// Frames of FCP: commands and responses by exchange, and whatever is between them.
#[test]
fn captured_frames_are_those_of_scsi() {
    let knobs = site(1, 8, vec![scsi("work", closed(4), 16, 500_000)]);
    for fidelity in FIDELITIES {
        let mut simulation =
            Simulation::new(Arc::new(configuration(&knobs)), Options { fidelity, ..OPTIONS })
                .expect("a machine");
        simulation.capture(4000);
        simulation.run(&mut |_| ());
        let capture = simulation.take_capture();
        let mut open = std::collections::BTreeMap::new();
        let (mut answered, mut by_r_ctl) = (0, std::collections::BTreeMap::<u8, u32>::new());
        for captured in capture.frames() {
            let header = FcFrame::parse(captured.frame).expect("a sound frame").header;
            if header.fc_type != 0x08 {
                continue;
            }
            assert_eq!(
                captured.inbound,
                matches!(header.r_ctl, 0x05 | 0x07) || (header.r_ctl == 0x01 && captured.inbound)
            );
            *by_r_ctl.entry(header.r_ctl).or_default() += 1;
            let ends = if captured.inbound { (header.d_id, header.s_id) } else { (header.s_id, header.d_id) };
            match header.r_ctl {
                0x06 => assert_eq!(open.insert(header.ox_id, ends), None, "OX_ID in use"),
                0x07 => {
                    assert_eq!(open.remove(&header.ox_id), Some(ends), "a response to a command");
                    answered += 1;
                }
                _ => assert_eq!(open.get(&header.ox_id), Some(&ends), "of an open exchange"),
            }
        }
        assert!(answered > 50 && open.len() <= 4 + 1, "{answered} {}", open.len());
        assert_eq!(by_r_ctl.keys().copied().collect::<Vec<_>>(), [0x01, 0x05, 0x06, 0x07], "{by_r_ctl:?}");
    }
}
