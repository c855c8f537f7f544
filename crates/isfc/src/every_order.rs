//! Every order in which the programs of both ends, their endings, attention, losses of devices and starts of a system may
//! follow each other, over real adapters.
//!
//! Every situation that some order leads to is visited. No run may be endless, whatever the order, and where no step is left
//! every octet must have been delivered once and in order. So there is neither a deadlock nor a livelock.

use std::collections::HashMap;
use std::hash::Hash;
use std::marker::PhantomData;

use halftrack_base::Time;
use halftrack_control_unit::ctc::{self, Data, Ending, Pair, Reset, Side, Started};
use halftrack_program::DeviceStatus;

use crate::*;

mod cases;
mod mistakes;
mod part;
mod soak;
mod system;

use part::{Key, Lanes, Part};
use system::{Progress, System, number, octet, present, start};

const SIDES: [Side; 2] = [Side::X, Side::Y];
const STREAM: StreamId = StreamId(1);

/// Case to be visited.
#[derive(Debug, Clone, Copy)]
struct Case {
    devices: usize,
    /// Blocks that each side sends.
    blocks: [u8; 2],
    /// Losses of devices, at most.
    losses: u8,
    /// Devices come back after a loss.
    returns: bool,
    /// Starts anew of the side Y, at most.
    starts: u8,
    /// Blocks that come with other octets, at most.
    corruptions: u8,
    /// Octets, and so blocks, that an end keeps.
    send_bytes: u64,
    /// Attention may reach the end late, after what it did in between.
    late_attention: bool,
    /// The hellos have crossed already.
    is_up: bool,
}

#[derive(Clone)]
struct Situation {
    pairs: Vec<Part<Pair>>,
    systems: [Part<System>; 2],
    losses: u8,
    starts: u8,
    corruptions: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Path(Side, usize),
    Order(Side),
    Start(Side, usize),
    Ending(Side, usize),
    CorruptEnding(Side, usize),
    Attention(Side, usize),
    LateAttention(Side, usize),
    Loss(Side, usize),
    /// A start anew, with the received offset that the application has kept.
    SystemStart(Side, u8),
}

impl Step {
    const fn side(self) -> Side {
        match self {
            Self::Order(side)
            | Self::Path(side, _)
            | Self::Start(side, _)
            | Self::Ending(side, _)
            | Self::CorruptEnding(side, _)
            | Self::Attention(side, _)
            | Self::LateAttention(side, _)
            | Self::Loss(side, _)
            | Self::SystemStart(side, _) => side,
        }
    }

    /// Returns whether the step need not come.
    const fn is_trouble(self) -> bool {
        matches!(self, Self::Loss(..) | Self::SystemStart(..) | Self::CorruptEnding(..))
    }
}

/// Handling of events by an end, or one with a mistake.
trait Handling {
    fn order(end: &mut End) -> Option<Order> {
        end.poll_order(Time::ZERO)
    }

    fn ended(end: &mut End, device: DeviceNumber, ending: ProgramEnd) {
        end.program_ended(device, ending, Time::ZERO);
    }

    fn attention(end: &mut End, device: DeviceNumber) {
        end.attention(device);
    }

    fn lost(end: &mut End, device: DeviceNumber) {
        end.lost(device);
    }
}

struct Right;

impl Handling for Right {}

/// Search through all situations of a case.
struct Search<H> {
    case: Case,
    collisions: u64,
    resends: u64,
    handling: PhantomData<H>,
}

impl<H: Handling> Search<H> {
    const fn new(case: Case) -> Self {
        Self { case, collisions: 0, resends: 0, handling: PhantomData }
    }

    fn first(&mut self) -> Situation {
        let Case { devices, .. } = self.case;
        let system = |side| System::new(side, &self.case, 1, 0);
        let mut situation = Situation {
            pairs: vec![Part::new(Pair::default()); devices],
            systems: SIDES.map(|side| Part::new(system(side))),
            losses: self.case.losses,
            starts: self.case.starts,
            corruptions: self.case.corruptions,
        };
        if self.case.is_up {
            let blocks = std::mem::take(&mut self.case.blocks);
            let is_quiet = |step: &Step| !step.is_trouble();
            while let Some(next) =
                self.steps().into_iter().filter(is_quiet).find_map(|step| self.step(&situation, step))
            {
                situation = next;
            }
            self.case.blocks = blocks;
        }
        for side in SIDES {
            situation.systems[side as usize].change(|system| self.feed(system, side));
        }
        situation
    }

    fn steps(&self) -> Vec<Step> {
        let devices = 0..self.case.devices;
        let of_device = |side, device| {
            [
                Step::Path(side, device),
                Step::Start(side, device),
                Step::Ending(side, device),
                Step::CorruptEnding(side, device),
                Step::Attention(side, device),
                Step::LateAttention(side, device),
                Step::Loss(side, device),
            ]
        };
        let of_side = |side| {
            let devices = devices.clone().flat_map(move |device| of_device(side, device));
            devices.chain([Step::Order(side)])
        };
        let starts = [0, u8::MAX].map(|kept| Step::SystemStart(Side::Y, kept));
        SIDES.into_iter().flat_map(of_side).chain(starts).collect()
    }

    /// Returns the situation after a step, if it can be taken.
    fn step(&mut self, from: &Situation, step: Step) -> Option<Situation> {
        if !self.is_possible(from, step) {
            return None;
        }
        let mut situation = from.clone();
        let Situation { pairs, systems, losses, corruptions, .. } = &mut situation;
        match step {
            Step::Path(side, device) => systems[side as usize].change(|system| {
                system.has_path[device] = true;
                system.end.operational(number(device));
            }),
            Step::Order(side) => {
                let order = systems[side as usize].change(|system| {
                    let order = H::order(&mut system.end)?;
                    let program = &mut system.programs[usize::from(order.device().0 - number(0).0)];
                    assert_eq!(*program, Progress::None, "two programs at a device");
                    *program = Progress::Ordered(order.clone());
                    Some(order)
                })?;
                assert!(!matches!(order, Order::Reset { .. }), "no device is refused");
            }
            Step::Start(side, device) => {
                let begin = |system: &mut System| std::mem::take(&mut system.programs[device]);
                let program = systems[side as usize].change(begin);
                let next = pairs[device].change(|pair| start(pair, side, program));
                systems[side as usize].change(|system| system.programs[device] = next);
            }
            Step::Ending(side, device) => {
                let (pair, system) = (&mut pairs[device], &mut systems[side as usize]);
                pair.change(|pair| system.change(|system| present::<H>(pair, system, side, device, false)))?;
            }
            Step::CorruptEnding(side, device) => {
                *corruptions -= 1;
                let (pair, system) = (&mut pairs[device], &mut systems[side as usize]);
                pair.change(|pair| system.change(|system| present::<H>(pair, system, side, device, true)))?;
            }
            Step::Attention(side, device) => {
                if !pairs[device].change(|pair| pair.poll_attention(side)) {
                    return None;
                }
                let is_late = self.case.late_attention;
                systems[side as usize].change(|system| {
                    system.attentions[device] = is_late;
                    if !is_late {
                        H::attention(&mut system.end, number(device));
                    }
                });
            }
            Step::LateAttention(side, device) => systems[side as usize].change(|system| {
                system.attentions[device] = false;
                H::attention(&mut system.end, number(device));
            }),
            Step::Loss(side, device) => {
                *losses -= 1;
                pairs[device].change(|pair| pair.reset(side, Reset::System));
                systems[side as usize].change(|system| {
                    (system.programs[device], system.attentions[device]) = (Progress::None, false);
                    system.has_path[device] = false;
                    H::lost(&mut system.end, number(device));
                });
            }
            Step::SystemStart(side, kept) => self.start_system(&mut situation, side, kept),
        }
        let side = step.side();
        situation.systems[side as usize].change(|system| {
            self.drain(system, side);
            self.feed(system, side);
        });
        Some(situation)
    }

    fn is_possible(&self, situation: &Situation, step: Step) -> bool {
        let system = |side: Side| situation.systems[side as usize].value();
        match step {
            Step::Path(side, device) => {
                let was_lost = situation.losses < self.case.losses;
                !system(side).has_path[device] && (self.case.returns || !was_lost)
            }
            Step::Order(_) => true,
            Step::Attention(side, device) => situation.pairs[device].value().clone().poll_attention(side),
            Step::Start(side, device) => {
                matches!(system(side).programs[device], Progress::Ordered(_) | Progress::Chained)
            }
            Step::Ending(side, device) => {
                matches!(system(side).programs[device], Progress::Waits | Progress::Ended(_))
            }
            Step::CorruptEnding(side, device) => {
                let ending = match &system(side).programs[device] {
                    Progress::Ended(ending) => Some(ending.clone()),
                    Progress::Waits => situation.pairs[device].value().clone().poll_ending(side),
                    _ => None,
                };
                situation.corruptions > 0 && ending.is_some_and(|ending| matches!(ending.data, Data::Read(_)))
            }
            Step::LateAttention(side, device) => system(side).attentions[device],
            Step::Loss(side, device) => situation.losses > 0 && system(side).has_path[device],
            Step::SystemStart(side, kept) => {
                let received = system(side).received;
                situation.starts > 0 && (kept == u8::MAX || kept < received)
            }
        }
    }

    fn start_system(&self, situation: &mut Situation, side: Side, kept: u8) {
        situation.starts -= 1;
        for pair in &mut situation.pairs {
            pair.change(|pair| pair.reset(side, Reset::System));
        }
        situation.systems[side as usize].change(|system| {
            let incarnation = system.end.settings().incarnation.0 + 1;
            *system = System::new(side, &self.case, incarnation, system.received.min(kept));
        });
    }

    /// Has the application send what it has not sent.
    fn feed(&self, system: &mut System, side: Side) {
        let end = &mut system.end;
        let all = u64::from(self.case.blocks[side as usize]);
        while system.has_room && end.next_offset(STREAM) < all {
            let octet = octet(side, end.next_offset(STREAM));
            system.has_room = end.send(STREAM, &vec![octet].into());
        }
    }

    /// Takes deliveries and notices, and checks them. Counts are no part of a situation.
    fn drain(&mut self, system: &mut System, side: Side) {
        while let Some(delivery) = system.end.poll_delivery() {
            assert_eq!(delivery.offset, u64::from(system.received), "an octet is lost or comes twice");
            let expected = vec![octet(side.other(), delivery.offset)];
            assert_eq!(delivery.payload, expected.into(), "an octet is another one");
            system.received += 1;
        }
        while let Some(notice) = system.end.poll_notice() {
            match notice {
                Notice::LinkUp { .. } => assert!(!std::mem::replace(&mut system.is_up, true), "up twice"),
                Notice::LinkDown { .. } => assert!(std::mem::take(&mut system.is_up), "down twice"),
                Notice::Collision(_) => self.collisions += 1,
                Notice::Room => assert!(!std::mem::replace(&mut system.has_room, true), "room twice"),
                Notice::Refused { .. } | Notice::Gap { .. } => panic!("{notice:?}"),
                _ => {}
            }
        }
        assert_eq!(system.is_up, system.end.is_up());
        for device in &mut system.end.devices {
            self.resends += std::mem::take(&mut device.counters).write.resends;
        }
    }

    /// Checks a situation in which no step is left.
    fn check_last(&self, situation: &Situation) {
        let both_have =
            |device: &usize| situation.systems.iter().all(|system| system.value().has_path[*device]);
        let shared = (0..self.case.devices).filter(both_have).count();
        if shared == 0 {
            return;
        }
        for side in SIDES {
            let system = situation.systems[side as usize].value();
            let expected = self.case.blocks[side.other() as usize];
            assert_eq!(system.received, expected, "nothing goes on before all is delivered");
            let sent = u64::from(self.case.blocks[side as usize]);
            assert_eq!(system.end.acknowledged(STREAM), sent, "nothing goes on before all is acknowledged");
            if self.case.returns {
                let states = system.end.devices().map(|device| device.state);
                assert!(states.into_iter().all(|state| state == DeviceState::Active), "a device stays away");
            }
        }
    }

    /// Visits every situation that some order leads to. Returns how many there are.
    fn visit(&mut self) -> usize {
        let first = self.first();
        let steps = self.steps();
        let key_of_first = key(&first);
        // Whether a situation is on the path.
        let mut situations = HashMap::from([(key_of_first, true)]);
        let mut path =
            Path(vec![Place { situation: first, key: key_of_first, by: None, next: 0, is_last: true }]);
        while let Some(place) = path.0.last_mut() {
            let Some(step) = steps.get(place.next) else {
                if place.is_last {
                    self.check_last(&place.situation);
                }
                situations.insert(place.key, false);
                path.0.pop();
                continue;
            };
            place.next += 1;
            let Some(after) = self.step(&place.situation, *step) else { continue };
            place.is_last &= step.is_trouble();
            let key = key(&after);
            match situations.get(&key) {
                Some(true) => panic!("a run is endless, at {step:?}"),
                Some(false) => {}
                None => {
                    situations.insert(key, true);
                    path.0.push(Place { situation: after, key, by: Some(*step), next: 0, is_last: true });
                }
            }
        }
        situations.len()
    }
}

/// A situation on the path of the search.
struct Place {
    situation: Situation,
    key: Key,
    /// Step that led to it.
    by: Option<Step>,
    /// The step that is tried next.
    next: usize,
    /// No step was possible but losses and starts.
    is_last: bool,
}

/// Situations from the first to the present one. Their steps are printed when a check fails: at the end of a search there are none.
struct Path(Vec<Place>);

impl Drop for Path {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            let steps: Vec<Step> = self.0.iter().filter_map(|place| place.by).collect();
            eprintln!("{steps:?}");
        }
    }
}

/// Returns the key of a situation: 128 bits, so that no two of some million situations share one.
fn key(situation: &Situation) -> Key {
    let mut lanes = Lanes::default();
    for pair in &situation.pairs {
        pair.key().hash(&mut lanes);
    }
    for system in &situation.systems {
        system.key().hash(&mut lanes);
    }
    (situation.losses, situation.starts, situation.corruptions).hash(&mut lanes);
    lanes.key()
}
