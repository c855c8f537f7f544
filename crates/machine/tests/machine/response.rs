//! Where the time of an I/O goes.

use halftrack_base::Span;
use halftrack_config::ProtocolChoice;
use halftrack_machine::{Fidelity, Options};
use halftrack_program::{Operation, Protocol};
use halftrack_record::DeviceInterval;

use crate::site::{Knobs, OPTIONS, closed, run, shape, stream};

fn device(knobs: &Knobs) -> DeviceInterval {
    let (run, _) = run(knobs, OPTIONS);
    run.intervals[0].devices.iter().find(|device| device.completed > 0).expect("one was used").clone()
}

fn one_job(protocol: Protocol, hit: bool) -> Knobs {
    let mut work = stream("work", closed(1));
    work.protocol = ProtocolChoice::Always(protocol);
    work.hit_ppm = if hit { 1_000_000 } else { 0 };
    work.devices = vec![0];
    Knobs { streams: vec![work], ..Knobs::default() }
}

#[test]
fn a_hit_has_no_disconnect_time_and_a_miss_shows_its_staging_there() {
    for protocol in [Protocol::Command, Protocol::Transport] {
        let hit = device(&one_job(protocol, true));
        assert_eq!(hit.disc_ps, 0, "{protocol:?}");
        let miss = device(&one_job(protocol, false));
        let mean_us = miss.disc_ps as f64 / miss.completed as f64 / 1e6;
        assert!((300.0..1200.0).contains(&mean_us), "{protocol:?}: staging of mean 600 µs shows {mean_us}");
    }
}

#[test]
fn transport_mode_answers_sooner_than_command_mode() {
    let response = |protocol| {
        let device = device(&one_job(protocol, true));
        (device.pend_ps + device.conn_ps) / device.completed
    };
    let (command, transport) = (response(Protocol::Command), response(Protocol::Transport));
    assert!(transport + 30_000_000 < command, "{transport} ps against {command} ps");
}

#[test]
fn command_response_is_a_part_of_pending_in_both_modes() {
    for protocol in [Protocol::Command, Protocol::Transport] {
        let device = device(&one_job(protocol, true));
        assert!(device.cmr_ps > 0 && device.cmr_ps < device.pend_ps, "{protocol:?}: {device:?}");
    }
}

#[test]
fn the_channel_processor_limits_small_blocks() {
    let rate = |protocol| {
        let mut work = stream("work", closed(128));
        work.protocol = ProtocolChoice::Always(protocol);
        run(&Knobs { streams: vec![work], ..Knobs::default() }, OPTIONS).0.streams[0].rate_per_s.mean
    };
    // 3.31 µs a program in transport mode; 35.95 + 4 × 0.9375 µs and the Prefix data in command mode.
    let transport = rate(Protocol::Transport);
    assert!((transport / (1e6 / 3.31) - 1.0).abs() < 0.005, "{transport} per second");
    let command = rate(Protocol::Command);
    assert!((command / 25_167.0 - 1.0).abs() < 0.02, "{command} per second");
}

#[test]
fn the_fibre_limits_large_blocks() {
    let mut work = stream("work", closed(64));
    work.read = shape(Operation::Read, 32, 4096);
    let knobs = Knobs { streams: vec![work], interval: Span::from_ms(400), ..Knobs::default() };
    let (run, _) = run(&knobs, OPTIONS);
    let mb_per_s = run.streams[0].rate_per_s.mean * 131_072.0 / 1e6;
    // 64 frames of 2084 bytes and two short ones for 131,072 bytes at 3,200 MB/s.
    let expected = 3200.0 * 131_072.0 / (64.0 * 2084.0 + 140.0);
    assert!((mb_per_s / expected - 1.0).abs() < 0.01, "{mb_per_s} of {expected} MB/s");
    let fibre = run.intervals[0].channels[0].read_bytes as f64 / 0.4 / 1e6;
    assert!((fibre / mb_per_s - 1.0).abs() < 0.02, "{fibre} MB/s read, {mb_per_s} by the stream");
}

/// 8GFC: 8.5 Gbaud in 8b/10b, and six primitive signals behind each frame.
#[test]
fn fill_words_lie_between_frames_at_either_fidelity() {
    let mut work = stream("work", closed(64));
    work.read = shape(Operation::Read, 32, 4096);
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let knobs = Knobs {
            streams: vec![work.clone()],
            link_bytes_per_s: 850_000_000,
            fill_bytes: 24,
            interval: Span::from_ms(400),
            ..Knobs::default()
        };
        let (run, _) = run(&knobs, Options { fidelity, ..OPTIONS });
        let mb_per_s = run.streams[0].rate_per_s.mean * 131_072.0 / 1e6;
        let expected = 850.0 * 131_072.0 / (64.0 * 2084.0 + 140.0 + 66.0 * 24.0);
        assert!((mb_per_s / expected - 1.0).abs() < 0.01, "{mb_per_s} of {expected} MB/s");
        let busy = run.intervals[0].links.iter().map(|link| link.busy_ps).max().expect("links");
        assert!(busy as f64 > 0.98 * 0.4e12, "fill is a part of the time that a fibre is busy: {busy} ps");
    }
}

#[test]
fn zhpf_off_or_not_offered_runs_command_mode() {
    let (run_, _) =
        run(&Knobs { zhpf: false, streams: vec![stream("work", closed(4))], ..Knobs::default() }, OPTIONS);
    let channel = &run_.intervals[0].channels[0];
    assert!(
        channel.operations[Protocol::Command].started > 0
            && channel.operations[Protocol::Transport].started == 0
    );
}

#[test]
fn active_counts_the_new_operation_itself() {
    let knobs = one_job(Protocol::Transport, true);
    let (run, _) = run(&knobs, OPTIONS);
    let zhpf = run.intervals[0].channels[0].operations[Protocol::Transport];
    assert_eq!(zhpf.active_sum, zhpf.started, "a lone job finds only itself");
}

#[test]
fn active_counts_each_protocol_by_itself() {
    let mut command = stream("command", closed(1));
    command.protocol = ProtocolChoice::Always(Protocol::Command);
    command.devices = vec![0];
    let mut transport = stream("transport", closed(8));
    transport.devices = (1..60).collect();
    let (run, _) = run(&Knobs { streams: vec![command, transport], ..Knobs::default() }, OPTIONS);
    let channel = &run.intervals[0].channels[0];
    assert_eq!(
        channel.operations[Protocol::Command].active_sum,
        channel.operations[Protocol::Command].started,
        "a lone command-mode job"
    );
    assert!(
        channel.operations[Protocol::Transport].active_sum
            > 2 * channel.operations[Protocol::Transport].started,
        "eight transport-mode jobs"
    );
}

#[test]
fn a_program_that_never_runs_need_not_exist() {
    // A track write by Define Extent and Locate Record has no expression; a stream of reads alone has none.
    let mut reads = stream("reads", closed(4));
    reads.protocol = ProtocolChoice::Always(Protocol::Command);
    for program in [&mut reads.read, &mut reads.write] {
        program.grouping = halftrack_program::Grouping::TrackData;
        program.positioning = halftrack_program::Positioning::DefineExtentLocateRecord;
    }
    let mixed = halftrack_config::Stream { read_ppm: 900_000, ..reads.clone() };
    let (run, _) = run(&Knobs { streams: vec![reads], ..Knobs::default() }, OPTIONS);
    assert!(run.streams[0].completed > 0);
    let knobs = Knobs { streams: vec![mixed], ..Knobs::default() };
    let configuration = std::sync::Arc::new(crate::site::configuration(&knobs));
    assert!(halftrack_machine::Simulation::new(configuration, OPTIONS).is_err());
}
