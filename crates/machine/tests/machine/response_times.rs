//! Response times counted by size beside the sums that other records have of the same I/Os.

use std::collections::BTreeMap;

use halftrack_record::{ResponseTimes, Run};

use crate::site::{Knobs, OPTIONS, closed, run, stream};

fn add(sums: &mut BTreeMap<u64, u64>, times: &ResponseTimes) {
    for (value_ps, count) in times.values_ps.iter().zip(&times.counts) {
        *sums.entry(*value_ps).or_insert(0) += count;
    }
}

fn two_streams(threads: usize) -> Run {
    let mut missing = stream("missing", closed(16));
    missing.hit_ppm = 700_000;
    let streams = vec![stream("hitting", closed(48)), missing];
    let knobs = Knobs { streams, ports: 2, ..Knobs::default() };
    run(
        &knobs,
        halftrack_machine::Options { threads: halftrack_machine::Threads::Exactly(threads), ..OPTIONS },
    )
    .0
}

#[test]
fn streams_and_control_units_count_the_same_ios_each_once() {
    let run = two_streams(1);
    let (mut by_stream, mut by_lcu) = (BTreeMap::new(), BTreeMap::new());
    for stream in &run.streams {
        assert_eq!(stream.response_times.counts.iter().sum::<u64>(), stream.completed - stream.failed);
        add(&mut by_stream, &stream.response_times);
    }
    run.intervals
        .iter()
        .flat_map(|interval| &interval.lcus)
        .for_each(|lcu| add(&mut by_lcu, &lcu.response_times));
    assert_eq!(by_stream, by_lcu);
}

#[test]
fn the_mean_of_the_buckets_is_that_of_the_devices() {
    for interval in &two_streams(1).intervals {
        for lcu in &interval.lcus {
            let devices = || {
                interval.devices.iter().filter(|device| (&device.lpar, device.lcu) == (&lcu.lpar, lcu.lcu))
            };
            let sum_ps: u64 =
                devices().map(|one| one.iosq_ps + one.pend_ps + one.disc_ps + one.conn_ps).sum();
            let ios: u64 = devices().map(|device| device.completed).sum();
            let times = &lcu.response_times;
            let counted_ps: u64 =
                times.values_ps.iter().zip(&times.counts).map(|(value, count)| value * count).sum();
            assert_eq!(times.counts.iter().sum::<u64>(), ios);
            assert!((counted_ps as f64 / sum_ps as f64 - 1.0).abs() < 0.004, "{counted_ps} ps, {sum_ps} ps");
        }
    }
}

#[test]
fn two_threads_count_as_one_does() {
    let counts = |run: Run| run.streams.into_iter().map(|stream| stream.response_times).collect::<Vec<_>>();
    assert_eq!(counts(two_streams(2)), counts(two_streams(1)));
}
