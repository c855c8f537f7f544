//! A thousand runs: the stream received is the one sent, or an error.

use halftrack_smc::link_group::{End, GroupState};

use crate::run::{Disaster, Run};

/// Runs with other seeds.
const RUNS: u64 = 1_000;

#[test]
fn the_stream_received_is_the_one_sent_or_an_error() {
    let (mut whole, mut broken, mut survived, mut mild) = (0, 0, 0, 0);
    for seed in 0..RUNS {
        let mut run = Run::new(seed);
        run.go();
        for end in run.network.ends.iter().filter_map(|end| end.end()) {
            assert!(matches!(end, End::NoLink | End::NoConfirmLink), "seed {seed}: {end:?}");
        }
        let is_safe = match run.disaster {
            Disaster::Nothing => true,
            Disaster::Pulled { .. } | Disaster::PortDown { .. } => run.was_symmetric,
            Disaster::Killed(_) => false,
        };
        let is_safe = is_safe && run.is_mild();
        mild += u64::from(is_safe);
        for talk in &run.talks {
            let is_whole = talk.streams.iter().all(|stream| stream.is_ended && stream.got == stream.length);
            let has_failed = talk.streams.iter().any(|stream| stream.has_failed.contains(&true));
            // An end that is alive has closed in the end, with all octets or an error.
            let is_killed = matches!(run.disaster, Disaster::Killed(_));
            assert!(
                is_whole || has_failed || is_killed,
                "seed {seed} {:?}: {:?}",
                run.disaster,
                talk.streams
            );
            assert!(
                !is_safe || !has_failed,
                "seed {seed} {:?} {:?}: {:?}",
                run.disaster,
                run.network.faults,
                talk.streams
            );
            let is_killed = matches!(run.disaster, Disaster::Killed(_));
            assert!(is_killed || talk.is_over(), "seed {seed} {:?}: {:?}", run.disaster, talk.streams);
            whole += u64::from(is_whole);
            broken += u64::from(has_failed);
            survived += u64::from(is_whole && is_safe && run.disaster != Disaster::Nothing);
        }
        if is_safe {
            let ends = &run.network.ends;
            assert!(ends.iter().all(|end| end.is_idle()), "seed {seed}: elements are free again");
            assert!(ends.iter().all(|end| end.state() != GroupState::None), "seed {seed}");
        }
    }
    assert!(
        whole > 1_500 && broken > 200 && survived > 80 && mild > 120,
        "{whole} {broken} {survived} {mild}"
    );
}
