//! Cases: paths of a group pulled and stalled under load, with and without directors, with the history of every record
//! checked.

mod case;
mod fcp;
mod hung_path;

use halftrack_base::Span;
use halftrack_faults::{Mutation, Verdict};

use self::case::{Case, Fault};

fn run(case: &Case, is_fenced: bool) -> Verdict {
    run_with(case, (!is_fenced).then_some(Mutation::NoFence))
}

fn run_with(case: &Case, mutation: Option<Mutation>) -> Verdict {
    let verdict = halftrack_faults::check(&case.machine(), &case.script(), mutation);
    assert_eq!(verdict.trouble, None, "{case:?}");
    verdict
}

/// Returns the records and reads that were wrong.
fn wrong(case: &Case, is_fenced: bool) -> u64 {
    let verdict = run(case, is_fenced);
    verdict.lost_records + verdict.stale_records
}

fn check(case: &Case) {
    let verdict = run(case, true);
    assert!(verdict.is_good(), "{case:?}: {verdict:?}");
    if case.has_other_path() {
        assert_eq!(verdict.failed, 0, "{case:?}: {verdict:?}");
        assert!(verdict.longest <= case.bound(), "{case:?}: {verdict:?}");
    }
}

#[test]
fn no_older_write_is_seen_after_a_newer_one_and_every_io_ends_in_time() {
    let number = |name, default| std::env::var(name).map_or(default, |text: String| text.parse().unwrap());
    let (from, count) = (number("HALFTRACK_FENCE_FROM", 0), number("HALFTRACK_FENCE_CASES", 24));
    for seed in from..from + count {
        check(&Case::of_seed(seed));
    }
}

/// A director stalls until just before the path would be found stalled: the other one has dropped some of an I/O's frames
/// meanwhile, and the first to arrive was answered.
#[test]
fn frames_lost_in_a_stall_that_has_ended_are_not_waited_for_as_long_again() {
    check(&Case::of_seed(207));
}

/// Returns a case of few records, many jobs, and a path that is pulled while another is much nearer.
fn hard(seed: u64, is_transport: bool) -> Case {
    Case {
        seed,
        km: vec![300, 0],
        cascades: vec![None; 2],
        links: 1,
        has_clock: false,
        is_grouped: true,
        is_transport,
        program: (27_998, 1),
        jobs: 12,
        think_us: 1000,
        rest: Span::from_ms(250),
        fault: Fault::PullAtChannel { late: Span::from_ms(140) },
        lasts: vec![Span::from_ms(150)],
        is_everywhere: false,
        fcp_bytes: None,
    }
}

/// A control unit that admits every start: a late write of a pulled path overwrites newer ones.
#[test]
fn the_checker_fires_without_the_fence() {
    let wrong_of = |is_fenced| (0..3).map(|seed| wrong(&hard(seed, true), is_fenced)).sum::<u64>();
    assert_eq!((wrong_of(true), wrong_of(false) > 0), (0, true));
}

/// The first failure that was found: two directors 300 km apart, their path reset again and again under load; a director
/// that stalls until the path is given up, and one that stalls while the channel's link is pulled.
#[test]
fn the_checker_fires_without_the_fence_behind_directors() {
    let reset = (Fault::Reset, vec![Span::from_ms(1); 14]);
    let stalled = |director| (Fault::Stall { director }, vec![Span::from_s(3)]);
    let pulled = (Fault::PullAtChannel { late: Span::from_ms(400) }, vec![Span::from_ms(500); 4]);
    for (fault, lasts) in [reset, stalled(0), stalled(1), pulled] {
        let case =
            |seed| Case { cascades: vec![Some(0), None], fault, lasts: lasts.clone(), ..hard(seed, true) };
        let Some(seed) = (1..9).find(|&seed| wrong(&case(seed), false) > 0) else {
            panic!("{fault:?}: no violation without the fence");
        };
        assert_eq!(wrong(&case(seed), true), 0, "{fault:?}, seed {seed}: violations with the fence");
    }
}

/// Every frame over one path comes a second time.
#[test]
fn the_checker_fires_on_late_duplicates_that_are_not_fenced_off() {
    for is_transport in [true, false] {
        let fault = Fault::Duplicate { after: Span::from_ms(300) };
        let lasts = vec![Span::from_s(2)];
        let case = Case { lasts, jobs: 4, think_us: 5000, fault, ..hard(1, is_transport) };
        let (with, without) = (wrong(&case, true), wrong(&case, false));
        assert!(with == 0 && without > 0, "{is_transport}: {with} with the fence, {without} without");
    }
}

/// A control unit that answers over no path is slow: no path is given up, and every I/O ends well.
#[test]
fn a_control_unit_that_answers_nowhere_loses_no_path() {
    for km in [vec![10, 0], vec![0, 0, 300, 0]] {
        let (fault, lasts) = (Fault::Stall { director: 0 }, vec![Span::from_s(4)]);
        let cascades = vec![None; km.len()];
        let case =
            Case { km, cascades, fault, lasts, is_everywhere: true, think_us: 20_000, ..hard(1, true) };
        let verdict = run(&case, true);
        assert!(verdict.is_good() && verdict.failed == 0, "{verdict:?}");
        assert!(verdict.links == vec![1; case.km.len()], "{verdict:?}");
    }
}

/// Starts of one path group follow each other over paths of different length, and paths leave and join the group: the
/// control unit answers none of them busy, and two paths do no fewer I/Os than one.
#[test]
fn starts_of_one_path_group_are_never_answered_busy() {
    for is_transport in [true, false] {
        let of = |km: Vec<u64>, fault| {
            let cascades = vec![None; km.len()];
            let lasts = vec![Span::from_ms(20); 8];
            let (rest, think_us, program) = (Span::from_ms(60), 500, (4096, 1));
            run(&Case { km, cascades, lasts, rest, think_us, program, fault, ..hard(3, is_transport) }, true)
        };
        for km in [vec![0, 0], vec![300, 0], vec![10, 0, 0, 10]] {
            let verdict = of(km.clone(), Fault::Reset);
            assert_eq!((verdict.busy, verdict.failed), (0, 0), "{is_transport}, {km:?}: {verdict:?}");
        }
        let [one, two] = [vec![0], vec![0; 2]].map(|km| of(km, Fault::None).ios);
        assert!(two >= one, "{is_transport}: {two} I/Os over two paths, {one} over one");
    }
}
