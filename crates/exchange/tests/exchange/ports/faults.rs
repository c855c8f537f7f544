//! Whatever the link does to frames, every exchange ends once at the channel and leaves nothing behind at either end.

use halftrack_base::Span;
use halftrack_engine::RandomStream;
use halftrack_exchange::{BusyKind, Cause, ChannelOutcome, Login, Program};
use halftrack_program::{Operation, ProgramShape, RecordAddress, TrackAddress};
use halftrack_wire::IuData;

use crate::common::{LOGIN, read};
use crate::ports::link::{Faults, Rig, target};
use crate::ports::volumes::{RECORD_BYTES, Volumes, content, geometry};
use crate::ports::{PROTOCOLS, is_normal};

/// Longer than any time-out after another.
const LONG: Span = Span::from_s(60);
/// Tracks below are read only, those above written only, each by one exchange of a run.
const FIRST_WRITTEN: u8 = 8;

const DEVICES: u8 = 6;

/// Work of one exchange.
struct Job {
    device: u8,
    shape: ProgramShape,
    head: u8,
    data: Vec<u8>,
}

impl Job {
    fn random(random: &mut RandomStream, tag: u32) -> Job {
        let writes = random.below(3) == 0;
        let records = 1 + random.below(6) as u16;
        let operation = if writes { Operation::UpdateWrite } else { Operation::Read };
        let octets = u32::from(RECORD_BYTES) * u32::from(records);
        let seed = random.below(1 << 20) as u32;
        Job {
            device: random.below(u64::from(DEVICES)) as u8,
            shape: ProgramShape { operation, ..read(RECORD_BYTES, records) },
            head: if writes {
                FIRST_WRITTEN + tag as u8
            } else {
                random.below(u64::from(FIRST_WRITTEN)) as u8
            },
            data: if writes {
                (0..octets).map(|at| (at.wrapping_mul(seed) >> 13) as u8).collect()
            } else {
                vec![]
            },
        }
    }

    fn start(&self, rig: &mut Rig, random: &mut RandomStream, login: Login, tag: u32) {
        let protocol = PROTOCOLS[random.below(2) as usize];
        let start = RecordAddress { cylinder: 0, head: self.head, record: 1 };
        let data = IuData::Bytes(self.data.clone());
        let program = Program::at(&self.shape, protocol, &start, &geometry(), &data).unwrap();
        assert!(rig.channel.start(rig.now, &target(login, self.device), &program, tag));
    }

    /// Fails unless the data are where they belong.
    fn check(&self, volumes: &mut Volumes, read: &[u8], seed: u64) {
        let track = TrackAddress::new(0, self.head).unwrap();
        let records = 1..=self.shape.records as u8;
        if self.shape.operation == Operation::Read {
            let expected: Vec<u8> = records.flat_map(|record| content(self.device, track, record)).collect();
            assert!(read == expected, "seed {seed}: {} octets read", read.len());
        } else {
            for (record, expected) in records.zip(self.data.chunks(usize::from(RECORD_BYTES))) {
                assert!(volumes.record(self.device, track, record) == expected, "seed {seed}");
            }
        }
    }
}

/// Runs one to seven exchanges over a link with these faults and something else that `disturb` does; how many ended
/// normally, and how many not.
fn run(seed: u64, volumes: &mut Volumes, faults: Faults, disturb: impl FnOnce(&mut Rig, u64)) -> [usize; 2] {
    let mut random = RandomStream::new(seed, "jobs");
    let login = Login {
        initial_pacing: 1 + random.below(16) as u8,
        granted_pacing: random.below(32) as u8,
        first_transfer_bytes: [0, 65_536][random.below(2) as usize],
        ..LOGIN
    };
    let lent = std::mem::replace(volumes, Volumes::new(0));
    let mut rig = Rig::new(seed, 8, lent, login);
    rig.faults = faults;
    let jobs: Vec<Job> = (0..=random.below(7) as u32).map(|tag| Job::random(&mut random, tag % 7)).collect();
    for (tag, job) in (0..).zip(&jobs) {
        job.start(&mut rig, &mut random, login, tag);
    }
    disturb(&mut rig, random.below(20));
    rig.run(LONG);
    let mut tags: Vec<u32> = rig.ends.iter().map(|end| end.tag).collect();
    tags.sort_unstable();
    assert_eq!(tags, (0..jobs.len() as u32).collect::<Vec<_>>(), "seed {seed}");
    assert_eq!((rig.channel.open(), rig.control_unit.open()), (0, 0), "seed {seed}");
    assert!(rig.volumes.are_all_back(), "seed {seed}");
    let mut counts = [0; 2];
    for end in std::mem::take(&mut rig.ends) {
        let normal = is_normal(&end.outcome);
        counts[usize::from(!normal)] += 1;
        if normal {
            jobs[end.tag as usize].check(&mut rig.volumes, &end.data, seed);
        }
    }
    *volumes = rig.volumes;
    counts
}

/// Returns the number of exchanges of `seeds` runs ended normally, and how many not.
fn run_all(seeds: u64, faults: Faults, disturb: impl Fn(&mut Rig, u64)) -> [usize; 2] {
    let mut volumes = Volumes::new(DEVICES);
    let mut sum = [0; 2];
    for seed in 0..seeds {
        let counts = run(seed, &mut volumes, faults, &disturb);
        sum = [sum[0] + counts[0], sum[1] + counts[1]];
    }
    sum
}

#[test]
fn without_faults_only_a_busy_device_keeps_an_exchange_from_its_end() {
    let [normal, other] = run_all(300, Faults::default(), |rig, _| {
        rig.run(LONG);
        let busy = ChannelOutcome::Busy(BusyKind::Device);
        assert!(rig.ends.iter().all(|end| is_normal(&end.outcome) || end.outcome == busy), "{:?}", rig.ends);
    });
    assert!(normal > 800 && other > 100, "{normal} ended normally, {other} not");
}

#[test]
fn lost_frames() {
    for lost_ppm in [3_000, 50_000, 400_000] {
        let [normal, other] = run_all(600, Faults { lost_ppm, ..Faults::default() }, |_, _| {});
        assert!(normal > 10 && other > 100, "{normal} ended normally, {other} not");
    }
}

#[test]
fn nothing_gets_through() {
    let [normal, other] = run_all(50, Faults { lost_ppm: 1_000_000, ..Faults::default() }, |_, _| {});
    assert!(normal == 0 && other > 100, "{normal} ended normally, {other} not");
}

#[test]
fn repeated_frames() {
    let [normal, other] = run_all(600, Faults { repeated_ppm: 30_000, ..Faults::default() }, |_, _| {});
    assert!(normal > 500 && other > 100, "{normal} ended normally, {other} not");
}

#[test]
fn damaged_frames() {
    let [normal, other] = run_all(900, Faults { damaged_ppm: 30_000, ..Faults::default() }, |_, _| {});
    assert!(normal > 500 && other > 100, "{normal} ended normally, {other} not");
}

#[test]
fn late_frames() {
    let [normal, other] = run_all(600, Faults { late_ppm: 20_000, ..Faults::default() }, |_, _| {});
    assert!(normal > 500 && other > 100, "{normal} ended normally, {other} not");
}

#[test]
fn all_faults_at_once() {
    let faults = Faults { lost_ppm: 20_000, repeated_ppm: 20_000, damaged_ppm: 20_000, late_ppm: 20_000 };
    let [normal, other] = run_all(1200, faults, |_, _| {});
    assert!(normal > 100 && other > 500, "{normal} ended normally, {other} not");
}

#[test]
fn the_link_goes_down() {
    let faults = Faults { lost_ppm: 5_000, ..Faults::default() };
    run_all(600, faults, |rig, after| {
        rig.talk_for(after);
        rig.channel.handle_link_down();
        rig.control_unit.handle_link_down(&mut rig.volumes);
        assert_eq!((rig.channel.open(), rig.control_unit.open()), (0, 0));
    });
}

#[test]
fn one_side_alone_finds_the_link_down() {
    run_all(300, Faults::default(), |rig, after| {
        rig.talk_for(after);
        rig.channel.handle_link_down();
    });
    run_all(300, Faults::default(), |rig, after| {
        rig.talk_for(after);
        rig.control_unit.handle_link_down(&mut rig.volumes);
    });
}

#[test]
fn programs_are_withdrawn() {
    let faults = Faults { lost_ppm: 5_000, ..Faults::default() };
    let cancelled = std::cell::Cell::new(0);
    run_all(600, faults, |rig, after| {
        rig.talk_for(after);
        for tag in 0..3 {
            rig.channel.cancel(tag, rig.now);
        }
        rig.talk();
        let withdrawn = rig.ends.iter().filter(|end| end.outcome == ChannelOutcome::Cancelled);
        cancelled.set(cancelled.get() + withdrawn.count());
    });
    assert!(cancelled.get() > 300, "{} were withdrawn", cancelled.get());
}

#[test]
fn a_peer_that_is_gone_ends_its_exchanges() {
    run_all(100, Faults::default(), |rig, after| {
        rig.talk_for(after);
        rig.channel.handle_peer_gone(crate::ports::link::CONTROL_UNIT);
        rig.control_unit.log_out(crate::ports::link::CHANNEL, &mut rig.volumes);
        rig.talk();
        let down = ChannelOutcome::InterfaceControlCheck(Cause::LinkDown);
        assert!(rig.ends.iter().all(|end| is_normal(&end.outcome)
            || matches!(end.outcome, ChannelOutcome::Busy(_))
            || end.outcome == down));
    });
}
