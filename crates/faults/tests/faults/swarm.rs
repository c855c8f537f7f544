//! The swarm itself.

use halftrack_faults::Swarm;

#[test]
fn the_first_seeds_are_good() {
    let outcome = Swarm { seeds: 0..40, mutation: None }.run(|_| true);
    for failure in &outcome.failures {
        println!("{failure:#?}");
    }
    println!("{outcome:?}");
    assert!(outcome.is_good());
}
