//! Power of the swarm: bugs put back are found.

use std::time::Instant;

use halftrack_faults::Mutation;
use halftrack_faults::swarm::run_seed;

/// Runs seeds until a bug is found.
#[test]
#[ignore = "finds the seeds that the test of power names"]
fn find() {
    let number = |name, default| std::env::var(name).map_or(default, |text: String| text.parse().unwrap());
    let count = number("POWER_COUNT", 1000);
    for mutation in Mutation::ALL {
        let began = Instant::now();
        let found = (0..count).map(|seed| run_seed(seed, Some(mutation))).find(|run| !run.verdict.is_good());
        let short = found.map(|run| {
            let v = run.verdict;
            (run.seed, v.ended_twice, v.never_ended, v.lost_records, v.stale_records, v.held, v.trouble)
        });
        println!("{mutation:?} {short:?} {:?}", began.elapsed());
    }
}
