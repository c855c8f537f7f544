//! Storms: seeded random sites under random disturbances, and the corner of each fault that a storm has found.
//!
//! Whatever the weather, every law holds, plans and live machines give the same record on any number of threads, and once
//! the last disturbance is over every job goes on.

use std::any::Any;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{Arrivals, Disturbance, DisturbanceKind, ProtocolChoice, Selection, Stream};
use halftrack_engine::RandomStream;
use halftrack_machine::{ExchangeMode, Fidelity, Options, RunCounters, Simulation, Threads};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape, Protocol};
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, Topology, closed, configuration, run, shape, stream};

/// Seeds of the storms.
const SEEDS: RangeInclusive<u64> = 1..=48;
/// Of so many storms one is run on two threads too.
const THREADS_EVERY: u64 = 4;

/// Random choices of one storm.
struct Dice(RandomStream);

impl Dice {
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.below(choices.len() as u64) as usize]
    }

    fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        range.start() + self.0.below(range.end() - range.start() + 1)
    }

    fn happens(&mut self, percent: u32) -> bool {
        self.0.chance_ppm(percent * 10_000)
    }
}

/// A random site and how it is simulated.
struct Storm {
    knobs: Knobs,
    fidelity: Fidelity,
}

/// Draws a program of a size between half a KiB and 168 KB.
fn random_shape(dice: &mut Dice, operation: Operation) -> ProgramShape {
    let (records, record_bytes) =
        dice.one_of(&[(1, 4096), (1, 512), (1, 27_998), (3, 8192), (6, 27_998), (8, 4096), (32, 4096)]);
    // Define Extent and Locate Record cannot have tracks written.
    let (grouping, positioning) = dice.one_of(&[
        (Grouping::Records, Positioning::Prefix),
        (Grouping::Records, Positioning::DefineExtentLocateRecord),
        (Grouping::Midaw, Positioning::Prefix),
        (Grouping::TrackData, Positioning::Prefix),
    ]);
    ProgramShape { grouping, positioning, ..shape(operation, records, record_bytes) }
}

/// Returns a bound on the time that one I/O of `stream` takes when nobody else is there, µs.
fn alone_us(knobs: &Knobs, stream: &Stream) -> u64 {
    let frames = stream.read.data_bytes().max(stream.write.data_bytes()).div_ceil(2048) as u64 + 8;
    let round_trip = 10 * knobs.km + 20;
    1000 + 3 * frames + round_trip * (5 + frames.div_ceil(u64::from(knobs.credits)))
}

/// Streams of one job each, so that every job can be seen to go on; some open ones among them.
fn random_streams(dice: &mut Dice, knobs: &Knobs) -> Vec<Stream> {
    let devices = knobs.ports as u64 * u64::from(knobs.devices_per_lcu);
    let mut streams = Vec::new();
    for kind in 0..dice.within(1..=3) {
        let protocol = dice.one_of(&[
            ProtocolChoice::Eligible,
            ProtocolChoice::Eligible,
            ProtocolChoice::Always(Protocol::Command),
        ]);
        let think = Span::from_us(dice.one_of(&[0, 0, 50, 400]));
        let (read_ppm, hit_ppm) = (dice.one_of(&[0, 500_000, 1_000_000]), dice.one_of(&[700_000, 1_000_000]));
        let selection =
            dice.one_of(&[Selection::Uniform, Selection::Sequential, Selection::Zipf { exponent: 1.0 }]);
        let (read, write) = (random_shape(dice, Operation::Read), random_shape(dice, Operation::UpdateWrite));
        let first = dice.within(0..=devices - 1);
        let is_open = dice.happens(20);
        for job in 0..if is_open { 1 } else { dice.within(1..=5) } {
            let exponential = dice.happens(50);
            let mut one = Stream {
                lpar: dice.within(0..=u64::from(knobs.lpars) - 1) as u32,
                devices: (first as u32..devices as u32).collect(),
                selection,
                read,
                write,
                read_ppm,
                hit_ppm,
                locality: None,
                synchronous: None,
                compression: None,
                protocol,
                ..stream(&format!("kind {kind} job {job}"), Arrivals::Closed { jobs: 1, think, exponential })
            };
            if is_open {
                // Seldom enough that credits for one frame at a time carry it.
                let us = 4 * alone_us(knobs, &one);
                one.arrivals = Arrivals::Open { interarrival: Span::from_us(us), poisson: exponential };
            }
            streams.push(one);
        }
    }
    streams
}

/// Draws up to six disturbances, all over at `end`, many of the same channel or control unit at the same time.
fn random_disturbances(dice: &mut Dice, knobs: &Knobs, end: Span) -> Vec<Disturbance> {
    let mut found: Vec<Disturbance> = Vec::new();
    for _ in 0..dice.within(0..=6) {
        let before = found.last().cloned();
        let at = match (dice.within(0..=5), &before) {
            (0, _) => Span::ZERO,
            (1, Some(before)) => before.at,
            (2, Some(before)) => before.at + before.lasts,
            _ => Span::from_ps(dice.within(0..=end.as_ps() - 1)),
        };
        let longest = end.saturating_sub(at).as_ps().max(1);
        let lasts = match dice.within(0..=3) {
            0 => longest,
            1 => dice.within(1..=longest.min(200_000_000)),
            _ => dice.within(1..=longest),
        };
        let kind = match (dice.within(0..=4), &before) {
            (0, Some(before)) => before.kind,
            (0 | 1, _) => {
                DisturbanceKind::ChannelBusy { channel: dice.within(0..=knobs.channels as u64 - 1) as u32 }
            }
            (2, _) => {
                DisturbanceKind::ControlUnitBusy { lcu: dice.within(0..=knobs.ports as u64 - 1) as u32 }
            }
            _ => DisturbanceKind::PathLost { channel: dice.within(0..=knobs.channels as u64 - 1) as u32 },
        };
        found.push(Disturbance { at, lasts: Span::from_ps(lasts), kind });
    }
    found.sort_by_key(|disturbance| disturbance.at);
    found
}

fn storm(seed: u64) -> Storm {
    let mut dice = Dice(RandomStream::new(seed, "storm"));
    let topology = dice.one_of(&[Topology::Director, Topology::Trunk, Topology::Cascade, Topology::Direct]);
    let channels = dice.one_of(&[1, 1, 2, 2, 3, 4, 8]);
    let ports = if topology == Topology::Direct { channels } else { dice.within(1..=4) as usize };
    let devices_per_lcu = dice.one_of(&[1, 2, 64]);
    let hyperpav = dice.happens(50);
    let mut knobs = Knobs {
        topology,
        lpars: dice.within(1..=2) as u8,
        iop_threads: dice.one_of(&[1, 3, 10]),
        spread: topology != Topology::Direct && dice.happens(50),
        channels,
        ports,
        devices_per_lcu,
        aliases: if hyperpav { dice.within(1..=8) as u32 } else { 0 },
        hyperpav,
        km: dice.one_of(&[0, 1, 1, 7, 40, 120]),
        credits: dice.one_of(&[1, 2, 5, 16, 90, 90, 2000]),
        zhpf: dice.happens(80),
        open_exchanges: dice.one_of(&[(512, 64), (3, 2), (1, 1)]),
        exchanges_per_port: dice.one_of(&[1024, 1024, 2, 1]),
        first_transfer_bytes: dice.one_of(&[0, 65_536, 262_144]),
        warmup: Span::from_ms(1),
        intervals: 3,
        ..Knobs::default()
    };
    if knobs.credits < 16 {
        // What is refused and sent again would take all the credits.
        knobs.exchanges_per_port = 1024;
    }
    knobs.streams = random_streams(&mut dice, &knobs);
    // In the worst case all jobs queue for one thing.
    let all_us: u64 = knobs.streams.iter().map(|stream| alone_us(&knobs, stream)).sum();
    knobs.interval = Span::from_us(3 * all_us);
    knobs.disturbances = random_disturbances(&mut dice, &knobs, knobs.warmup + knobs.interval);
    Storm { knobs, fidelity: dice.one_of(&[Fidelity::Burst, Fidelity::Frame]) }
}

/// Returns closed streams without a normal ending in the last interval. A run of one interval less is the same up to it.
fn stuck(knobs: &Knobs, options: Options, whole: &Run) -> Vec<String> {
    let before = Knobs { intervals: knobs.intervals - 1, ..knobs.clone() };
    let before = simulate(&before, options).0;
    let normal = |run: &Run, stream: usize| run.streams[stream].completed - run.streams[stream].failed;
    let is_stuck = |stream: &usize| {
        let is_closed = matches!(knobs.streams[*stream].arrivals, Arrivals::Closed { .. });
        is_closed && normal(whole, *stream) == normal(&before, *stream)
    };
    let names = (0..whole.streams.len()).filter(is_stuck).map(|stream| whole.streams[stream].name.clone());
    names.collect()
}

fn simulate(knobs: &Knobs, options: Options) -> (Run, RunCounters) {
    let mut simulation =
        Simulation::new(Arc::new(configuration(knobs)), options).expect("the site can be wired");
    simulation.run(&mut |_| {})
}

/// Describes what is wrong after the storm of `seed`, empty when nothing is.
fn weathered(seed: u64) -> String {
    let Storm { knobs, fidelity } = storm(seed);
    let options = Options { fidelity, ..OPTIONS };
    let (whole, counters) = simulate(&knobs, options);
    for checker in &whole.checkers {
        if !checker.violations.is_empty() {
            return format!("{}: {:?}", checker.law, checker.violations);
        }
    }
    let stuck = stuck(&knobs, options, &whole);
    if !stuck.is_empty() {
        return format!("stuck: {stuck:?}");
    }
    let threads = if seed.is_multiple_of(THREADS_EVERY) { 2 } else { 1 };
    let other = Options { exchange: ExchangeMode::Live, threads: Threads::Exactly(threads), ..options };
    if simulate(&knobs, other) != (whole, counters) {
        return format!("planned on 1 thread and live on {threads} differ");
    }
    String::new()
}

/// Returns the message of a panic.
fn last_words(panic: &(dyn Any + Send)) -> &str {
    let formatted = panic.downcast_ref::<String>().map(String::as_str);
    formatted.or(panic.downcast_ref::<&str>().copied()).unwrap_or("nothing")
}

#[test]
fn after_every_storm_work_goes_on() {
    let mut failed = Vec::new();
    for seed in SEEDS {
        let words = catch_unwind(AssertUnwindSafe(|| weathered(seed)));
        let words = words.unwrap_or_else(|panic| format!("panicked: {}", last_words(&*panic)));
        if !words.is_empty() {
            failed.push(format!("seed {seed}: {words}"));
        }
    }
    assert!(failed.is_empty(), "{} storms failed:\n{}", failed.len(), failed.join("\n"));
}

const PROTOCOLS: [Protocol; 2] = [Protocol::Command, Protocol::Transport];
const FIDELITIES: [Fidelity; 2] = [Fidelity::Burst, Fidelity::Frame];

/// Makes `jobs` streams of one job of `work` each.
fn single_jobs(work: &Stream, jobs: usize) -> Vec<Stream> {
    (0..jobs).map(|job| Stream { name: format!("job {job:02}"), ..work.clone() }).collect()
}

fn work(protocol: Protocol) -> Stream {
    Stream { protocol: ProtocolChoice::Always(protocol), ..stream("work", closed(1)) }
}

/// Makes a disturbance of `kind` from `at_us` for `lasts_us`.
fn disturbed(at_us: u64, lasts_us: u64, kind: DisturbanceKind) -> Disturbance {
    Disturbance { at: Span::from_us(at_us), lasts: Span::from_us(lasts_us), kind }
}

fn demand_progress(knobs: &Knobs, options: Options) {
    let (whole, _) = run(knobs, options);
    let stuck = stuck(knobs, options, &whole);
    assert!(stuck.is_empty(), "{options:?}: {stuck:?}");
}

/// Makes intervals of 1 ms from 5 ms on, on a site of one channel and one control unit.
fn by_the_millisecond(protocol: Protocol, disturbances: Vec<Disturbance>) -> Knobs {
    Knobs {
        ports: 1,
        open_exchanges: (8, 8),
        streams: single_jobs(&work(protocol), 32),
        disturbances,
        interval: Span::from_ms(1),
        intervals: 10,
        ..Knobs::default()
    }
}

/// The starts that waited for an exchange of a channel must not get those that the loss of its fibre sets free.
#[test]
fn nothing_goes_over_a_dark_fibre() {
    for protocol in PROTOCOLS {
        let lost = disturbed(8000, 4000, DisturbanceKind::PathLost { channel: 0 });
        let knobs = by_the_millisecond(protocol, vec![lost]);
        // Measured from just after the loss on.
        let (run, _) = run(&Knobs { warmup: Span::from_us(8001), intervals: 3, ..knobs }, OPTIONS);
        for interval in &run.intervals {
            let channel = &interval.channels[0];
            let started = channel.started();
            let completed: u64 = interval.devices.iter().map(|device| device.completed).sum();
            assert!(!channel.online, "{protocol:?}");
            assert_eq!((started, channel.read_bytes, completed), (0, 0, 0), "{protocol:?}");
        }
    }
}

/// A thing that is lost or busy for two reasons is so until the last of them is over.
#[test]
fn disturbances_of_one_thing_may_nest() {
    let kinds = [
        DisturbanceKind::PathLost { channel: 0 },
        DisturbanceKind::ChannelBusy { channel: 0 },
        DisturbanceKind::ControlUnitBusy { lcu: 0 },
    ];
    for kind in kinds {
        let nested = vec![disturbed(7000, 6000, kind), disturbed(8000, 1000, kind)];
        let (run, _) = run(&by_the_millisecond(Protocol::Transport, nested), OPTIONS);
        let completed = |at: usize| run.intervals[at].devices.iter().map(|one| one.completed).sum::<u64>();
        assert!(completed(0) > 0 && completed(9) > 0, "{kind:?}: work before and after");
        assert_eq!((completed(5), completed(6)), (0, 0), "{kind:?}: completed in the disturbance");
    }
}

/// Control-unit end may overtake the busy that it is the end of: the busy waits for the port and the channel.
#[test]
fn control_unit_end_that_overtakes_its_busy_is_not_forgotten() {
    for protocol in PROTOCOLS {
        let pulse = |n: u64| disturbed(5000 + 307 * n, 31, DisturbanceKind::ControlUnitBusy { lcu: 0 });
        let knobs = Knobs {
            ports: 1,
            streams: single_jobs(&work(protocol), 8),
            disturbances: (0..40).map(pulse).collect(),
            ..Knobs::default()
        };
        demand_progress(&Knobs { intervals: 2, ..knobs }, OPTIONS);
    }
}

/// A channel may come free while a start that found it busy is on its way to the next, which is busy for longer.
#[test]
fn a_channel_that_comes_free_between_two_attempts_is_not_forgotten() {
    for phase in 0..24 {
        let knobs = Knobs {
            channels: 3,
            ports: 1,
            streams: single_jobs(&work(Protocol::Transport), 32),
            disturbances: vec![
                disturbed(500, 60_000, DisturbanceKind::ChannelBusy { channel: 1 }),
                disturbed(500, 60_000, DisturbanceKind::ChannelBusy { channel: 2 }),
                disturbed(700 + 13 * phase, 9, DisturbanceKind::ChannelBusy { channel: 0 }),
            ],
            warmup: Span::from_ms(1),
            interval: Span::from_ms(1),
            intervals: 2,
            ..Knobs::default()
        };
        demand_progress(&knobs, OPTIONS);
    }
}

/// A port that holds no more exchanges answers busy; the exchange it did not take cannot be given back.
#[test]
fn a_port_that_is_full_and_then_empty_keeps_its_count() {
    for fidelity in FIDELITIES {
        let think = Span::from_us(100);
        let thinking = Arrivals::Closed { jobs: 1, think, exponential: true };
        let busy = Stream { arrivals: thinking, ..work(Protocol::Transport) };
        let knobs = Knobs {
            ports: 1,
            exchanges_per_port: 2,
            streams: single_jobs(&busy, 6),
            intervals: 2,
            ..Knobs::default()
        };
        demand_progress(&knobs, Options { fidelity, ..OPTIONS });
    }
}

/// A receive-ready on a fibre of no length is at the other end at once, which no lookahead above zero allows.
#[test]
fn fibres_of_no_length_carry_credits_too() {
    for topology in [Topology::Director, Topology::Cascade, Topology::Trunk, Topology::Direct] {
        let streams = single_jobs(&work(Protocol::Transport), 4);
        let knobs =
            Knobs { topology, channels: 2, ports: 2, km: 0, streams, intervals: 2, ..Knobs::default() };
        for threads in [1, 2] {
            demand_progress(
                &knobs,
                Options { fidelity: Fidelity::Frame, threads: Threads::Exactly(threads), ..OPTIONS },
            );
        }
    }
}

/// A frame that waits for a credit still has to wait for the port's processor as well.
#[test]
fn a_credit_does_not_send_a_frame_before_the_port_has_made_it() {
    let mut small = work(Protocol::Transport);
    small.read = shape(Operation::Read, 1, 512);
    let knobs = Knobs {
        channels: 4,
        ports: 1,
        credits: 2,
        streams: single_jobs(&small, 40),
        intervals: 2,
        ..Knobs::default()
    };
    demand_progress(&knobs, Options { fidelity: Fidelity::Frame, ..OPTIONS });
}

/// A write that is refused while its data are still being sent gives its open exchange back after the last of them.
#[test]
fn a_write_refused_while_it_is_being_sent_leaks_no_exchange() {
    for fidelity in FIDELITIES {
        let mut write = work(Protocol::Transport);
        (write.write, write.read_ppm) = (shape(Operation::UpdateWrite, 4, 27_998), 0);
        let pulse = |n: u64| disturbed(5000 + 307 * n, 31, DisturbanceKind::ControlUnitBusy { lcu: 0 });
        let knobs = Knobs {
            ports: 1,
            open_exchanges: (4, 4),
            first_transfer_bytes: 262_144,
            streams: single_jobs(&write, 8),
            disturbances: (0..40).map(pulse).collect(),
            intervals: 2,
            ..Knobs::default()
        };
        demand_progress(&knobs, Options { fidelity, ..OPTIONS });
        let (run, _) = run(&knobs, Options { fidelity, ..OPTIONS });
        for i in &run.intervals {
            println!("{:?} {:?}", i.lcus[0].paths, i.channels[0].operations[Protocol::Transport]);
        }
    }
}
