//! Streams that follow a trace: recorded I/Os, each at its time, on its device, for its track, with its bytes.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{Arrivals, ProtocolChoice, Stream, Trace, TraceRow};
use halftrack_machine::{Options, Simulation, Threads};
use halftrack_program::{Operation, Protocol};
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, closed, configuration, run, shape, stream};

/// 4K read, two records of 4K read, 4K write.
const READ: u32 = 0;
const READ_TWO: u32 = 1;
const WRITE: u32 = 2;

/// Makes a stream of `rows`: time in us, device, track, program.
fn traced(rows: &[(u64, u32, u32, u32)], period: Option<Span>) -> Stream {
    let row = |&(at_us, device, track, program): &(u64, u32, u32, u32)| TraceRow {
        at: Span::from_us(at_us),
        device,
        track,
        program,
    };
    let programs = vec![
        shape(Operation::Read, 1, 4096),
        shape(Operation::Read, 2, 4096),
        shape(Operation::UpdateWrite, 1, 4096),
    ];
    let trace = Trace { rows: rows.iter().map(row).collect(), programs, period, looked_up: true };
    Stream { read_ppm: 500_000, ..stream("recorded", Arrivals::Traced(Arc::new(trace))) }
}

/// Runs `work` from the start for `ms`, with a cache of two tracks.
fn followed(work: Stream, ms: u64) -> Run {
    let interval = Span::from_ms(ms);
    let knobs =
        Knobs { streams: vec![work], cache_tracks: 2, warmup: Span::ZERO, interval, ..Knobs::default() };
    run(&knobs, OPTIONS).0
}

/// A cache of two tracks: 1 and 2 are brought in, 1 is found, 3 replaces 2, which misses again and replaces 1; the
/// write of 9 replaces 3 and is found; track 9 of another device is another track.
#[test]
fn the_least_recently_used_track_makes_room() {
    let tracks =
        [(0, 1, READ), (0, 2, READ), (0, 1, READ), (0, 3, READ), (0, 2, READ), (0, 9, WRITE), (0, 9, READ)];
    let mut rows: Vec<_> =
        (0..).zip(tracks).map(|(at, (device, track, program))| (at * 2000, device, track, program)).collect();
    rows.push((20_000, 1, 9, READ));
    let run = followed(traced(&rows, None), 40);
    let cache = &run.intervals[0].caches[0];
    assert_eq!((cache.reads, cache.read_hits), (7, 2));
    let disconnected = |unit: u16| {
        run.intervals[0]
            .devices
            .iter()
            .find(|device| device.number == unit)
            .map_or(0, |device| device.disc_ps)
    };
    assert!(disconnected(0x1000) > disconnected(0x1001) && disconnected(0x1001) > 0);
}

#[test]
fn rows_start_at_their_times_on_their_devices_with_their_bytes_and_then_no_more() {
    for protocol in [Protocol::Command, Protocol::Transport] {
        let rows = [(100, 0, 0, READ), (5000, 5, 0, READ_TWO), (5000, 5, 1, WRITE), (18_000, 0, 0, READ)];
        let mut work = traced(&rows, None);
        work.protocol = ProtocolChoice::Always(protocol);
        let run = followed(work, 40);
        let interval = &run.intervals[0];
        let completed: Vec<_> = interval.devices.iter().filter(|device| device.completed > 0).collect();
        let counts: Vec<_> = completed.iter().map(|device| (device.number, device.completed)).collect();
        assert_eq!(counts, [(0x1000, 2), (0x1005, 2)], "{protocol:?}");
        assert!(
            completed[1].iosq_ps > 0,
            "the write waits for the base that the read of the same moment has"
        );
        let channel = &interval.channels[0];
        assert!(channel.read_bytes >= 4 * 4096 && channel.write_bytes >= 4096, "{protocol:?}");
        assert_eq!((run.streams[0].completed, run.streams[0].failed), (4, 0));
        let mut programs: Vec<_> = run
            .programs
            .iter()
            .map(|one| (one.operation.as_str(), one.data_in_bytes, one.data_out_bytes))
            .collect();
        programs.dedup();
        assert_eq!(programs, [("read", 4096, 0), ("read", 8192, 0), ("write", 0, 4096)]);
    }
}

#[test]
fn a_trace_that_repeats_fills_the_run() {
    let rows = [(0, 0, 0, READ), (400, 0, 0, READ), (600, 1, 0, WRITE)];
    let run = followed(traced(&rows, Some(Span::from_us(1000))), 100);
    assert_eq!(run.streams[0].completed, 300);
}

/// Beside another stream, the same bytes on one thread and on two, frame by frame and live.
#[test]
fn runs_with_a_trace_are_the_same_whoever_computes_them() {
    let rows: Vec<_> = (0..400_u32).map(|at| (u64::from(at) * 37, at % 7, at * at % 11, at % 3)).collect();
    let streams = vec![traced(&rows, Some(Span::from_ms(15))), stream("work", closed(8))];
    let knobs = Knobs { streams, cache_tracks: 6, km: 10, ..Knobs::default() };
    let result = |threads| run(&knobs, Options { threads: Threads::Exactly(threads), ..OPTIONS }).0;
    let one = result(1);
    assert_eq!(one, result(2));
    assert!(one.streams[0].completed > 100);
    let cache = &one.intervals[0].caches[0];
    assert!(cache.read_hits > 0 && cache.read_hits < cache.reads);
}

#[test]
fn a_trace_has_no_octets() {
    let mut configuration = configuration(&Knobs {
        streams: vec![traced(&[(0, 0, 0, READ)], None)],
        cache_tracks: 2,
        ..Knobs::default()
    });
    configuration.run.real_data = true;
    let refused = Simulation::new(Arc::new(configuration), OPTIONS).expect_err("no data");
    assert!(refused.to_string().contains("stream recorded follows a trace"), "{refused}");
}
