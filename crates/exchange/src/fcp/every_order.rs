//! Both ends of an FCP exchange in every order of deliveries, losses, time-outs and a cancel.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use halftrack_base::Time;
use halftrack_wire::fcp::{FcpResponse, ScsiStatus};
use halftrack_wire::heading::FromSide;

use super::rig::*;
use super::task_set::TaskSet;
use super::*;
use crate::outcome::{Cause, ControlUnitOutcome};

/// Events that are not deliveries, so often at most.
#[derive(Debug, Clone, Copy, Default)]
struct Budget {
    losses: u8,
    cancels: u8,
    /// Messages of the initiator that arrive twice, which no fabric does.
    duplicates: u8,
    /// Time-outs of the initiator while something of the exchange is under way.
    early: u8,
    /// The initiator gets what the target sent in any order.
    is_reordered: bool,
}

/// Both ends and all that is between them.
#[derive(Debug, Clone)]
struct Situation {
    now: Time,
    agreement: FcpAgreement,
    initiator: FcpInitiator,
    tasks: TaskSet,
    disk: Disk,
    outbound: VecDeque<FcpMessage>,
    inbound: VecDeque<FcpMessage>,
    left: Budget,
    ends: Vec<FcpOutcome>,
    target_ends: Vec<ControlUnitOutcome>,
}

impl Situation {
    fn new(request: FcpRequest, agreement: FcpAgreement, left: Budget) -> Self {
        Self {
            now: Time::ZERO,
            agreement,
            initiator: FcpInitiator::new(request, agreement, Time::ZERO),
            tasks: TaskSet::default(),
            disk: Disk::default(),
            outbound: VecDeque::new(),
            inbound: VecDeque::new(),
            left,
            ends: Vec::new(),
            target_ends: Vec::new(),
        }
    }

    /// Returns the same after a step; none when the step is not possible.
    fn after(&self, step: impl FnOnce(&mut Self) -> Option<()>) -> Option<Self> {
        let mut next = self.clone();
        step(&mut next)?;
        next.ends.extend(next.initiator.poll_outcome());
        next.target_ends.extend(std::iter::from_fn(|| next.tasks.poll_outcome()).map(|(_, end)| end));
        Some(next)
    }

    /// Returns all that may come next. Time passes by itself only when nothing is under way.
    fn successors(&self) -> Vec<Self> {
        let mut next = Vec::new();
        next.extend(self.after(|all| {
            let message = over_the_wire(all.initiator.poll_transmit()?, FromSide::Channel);
            all.outbound.push_back(message);
            Some(())
        }));
        next.extend(self.after(|all| {
            let (_, message) = all.tasks.poll_transmit()?;
            all.inbound.push_back(over_the_wire(message, FromSide::ControlUnit));
            Some(())
        }));
        next.extend(self.after(|all| {
            let message = all.outbound.pop_front()?;
            all.tasks.handle(&mut all.disk, all.now, TAG, &all.agreement, message);
            Some(())
        }));
        let choices = if self.left.is_reordered { self.inbound.len() } else { 1 };
        next.extend((0..choices).filter_map(|at| {
            self.after(|all| {
                let message = all.inbound.remove(at)?;
                all.initiator.handle(all.now, message);
                Some(())
            })
        }));
        let moving = next.len();
        if self.left.losses > 0 {
            next.extend(self.after(|all| {
                all.left.losses -= 1;
                all.outbound.pop_front().map(drop)
            }));
            next.extend(self.after(|all| {
                all.left.losses -= 1;
                all.inbound.pop_front().map(drop)
            }));
        }
        if self.left.duplicates > 0 {
            next.extend(self.after(|all| {
                all.left.duplicates -= 1;
                let message = all.outbound.front()?.clone();
                all.outbound.push_front(message);
                Some(())
            }));
        }
        if self.left.cancels > 0 && !self.initiator.is_closed() {
            next.extend(self.after(|all| {
                all.left.cancels -= 1;
                all.initiator.cancel(all.now);
                Some(())
            }));
        }
        next.extend(self.time_out(moving > 0));
        next
    }

    fn time_out(&self, is_early: bool) -> Option<Self> {
        if is_early && self.left.early == 0 {
            return None;
        }
        self.after(|all| {
            let (initiator, target) = (all.initiator.poll_timeout(), all.tasks.poll_timeout());
            if is_early {
                all.left.early -= 1;
                all.now = initiator?;
            } else {
                all.now = initiator.into_iter().chain(target).min()?;
                all.tasks.handle_timeout(&mut all.disk, all.now);
            }
            all.initiator.handle_timeout(all.now);
            Some(())
        })
    }

    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{self:?}").hash(&mut hasher);
        hasher.finish()
    }
}

/// Visits every situation that some order leads to; how many there are, and those at the end.
fn visit(request: FcpRequest, agreement: FcpAgreement, budget: Budget) -> (usize, Vec<Situation>) {
    let mut known = HashSet::new();
    let mut open = vec![Situation::new(request, agreement, budget)];
    let mut ends = Vec::new();
    while let Some(situation) = open.pop() {
        if known.insert(situation.key()) {
            let next = situation.successors();
            if next.is_empty() {
                ends.push(situation);
            } else {
                open.extend(next);
            }
        }
    }
    (known.len(), ends)
}

const DATA: [u8; 12] = [0xA0, 0xA1, 0xA2, 0xA3, 0xB0, 0xB1, 0xB2, 0xB3, 0xC0, 0xC1, 0xC2, 0xC3];

fn requests() -> [FcpRequest; 3] {
    [read(2, 3, 12), write(2, 3, &DATA), FcpRequest::without_data(UNIT, cdb(0x00, 0, 0))]
}

fn good() -> FcpOutcome {
    ended(FcpResponse::default())
}

/// Checks what holds at the end of every order: one outcome at each end, one execution at most, and data as the outcome
/// has them.
fn check(situation: &mut Situation, request: &FcpRequest) {
    let executed = situation.disk.executed;
    assert_eq!(situation.ends.len(), 1, "{situation:?}");
    assert!(executed <= 1, "executed {executed} times: {situation:?}");
    assert!(situation.target_ends.len() <= 1, "{situation:?}");
    assert_eq!(situation.tasks.open(), 0, "nothing is kept for ever: {situation:?}");
    let is_written = situation.disk.blocks[8..20] == DATA;
    if *request == requests()[1] {
        assert_eq!(is_written, executed == 1, "{situation:?}");
    }
    match &situation.ends[0] {
        FcpOutcome::Ended { status: ScsiStatus::GOOD, .. } => {
            assert_eq!(executed, 1, "{situation:?}");
            if *request == requests()[0] {
                let data = situation.initiator.take_read_data();
                assert_eq!(data, (8..20).collect::<Vec<u8>>(), "{situation:?}");
            }
        }
        FcpOutcome::CommandLost => assert_eq!(executed, 0, "{situation:?}"),
        FcpOutcome::Aborted(_) => {}
        other => panic!("{other:?} of {situation:?}"),
    }
}

fn visit_all(is_retried: bool, budget: Budget, mut each: impl FnMut(&Situation)) {
    for request in requests() {
        let (situations, ends) = visit(request.clone(), agreement(is_retried), budget);
        assert!(situations >= 5 && !ends.is_empty(), "{situations}");
        for mut end in ends {
            each(&end);
            check(&mut end, &request);
        }
    }
}

#[test]
fn without_faults_every_order_ends_well() {
    for is_retried in [false, true] {
        visit_all(is_retried, Budget::default(), |end| assert_eq!(end.ends, [good()], "{end:?}"));
    }
}

/// Where lost units are sent again, a command ends well, or none of it is at the target.
#[test]
fn two_losses_are_recovered_without_an_abort() {
    let mut lost = 0;
    visit_all(true, Budget { losses: 2, ..Budget::default() }, |end| {
        lost += usize::from(end.ends == [FcpOutcome::CommandLost]);
        assert!(end.ends == [good()] || end.ends == [FcpOutcome::CommandLost], "{end:?}");
    });
    assert!(lost > 0);
}

/// A recovery that begins too early, and data that overtake one another, do no harm.
#[test]
fn an_early_recovery_and_reordered_answers_do_no_harm() {
    let budget = Budget { losses: 1, early: 1, is_reordered: true, ..Budget::default() };
    visit_all(true, budget, |_| {});
}

/// Where nothing is sent again, what is lost ends in an abort, and ABTS itself may be lost once.
#[test]
fn losses_without_retry_end_in_an_abort() {
    let mut unsettled = 0;
    visit_all(false, Budget { losses: 2, ..Budget::default() }, |end| {
        let timeout = FcpOutcome::Aborted(Cause::Timeout);
        assert!(end.ends == [good()] || end.ends == [timeout], "{end:?}");
        unsettled += usize::from(!end.initiator.is_settled());
    });
    assert_eq!(unsettled, 0, "three losses are needed");
}

/// A command may be withdrawn at any time: it ends as it did, or it is aborted.
#[test]
fn a_cancel_at_any_step_ends_both_ends() {
    for is_retried in [false, true] {
        let mut ends = HashSet::new();
        let budget = Budget { losses: 1, cancels: 1, ..Budget::default() };
        visit_all(is_retried, budget, |end| {
            ends.insert(format!("{:?}, {:?}", end.ends, end.target_ends));
        });
        let both =
            |first: &str, second: &str| ends.iter().any(|end| end.contains(first) && end.contains(second));
        assert!(both("Aborted(Cancelled)", "Abandoned(Cancelled)"), "{ends:?}");
        assert!(both("Ended", "Completed"), "{ends:?}");
    }
}

/// The checker finds a command that is executed twice.
#[test]
#[should_panic(expected = "executed 2 times")]
fn a_command_that_arrives_twice_is_found() {
    visit_all(true, Budget { duplicates: 1, ..Budget::default() }, |_| {});
}
