//! Power of the swarm: bugs put back are found.

use halftrack_faults::Mutation;
use halftrack_faults::swarm::run_seed;

/// Bugs with the first seed that finds each.
const FOUND: [(Mutation, u64); 12] = [
    (Mutation::NoFence, 1),
    (Mutation::CheckTakenAsEnd, 1),
    (Mutation::BusyTakenAsEnd, 151),
    (Mutation::ChannelTimersIgnored, 9),
    (Mutation::ControlUnitTimersIgnored, 4),
    (Mutation::ForeignJournal, 0),
    (Mutation::JournalDiscarded, 2),
    (Mutation::BarriersSkipped, 2),
    (Mutation::UnitCheckTakenAsEnd, 0),
    (Mutation::ImmediateRedrive, 1),
    (Mutation::ReturnUnnoticed, 0),
    (Mutation::ImageBarriersSkipped, 2),
];

/// Each bug is found by its seed, which is good without it.
#[test]
fn bugs_put_back_are_found() {
    for (mutation, seed) in FOUND {
        let verdict = run_seed(seed, Some(mutation)).verdict;
        assert!(!verdict.is_good() && verdict.trouble.is_none(), "{mutation:?}: {verdict:?}");
        let verdict = run_seed(seed, None).verdict;
        assert!(verdict.is_good(), "{mutation:?}: {verdict:?}");
    }
}

/// Each bug is found within 1,000 seeds. `HALFTRACK_POWER_BUG` takes one of them by its name.
#[test]
#[ignore = "takes minutes; the test above has the seeds that it finds"]
fn every_bug_is_found_within_a_thousand_seeds() {
    let only = std::env::var("HALFTRACK_POWER_BUG").unwrap_or_default();
    for mutation in Mutation::ALL.into_iter().filter(|one| format!("{one:?}").starts_with(&only)) {
        let found = (0..1000).map(|seed| run_seed(seed, Some(mutation))).find(|run| !run.verdict.is_good());
        let found = found.map(|run| (run.seed, run.verdict));
        println!("{mutation:?}: {found:?}");
        assert!(found.is_some(), "{mutation:?}");
    }
}
