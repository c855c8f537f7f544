//! One end of an exchange as the twin holds it: following a plan, or live.
//!
//! ```text
//!            open()                      handle(None) / take_transmit()
//! Closed ───────────► Planned{plan,sent,received} ──┐
//!            open_live()        │  ▲                │ the plan's next steps
//! Closed ──────────────► Live   │  └────────────────┘
//!                          ▲    │ leave_plan(), or handle(Some(iu)) with an IU the plan does not have next
//!                          └────┘ silently replays the steps completed
//! ```
//!
//! The twin never distinguishes the two: both answer the same calls with the same steps, which is what makes a
//! planned and a live run equal byte for byte.
//!
//! A planned end has no timer. Whoever loses an IU on a link reports it to both ends: [`Half::handle_loss`] where
//! it would have arrived, [`Half::leave_plan`] where it was sent. Both are live from then on and their timers run.

use halftrack_base::Time;
use halftrack_wire::{Address, Iu, IuKind};

use crate::end::{End, Identity};
use crate::plan::{Plan, PlanId};
use crate::plans::Plans;
use crate::step::{Side, Step};

/// An IU to send now.
#[derive(Debug)]
pub struct Transmit {
    /// Its shape.
    pub step: Step,
    /// The IU itself from a live end; `None` stands for the next step of the plan in this direction.
    pub iu: Option<Box<Iu>>,
}

/// The machine of a live end, and what it needs to understand a peer that follows the plan.
#[derive(Debug)]
pub struct Live<M> {
    machine: M,
    plan: PlanId,
    /// IUs that came from the peer or were lost on the way from it.
    arrived: u16,
    /// The outcome was given before this end left the plan.
    reported: bool,
}

/// One end of an exchange.
#[derive(Debug, Default)]
pub enum Half<M> {
    /// No exchange.
    #[default]
    Closed,
    /// Following a plan.
    Planned {
        /// The plan.
        plan: PlanId,
        /// Steps sent.
        sent: u16,
        /// Steps of the other direction received.
        received: u16,
        /// The outcome has been given.
        reported: bool,
    },
    /// A machine of its own.
    Live(Box<Live<M>>),
}

impl<M: End> Half<M> {
    /// Returns an end that follows `plan`.
    #[inline]
    #[must_use]
    pub fn open(plan: PlanId) -> Half<M> {
        Half::Planned { plan, sent: 0, received: 0, reported: false }
    }

    /// Returns a live end for the exchange that `plan` was recorded from.
    #[must_use]
    pub fn open_live(plans: &Plans, plan: PlanId, identity: Identity, now: Time) -> Half<M> {
        Half::of_machine(M::begin(plans, plan, identity, now), plan)
    }

    /// Returns a live end that runs `machine`, of an exchange with the same IUs as the one `plan` was recorded from.
    #[must_use]
    pub fn of_machine(machine: M, plan: PlanId) -> Half<M> {
        Half::Live(Box::new(Live { machine, plan, arrived: 0, reported: false }))
    }

    /// Returns true for a live end.
    #[inline]
    #[must_use]
    pub fn is_live(&self) -> bool {
        matches!(self, Half::Live(_))
    }

    /// Returns the IU that this end may send now, not yet taken.
    #[inline]
    pub fn peek_transmit(&self, plans: &Plans) -> Option<Step> {
        match self {
            Half::Closed => None,
            Half::Planned { plan, sent, received, .. } => {
                let step = plans[*plan].steps(M::SIDE).get(usize::from(*sent))?;
                if step.after_received <= *received { Some(*step) } else { None }
            }
            Half::Live(live) => live.machine.peek_transmit(),
        }
    }

    /// Returns true when this end may send an IU now.
    #[inline]
    #[must_use]
    pub fn may_transmit(&self, plans: &Plans) -> bool {
        self.peek_transmit(plans).is_some()
    }

    /// Takes the IU that [`Half::peek_transmit`] showed.
    ///
    /// # Panics
    /// When it showed none.
    #[inline]
    pub fn take_transmit(&mut self, plans: &Plans) -> Transmit {
        match self {
            Half::Planned { plan, sent, .. } => {
                let step = plans[*plan].steps(M::SIDE)[usize::from(*sent)];
                *sent += 1;
                Transmit { step, iu: None }
            }
            Half::Live(live) => match live.machine.poll_transmit() {
                Some((iu, step)) => Transmit { step, iu: Some(Box::new(iu)) },
                None => panic!("an IU is taken from an end that has none to send"),
            },
            Half::Closed => panic!("an IU is taken from an end without exchange"),
        }
    }

    /// Returns the steps that a planned end has sent and those of the peer that it has received. A step may be sent
    /// when its [`Step::after_received`] is no more than the latter. `None` at any other end.
    #[inline]
    #[must_use]
    pub fn planned(&self) -> Option<(u16, u16)> {
        match self {
            Half::Planned { sent, received, .. } => Some((*sent, *received)),
            Half::Closed | Half::Live(_) => None,
        }
    }

    /// Notes that the next `steps` of the plan were sent. Nothing happens at an end that is not planned.
    #[inline]
    pub fn sent_planned(&mut self, steps: u16) {
        if let Half::Planned { sent, .. } = self {
            *sent += steps;
        }
    }

    /// Returns the shape of the IU that has just arrived: `None` stands for the next step of the peer's plan. Call it
    /// before [`Half::handle`].
    ///
    /// # Panics
    /// When a plan's step arrives that the plan does not have, or at an end without exchange.
    #[inline]
    #[must_use]
    pub fn arriving_step(&self, plans: &Plans, iu: Option<&Iu>) -> Step {
        match (self, iu) {
            (Half::Planned { plan, received, .. }, None) => {
                plans[*plan].steps(M::SIDE.other())[usize::from(*received)]
            }
            (Half::Planned { plan, .. }, Some(iu)) => Step::of(iu, plans[*plan].key.login.frames()),
            (Half::Live(live), Some(iu)) => live.machine.received_step(iu),
            (Half::Live(live), None) => plans[live.plan].steps(M::SIDE.other())[usize::from(live.arrived)],
            (Half::Closed, _) => panic!("an IU arrives at an end without exchange"),
        }
    }

    /// Returns true at a planned end when a command response is among the next `steps` of the peer's plan. False at any
    /// other end.
    ///
    /// # Panics
    /// When the plan has fewer steps.
    #[must_use]
    pub fn has_command_response(&self, plans: &Plans, steps: u16) -> bool {
        let Half::Planned { plan, received, .. } = self else { return false };
        let from = usize::from(*received);
        let next = &plans[*plan].steps(M::SIDE.other())[from..from + usize::from(steps)];
        next.iter().any(|step| step.kind == IuKind::CommandResponse)
    }

    /// Takes the next `steps` of the peer's plan at a planned end: [`Half::handle`] without an IU for each. False, and
    /// nothing happens, at any other end.
    #[inline]
    #[must_use]
    pub fn receive_planned(&mut self, steps: u16) -> bool {
        let Half::Planned { received, .. } = self else { return false };
        *received += steps;
        true
    }

    /// Takes an IU from the peer: `None` stands for the next step of the peer's plan.
    #[inline]
    pub fn handle(&mut self, plans: &Plans, identity: Identity, now: Time, iu: Option<&Iu>) {
        match (&mut *self, iu) {
            (Half::Planned { received, .. }, None) => *received += 1,
            (Half::Planned { .. } | Half::Live(_), _) => self.handle_off_plan(plans, identity, now, iu),
            (Half::Closed, _) => {}
        }
    }

    /// Takes an IU as [`Half::handle`] does, where an IU is present or this end is live.
    fn handle_off_plan(&mut self, plans: &Plans, identity: Identity, now: Time, iu: Option<&Iu>) {
        if let (Half::Planned { plan, received, .. }, Some(iu)) = (&mut *self, iu) {
            let expected = plans[*plan].ius(M::SIDE.other()).get(usize::from(*received));
            if expected.is_some_and(|expected| expected.same_but_address(iu)) {
                *received += 1;
                return;
            }
        }
        self.leave_plan(plans, identity, now);
        let Half::Live(live) = self else { return };
        let planned = plans[live.plan].ius(M::SIDE.other()).get(usize::from(live.arrived));
        live.arrived = live.arrived.saturating_add(1);
        match (iu, planned) {
            (Some(iu), _) => live.machine.handle_iu(now, iu),
            (None, Some(planned)) => live.machine.handle_iu(now, &planned.readdressed(identity.into())),
            (None, None) => {}
        }
    }

    /// Leaves the plan, because the IU that would have arrived next was lost on the link: its step does not arrive any
    /// more.
    pub fn handle_loss(&mut self, plans: &Plans, identity: Identity, now: Time) {
        self.leave_plan(plans, identity, now);
        if let Half::Live(live) = self {
            live.arrived = live.arrived.saturating_add(1);
        }
    }

    /// Leaves the plan and ends the exchange, because the link is gone.
    pub fn handle_link_down(&mut self, plans: &Plans, identity: Identity, now: Time) {
        self.leave_plan(plans, identity, now);
        if let Half::Live(live) = self {
            live.machine.handle_link_down(now);
        }
    }

    /// Turns a planned end into a live one that has sent and received the steps completed so far. Frames in
    /// flight stay in flight. Nothing happens at a live end or without exchange.
    pub fn leave_plan(&mut self, plans: &Plans, identity: Identity, now: Time) {
        let &mut Half::Planned { plan, sent, received, reported } = self else { return };
        let machine = replay::<M>(plans, plan, identity, now, sent, received);
        *self = Half::Live(Box::new(Live { machine, plan, arrived: received, reported }));
    }

    /// Returns how the exchange closed at this end, once. The channel may still have an IU to send after that.
    #[inline]
    pub fn outcome(&mut self, plans: &Plans) -> Option<M::Outcome> {
        match self {
            Half::Planned { plan, sent, received, reported } if !*reported => {
                let plan = &plans[*plan];
                if !is_over(plan, M::SIDE, *sent, *received) {
                    return None;
                }
                *reported = true;
                Some(M::planned_outcome(plan))
            }
            Half::Live(live) if !live.reported => live.machine.poll_outcome(),
            Half::Closed | Half::Planned { .. } | Half::Live(_) => None,
        }
    }

    /// Returns the machine of a live end.
    #[inline]
    pub fn machine_mut(&mut self) -> Option<&mut M> {
        match self {
            Half::Live(live) => Some(&mut live.machine),
            Half::Closed | Half::Planned { .. } => None,
        }
    }

    /// Returns the time at which [`Half::handle_timeout`] wants to be called; never for a planned end.
    #[inline]
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        match self {
            Half::Live(live) => live.machine.poll_timeout(),
            Half::Closed | Half::Planned { .. } => None,
        }
    }

    /// Does what a time-out that is due demands.
    pub fn handle_timeout(&mut self, now: Time) {
        if let Half::Live(live) = self {
            live.machine.handle_timeout(now);
        }
    }

    /// Forgets the exchange.
    #[inline]
    pub fn close(&mut self) {
        self.become_one(Half::Closed);
    }

    /// Turns this end into one that follows `plan`.
    #[inline]
    pub fn reopen(&mut self, plan: PlanId) {
        self.become_one(Half::open(plan));
    }

    /// Replaces this end; most have no machine that would have to be given back.
    #[inline]
    fn become_one(&mut self, other: Half<M>) {
        match std::mem::replace(self, other) {
            Half::Live(live) => drop(live),
            Half::Closed | Half::Planned { .. } => {}
        }
    }
}

/// Returns true when the exchange of a plan is over at `side`. The channel has its outcome with the last step from the
/// control unit, though it may have to accept the status; the control unit when nothing is left in either direction.
#[inline]
fn is_over(plan: &Plan, side: Side, sent: u16, received: u16) -> bool {
    let all_received = usize::from(received) == plan.steps(side.other()).len();
    let all_sent = usize::from(sent) == plan.steps(side).len();
    match side {
        Side::Channel => all_received,
        Side::ControlUnit => all_received && all_sent,
    }
}

/// Returns a machine that has sent and received the first steps of a plan. Each step is sent as soon as it is allowed,
/// because a step received later may have been made possible by it.
#[cold]
fn replay<M: End>(plans: &Plans, id: PlanId, identity: Identity, now: Time, sent: u16, received: u16) -> M {
    let plan = &plans[id];
    let address = Address::from(identity);
    let arrivals = &plan.ius(M::SIDE.other())[..usize::from(received)];
    let mut machine = M::begin(plans, id, identity, now);
    let mut fed = 0;
    for step in &plan.steps(M::SIDE)[..usize::from(sent)] {
        while fed < usize::from(step.after_received) {
            machine.handle_iu(now, &arrivals[fed].readdressed(address));
            fed += 1;
        }
        let replayed = machine.poll_transmit();
        debug_assert_eq!(replayed.map(|(_, replayed)| replayed), Some(*step), "a live end leaves its plan");
    }
    for iu in &arrivals[fed..] {
        machine.handle_iu(now, &iu.readdressed(address));
    }
    machine
}

#[cfg(test)]
mod tests {
    use halftrack_program::Protocol;
    use halftrack_wire::IuKind;

    use super::*;
    use crate::conversation::{IDENTITY, key};
    use crate::{Cause, ChannelHalf, ChannelOutcome, ControlUnitHalf};

    fn recorded() -> (Plans, PlanId) {
        let mut plans = Plans::default();
        let id = plans.record(key(Protocol::Command)).unwrap();
        (plans, id)
    }

    /// Sends all that may be sent and gives the kinds.
    fn send<M: End>(half: &mut Half<M>, plans: &Plans) -> Vec<IuKind> {
        let next = || half.peek_transmit(plans).map(|_| half.take_transmit(plans).step.kind);
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn an_iu_that_the_plan_has_next_keeps_to_the_plan() {
        let (plans, id) = recorded();
        let mut half = ChannelHalf::open(id);
        send(&mut half, &plans);
        let response = plans[id].inbound_ius[0].readdressed(IDENTITY.into());
        assert_eq!(half.arriving_step(&plans, Some(&response)).kind, IuKind::CommandResponse);
        half.handle(&plans, IDENTITY, Time::ZERO, Some(&response));
        assert!(!half.is_live());
        half.handle(&plans, IDENTITY, Time::ZERO, Some(&response));
        assert!(half.is_live(), "a second response is not what the plan has next");
        assert_eq!(send(&mut half, &plans), [IuKind::PurgePath]);
    }

    #[test]
    fn a_lost_step_does_not_shift_those_after_it() {
        let (plans, id) = recorded();
        let mut half = ControlUnitHalf::open(id);
        half.handle_loss(&plans, IDENTITY, Time::ZERO);
        assert_eq!(half.arriving_step(&plans, None).kind, IuKind::Command);
        half.handle(&plans, IDENTITY, Time::ZERO, None);
        assert_eq!(send(&mut half, &plans), [IuKind::PurgePath]);
    }

    #[test]
    fn an_outcome_given_on_the_plan_is_not_given_again() {
        let (plans, id) = recorded();
        let mut half = ChannelHalf::open(id);
        send(&mut half, &plans);
        for _ in &plans[id].inbound {
            assert_eq!(half.outcome(&plans), None);
            half.handle(&plans, IDENTITY, Time::ZERO, None);
        }
        assert_eq!(half.outcome(&plans), Some(plans[id].channel_outcome));
        assert_eq!(half.outcome(&plans), None);
        half.leave_plan(&plans, IDENTITY, Time::ZERO);
        assert_eq!(half.outcome(&plans), None);
        assert_eq!(send(&mut half, &plans), [IuKind::StatusAccepted]);
    }

    #[test]
    fn a_planned_end_has_no_timer_and_a_live_one_has() {
        let (plans, id) = recorded();
        let mut half = ChannelHalf::open(id);
        send(&mut half, &plans);
        assert_eq!((half.poll_timeout(), half.machine_mut().is_some()), (None, false));
        half.leave_plan(&plans, IDENTITY, Time::ZERO);
        let due = half.poll_timeout().unwrap();
        half.handle_timeout(due);
        assert_eq!(send(&mut half, &plans), [IuKind::Cancel]);
        half.handle_timeout(half.poll_timeout().unwrap());
        let expected = ChannelOutcome::InterfaceControlCheck(Cause::Timeout);
        assert_eq!(half.outcome(&plans), Some(expected));
    }

    #[test]
    fn without_an_exchange_nothing_happens() {
        let (plans, _) = recorded();
        let mut half = ChannelHalf::default();
        half.handle(&plans, IDENTITY, Time::ZERO, None);
        half.leave_plan(&plans, IDENTITY, Time::ZERO);
        half.handle_link_down(&plans, IDENTITY, Time::ZERO);
        assert_eq!((half.peek_transmit(&plans), half.outcome(&plans)), (None, None));
        assert!(!half.is_live());
    }

    #[test]
    fn the_planned_path_allocates_nothing() {
        let (plans, id) = recorded();
        let counted = allocation_counter::measure(|| {
            let (mut channel, mut control_unit) = (ChannelHalf::open(id), ControlUnitHalf::open(id));
            let mut outcomes = 0;
            while outcomes < 2 {
                while channel.peek_transmit(&plans).is_some() {
                    assert!(channel.take_transmit(&plans).iu.is_none());
                    control_unit.handle(&plans, IDENTITY, Time::ZERO, None);
                }
                while control_unit.peek_transmit(&plans).is_some() {
                    assert!(control_unit.take_transmit(&plans).iu.is_none());
                    channel.handle(&plans, IDENTITY, Time::ZERO, None);
                }
                outcomes += usize::from(channel.outcome(&plans).is_some());
                outcomes += usize::from(control_unit.outcome(&plans).is_some());
            }
        });
        assert_eq!(counted.count_total, 0);
    }
}
