//! Departures from a planned end, and when: found once from the plans, looked up in a run.
//!
//! Which IUs travel together depends on nothing but the plan, how many of its steps have been sent and how many
//! of the other direction received. So do the chunks, and the work that they make.

use std::collections::BTreeMap;

use halftrack_exchange::{Delay, End, Half, PlanId, Plans, Side, Step, Work};

use crate::wiring::load::{Chunk, Load};

/// The departure from an end that has sent so many steps of its plan.
#[derive(Debug, Clone, Copy)]
struct Departure {
    /// Steps of the other direction that must have been received.
    after_received: u32,
    /// The groups that may leave, each of one step more than the one before.
    first_group: u32,
    groups: u16,
    next: Next,
}

/// The next that an end may send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Next {
    /// Wait before it.
    pub delay: Delay,
    /// User data bytes that have to be fetched before its first chunk.
    pub data_bytes: u32,
}

impl Next {
    fn of(step: &Step, frame_by_frame: bool) -> Self {
        let mut load = Load::default();
        load.add(step, frame_by_frame);
        Self { delay: step.delay, data_bytes: load.next_fetched_bytes() }
    }
}

/// More than any plan has steps: after the last one nothing leaves.
const NEVER: u32 = u32::MAX;

/// Steps of a plan that travel together.
#[derive(Debug, Clone, Copy)]
struct Group {
    /// Steps of the other direction that must have been received.
    after_received: u32,
    steps: u16,
    first_chunk: u32,
}

/// The work of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupWork {
    /// The plan that it belongs to.
    pub plan: PlanId,
    /// Work of the sender.
    pub send: Work,
    /// Work of the receiver.
    pub receive: Work,
}

/// Departures, groups and chunks of all plans. Group 0 has no steps and makes no work, and chunk 0 is never sent.
#[derive(Debug, Default)]
pub(crate) struct Departures {
    /// First departure of each plan, by plan, side and fidelity.
    firsts: Vec<u32>,
    departures: Vec<Departure>,
    groups: Vec<Group>,
    works: Vec<GroupWork>,
    chunks: Vec<Chunk>,
    /// By chunk with which several steps end: the octets of each of them in it.
    step_octets: BTreeMap<u32, Box<[u32]>>,
}

impl Departures {
    /// Finds the departures of all `plans`.
    pub(crate) fn new(plans: &Plans) -> Self {
        let no_work = GroupWork { plan: PlanId::default(), send: Work::default(), receive: Work::default() };
        let mut found = Self {
            groups: vec![Group { after_received: NEVER, steps: 0, first_chunk: 0 }],
            works: vec![no_work],
            chunks: vec![Chunk::default()],
            ..Self::default()
        };
        for (id, plan) in plans.iter() {
            for side in [Side::Channel, Side::ControlUnit] {
                for frame_by_frame in [false, true] {
                    found.firsts.push(found.departures.len() as u32);
                    found.add_plan(id, plan.steps(side), frame_by_frame);
                }
            }
        }
        found
    }

    fn add_plan(&mut self, plan: PlanId, steps: &[Step], frame_by_frame: bool) {
        for (sent, first) in steps.iter().enumerate() {
            let first_group = self.groups.len();
            let (mut load, mut after_received) = (Load::default(), 0);
            for step in &steps[sent..] {
                if !load.joins(step, frame_by_frame) {
                    break;
                }
                load.add(step, frame_by_frame);
                after_received = after_received.max(u32::from(step.after_received));
                self.add_group(plan, load, after_received, frame_by_frame);
                self.note_step_octets(&steps[sent..][..usize::from(load.steps)]);
            }
            self.departures.push(Departure {
                after_received: u32::from(first.after_received),
                first_group: first_group as u32,
                groups: (self.groups.len() - first_group) as u16,
                next: Next::of(first, frame_by_frame),
            });
        }
        let next = Next { delay: Delay::None, data_bytes: 0 };
        let nothing = Departure { after_received: NEVER, first_group: 0, groups: 0, next };
        self.departures.push(nothing);
    }

    fn add_group(&mut self, plan: PlanId, mut load: Load, after_received: u32, frame_by_frame: bool) {
        let (steps, group) = (load.steps, self.groups.len() as u32);
        self.groups.push(Group { after_received, steps, first_chunk: self.chunks.len() as u32 });
        self.works.push(GroupWork { plan, send: load.work, receive: load.peer_work });
        while load.has_more() {
            let chunk = load.cut(frame_by_frame);
            self.chunks.push(Chunk { group: if chunk.last { group } else { 0 }, ..chunk });
        }
    }

    /// Notes how many octets of each of the `steps` are in the chunk that was added last, with which they end.
    fn note_step_octets(&mut self, steps: &[Step]) {
        let last = self.chunks.len() - 1;
        if steps.len() > 1 {
            let octets = step_octets(steps.iter().map(Step::wire_bytes), self.chunks[last].wire_bytes);
            self.step_octets.insert(last as u32, octets.into());
        }
    }

    /// Returns the octets in a chunk of each of the steps that end with it; none where that is one at most.
    #[cold]
    pub(crate) fn step_octets(&self, chunk: u32) -> &[u32] {
        self.step_octets.get(&chunk).map_or(&[], |octets| octets)
    }

    /// Returns the first departure of one side of `plan`.
    #[inline]
    pub(crate) fn of(&self, plan: PlanId, side: Side, frame_by_frame: bool) -> u32 {
        let side = usize::from(side == Side::ControlUnit);
        self.firsts[usize::from(plan.0) * 4 + side * 2 + usize::from(frame_by_frame)]
    }

    /// Takes from `half`, whose departures begin at `first`, the steps that leave together now: their group and
    /// the first of their chunks. `None` when nothing may leave.
    #[inline]
    pub(crate) fn gather<M: End>(&self, half: &mut Half<M>, first: u32) -> Option<(u32, u32)> {
        let (sent, received) = half.planned()?;
        let received = u32::from(received);
        let departure = &self.departures[(first + u32::from(sent)) as usize];
        if departure.after_received > received {
            return None;
        }
        let first_group = departure.first_group as usize;
        let groups = &self.groups[first_group..first_group + usize::from(departure.groups)];
        // The first may leave, and each needs no less than the one before.
        let more = groups.iter().skip(1).take_while(|group| group.after_received <= received).count();
        half.sent_planned(groups[more].steps);
        Some(((first_group + more) as u32, groups[more].first_chunk))
    }

    /// Finds what `half`, whose departures begin at `first`, may send now, if anything.
    #[inline(always)]
    pub(crate) fn next<M: End>(
        &self,
        half: &Half<M>,
        plans: &Plans,
        first: u32,
        frame_by_frame: bool,
    ) -> Option<Next> {
        let Some((sent, received)) = half.planned() else {
            return half.peek_transmit(plans).map(|step| Next::of(&step, frame_by_frame));
        };
        let departure = &self.departures[(first + u32::from(sent)) as usize];
        (departure.after_received <= u32::from(received)).then_some(departure.next)
    }

    /// Returns true when `half`, whose departures begin at `first`, may send something now.
    #[inline(always)]
    pub(crate) fn may_send<M: End>(&self, half: &Half<M>, plans: &Plans, first: u32) -> bool {
        let Some((sent, received)) = half.planned() else { return half.may_transmit(plans) };
        self.departures[(first + u32::from(sent)) as usize].after_received <= u32::from(received)
    }

    /// Returns a chunk by its number.
    #[inline]
    pub(crate) fn chunk(&self, chunk: u32) -> &Chunk {
        &self.chunks[chunk as usize]
    }

    /// Returns the work of every group, in the order of their numbers.
    pub(crate) fn works(&self) -> &[GroupWork] {
        &self.works
    }
}

/// Returns the octets of each of the `steps` of a load in its last chunk, which has `wire_bytes`. The first step may have begun
/// before it.
pub(crate) fn step_octets(steps: impl Iterator<Item = u32>, wire_bytes: u32) -> Vec<u32> {
    let mut octets: Vec<u32> = steps.collect();
    let behind: u32 = octets.iter().skip(1).sum();
    if let Some(first) = octets.first_mut() {
        *first = wire_bytes.saturating_sub(behind);
    }
    octets
}
