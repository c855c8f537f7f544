//! The same cases over FCP: nothing fences at the units, and the records of a write of unknown end rest.

use halftrack_base::Span;
use halftrack_faults::{Mutation, Verdict};

use super::case::{Case, Fault};
use super::{hard, run_with};

/// Bytes of I/Os: one frame, several, and many.
const IO_BYTES: [u32; 4] = [512, 4096, 16_384, 65_536];

fn over_fcp(seed: u64) -> Case {
    Case { fcp_bytes: Some(IO_BYTES[(seed / 4 % 4) as usize]), ..Case::of_seed(seed) }
}

#[test]
fn no_older_write_is_seen_after_a_newer_one() {
    let number = |name, default| std::env::var(name).map_or(default, |text: String| text.parse().unwrap());
    let (from, count) = (number("HALFTRACK_FENCE_FROM", 0), number("HALFTRACK_FENCE_CASES", 24));
    let mut bad = 0;
    for seed in from..from + count {
        let case = over_fcp(seed);
        let mutation = std::env::var("M").is_ok().then_some(Mutation::WritesReleasedEarly);
        let v = run_with(&case, mutation);
        if !v.is_good() || v.failed > 0 {
            bad += 1;
            println!(
                "{seed} {case:?} {} {} {} {} {} {:?} {:?} longest {:?}",
                v.failed,
                v.ended_twice,
                v.never_ended,
                v.lost_records,
                v.stale_records,
                v.held,
                v.words.first(),
                v.longest
            );
        }
    }
    assert!(bad == 0, "{bad}");
}

#[test]
fn hard_cases() {
    for late in [140, 400, 1000] {
        for km in [vec![300, 0], vec![300, 300]] {
            for seed in 0..4 {
                for bytes in IO_BYTES {
                    for mutation in [None, Some(Mutation::WritesReleasedEarly)] {
                        let fault = Fault::PullAtChannel { late: Span::from_ms(late) };
                        let case = Case {
                            fcp_bytes: Some(bytes),
                            fault,
                            km: km.clone(),
                            lasts: vec![Span::from_ms(late + 10); 4],
                            ..hard(seed, false)
                        };
                        let v: Verdict = run_with(&case, mutation);
                        println!(
                            "{late} {km:?} {seed} {bytes} {mutation:?} ios {} failed {} lost {} stale {} {:?}",
                            v.ios, v.failed, v.lost_records, v.stale_records, v.held
                        );
                    }
                }
            }
        }
    }
}
