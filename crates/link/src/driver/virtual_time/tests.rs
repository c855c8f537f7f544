//! Cases: paths of a group pulled and stalled under load, with the history of every record checked.

use halftrack_engine::{RandomStream, SimDuration};

use super::history::{self, violations};
use super::{Event, Fault, Rig, Site};
use crate::control_unit::PortCounters;
use crate::driver::statistics::IoError;

/// What a case is drawn from.
#[derive(Debug, Clone)]
struct Case {
    seed: u64,
    km: Vec<u64>,
    grouped: bool,
    protocol: &'static str,
    program: &'static str,
    jobs: u32,
    think_us: u32,
    /// From the end of a fault to the next, or to the end.
    rest: SimDuration,
    fault: Fault,
    lasts: Vec<SimDuration>,
    fenced: bool,
    duplicate: Option<SimDuration>,
    /// The faults happen to every path at once.
    everywhere: bool,
}

/// One record of 1 KiB to about 54 KiB, and programs of more than 64 KiB.
const PROGRAMS: [&str; 6] = [
    "record_bytes = 1024, records = 1",
    "record_bytes = 4096, records = 1",
    "record_bytes = 27998, records = 1",
    "record_bytes = 55000, records = 1",
    "record_bytes = 27998, records = 3",
    "record_bytes = 8906, records = 8",
];

impl Case {
    fn of_seed(seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "case");
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let km = [0, 10, 100, 300][pick(4)];
        let paths = [4, 2, 2, 1][pick(4)];
        let near = pick(2) == 0;
        let kms = (0..paths).map(|path| if path == 0 || !near { km } else { 0 }).collect();
        let lasts = |choice: usize| [100, 150, 400, 1000, 2000, 4000, 10_000, 30_000][choice];
        let (fault, least) = match pick(4) {
            0 => (Fault::Stall, 0),
            1 => (Fault::PullAtChannel { late: SimDuration::from_ms(lasts(pick(6))) }, 1),
            2 => (Fault::PullAtControlUnit, 1),
            _ => (Fault::ShortPull, 0),
        };
        let mut lasts_ms: Vec<u64> = (0..1 + pick(3)).map(|_| lasts(least + pick(8 - least))).collect();
        if matches!(fault, Fault::ShortPull) {
            lasts_ms.iter_mut().for_each(|ms| *ms = 1 + *ms % 99);
        }
        Self {
            seed,
            km: kms,
            grouped: pick(3) > 0,
            protocol: ["transport", "command"][pick(2)],
            program: PROGRAMS[pick(6)],
            jobs: [4, 8, 16][pick(3)],
            think_us: 40_000,
            rest: SimDuration::from_s(3),
            fault,
            lasts: lasts_ms.into_iter().map(SimDuration::from_ms).collect(),
            fenced: true,
            duplicate: None,
            everywhere: false,
        }
    }

    fn channel(&self) -> String {
        format!(
            "[[alias]]\nbase = \"00\"\naddresses = [\"80-83\"]\n[run]\nduration_s = 3600\nseed = {}\n\
             [[stream]]\nname = \"s\"\ndevices = [\"00\"]\nprogram = {{ {} }}\nread_share = 0.4\n\
             protocol = \"{}\"\nclosed = {{ jobs = {}, think_us = {} }}\n",
            self.seed, self.program, self.protocol, self.jobs, self.think_us
        )
    }

    /// The longest that an I/O may take from the fault on, where it has another path.
    fn bound(&self) -> SimDuration {
        let round_trips = SimDuration::from_us(4 * 5 * self.km.iter().max().copied().unwrap_or(0));
        match self.fault {
            Fault::PullAtChannel { .. } | Fault::PullAtControlUnit => {
                SimDuration::from_s(1).saturating_add(round_trips)
            }
            Fault::None | Fault::Stall | Fault::ShortPull => SimDuration::from_s(3),
        }
    }
}

/// What came of a case.
#[derive(Debug)]
#[allow(dead_code, reason = "some is for the message")]
struct Outcome {
    ios: u64,
    failed: u64,
    violations: Vec<history::Violation>,
    mismatches: u64,
    longest: SimDuration,
    redriven: u64,
    counters: Vec<PortCounters>,
}

fn run(case: &Case) -> Outcome {
    let outcome = run_quietly(case);
    if std::env::var_os("HALFTRACK_FENCE_TELL").is_some() {
        println!("{case:?}\n    {outcome:?}");
    }
    outcome
}

fn run_quietly(case: &Case) -> Outcome {
    let directory = tempfile::tempdir().unwrap();
    let top = if case.grouped { "" } else { "path_group = false" };
    let text = case.channel();
    let mut rig =
        Rig::new(directory.path(), &Site { km: &case.km, channel: (top, &text), fenced: case.fenced });
    rig.bring_up();
    let mut at = rig.now().saturating_add(SimDuration::from_ms(200));
    let mut faults = Vec::new();
    for &lasts in &case.lasts {
        let paths = if case.everywhere { case.km.len() } else { 1 };
        faults.extend((0..paths).map(|path| Event { at, path, lasts, fault: case.fault }));
        at = at.saturating_add(lasts).saturating_add(case.rest);
    }
    let began = rig.now();
    if let Some(after) = case.duplicate {
        rig.lines[0].borrow_mut().duplicate = Some(after);
    }
    rig.drive(faults, at.saturating_since(began));
    let driver = rig.driver.as_ref().unwrap();
    let statistics = &driver.streams()[0].statistics;
    let longest = driver.history.iter().map(|event| event.ended.saturating_since(event.began)).max();
    Outcome {
        ios: driver.ledger().completed,
        failed: driver.ledger().failed,
        violations: violations(&driver.history),
        mismatches: statistics.errors.get(&IoError::Mismatch).copied().unwrap_or(0),
        longest: longest.unwrap_or_default(),
        redriven: statistics.redriven.values().sum(),
        counters: rig.ports.iter().map(|port| port.counters()).collect(),
    }
}

fn check(case: &Case) {
    let outcome = run(case);
    assert!(outcome.violations.is_empty() && outcome.mismatches == 0, "{case:?}: {outcome:?}");
    if case.km.len() > 1 {
        assert_eq!(outcome.failed, 0, "{case:?}: {outcome:?}");
        assert!(outcome.longest <= case.bound(), "{case:?}: {outcome:?}");
    }
}

#[test]
fn no_older_write_is_seen_after_a_newer_one_and_every_io_ends_in_time() {
    let number = |name, default| std::env::var(name).map_or(default, |text: String| text.parse().unwrap());
    let (from, count) = (number("HALFTRACK_FENCE_FROM", 0), number("HALFTRACK_FENCE_CASES", 40));
    for seed in from..from + count {
        let case = Case::of_seed(seed);
        check(&case);
    }
}

/// Few records, many jobs, and a path that is pulled while another is much nearer.
fn hard(seed: u64, protocol: &'static str) -> Case {
    Case {
        seed,
        km: vec![300, 0],
        grouped: true,
        protocol,
        program: "record_bytes = 27998, records = 1",
        jobs: 12,
        think_us: 1000,
        rest: SimDuration::from_ms(250),
        fault: Fault::PullAtChannel { late: SimDuration::from_ms(140) },
        lasts: vec![SimDuration::from_ms(150)],
        fenced: true,
        duplicate: None,
        everywhere: false,
    }
}

/// What a control unit did that admits every start: a late write of a pulled path overwrites newer ones.
#[test]
fn the_checker_fires_without_the_fence() {
    let wrong = |fenced| {
        let runs = (0..3).map(|seed| run(&Case { fenced, ..hard(seed, "transport") }));
        runs.map(|outcome| outcome.violations.len()).collect::<Vec<_>>()
    };
    assert_eq!((wrong(true), wrong(false).iter().sum::<usize>() > 0), (vec![0; 3], true));
}

/// Every frame that goes to the control unit over one path comes a second time.
#[test]
fn the_checker_fires_on_late_duplicates_that_are_not_fenced_off() {
    for protocol in ["transport", "command"] {
        let duplicate = Some(SimDuration::from_ms(300));
        let wrong = |fenced| {
            let lasts = vec![SimDuration::from_s(1); 2];
            let (jobs, think_us) = (4, 5000);
            let case =
                Case { fenced, duplicate, lasts, jobs, think_us, fault: Fault::None, ..hard(1, protocol) };
            run(&case).violations.len()
        };
        let (with, without) = (wrong(true), wrong(false));
        assert!(with == 0 && without > 0, "{protocol}: {with} with the fence, {without} without");
    }
}

/// A control unit that answers over no path is slow: no path is given up, and every I/O ends well.
#[test]
fn a_control_unit_that_answers_nowhere_loses_no_path() {
    for km in [vec![10, 0], vec![0, 0, 300, 0]] {
        let (fault, lasts) = (Fault::Stall, vec![SimDuration::from_s(4)]);
        let case = Case { km, fault, lasts, everywhere: true, think_us: 20_000, ..hard(1, "transport") };
        let outcome = run(&case);
        assert!(outcome.violations.is_empty() && outcome.failed == 0, "{outcome:?}");
        assert!(outcome.counters.iter().all(|port| port.connections == 1), "{outcome:?}");
    }
}
