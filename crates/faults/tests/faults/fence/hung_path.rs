//! One of four paths hangs: it answers probes and loses every frame of a device.

use halftrack_base::Span;
use halftrack_faults::Verdict;

use super::case::{Case, Fault};
use super::run;

/// Seconds that the path hangs, nearly from the first start on.
const HANGS_S: usize = 40;
/// Seconds after which the path that hangs costs its share only.
const SETTLED_S: usize = 10;

/// Runs many jobs over four paths with such a fault of one.
fn run_with(fault: Fault, is_transport: bool) -> Verdict {
    let case = Case {
        seed: 1,
        km: vec![10; 4],
        cascades: vec![None; 4],
        links: 0,
        has_clock: false,
        is_grouped: true,
        is_transport,
        program: (1024, 1),
        jobs: 8,
        think_us: 2000,
        rest: Span::from_s(8),
        fault,
        lasts: vec![Span::from_s(HANGS_S as u64)],
        is_everywhere: false,
        fcp_bytes: None,
    };
    run(&case, true)
}

fn mean(seconds: &[u64]) -> f64 {
    seconds.iter().sum::<u64>() as f64 / seconds.len() as f64
}

/// It costs at most 40 % of the I/Os from 10 s after it hung, at no time all of them, and the path returns when it works:
/// nothing is held in the end.
#[test]
fn a_path_that_hangs_leaves_the_group_until_it_is_tested_well() {
    for is_transport in [true, false] {
        let (good, verdict) = (run_with(Fault::None, is_transport), run_with(Fault::Hang, is_transport));
        assert!(verdict.is_good() && verdict.failed == 0, "{is_transport}: {verdict:?}");
        let settled = SETTLED_S + 1..HANGS_S;
        let (before, after) =
            (mean(&good.ended_by_second[settled.clone()]), mean(&verdict.ended_by_second[settled]));
        assert!(
            after >= 0.6 * before,
            "{is_transport}: {before} without, {after} while one path of four hangs"
        );
        let seconds = &verdict.ended_by_second[..HANGS_S];
        assert!(!seconds.contains(&0), "{is_transport}: nothing ended for a second: {seconds:?}");
    }
}
