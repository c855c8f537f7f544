//! Every order of the steps of a host that writes and of its control unit, each load, store and exchange a step of its own.
//!
//! A party is code over memory. To do its next step it runs from the beginning: earlier steps give what they gave, the next
//! one is done, and those behind it give anything and do nothing.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use halftrack_wire::synchronous::{
    ANSWER_WORD, DATA_MAX, MESSAGE_WORDS, SlotState, SlotWord, SynchronousAnswer, SynchronousOperation,
    SynchronousRequest, data_check,
};

use super::{Completion, Function, GivenUp, SlotMemory, answer, load_written, take};

/// Octets of a write.
const BYTES: usize = 16;
/// Writes of the host, each of another value.
const WRITES: u8 = 2;
/// How often the host polls for an answer before its time is over, and for a request that was given up.
const POLLS: usize = 2;
/// Turns of the control unit.
const TURNS: usize = 4;

/// Everything that both parties share.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Shared {
    state: u64,
    request: [u64; MESSAGE_WORDS],
    answer: [u64; MESSAGE_WORDS],
    data: [u8; BYTES],
    /// Value on the volume.
    volume: u8,
    /// Value of a write over the fibre that the control unit has not done; and of the last one done.
    fibre: u8,
    fibre_done: u8,
    /// Write that the host has taken back last, and the last one that has ended for the program.
    withdrawn: u8,
    ended: u8,
}

/// Result of a step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Observed {
    Word(u64),
    Message([u64; MESSAGE_WORDS]),
    Data([u8; BYTES]),
    Nothing,
}

/// Results of the steps of a party so far, and the memory for its next step.
struct View<'a> {
    seen: RefCell<&'a mut Vec<Observed>>,
    at: Cell<usize>,
    shared: RefCell<&'a mut Shared>,
    may_step: Cell<bool>,
    /// The party wants another step after this one.
    is_cut: Cell<bool>,
}

impl View<'_> {
    fn step(&self, act: impl FnOnce(&mut Shared) -> Observed) -> Observed {
        let at = self.at.replace(self.at.get() + 1);
        if let Some(seen) = self.seen.borrow().get(at) {
            return seen.clone();
        }
        if !self.may_step.replace(false) {
            self.is_cut.set(true);
            return Observed::Nothing;
        }
        let seen = act(*self.shared.borrow_mut());
        self.seen.borrow_mut().push(seen.clone());
        seen
    }

    fn word(&self, act: impl FnOnce(&mut Shared) -> u64) -> u64 {
        if let Observed::Word(word) = self.step(|shared| Observed::Word(act(shared))) { word } else { 0 }
    }
}

impl SlotMemory for View<'_> {
    fn load_state(&self) -> u64 {
        self.word(|shared| shared.state)
    }

    fn store_state(&self, bits: u64) {
        self.word(|shared| {
            shared.state = bits;
            0
        });
    }

    fn exchange_state(&self, from: u64, to: u64) -> bool {
        let done = self.word(|shared| {
            let is_equal = shared.state == from;
            if is_equal {
                shared.state = to;
            }
            u64::from(is_equal)
        });
        done != 0
    }

    fn load_message(&self, first: usize) -> [u64; MESSAGE_WORDS] {
        let load = |shared: &mut Shared| if first == ANSWER_WORD { shared.answer } else { shared.request };
        let seen = self.step(|shared| Observed::Message(load(shared)));
        if let Observed::Message(words) = seen { words } else { [0; MESSAGE_WORDS] }
    }

    fn store_message(&self, first: usize, words: &[u64; MESSAGE_WORDS]) {
        self.step(|shared| {
            *(if first == ANSWER_WORD { &mut shared.answer } else { &mut shared.request }) = *words;
            Observed::Nothing
        });
    }

    fn load_data(&self, into: &mut [u8]) {
        if let Observed::Data(data) = self.step(|shared| Observed::Data(shared.data)) {
            let bytes = into.len().min(BYTES);
            into[..bytes].copy_from_slice(&data[..bytes]);
        }
    }

    fn store_data(&self, data: &[u8]) {
        self.step(|shared| {
            shared.data.copy_from_slice(&data[..BYTES]);
            Observed::Nothing
        });
    }
}

/// Writes one value after the other, as a host does: over the slot, and whatever does not end there over the fibre.
fn host(memory: &View<'_>) {
    let mut function = Function::default();
    for value in 1..=WRITES {
        let data = [value; BYTES];
        let request = SynchronousRequest {
            operation: SynchronousOperation::Write,
            image: 0,
            unit: 0,
            cylinder: 0,
            head: 0,
            record: value,
            data_bytes: BYTES as u32,
            buffer: 0,
            check: data_check(&data),
        };
        function.post(memory, &request, &data);
        let done = (0..POLLS).find_map(|_| function.poll(memory, &mut Vec::new()));
        if done.is_none() {
            match function.give_up(memory) {
                GivenUp::Withdrawn => {
                    memory.word(|shared| {
                        shared.withdrawn = value;
                        0
                    });
                }
                GivenUp::Taken if (0..POLLS).any(|_| function.poll_over(memory)) => {}
                // It waits for an answer that does not come here.
                GivenUp::Taken => return,
            }
        }
        if done != Some(Completion::Done) {
            memory.word(|shared| {
                shared.fibre = value;
                0
            });
            let is_done =
                (0..POLLS).any(|_| memory.word(|shared| u64::from(shared.fibre_done)) == value.into());
            if !is_done {
                return;
            }
        }
        memory.word(|shared| {
            assert_eq!(shared.volume, value, "the write that has ended is on the volume");
            shared.ended = value;
            0
        });
    }
}

/// Runs a control unit. A request taken from the slot is over before it does anything for the fibre.
fn control_unit(memory: &View<'_>) {
    for _ in 0..TURNS {
        if let Some(taken) = take(memory) {
            let request = taken.request.unwrap_or(REQUEST);
            let mut buffer = [0; DATA_MAX];
            let result = load_written(memory, &request, &mut buffer).map(|data| data[0]);
            memory.word(|shared| {
                let value = *result.as_ref().unwrap_or_else(|reason| panic!("{reason:?}"));
                assert_eq!(value, request.record, "request and data are of one write");
                assert!(value > shared.withdrawn, "{value} was taken back, and is executed");
                assert!(value > shared.ended, "{value} is executed behind its end");
                shared.volume = value;
                0
            });
            let done = SynchronousAnswer { result: Ok(()), data_bytes: BYTES as u32, check: 0 };
            answer(memory, &taken, &done);
        }
        memory.word(|shared| {
            if shared.fibre > shared.fibre_done {
                (shared.volume, shared.fibre_done) = (shared.fibre, shared.fibre);
            }
            0
        });
    }
}

const REQUEST: SynchronousRequest = SynchronousRequest {
    operation: SynchronousOperation::Write,
    image: 0,
    unit: 0,
    cylinder: 0,
    head: 0,
    record: 0,
    data_bytes: BYTES as u32,
    buffer: 0,
    check: 0,
};

/// Where both parties are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Situation {
    shared: Shared,
    seen: [Vec<Observed>; 2],
}

/// Does the next step of a party; false when it has ended.
fn advance(situation: &mut Situation, party: usize, code: fn(&View<'_>)) -> bool {
    let before = situation.seen[party].len();
    let view = View {
        seen: RefCell::new(&mut situation.seen[party]),
        at: Cell::new(0),
        shared: RefCell::new(&mut situation.shared),
        may_step: Cell::new(true),
        is_cut: Cell::new(false),
    };
    code(&view);
    situation.seen[party].len() > before
}

/// Visits every situation that some order leads to; how many there are, and the ones in which nobody goes on.
fn visit(parties: [fn(&View<'_>); 2]) -> (usize, Vec<Shared>) {
    let mut known = HashSet::new();
    let mut open = vec![Situation::default()];
    let mut ends = Vec::new();
    while let Some(situation) = open.pop() {
        if !known.insert(situation.clone()) {
            continue;
        }
        let mut is_end = true;
        for (party, code) in parties.into_iter().enumerate() {
            let mut next = situation.clone();
            if advance(&mut next, party, code) {
                is_end = false;
                open.push(next);
            }
        }
        if is_end {
            ends.push(situation.shared);
        }
    }
    (known.len(), ends)
}

#[test]
fn a_request_that_was_taken_back_is_never_executed_in_any_order_of_steps() {
    let (situations, ends) = visit([host, control_unit]);
    assert!(situations > 10_000, "{situations}");
    let whole = ends.iter().filter(|shared| shared.ended == WRITES).count();
    let redriven = ends.iter().filter(|shared| shared.withdrawn == WRITES).count();
    assert!(whole > 0 && redriven > 0 && whole < ends.len(), "{whole}, {redriven} of {}", ends.len());
    for shared in &ends {
        let word = SlotWord::from_bits(shared.state).expect("a state");
        let is_free = word.state == SlotState::Free;
        assert!(shared.ended < WRITES || is_free, "{shared:?}");
    }
}

/// The checker finds a control unit that does not exchange the state, but stores it.
#[test]
#[should_panic(expected = "was taken back, and is executed")]
fn a_control_unit_that_takes_without_an_exchange_is_found() {
    fn careless(memory: &View<'_>) {
        for _ in 0..TURNS {
            let word = SlotWord::from_bits(memory.load_state());
            let Some(word) = word.filter(|word| word.state == SlotState::Posted) else { continue };
            memory.store_state(SlotWord { state: SlotState::Taken, ..word }.to_bits());
            memory.word(|shared| {
                let value = word.sequence as u8;
                assert!(value > shared.withdrawn, "{value} was taken back, and is executed");
                0
            });
        }
    }
    visit([host, careless]);
}
