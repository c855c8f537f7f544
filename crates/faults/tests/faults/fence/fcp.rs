//! Cases of the fence over FCP: nothing fences at the units, and the records of a write rest whose end is not known.

use halftrack_base::{Decision, Span};
use halftrack_faults::{Mutation, Verdict};

use super::case::{Case, Fault};
use super::{hard, run_with};

/// Bytes of I/Os: of one frame, of a few, and of many.
const IO_BYTES: [u32; 4] = [512, 4096, 16_384, 65_536];

/// Returns the case of a seed over FCP.
fn of_seed(seed: u64) -> Case {
    Case { fcp_bytes: Some(IO_BYTES[(seed / 4 % 4) as usize]), ..Case::of_seed(seed) }
}

#[test]
fn no_older_write_is_seen_after_a_newer_one_and_every_io_ends_well() {
    let number = |name, default| std::env::var(name).map_or(default, |text: String| text.parse().unwrap());
    let (from, count) = (number("HALFTRACK_FENCE_FROM", 0), number("HALFTRACK_FENCE_CASES", 12));
    for seed in from..from + count {
        let case = of_seed(seed);
        let verdict = run_with(&case, None);
        assert!(verdict.is_good() && verdict.failed == 0, "{case:?}: {verdict:?}");
    }
}

/// Runs a hard case, whose late data come after newer ones when records are written anew at once.
fn run(seed: u64, late_ms: u64, mutation: Option<Mutation>) -> Verdict {
    let fault = Fault::PullAtChannel { late: Span::from_ms(late_ms) };
    let lasts = vec![Span::from_ms(late_ms + 10); 4];
    run_with(&Case { fcp_bytes: Some(4096), fault, lasts, ..hard(seed, false) }, mutation)
}

/// Records of a write that may still be on its way are not written anew before its time is over.
#[test]
fn the_checker_fires_when_records_do_not_rest() {
    for late_ms in [140, 400] {
        let wrong_of = |mutation| {
            let verdicts = (0..2).map(|seed| run(seed, late_ms, mutation));
            verdicts.map(|verdict| verdict.lost_records + verdict.stale_records).sum::<u64>()
        };
        assert_eq!(wrong_of(None), 0);
        assert!(wrong_of(Some(Mutation::WritesReleasedEarly)) > 0, "{late_ms}");
    }
}

/// A path over which nothing comes, though it was tested, is given up while another answers: its commands go on there.
#[test]
fn a_path_that_stalls_is_given_up_while_another_answers() {
    let case = Case {
        km: vec![0, 0],
        fcp_bytes: Some(4096),
        fault: Fault::Stall { director: 0 },
        lasts: vec![Span::from_s(8)],
        think_us: 20_000,
        ..hard(1, false)
    };
    let verdict = run_with(&case, None);
    assert!(verdict.is_good() && verdict.failed == 0, "{verdict:?}");
    assert!(verdict.decisions[Decision::StalledPathLost as usize] > 0, "{verdict:?}");
    assert!(verdict.longest < Span::from_s(3), "{verdict:?}");
}
