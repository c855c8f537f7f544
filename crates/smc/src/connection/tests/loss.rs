//! A link lost at every step: each octet arrives once and in order, or both ends are reset.

use proptest::prelude::*;

use super::rig::{Mistake, Rig};
use crate::connection::State;

/// Steps of a script: both directions, across the end of the element, with a window that closes.
const STEPS: usize = 28;

/// Takes one step of the script.
fn step(rig: &mut Rig, number: usize) -> Result<(), String> {
    match number % 14 {
        0 => rig.send(0, 5_000),
        1 => rig.send(1, 900),
        2 => rig.send(0, 9_000),
        3 | 8 => _ = rig.deliver(0, true),
        4 => _ = rig.deliver(1, true),
        5 => _ = rig.complete(0),
        6 => rig.send(0, 16_384),
        7 => _ = rig.read(1, 4_000)?,
        9 => _ = rig.complete(1),
        10 => _ = rig.read(1, u32::MAX)?,
        11 => _ = rig.deliver(1, true),
        12 => _ = rig.read(0, 500)?,
        _ => _ = rig.deliver(0, true),
    }
    Ok(())
}

/// Runs the script with losses of the link before the steps at `losses`; returns whether the connection lives.
fn run(mistake: Mistake, losses: &[(usize, [usize; 2])], dropped: Option<usize>) -> Result<bool, String> {
    let mut rig = Rig::new(mistake);
    for number in 0..STEPS {
        if dropped == Some(number) {
            rig.complete_and_drop(0);
            rig.lose_link([0, 0]);
        }
        for &(_, arriving) in losses.iter().filter(|&&(at, _)| at == number) {
            rig.lose_link(arriving);
        }
        step(&mut rig, number)?;
    }
    let lives = rig.check()?;
    if lives {
        rig.ends[0].connection.close();
        rig.post(0);
        rig.settle()?;
        rig.ends[1].connection.close();
        rig.post(1);
        rig.settle()?;
    }
    let states = [0, 1].map(|at: usize| rig.ends[at].connection.state());
    if states != [State::Closed; 2] { Err(format!("{states:?}")) } else { Ok(lives) }
}

/// Runs every loss at every step, and every two losses; returns the first failure.
fn every_loss(mistake: Mistake) -> Result<(), String> {
    let arriving = || (0..9).map(|both| [both / 3, both % 3]);
    for first in 0..STEPS {
        for late in arriving() {
            if !run(mistake, &[(first, late)], None)? {
                return Err(format!("a loss at {first} resets"));
            }
            for second in first..STEPS {
                if !run(mistake, &[(first, late), (second, [1, 0])], None)? {
                    return Err(format!("losses at {first} and {second} reset"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn no_octet_is_lost_or_doubled_at_any_loss() {
    assert_eq!(run(Mistake::Nothing, &[], None), Ok(true));
    assert_eq!(every_loss(Mistake::Nothing), Ok(()));
}

#[test]
fn a_message_completed_and_lost_resets_both_ends() {
    let resets = (0..STEPS).filter(|&at| run(Mistake::Nothing, &[], Some(at)) == Ok(false)).count();
    let failures: Vec<_> = (0..STEPS).filter_map(|at| run(Mistake::Nothing, &[], Some(at)).err()).collect();
    assert_eq!(failures, [""; 0]);
    assert!(resets > 5, "{resets}");
}

#[test]
fn planted_mistakes_are_found() {
    for mistake in [Mistake::NoFailover, Mistake::MessageFirst, Mistake::Shifted] {
        assert!(every_loss(mistake).is_err(), "{mistake:?}");
    }
    let is_found = (0..STEPS).any(|at| run(Mistake::NoValidation, &[], Some(at)).is_err());
    assert!(is_found, "without validations");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_steps_and_losses_keep_the_streams(
        steps in prop::collection::vec((0..9_u8, 0..2_usize, 1..20_000_u32, 0..4_usize), 1..120),
    ) {
        let mut rig = Rig::new(Mistake::Nothing);
        for (kind, at, bytes, late) in steps {
            match kind {
                0..=2 => rig.send(at, bytes),
                3 => { rig.read(at, bytes).map_err(TestCaseError::fail)?; }
                4 | 5 => { rig.deliver(at, true); }
                6 | 7 => { rig.complete(at); }
                _ => rig.lose_link([late, late / 2]),
            }
        }
        prop_assert_eq!(rig.check(), Ok(true));
    }
}
