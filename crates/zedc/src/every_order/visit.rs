//! Orders of steps up to a length, all of them.

use super::{Handling, Ledger};
use crate::ResourceGroup;

/// Step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Start,
    Begin(usize),
    End(usize),
    Collect,
    Lose(usize),
    Restore(usize),
    Update(ResourceGroup),
    EndUpdate,
    Deregister,
    EndSpace,
    Detach,
}

/// All steps.
pub const ALL: [Step; 15] = [
    Step::Start,
    Step::Begin(0),
    Step::Begin(1),
    Step::End(0),
    Step::End(1),
    Step::Collect,
    Step::Lose(0),
    Step::Lose(1),
    Step::Restore(0),
    Step::Restore(1),
    Step::Update(ResourceGroup::One),
    Step::EndUpdate,
    Step::Deregister,
    Step::EndSpace,
    Step::Detach,
];

/// Visits every run of at most `length` of the steps, each settled at its end; returns how many there are.
///
/// A machine cannot be copied in the midst of a stream, so that each run begins anew. A step that cannot come is no run.
pub fn visit<H: Handling>(steps: &[Step], length: usize) -> usize {
    let mut runs = 0;
    let mut pending = vec![vec![Step::Start]];
    while let Some(run) = pending.pop() {
        let mut ledger = Ledger::new();
        let can_come = run.iter().all(|step| ledger.step::<H>(*step));
        if !can_come {
            continue;
        }
        ledger.settle::<H>();
        runs += 1;
        if run.len() < length {
            pending.extend(steps.iter().map(|step| [&run[..], &[*step]].concat()));
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::every_order::Right;

    #[test]
    fn each_request_ends_once_in_every_order_of_all_events() {
        assert!(visit::<Right>(&ALL, 5) > 4_000);
    }

    /// Long runs about one card: losses and returns between the slices.
    #[test]
    fn each_request_ends_once_in_every_order_of_losses() {
        let steps =
            [Step::Start, Step::Begin(0), Step::End(0), Step::Collect, Step::Lose(0), Step::Restore(0)];
        assert!(visit::<Right>(&steps, 8) > 4_000);
    }

    #[test]
    fn each_request_ends_once_in_every_order_of_deregistration() {
        let steps = [
            Step::Begin(0),
            Step::End(0),
            Step::Collect,
            Step::Lose(0),
            Step::Deregister,
            Step::EndSpace,
            Step::Detach,
        ];
        assert!(visit::<Right>(&steps, 7) > 2_000);
    }
}
