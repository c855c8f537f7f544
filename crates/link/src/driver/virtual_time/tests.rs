//! Cases: paths of a group pulled and stalled under load, with and without directors, with the history of every record
//! checked.

use halftrack_engine::{RandomStream, SimDuration};

use super::fault::{Event, Fault};
use super::history::{self, violations};
use super::{Rig, Site};
use crate::clock::HostClock;
use crate::control_unit::PortCounters;
use crate::driver::statistics::IoError;

/// What a case is drawn from.
#[derive(Debug, Clone)]
struct Case {
    seed: u64,
    km: Vec<u64>,
    /// The cascade of directors of each path, and the inter-switch links of each.
    cascades: Vec<Option<usize>>,
    links: usize,
    /// All have a common clock, so that old frames are known.
    has_clock: bool,
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

/// Where the paths lead through directors, by the number of paths: the first does.
fn cascades_of(paths: usize, choice: usize) -> Vec<Option<usize>> {
    match (paths, choice) {
        (4, 0) => vec![Some(0), Some(0), Some(1), Some(1)],
        (4, 1) => vec![Some(0), Some(1), None, None],
        (4, _) => vec![Some(0), Some(0), None, None],
        (2, 0) => vec![Some(0), Some(1)],
        (2, _) => vec![Some(0), None],
        (paths, _) => vec![Some(0); paths],
    }
}

impl Case {
    /// Odd seeds have directors, every other of them many jobs and little rest.
    fn of_seed(seed: u64) -> Self {
        let case = Self::of_line(seed);
        if seed.is_multiple_of(2) {
            return case;
        }
        let mut random = RandomStream::new(seed, "directors");
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let fault = match pick(9) {
            choice @ 0..3 => Fault::Stall { director: choice % 2 },
            3 => Fault::PullAtChannel { late: SimDuration::ZERO },
            4 => Fault::PullAtControlUnit,
            5 => Fault::PullAtBoth,
            6 => Fault::PullBetween { link: pick(2) },
            7 => Fault::Reset,
            _ => Fault::ShortPull,
        };
        let lasts_ms = |choice: usize| [150, 400, 1000, 2000, 4000, 10_000, 30_000][choice];
        let mut lasts: Vec<u64> = (0..1 + pick(3)).map(|_| lasts_ms(pick(7))).collect();
        if matches!(fault, Fault::ShortPull | Fault::Reset) {
            lasts.iter_mut().for_each(|ms| *ms = 1 + *ms % 99);
        }
        Self {
            cascades: cascades_of(case.km.len(), pick(3)),
            links: 1 + pick(2),
            has_clock: pick(2) == 0,
            fault,
            lasts: lasts.into_iter().map(SimDuration::from_ms).collect(),
            ..case
        }
        .hurried(seed % 4 == 3)
    }

    /// The same with many jobs on few records and little rest, if wished.
    fn hurried(self, is_wished: bool) -> Self {
        if !is_wished {
            return self;
        }
        let lasts = self.lasts.iter().map(|lasts| (*lasts).min(SimDuration::from_s(4)));
        Self { jobs: 12, think_us: 2000, rest: SimDuration::from_ms(300), lasts: lasts.collect(), ..self }
    }

    fn of_line(seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "case");
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let km = [0, 10, 100, 300][pick(4)];
        let paths = [4, 2, 2, 1][pick(4)];
        let near = pick(2) == 0;
        let kms: Vec<_> = (0..paths).map(|path| if path == 0 || !near { km } else { 0 }).collect();
        let lasts = |choice: usize| [100, 150, 400, 1000, 2000, 4000, 10_000, 30_000][choice];
        let (fault, least) = match pick(4) {
            0 => (Fault::Stall { director: 0 }, 0),
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
            cascades: vec![None; paths],
            links: 0,
            has_clock: false,
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

    /// Whether a path is not touched by the faults of the first one.
    fn has_other_path(&self) -> bool {
        let own = self.cascades[0];
        self.cascades[1..].iter().any(|cascade| own.is_none() || *cascade != own)
    }

    /// The longest that an I/O may take from the fault on, where it has another path.
    fn bound(&self) -> SimDuration {
        let round_trips = SimDuration::from_us(4 * 5 * self.km.iter().max().copied().unwrap_or(0));
        match self.fault {
            // The link that stays has its frames lost only.
            Fault::PullBetween { .. } if self.links > 1 => SimDuration::from_s(3),
            Fault::PullAtChannel { .. }
            | Fault::PullAtControlUnit
            | Fault::PullAtBoth
            | Fault::PullBetween { .. }
            | Fault::Reset => SimDuration::from_s(1).saturating_add(round_trips),
            Fault::None | Fault::Stall { .. } | Fault::ShortPull => SimDuration::from_s(3),
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
    let mut rig = Rig::new(
        directory.path(),
        &Site {
            km: &case.km,
            cascades: &case.cascades,
            links: case.links,
            clock: case.has_clock.then_some(HostClock { id: 19, start_ns: 1_000_000_000_000 }),
            channel: (top, &text),
            fenced: case.fenced,
        },
    );
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
    if case.has_other_path() {
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
        cascades: vec![None; 2],
        links: 1,
        has_clock: false,
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

/// The first failure that was found: two directors 300 km apart, their path reset again and again under load; and a director
/// that stalls until the path is given up.
#[test]
fn the_checker_fires_without_the_fence_behind_directors() {
    let reset = (Fault::Reset, vec![SimDuration::from_ms(1); 14]);
    let stalled = |director| (Fault::Stall { director }, vec![SimDuration::from_s(3)]);
    for (fault, lasts) in [reset, stalled(0), stalled(1)] {
        let wrong = |fenced| {
            let (cascades, lasts) = (vec![Some(0), None], lasts.clone());
            let outcome = run(&Case { fenced, cascades, fault, lasts, ..hard(1, "transport") });
            outcome.violations.len()
        };
        let (with, without) = (wrong(true), wrong(false));
        assert!(with == 0 && without > 0, "{fault:?}: {with} with the fence, {without} without");
    }
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
        let (fault, lasts) = (Fault::Stall { director: 0 }, vec![SimDuration::from_s(4)]);
        let cascades = vec![None; km.len()];
        let case =
            Case { km, cascades, fault, lasts, everywhere: true, think_us: 20_000, ..hard(1, "transport") };
        let outcome = run(&case);
        assert!(outcome.violations.is_empty() && outcome.failed == 0, "{outcome:?}");
        assert!(outcome.counters.iter().all(|port| port.connections == 1), "{outcome:?}");
    }
}
