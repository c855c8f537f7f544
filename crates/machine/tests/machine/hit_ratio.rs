//! Effects of misses on utilisation, response and open exchanges of a channel, and figures that they leave as they are.

use halftrack_base::Span;
use halftrack_config::{ProtocolChoice, Stream};
use halftrack_program::Protocol;
use halftrack_record::{DeviceInterval, Run};

use crate::site::{Knobs, OPTIONS, closed, open, run, stream};

/// 0.4 s measured.
const INTERVAL: Span = Span::from_ms(400);

/// Runs 5,000 reads a second over one channel, `hit_ppm` of a million found in cache.
fn at_hit_ratio(protocol: Protocol, hit_ppm: u32) -> Run {
    let mut work = stream("work", open(5000));
    (work.protocol, work.hit_ppm) = (ProtocolChoice::Always(protocol), hit_ppm);
    run(&Knobs { streams: vec![work], interval: INTERVAL, ..Knobs::default() }, OPTIONS).0
}

/// Returns the mean of a component over all I/Os, µs.
fn mean_us(run: &Run, of: impl Fn(&DeviceInterval) -> u64) -> f64 {
    let devices = || run.intervals[0].devices.iter();
    let completed: u64 = devices().map(|device| device.completed).sum();
    devices().map(of).sum::<u64>() as f64 / completed as f64 / 1e6
}

/// The paper of 2002: at one rate the utilisation of a channel is the same for 30, 60 and 90 % hits, and a miss only
/// disconnects.
#[test]
fn utilisation_is_independent_of_the_hit_ratio_and_a_miss_shows_in_disc_alone() {
    for protocol in [Protocol::Command, Protocol::Transport] {
        let hits = at_hit_ratio(protocol, 1_000_000);
        let busy = |run: &Run| run.intervals[0].channels[0].processor_busy_ps as f64;
        let bus = |run: &Run| run.intervals[0].channels[0].bus_busy_ps as f64;
        for hit_ppm in [300_000, 600_000, 900_000] {
            let run = at_hit_ratio(protocol, hit_ppm);
            let what = format!("{protocol:?} at {hit_ppm} ppm");
            assert!((busy(&run) / busy(&hits) - 1.0).abs() < 0.01, "{what}: processor");
            assert!((bus(&run) / bus(&hits) - 1.0).abs() < 0.01, "{what}: bus");
            let misses = 1.0 - f64::from(hit_ppm) / 1e6;
            let (with, without) = (mean_us(&run, |one| one.pend_ps), mean_us(&hits, |one| one.pend_ps));
            assert!((with - without).abs() < 0.05 * without, "{what}: PEND {with}, {without} us");
            // What is staged needs no access of a hit, 20 us, and the port works on the program meanwhile, 9 us.
            let (with, without) = (mean_us(&run, |one| one.conn_ps), mean_us(&hits, |one| one.conn_ps));
            assert!((-1.0..31.0 * misses).contains(&(without - with)), "{what}: CONN {with}, {without} us");
            // A miss takes 600 us in the mean; 2,000 I/Os leave an error of some 3 % of that.
            let disc = mean_us(&run, |one| one.disc_ps);
            let expected = 600.0 * misses;
            assert!((disc - expected).abs() < 60.0, "{what}: DISC {disc}, expected {expected} us");
        }
        assert!(mean_us(&hits, |one| one.disc_ps) < 1e-9);
    }
}

/// Makes jobs on the devices of logical control unit `lcu`.
fn on(lcu: u32, name: &str, hit_ppm: u32) -> Stream {
    let devices = (lcu * 64..lcu * 64 + 64).collect();
    let protocol = ProtocolChoice::Always(Protocol::Command);
    Stream { devices, hit_ppm, protocol, ..stream(name, closed(32)) }
}

/// A channel whose exchanges wait for disks has processor time left: a control unit with many hits behind the same
/// channel uses it (daisy-chaining of low- and high-hit control units).
#[test]
fn a_control_unit_with_many_hits_uses_what_one_with_few_leaves() {
    let rates = |streams: Vec<Stream>| {
        let knobs = Knobs { open_exchanges: (8, 8), streams, interval: INTERVAL, ..Knobs::default() };
        let run = run(&knobs, OPTIONS).0;
        let channel = &run.intervals[0].channels[0];
        let rates: Vec<f64> = run.streams.iter().map(|one| one.completed as f64 / 0.4).collect();
        (rates, channel.processor_busy_ps as f64 / 0.4e12)
    };
    let (low, idle) = rates(vec![on(0, "low", 100_000)]);
    let (high, full) = rates(vec![on(1, "high", 1_000_000)]);
    assert!(idle < 0.6, "the open exchanges limit a channel of misses, at {idle} of its processor");
    assert!(full > idle + 0.2, "a channel of hits is used at {full}");
    let (both, shared) = rates(vec![on(1, "high", 1_000_000), on(0, "low", 100_000)]);
    assert!(shared > 1.2 * idle, "{shared} of the processor with both, {idle} with few hits alone");
    assert!(both.iter().sum::<f64>() > 1.2 * low[0], "{both:?} a second together, {low:?} alone");
    assert!(both[0] < high[0] && both[1] < low[0], "each has less than the channel to itself: {both:?}");
}
