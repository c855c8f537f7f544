//! Streams that draw tracks: the cache of the control unit decides between hits and misses.

use halftrack_base::Span;
use halftrack_config::{Locality, ProtocolChoice, Stream};
use halftrack_program::Protocol;
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, closed, open, run, stream};

fn drawing(stream: Stream, tracks: u32, exponent: Option<f64>) -> Stream {
    Stream { locality: Some(Locality { tracks, exponent }), ..stream }
}

/// Runs `work` with a cache of `cache_tracks`, over 0.4 s.
fn cached(work: Stream, cache_tracks: u32) -> Run {
    let (warmup, interval) = (Span::from_ms(100), Span::from_ms(400));
    run(&Knobs { cache_tracks, streams: vec![work], warmup, interval, ..Knobs::default() }, OPTIONS).0
}

fn hit_ratio(run: &Run) -> f64 {
    let cache = &run.intervals[0].caches[0];
    assert!(cache.reads > 1000, "{} reads", cache.reads);
    cache.read_hits as f64 / cache.reads as f64
}

/// Four devices with 100 tracks each, all alike: the most recently used 100 of 400 are a quarter of what is read.
#[test]
fn of_tracks_used_alike_the_cache_has_its_share() {
    let work = Stream { devices: vec![0, 1, 64, 65], ..stream("work", closed(16)) };
    let run = cached(drawing(work, 100, None), 100);
    assert_eq!(run.intervals[0].caches[0].control_unit, "BOXA");
    assert!((hit_ratio(&run) - 0.25).abs() < 0.04, "{}", hit_ratio(&run));
}

#[test]
fn uneven_use_and_more_cache_find_more_and_answer_sooner() {
    let work = |exponent| drawing(stream("work", closed(16)), 1000, exponent);
    let even = cached(work(None), 6400);
    let uneven = cached(work(Some(1.0)), 6400);
    let larger = cached(work(Some(1.0)), 64_000);
    assert!(
        hit_ratio(&even) < 0.1 && hit_ratio(&uneven) > 0.3,
        "{} {}",
        hit_ratio(&even),
        hit_ratio(&uneven)
    );
    assert!(hit_ratio(&larger) > hit_ratio(&uneven));
    let response = |run: &Run| run.streams[0].response_us.mean;
    assert!(response(&larger) < response(&uneven) && response(&uneven) < response(&even));
}

/// A working set that no cache holds: every read is staged as one is that was drawn to miss.
#[test]
fn a_track_that_is_not_there_costs_what_a_miss_costs() {
    for protocol in [Protocol::Command, Protocol::Transport] {
        let base = || Stream { protocol: ProtocolChoice::Always(protocol), ..stream("work", open(5000)) };
        let drawn = cached(Stream { hit_ppm: 0, ..base() }, 0);
        let looked_up = cached(drawing(base(), 1_000_000, None), 1);
        assert!(hit_ratio(&looked_up) < 0.001);
        assert!(drawn.intervals[0].caches.is_empty());
        let response = |run: &Run| run.streams[0].response_us.mean;
        let (one, other) = (response(&drawn), response(&looked_up));
        assert!((one / other - 1.0).abs() < 0.001, "{protocol:?}: {one} us drawn, {other} us looked up");
    }
}

/// A write leaves its track in cache and waits for none.
#[test]
fn what_was_written_is_found() {
    let work = Stream { read_ppm: 500_000, devices: vec![0], ..stream("work", open(10_000)) };
    let alone = cached(drawing(work, 50, None), 50);
    assert!(hit_ratio(&alone) > 0.999);
    let disc: u64 = alone.intervals[0].devices.iter().map(|device| device.disc_ps).sum();
    assert_eq!(disc, 0, "all 50 tracks came into cache in warm-up");
}
