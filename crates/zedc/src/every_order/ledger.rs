//! Requests that were started, their ends, and the laws on both.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use halftrack_base::Span;

use super::{Handling, Step};
use crate::rig::*;
use crate::*;

/// Octets of a request: two slices.
const BYTES: usize = 40_000;
const ROOM: usize = deflate_bound_bytes(BYTES);

/// Data of every request.
static DATA: LazyLock<Vec<u8>> = LazyLock::new(|| text(BYTES));

/// Request in the ledger.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    answer: Option<Answer>,
    /// The region was freed, or the address space ended, while it had not ended at any card.
    may_be_freed: bool,
    may_be_ended: bool,
}

/// Machine of two cards and one program, and what happened to its requests.
pub struct Ledger {
    machine: Machine,
    /// Slices that have begun: whether one has at each card.
    in_slice: [bool; 2],
    entries: BTreeMap<RequestId, Entry>,
    starts: usize,
    losses: usize,
    updates: usize,
    /// Something took a card away.
    is_card_missed: bool,
    is_freed: bool,
    is_ended: bool,
    is_detached: bool,
}

impl Ledger {
    /// Makes a machine with nothing started.
    pub fn new() -> Self {
        let mut machine = Machine::small(2);
        machine.put(0, &DATA);
        Self {
            machine,
            in_slice: [false; 2],
            entries: BTreeMap::new(),
            starts: 0,
            losses: 0,
            updates: 0,
            is_card_missed: false,
            is_freed: false,
            is_ended: false,
            is_detached: false,
        }
    }

    fn card(&self, at: usize) -> CardId {
        self.machine.cpc.cards().nth(at).expect("two cards")
    }

    fn state(&self, at: usize) -> FunctionState {
        self.machine.cpc.card(self.card(at)).state(vf(1)).expect("it is configured")
    }

    /// Does a step; returns false when it cannot come now.
    pub fn step<H: Handling>(&mut self, step: Step) -> bool {
        self.machine.now += Span::from_us(1);
        let now = self.machine.now;
        match step {
            Step::Start => self.start(),
            Step::Begin(at) => {
                let card = self.card(at);
                let Machine { cpc, engine, memory, .. } = &mut self.machine;
                let slice = cpc.card_mut(card).begin_slice(&mut **engine, memory, now);
                self.in_slice[at] |= slice.is_some();
                slice.is_some()
            }
            Step::End(at) => {
                let card = self.card(at);
                self.machine.cpc.card_mut(card).end_slice(now);
                std::mem::take(&mut self.in_slice[at])
            }
            Step::Collect => {
                let Machine { cpc, programs, .. } = &mut self.machine;
                H::collect(&mut programs[0], cpc);
                self.poll();
                true
            }
            Step::Lose(at) => {
                let may = self.losses < 2 && self.state(at) != FunctionState::InError;
                if may {
                    (self.losses, self.is_card_missed) = (self.losses + 1, true);
                    let card = self.card(at);
                    H::lose(&mut self.machine.cpc, card, now);
                }
                may
            }
            Step::Restore(at) => {
                let card = self.card(at);
                let may = self.state(at) == FunctionState::InError;
                self.machine.cpc.restore(card, now);
                may
            }
            Step::Update(group) => {
                let may = self.updates < 1 && H::begin_update(&mut self.machine.cpc, group, now).is_ok();
                self.updates += usize::from(may);
                self.is_card_missed |= may;
                may
            }
            Step::EndUpdate => {
                let may = self.machine.cpc.update().is_some();
                self.machine.cpc.end_update();
                may
            }
            Step::Deregister | Step::EndSpace | Step::Detach => self.take_away::<H>(step),
        }
    }

    fn start(&mut self) -> bool {
        if self.starts == 3 || self.is_ended {
            return false;
        }
        match self.machine.start(0, Operation::Deflate, BYTES, ROOM) {
            Ok(id) => {
                self.starts += 1;
                let before = self.entries.insert(id, Entry::default());
                assert!(before.is_none(), "a name is given twice");
                true
            }
            Err(answer) => {
                let is_allowed = match answer {
                    Answer::BadRegionToken => self.is_freed,
                    Answer::NoHardware => self.is_card_missed || self.is_detached,
                    _ => false,
                };
                assert!(is_allowed, "a request is refused: {answer}");
                false
            }
        }
    }

    /// Takes a region, the address space or a function away.
    fn take_away<H: Handling>(&mut self, step: Step) -> bool {
        if step == Step::Deregister && self.is_ended {
            return false;
        }
        let card = self.card(0);
        let Machine { cpc, programs, now, .. } = &mut self.machine;
        let is_first = match step {
            Step::Deregister => !std::mem::replace(&mut self.is_freed, true),
            Step::EndSpace => !std::mem::replace(&mut self.is_ended, true),
            _ => !std::mem::replace(&mut self.is_detached, true),
        };
        if !is_first {
            return false;
        }
        match step {
            Step::Deregister => H::deregister(&mut programs[0], cpc, *now).expect("it is registered"),
            Step::EndSpace => H::end(&mut programs[0], cpc, *now),
            _ => {
                let place = FunctionPlace { card, vf: vf(1) };
                H::detach(&mut programs[0], cpc, place).expect("it is allocated");
            }
        }
        for entry in self.entries.values_mut().filter(|entry| entry.answer.is_none()) {
            entry.may_be_freed |= step == Step::Deregister;
            entry.may_be_ended |= step == Step::EndSpace;
        }
        if step == Step::Deregister {
            // Whoever stores into the region from now on is found.
            let storage = self.machine.memory.0.get_mut(&SpaceId(0)).expect("an address space");
            storage.bytes_mut()[SMALL_AREA_BYTES..].fill(0xA5);
        }
        true
    }

    /// Takes the ends that were collected.
    fn poll(&mut self) {
        while let Some((_, end)) = self.machine.programs[0].partition.poll() {
            let entry = self.entries.get_mut(&end.id).expect("the request was started");
            assert_eq!(entry.answer, None, "a request ends twice");
            entry.answer = Some(end.answer);
            let is_allowed = match end.answer {
                Answer::Done => end.consumed_bytes as usize == BYTES,
                Answer::NoHardware => self.is_card_missed,
                Answer::RegionFreed => entry.may_be_freed,
                Answer::Ended => entry.may_be_ended,
                _ => false,
            };
            assert!(is_allowed, "a request ends with {}", end.answer);
            if end.answer == Answer::Done && !self.is_freed {
                let stream = &self.machine.memory.0[&SpaceId(0)].bytes()[SMALL_AREA_BYTES..];
                assert!(inflated_elsewhere(&stream[..end.produced_bytes as usize]) == *DATA);
            }
        }
    }

    /// Goes on without further events until nothing is left to do, and checks that all has ended.
    pub fn settle<H: Handling>(mut self) {
        // Three requests of two slices, all of which may be at one card after it was chosen again.
        for _ in 0..12 {
            for at in 0..2 {
                self.step::<H>(Step::End(at));
                self.step::<H>(Step::Begin(at));
            }
            self.step::<H>(Step::Collect);
        }
        let unended = self.entries.values().filter(|entry| entry.answer.is_none()).count();
        assert_eq!(unended, 0, "a request never ends");
        assert_eq!(self.machine.programs[0].partition.in_flight(), 0, "a request is kept after its end");
        let storage = &self.machine.memory.0[&SpaceId(0)];
        let is_touched = storage.bytes()[SMALL_AREA_BYTES..].iter().any(|octet| *octet != 0xA5);
        assert!(!self.is_freed || !is_touched, "a region is written after it was freed");
        let counted: u64 = [0, 1].map(|at| self.counted(at)).iter().sum();
        let by_cards = |answer: Answer| !answer.is_software_fallback();
        let ended = self.entries.values().filter(|entry| entry.answer.is_some_and(by_cards)).count();
        // A request that is given back after its region was freed, or its space ended, has ended at no card.
        let given_back =
            self.entries.values().filter(|entry| entry.may_be_freed || entry.may_be_ended).count();
        assert!(counted as usize <= ended, "a request is done twice");
        assert!(counted as usize + given_back >= ended, "a request is done by no card");
    }

    fn counted(&self, at: usize) -> u64 {
        self.machine.cpc.card(self.card(at)).counters(vf(1)).expect("it is configured").requests
    }
}
