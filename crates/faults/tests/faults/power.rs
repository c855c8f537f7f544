//! Power of the swarm: bugs put back are found.

use halftrack_faults::Mutation;
use halftrack_faults::swarm::run_seed;

/// Runs seeds until a bug is found.
#[test]
#[ignore = "finds the seeds that the test of power names"]
fn find() {
    for mutation in Mutation::ALL {
        let found = (0..1000).find(|seed| !run_seed(*seed, Some(mutation)).verdict.is_good());
        println!("{mutation:?} {found:?}");
    }
}
