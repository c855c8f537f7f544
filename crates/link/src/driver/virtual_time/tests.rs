//! Cases: paths of a group pulled and stalled under load, with and without directors, with the history of every record
//! checked.

use halftrack_base::Span;

use super::case::Case;
use super::fault::{Event, Fault};
use super::history::{self, violations};
use super::{Rig, Site};
use crate::clock::HostClock;
use crate::control_unit::PortCounters;
use crate::driver::statistics::IoError;

/// Result of a case.
#[derive(Debug)]
#[allow(dead_code, reason = "some is for the message")]
struct Outcome {
    ios: u64,
    failed: u64,
    violations: Vec<history::Violation>,
    mismatches: u64,
    longest: Span,
    redriven: u64,
    busy: u64,
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
    let mut at = rig.now().saturating_add(Span::from_ms(200));
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
        busy: statistics.busy,
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

/// A director stalls until just before the path would be found stalled: the other one has dropped some of an I/O's frames
/// meanwhile, and the first to arrive was answered.
#[test]
fn frames_lost_in_a_stall_that_has_ended_are_not_waited_for_as_long_again() {
    check(&Case::of_seed(207));
}

/// Returns a case of few records, many jobs, and a path that is pulled while another is much nearer.
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
        rest: Span::from_ms(250),
        fault: Fault::PullAtChannel { late: Span::from_ms(140) },
        lasts: vec![Span::from_ms(150)],
        fenced: true,
        duplicate: None,
        everywhere: false,
    }
}

/// A control unit that admits every start: a late write of a pulled path overwrites newer ones.
#[test]
fn the_checker_fires_without_the_fence() {
    let wrong = |fenced| {
        let runs = (0..3).map(|seed| run(&Case { fenced, ..hard(seed, "transport") }));
        runs.map(|outcome| outcome.violations.len()).collect::<Vec<_>>()
    };
    assert_eq!((wrong(true), wrong(false).iter().sum::<usize>() > 0), (vec![0; 3], true));
}

/// The first failure that was found: two directors 300 km apart, their path reset again and again under load; a director
/// that stalls until the path is given up, and one that stalls while the channel's link is pulled.
#[test]
fn the_checker_fires_without_the_fence_behind_directors() {
    let reset = (Fault::Reset, vec![Span::from_ms(1); 14]);
    let stalled = |director| (Fault::Stall { director }, vec![Span::from_s(3)]);
    let pulled = (Fault::PullAtChannel { late: Span::from_ms(400) }, vec![Span::from_ms(500); 4]);
    for (fault, lasts) in [reset, stalled(0), stalled(1), pulled] {
        let wrong = |seed, fenced| {
            let (cascades, lasts) = (vec![Some(0), None], lasts.clone());
            let outcome = run(&Case { fenced, cascades, fault, lasts, ..hard(seed, "transport") });
            outcome.violations.len()
        };
        let Some(seed) = (1..9).find(|&seed| wrong(seed, false) > 0) else {
            panic!("{fault:?}: no violation without the fence");
        };
        assert_eq!(wrong(seed, true), 0, "{fault:?}, seed {seed}: violations with the fence");
    }
}

/// Every frame that goes to the control unit over one path comes a second time.
#[test]
fn the_checker_fires_on_late_duplicates_that_are_not_fenced_off() {
    for protocol in ["transport", "command"] {
        let duplicate = Some(Span::from_ms(300));
        let wrong = |fenced| {
            let lasts = vec![Span::from_s(1); 2];
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
        let (fault, lasts) = (Fault::Stall { director: 0 }, vec![Span::from_s(4)]);
        let cascades = vec![None; km.len()];
        let case =
            Case { km, cascades, fault, lasts, everywhere: true, think_us: 20_000, ..hard(1, "transport") };
        let outcome = run(&case);
        assert!(outcome.violations.is_empty() && outcome.failed == 0, "{outcome:?}");
        assert!(outcome.counters.iter().all(|port| port.connections == 1), "{outcome:?}");
    }
}

/// Starts of one path group follow each other over paths of different length, and paths leave and join the group: the
/// control unit answers none of them busy, and two paths do no fewer I/Os than one.
#[test]
fn starts_of_one_path_group_are_never_answered_busy() {
    for protocol in ["transport", "command"] {
        let program = "record_bytes = 4096, records = 1";
        let of = |km: Vec<u64>, fault| {
            let cascades = vec![None; km.len()];
            let lasts = vec![Span::from_ms(20); 8];
            let (rest, think_us) = (Span::from_ms(60), 500);
            run(&Case { km, cascades, lasts, rest, think_us, program, fault, ..hard(3, protocol) })
        };
        for km in [vec![0, 0], vec![300, 0], vec![10, 0, 0, 10]] {
            let outcome = of(km.clone(), Fault::Reset);
            assert_eq!((outcome.busy, outcome.failed), (0, 0), "{protocol}, {km:?}: {outcome:?}");
        }
        let [one, two] = [vec![0], vec![0; 2]].map(|km| of(km, Fault::None).ios);
        assert!(two >= one, "{protocol}: {two} I/Os over two paths, {one} over one");
    }
}
