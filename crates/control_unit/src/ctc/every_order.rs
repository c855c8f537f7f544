//! Every order in which the commands of both sides, the presentation of what they come to, and resets may follow each other.
//!
//! Every situation that some order leads to is visited, however long the order. A ledger of each side, which is part of the
//! situation, keeps what its host has started and is owed.

use std::collections::HashSet;

use halftrack_program::DeviceStatus;

use super::*;

const SIDES: [Side; 2] = [Side::X, Side::Y];
/// Commands, by code and count: two lengths of those that move data; a Write End of File is a Write in basic mode.
const COMMANDS: [(u8, u32); 14] = [
    (0x01, 2),
    (0x01, 3),
    (0x81, 2),
    (0x02, 2),
    (0x02, 3),
    (0x0C, 2),
    (0x07, 1),
    (0x14, 1),
    (0xE3, 1),
    (0x03, 1),
    (0x43, 1),
    (0xC3, 1),
    (0x04, 2),
    (0x08, 1),
];

/// A step of one side.
#[derive(Debug, Clone, Copy)]
enum Step {
    Start(u8, u32),
    Collect,
    Attention,
    EndChain,
    Reset(Reset),
}

fn steps() -> impl Iterator<Item = Step> {
    let starts = COMMANDS.into_iter().map(|(code, count_bytes)| Step::Start(code, count_bytes));
    let resets = [Reset::Halt, Reset::Selective, Reset::System].into_iter().map(Step::Reset);
    starts.chain([Step::Collect, Step::Attention, Step::EndChain]).chain(resets)
}

/// A command that has started and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Open {
    code: u8,
    count_bytes: u32,
    /// Octets of a Write.
    octets: Option<Vec<u8>>,
}

/// Ending owed to a side by a transfer that the other one has had.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Due {
    /// The end of a Read with these octets.
    Read(Vec<u8>),
    /// The end of a Write of which this many octets were read.
    Written(u32),
}

/// State of the host of a side.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Ledger {
    open: Option<Open>,
    due: Option<Due>,
    /// The other side waits, and this one has had a sign of it.
    is_signalled: bool,
    /// Value of the next Write, so that the octets of one are not those of the one before.
    value: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Situation<A> {
    adapter: A,
    ledgers: [Ledger; 2],
}

/// An adapter, or one with a mistake.
trait Adapter: Clone + Eq + std::hash::Hash + Default {
    fn pair(&mut self) -> &mut Pair;

    fn start(&mut self, side: Side, command: Command) -> Started {
        self.pair().start(side, command)
    }

    fn collect(&mut self, side: Side) -> Option<Ending> {
        self.pair().poll_ending(side)
    }

    fn attention(&mut self, side: Side) -> bool {
        self.pair().poll_attention(side)
    }

    fn reset(&mut self, side: Side, reset: Reset) {
        self.pair().reset(side, reset);
    }
}

impl Adapter for Pair {
    fn pair(&mut self) -> &mut Pair {
        self
    }
}

const fn is_waiting(state: State) -> bool {
    !matches!(state, State::Available | State::NotReady)
}

impl<A: Adapter> Situation<A> {
    /// Does a step of a side, and compares what comes of it with the ledgers.
    fn advance(&mut self, side: Side, step: Step) {
        match step {
            Step::Start(code, count_bytes) => self.start(side, code, count_bytes),
            Step::Collect => {
                if let Some(ending) = self.adapter.collect(side) {
                    self.ended(side, &ending);
                }
            }
            Step::Attention => {
                if self.adapter.attention(side) {
                    let own = &mut self.ledgers[side as usize];
                    assert!(!own.is_signalled, "attention comes a second time");
                    own.is_signalled = true;
                    let other = self.adapter.pair().state(side.other());
                    assert!(is_waiting(other), "attention for nothing");
                }
            }
            Step::EndChain => self.adapter.pair().end_chain(side),
            Step::Reset(reset) => {
                self.adapter.reset(side, reset);
                let own = &mut self.ledgers[side as usize];
                *own = Ledger { value: own.value, ..Ledger::default() };
            }
        }
        self.check();
    }

    fn start(&mut self, side: Side, code: u8, count_bytes: u32) {
        let (own, other) = (side as usize, side.other() as usize);
        let is_write = code & 3 == 1;
        let value = self.ledgers[own].value;
        let octets: Vec<u8> = (0..count_bytes as u8).map(|at| (side as u8) << 7 | value << 4 | at).collect();
        let block = if is_write { Block::Bytes(octets.clone().into()) } else { Block::NONE };
        let found = self.adapter.pair().state(side.other());
        let met = self.ledgers[other].open.as_ref().filter(|_| is_waiting(found)).map_or(0, |open| open.code);
        let open = Open { code, count_bytes, octets: is_write.then_some(octets) };
        let started = self.adapter.start(side, Command { code, count_bytes, block });
        if self.ledgers[own].open.is_some() {
            let Started::Ended(ending) = started else { panic!("two commands wait at a side") };
            assert_eq!(ending.device.status, DeviceStatus::BUSY);
            return;
        }
        if is_write {
            self.ledgers[own].value ^= 1;
        }
        match started {
            Started::Waits { .. } => {
                self.ledgers[own].open = Some(open);
                // The end of its Prepare is the sign.
                self.ledgers[other].is_signalled = found == State::Prepare;
            }
            Started::Ended(ending) => self.ended_at_once(side, &open, met, &ending),
        }
    }

    /// Takes the ending of a command that did not wait. `met` is the code of the one that waited at the other side.
    fn ended_at_once(&mut self, side: Side, open: &Open, met: u8, ending: &Ending) {
        let [own, other] = self.ledgers.get_disjoint_mut([side as usize, side.other() as usize]).unwrap();
        own.is_signalled |= ending.device.status == DeviceStatus::BUSY.with(DeviceStatus::ATTENTION);
        let moved_bytes = ending.device.moved_bytes;
        match (&ending.data, &open.octets) {
            (Data::Read(Block::Bytes(read)), None) => {
                let written =
                    other.open.as_ref().and_then(|write| write.octets.as_ref()).expect("a Write waits");
                assert_eq!(read, first(written, open.count_bytes), "a Read has other octets");
                other.due = Some(Due::Written(moved_bytes));
            }
            (Data::None, Some(octets)) => {
                let read = other.open.as_ref().filter(|open| open.octets.is_none()).expect("a Read waits");
                let moved = first(octets, read.count_bytes);
                assert_eq!(moved_bytes as usize, moved.len());
                other.due = Some(Due::Read(moved.to_vec()));
            }
            (Data::Unsent(Block::Bytes(unsent)), Some(octets)) => {
                assert!(*unsent == *octets && moved_bytes == 0);
            }
            (Data::CommandByte(code), None) => assert_eq!(*code, met),
            (Data::None | Data::AdapterState(_), None) => {}
            (data, _) => panic!("{open:?} ends with {data:?}"),
        }
    }

    /// Takes the ending of a command that waited.
    fn ended(&mut self, side: Side, ending: &Ending) {
        let own = &mut self.ledgers[side as usize];
        let open = own.open.take().expect("a command ends once");
        let moved_bytes = ending.device.moved_bytes;
        match (own.due.take(), &ending.data, open.octets) {
            (Some(Due::Read(due)), Data::Read(Block::Bytes(read)), None) => {
                assert!(*read == due && moved_bytes as usize == due.len());
            }
            (Some(Due::Written(due)), Data::None, Some(_)) => assert_eq!(moved_bytes, due),
            (None, Data::Unsent(Block::Bytes(unsent)), Some(octets)) => {
                assert!(*unsent == octets && moved_bytes == 0);
            }
            (None, Data::None, None) => assert_eq!(moved_bytes, 0),
            (due, data, _) => panic!("{:02X} is owed {due:?} and gets {data:?}", open.code),
        }
    }

    /// Checks what holds between any two steps.
    fn check(&mut self) {
        let pair = self.adapter.pair();
        let waiting = SIDES.map(|side| is_waiting(pair.state(side)));
        assert_ne!(waiting, [true, true], "both wait for each other");
        for side in SIDES {
            let (own, other) = (side as usize, side.other() as usize);
            let has_ended = pair.clone().poll_ending(side).is_some();
            let ledger = &self.ledgers[own];
            assert_eq!(
                ledger.open.is_some(),
                waiting[own] || has_ended,
                "a command is neither waiting nor over"
            );
            assert!(ledger.due.is_none() || has_ended, "a transfer has ended at one side only");
            if !waiting[own] {
                self.ledgers[other].is_signalled = false;
            } else if pair.state(side) != State::Prepare && !self.ledgers[other].is_signalled {
                let mut pair = pair.clone();
                pair.poll_ending(side.other());
                pair.end_chain(side.other());
                assert!(pair.poll_attention(side.other()), "the other side has no sign of a command");
            }
        }
    }
}

fn first(octets: &[u8], count_bytes: u32) -> &[u8] {
    &octets[..octets.len().min(count_bytes as usize)]
}

/// Visits every situation that some order leads to. Returns how many there are.
fn visit<A: Adapter>() -> usize {
    let mut known = HashSet::from([Situation::<A>::default()]);
    let mut open = vec![Situation::<A>::default()];
    while let Some(situation) = open.pop() {
        let mut fresh = situation.clone();
        for side in SIDES {
            fresh.adapter.reset(side, Reset::System);
        }
        assert!(*fresh.adapter.pair() == Pair::default(), "resets of both sides leave something");
        for side in SIDES {
            for step in steps() {
                let mut next = situation.clone();
                next.advance(side, step);
                if !known.contains(&next) {
                    known.insert(next.clone());
                    open.push(next);
                }
            }
        }
    }
    known.len()
}

#[test]
fn every_command_ends_once_and_its_octets_arrive_once_in_any_order_of_steps() {
    let situations = visit::<Pair>();
    assert!(situations > 10_000, "{situations}");
}

/// Defines an adapter with a mistake, and the test that the checker finds it.
macro_rules! mistaken {
    ($name:ident, $test:ident, $expected:literal, $body:item) => {
        #[derive(Clone, PartialEq, Eq, Hash, Default)]
        struct $name(Pair);

        impl Adapter for $name {
            fn pair(&mut self) -> &mut Pair {
                &mut self.0
            }

            $body
        }

        #[test]
        #[should_panic(expected = $expected)]
        fn $test() {
            visit::<$name>();
        }
    };
}

mistaken!(
    EndsTwice,
    an_adapter_that_presents_an_ending_twice_is_found,
    "a command is neither waiting nor over",
    fn collect(&mut self, side: Side) -> Option<Ending> {
        self.0.clone().poll_ending(side)
    }
);

mistaken!(
    Forgets,
    an_adapter_that_forgets_the_other_side_at_a_reset_is_found,
    "a command is neither waiting nor over",
    fn reset(&mut self, _: Side, _: Reset) {
        self.0 = Pair::default();
    }
);

mistaken!(
    Silent,
    an_adapter_that_loses_attention_is_found,
    "the other side has no sign of a command",
    fn attention(&mut self, side: Side) -> bool {
        self.0.poll_attention(side);
        false
    }
);

mistaken!(
    Repeats,
    an_adapter_that_presents_attention_twice_is_found,
    "attention comes a second time",
    fn attention(&mut self, side: Side) -> bool {
        self.0.clone().poll_attention(side)
    }
);

mistaken!(
    Loses,
    an_adapter_that_loses_an_octet_is_found,
    "a Read has other octets",
    fn start(&mut self, side: Side, command: Command) -> Started {
        let mut started = self.0.start(side, command);
        if let Started::Ended(Ending { data: Data::Read(block), .. }) = &mut started {
            block.truncate(1);
        }
        started
    }
);
