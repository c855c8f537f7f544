//! The swarm itself: good seeds, shrunk failures.

use halftrack_faults::shrink::shrink;
use halftrack_faults::swarm::run_seed;
use halftrack_faults::{Mutation, Swarm, check};

/// Seeds of the test.
const SEEDS: u64 = 40;

#[test]
fn the_first_seeds_are_good() {
    let outcome = Swarm { seeds: 0..SEEDS, mutation: None }.run(|_| true);
    assert!(outcome.is_good(), "{:#?}", outcome.failures);
    assert!(outcome.seeds == SEEDS && outcome.ios >= 1000 * SEEDS, "{outcome:?}");
    let rare: Vec<_> = outcome.kinds.iter().filter(|(_, seeds)| 50 * **seeds < SEEDS).collect();
    assert!(rare.is_empty(), "{rare:?}");
}

/// A failure is shrunk to a script with which the run still fails, the same way each time.
#[test]
fn a_failure_is_shrunk_and_replays() {
    let mutation = Some(Mutation::CheckTakenAsEnd);
    let failure = run_seed(2, mutation);
    let script = shrink(&failure.machine, &failure.script, mutation);
    assert!(script.events.len() < failure.script.events.len(), "{script}");
    let first = check(&failure.machine, &script, mutation);
    assert!(!first.is_good());
    assert_eq!(first, check(&failure.machine, &script, mutation));
}
