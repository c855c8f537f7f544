//! Both ends of one exchange against each other in virtual time, over two first-in-first-out directions with
//! random delays, and with the faults that a machine can meet. Everything follows from the seed.
//!
//! An IU that the link loses is reported as [`crate::half`] requires: to the end that would have got it, and to the
//! end that sent it.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_engine::RandomStream;
use halftrack_wire::Iu;

use crate::end::Identity;
use crate::half::Half;
use crate::outcome::{BusyKind, ChannelOutcome, ControlUnitOutcome};
use crate::plan::PlanId;
use crate::plans::Plans;
use crate::step::{Side, Step};
use crate::{ChannelHalf, ControlUnitHalf};

/// Delays and faults of a run. The default has no delay and no fault, and both ends follow the plan.
#[derive(Debug, Clone, Copy)]
pub struct RigOptions {
    /// Seed of delays and losses.
    pub seed: u64,
    /// Longest time that an IU takes to the control unit, and to the channel; each takes a random part of it.
    pub delay_max: [Span; 2],
    /// The channel is live from the start.
    pub channel_live: bool,
    /// The control unit is live from the start.
    pub control_unit_live: bool,
    /// IUs lost per million.
    pub loss_ppm: u32,
    /// The end that leaves the plan, and how many IUs it has sent and received when it does.
    pub leave: Option<(Side, u32)>,
    /// The control unit answers busy.
    pub busy: Option<BusyKind>,
    /// The channel cancels.
    pub cancel_at: Option<Time>,
    /// The link goes down, and stays down.
    pub link_down_at: Option<Time>,
    /// Most IUs and time-outs before the run is given up.
    pub events_max: usize,
}

impl Default for RigOptions {
    fn default() -> RigOptions {
        RigOptions {
            seed: 0,
            delay_max: [Span::ZERO; 2],
            channel_live: false,
            control_unit_live: false,
            loss_ppm: 0,
            leave: None,
            busy: None,
            cancel_at: None,
            link_down_at: None,
            events_max: 100_000,
        }
    }
}

/// One IU as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// Time of sending.
    pub at: Time,
    /// End that sent it.
    pub from: Side,
    /// Its shape.
    pub step: Step,
    /// The IU from a live end; nothing for a step of the plan.
    pub iu: Option<Iu>,
    /// The link lost it.
    pub lost: bool,
}

/// Record of a run.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// Every IU, in the order of sending.
    pub sent: Vec<Sent>,
    /// Shapes of the IUs as their receivers saw them, with the receiving side.
    pub arrived: Vec<(Side, Step)>,
    /// Every outcome that the channel gave.
    pub channel: Vec<ChannelOutcome>,
    /// Every outcome that the control unit gave.
    pub control_unit: Vec<ControlUnitOutcome>,
    /// Something came, or should have come, to the control unit.
    pub control_unit_begun: bool,
    /// Time at which nothing was left to do.
    pub quiet_at: Time,
    /// The run was given up at the bound on events.
    pub gave_up: bool,
}

impl Transcript {
    /// Returns the shapes of the IUs that this side sent.
    #[must_use]
    pub fn steps(&self, side: Side) -> Vec<Step> {
        self.sent.iter().filter(|sent| sent.from == side).map(|sent| sent.step).collect()
    }
}

/// An IU on its way.
#[derive(Debug)]
struct Flight {
    arrives: Time,
    iu: Option<Iu>,
    lost: bool,
}

/// Kind of the next event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Arrival(Side),
    Timeout(Side),
    Cancel,
    LinkDown,
}

struct Rig<'a> {
    plans: &'a Plans,
    plan: PlanId,
    identity: Identity,
    options: RigOptions,
    random: RandomStream,
    now: Time,
    channel: ChannelHalf,
    control_unit: ControlUnitHalf,
    /// IUs towards the control unit, and towards the channel.
    flights: [VecDeque<Flight>; 2],
    last_arrival: [Time; 2],
    link_is_up: bool,
    cancelled: bool,
    /// IUs sent and received by each end.
    handled: [u32; 2],
    transcript: Transcript,
}

/// Runs the exchange of `plan` until nothing is left to do.
#[must_use]
pub fn run(plans: &Plans, plan: PlanId, identity: Identity, options: RigOptions) -> Transcript {
    let channel = if options.channel_live {
        Half::open_live(plans, plan, identity, Time::ZERO)
    } else {
        Half::open(plan)
    };
    let rig = Rig {
        plans,
        plan,
        identity,
        options,
        random: RandomStream::new(options.seed, "rig"),
        now: Time::ZERO,
        channel,
        control_unit: Half::Closed,
        flights: [VecDeque::new(), VecDeque::new()],
        last_arrival: [Time::ZERO; 2],
        link_is_up: true,
        cancelled: false,
        handled: [0; 2],
        transcript: Transcript::default(),
    };
    rig.run()
}

impl Rig<'_> {
    fn run(mut self) -> Transcript {
        for _ in 0..self.options.events_max {
            self.leave_if_due();
            self.send_all();
            self.collect_outcomes();
            let Some((at, next)) = self.next() else {
                self.transcript.quiet_at = self.now;
                return self.transcript;
            };
            self.now = self.now.max(at);
            match next {
                Next::Arrival(side) => self.arrive(side),
                Next::Timeout(Side::Channel) => self.channel.handle_timeout(self.now),
                Next::Timeout(Side::ControlUnit) => self.control_unit.handle_timeout(self.now),
                Next::Cancel => self.cancel(),
                Next::LinkDown => self.take_link_down(),
            }
        }
        self.transcript.gave_up = true;
        self.transcript
    }

    /// Returns the earliest event; at equal times in the order of the list.
    fn next(&self) -> Option<(Time, Next)> {
        let options = &self.options;
        let arrival = |side: Side| self.flights[side as usize].front().map(|flight| flight.arrives);
        let candidates = [
            (options.link_down_at.filter(|_| self.link_is_up), Next::LinkDown),
            (options.cancel_at.filter(|_| !self.cancelled), Next::Cancel),
            (arrival(Side::Channel), Next::Arrival(Side::Channel)),
            (arrival(Side::ControlUnit), Next::Arrival(Side::ControlUnit)),
            (self.channel.poll_timeout(), Next::Timeout(Side::Channel)),
            (self.control_unit.poll_timeout(), Next::Timeout(Side::ControlUnit)),
        ];
        let due = candidates.into_iter().filter_map(|(at, next)| at.map(|at| (at, next)));
        due.min_by_key(|(at, _)| *at)
    }

    fn leave_if_due(&mut self) {
        match self.options.leave {
            Some((Side::Channel, after)) if self.handled[0] >= after => {
                self.channel.leave_plan(self.plans, self.identity, self.now);
            }
            Some((Side::ControlUnit, after)) if self.handled[1] >= after => {
                self.control_unit.leave_plan(self.plans, self.identity, self.now);
            }
            _ => {}
        }
    }

    /// Lets both ends send what they may.
    fn send_all(&mut self) {
        while let Some(step) = self.channel.peek_transmit(self.plans) {
            let transmit = self.channel.take_transmit(self.plans);
            debug_assert_eq!(step, transmit.step, "an IU changes between peek and take");
            self.put_on_link(Side::Channel, step, transmit.iu.map(|iu| *iu));
            self.leave_if_due();
        }
        while let Some(step) = self.control_unit.peek_transmit(self.plans) {
            let transmit = self.control_unit.take_transmit(self.plans);
            debug_assert_eq!(step, transmit.step, "an IU changes between peek and take");
            self.put_on_link(Side::ControlUnit, step, transmit.iu.map(|iu| *iu));
            self.leave_if_due();
        }
    }

    fn put_on_link(&mut self, from: Side, step: Step, iu: Option<Iu>) {
        let (to, direction) = (from.other(), from as usize);
        self.handled[from as usize] += 1;
        let lost = self.random.chance_ppm(self.options.loss_ppm);
        let delay = self.random.below(self.options.delay_max[direction].as_ps() + 1);
        let arrives = (self.now + Span::from_ps(delay)).max(self.last_arrival[direction]);
        self.last_arrival[direction] = arrives;
        self.transcript.sent.push(Sent { at: self.now, from, step, iu: iu.clone(), lost });
        if self.link_is_up {
            self.flights[to as usize].push_back(Flight { arrives, iu, lost });
        }
    }

    /// Delivers the first IU in flight to `side`, or reports it as lost.
    fn arrive(&mut self, side: Side) {
        let Some(flight) = self.flights[side as usize].pop_front() else { return };
        if side == Side::ControlUnit && !self.transcript.control_unit_begun {
            self.begin_control_unit();
        }
        let (plans, identity, now) = (self.plans, self.identity, self.now);
        let iu = flight.iu.as_ref();
        match (side, flight.lost) {
            (Side::Channel, false) => {
                self.transcript.arrived.push((side, self.channel.arriving_step(plans, iu)));
                self.channel.handle(plans, identity, now, iu);
            }
            (Side::ControlUnit, false) => {
                self.transcript.arrived.push((side, self.control_unit.arriving_step(plans, iu)));
                self.control_unit.handle(plans, identity, now, iu);
            }
            (_, true) => {
                lose(side, &mut self.channel, &mut self.control_unit, (plans, identity, now));
            }
        }
        self.handled[side as usize] += u32::from(!flight.lost);
    }

    fn begin_control_unit(&mut self) {
        self.transcript.control_unit_begun = true;
        self.control_unit = if self.options.control_unit_live {
            Half::open_live(self.plans, self.plan, self.identity, self.now)
        } else {
            Half::open(self.plan)
        };
        if let Some(kind) = self.options.busy {
            self.control_unit.leave_plan(self.plans, self.identity, self.now);
            if let Some(machine) = self.control_unit.machine_mut() {
                machine.answer_busy(kind);
            }
        }
        self.leave_if_due();
    }

    fn cancel(&mut self) {
        self.cancelled = true;
        self.channel.leave_plan(self.plans, self.identity, self.now);
        if let Some(machine) = self.channel.machine_mut() {
            machine.cancel(self.now);
        }
    }

    fn take_link_down(&mut self) {
        self.link_is_up = false;
        self.flights = [VecDeque::new(), VecDeque::new()];
        self.channel.handle_link_down(self.plans, self.identity, self.now);
        self.control_unit.handle_link_down(self.plans, self.identity, self.now);
    }

    fn collect_outcomes(&mut self) {
        self.transcript.channel.extend(self.channel.outcome(self.plans));
        self.transcript.control_unit.extend(self.control_unit.outcome(self.plans));
    }
}

/// Loses an IU towards `side`: its receiver counts it as gone, and its sender goes live.
fn lose(
    side: Side,
    channel: &mut ChannelHalf,
    control_unit: &mut ControlUnitHalf,
    (plans, identity, now): (&Plans, Identity, Time),
) {
    match side {
        Side::Channel => {
            channel.handle_loss(plans, identity, now);
            control_unit.leave_plan(plans, identity, now);
        }
        Side::ControlUnit => {
            control_unit.handle_loss(plans, identity, now);
            channel.leave_plan(plans, identity, now);
        }
    }
}
