//! Two queue pairs over a link that loses, reorders, duplicates and corrupts: everything arrives exactly once and in order,
//! or the pair is in the error state and gives its reason.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use halftrack_base::{Span, Time};
use halftrack_roce::packet::{Immediate, Mtu, Psn, RnrTimer};
use halftrack_roce::queue_pair::{
    Counts, Failure, LocalSpan, Message, Outcome, Received, Remote, Settings, Work, WorkId,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::ends::{BASE, End, REGION_BYTES, RKEY, ends};

/// Runs with other seeds.
const RUNS: u64 = 1_000;
/// Works of each end in a run.
const WORKS: u64 = 40;
/// Events in which a run must have come to its end.
const EVENTS_MAX: usize = 1_000_000;

struct Chance(Xoshiro256PlusPlus);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    /// Returns true in `thousandths` of 1,000 calls.
    fn happens(&mut self, thousandths: u64) -> bool {
        self.below(1000) < thousandths
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Faults of a link in thousandths of packets, and the longest delay beyond the shortest.
#[derive(Debug, Clone, Copy)]
struct Faults {
    lost: u64,
    duplicated: u64,
    corrupted: u64,
    jitter_us: u64,
}

/// State of one end beside its queue pair.
struct Ledger {
    works: Vec<Work>,
    posted: usize,
    completed: usize,
    /// Works of the peer up to the last that was received.
    received: usize,
    has_failed: bool,
    /// Packets with another CRC.
    corrupt: u64,
}

struct Run {
    ends: [End; 2],
    ledgers: [Ledger; 2],
    chance: Chance,
    faults: Faults,
    now: Time,
    link: BTreeMap<(Time, u64), (usize, Vec<u8>)>,
    number: u64,
}

fn settings(chance: &mut Chance, settings: &mut Settings) {
    let mut number = |bound| NonZeroU16::new(chance.below(bound) as u16 + 1).expect("not zero");
    settings.window_packets = number(40);
    settings.acknowledge_packets = number(8);
    settings.send_depth = number(20);
    settings.receive_depth = number(6);
    settings.retries = 3 + chance.below(5) as u8;
    settings.rnr_retries = chance.one_of(&[None, None, Some(7), Some(1)]);
    settings.rnr_timer = RnrTimer::new(1 + chance.below(8) as u8);
    settings.timeout = Span::from_us(300);
}

fn works(chance: &mut Chance) -> Vec<Work> {
    let mut offset = 0;
    let work = |number| {
        let immediate = chance.happens(100).then_some(Immediate(number as u32));
        if chance.happens(400) {
            let octets = [number as u8; 44];
            let message = Message::new(&octets[..chance.below(45) as usize]).expect("short");
            return Work::Send { message, immediate };
        }
        let longest = chance.one_of(&[1, 100, 1100, 3000]);
        let length_bytes = chance.below(longest + 1).min(REGION_BYTES as u64 - offset) as u32;
        let from = LocalSpan { address: offset, length_bytes };
        let to = Remote { rkey: RKEY, address: BASE + offset };
        offset += u64::from(length_bytes);
        Work::Write { from, to, immediate }
    };
    (0..WORKS).map(work).collect()
}

impl Run {
    /// Returns true when so few packets are lost, and so late, that no end may give up.
    fn is_mild(&self) -> bool {
        let has_limit = |end: &End| end.pair.settings().rnr_retries.is_some();
        self.faults.lost + self.faults.corrupted <= 20
            && self.faults.jitter_us <= 60
            && !self.ends.iter().any(has_limit)
    }

    fn new(seed: u64) -> Self {
        let mut chance = Chance(Xoshiro256PlusPlus::seed_from_u64(seed));
        let mtu = chance.one_of(&Mtu::ALL[..3]);
        let psns = [0, 1].map(|_| Psn::new((0x00FF_FFE0 + chance.below(64)) as u32));
        let mut faults = Faults { lost: 0, duplicated: 0, corrupted: 0, jitter_us: 0 };
        if !seed.is_multiple_of(10) {
            faults.lost = chance.one_of(&[0, 10, 50, 200, 600]);
            faults.duplicated = chance.one_of(&[0, 10, 100]);
            faults.corrupted = chance.one_of(&[0, 10, 50]);
            faults.jitter_us = chance.one_of(&[0, 5, 60, 600]);
        }
        let mut ends = ends(seed.is_multiple_of(2), |_| {});
        for (at, end) in ends.iter_mut().enumerate() {
            let mut own = *end.pair.settings();
            settings(&mut chance, &mut own);
            (own.mtu, own.send_psn, own.receive_psn) = (mtu, psns[at], psns[1 - at]);
            end.pair = halftrack_roce::queue_pair::QueuePair::new(own);
        }
        let ledgers = [0, 1].map(|_| Ledger {
            works: works(&mut chance),
            posted: 0,
            completed: 0,
            received: 0,
            has_failed: false,
            corrupt: 0,
        });
        Self { ends, ledgers, chance, faults, now: Time::ZERO, link: BTreeMap::new(), number: 0 }
    }

    /// Runs until all works are completed, or failed.
    fn go(&mut self) {
        for _ in 0..EVENTS_MAX {
            for at in 0..2 {
                self.post(at);
                self.transmit(at);
                self.complete(at);
                self.take(at);
            }
            if self.ledgers.iter().all(|ledger| ledger.completed == ledger.works.len()) {
                return;
            }
            self.next_event();
        }
        panic!("the run does not end");
    }

    fn post(&mut self, at: usize) {
        let (end, ledger) = (&mut self.ends[at], &mut self.ledgers[at]);
        if self.chance.happens(300) {
            end.pair.post_receives(1 + self.chance.below(4) as u16);
        }
        while ledger.posted < ledger.works.len() && self.chance.happens(700) {
            let posted = end.pair.post(WorkId(ledger.posted as u64), ledger.works[ledger.posted]);
            if end.pair.failure().is_some() {
                assert!(posted.is_err());
                // It will never be posted.
                ledger.works.truncate(ledger.posted);
            }
            if posted.is_err() {
                return;
            }
            ledger.posted += 1;
        }
    }

    fn transmit(&mut self, at: usize) {
        for packet in self.ends[at].transmit(self.now) {
            let copies = 1 + usize::from(self.chance.happens(self.faults.duplicated));
            for _ in 0..copies {
                if self.chance.happens(self.faults.lost) {
                    continue;
                }
                let mut packet = packet.clone();
                if self.chance.happens(self.faults.corrupted) {
                    let bit = self.chance.below(packet.len() as u64 * 8) as usize;
                    packet[bit / 8] ^= 1 << (bit % 8);
                }
                let delay_us = 5 + self.chance.below(self.faults.jitter_us + 1);
                self.number += 1;
                self.link.insert((self.now + Span::from_us(delay_us), self.number), (1 - at, packet));
            }
        }
    }

    /// Checks completions: in the order of posting, and what is done is at the peer.
    fn complete(&mut self, at: usize) {
        let failure = self.ends[at].pair.failure();
        for completion in self.ends[at].completions() {
            let ledger = &mut self.ledgers[at];
            assert_eq!(completion.id, WorkId(ledger.completed as u64), "in order");
            match completion.outcome {
                Outcome::Done => {
                    assert!(!ledger.has_failed);
                    ledger.completed += 1;
                    let done = ledger.completed;
                    self.check_arrived(at, done);
                }
                Outcome::Failed(reason) => {
                    assert_eq!((Some(reason), ledger.has_failed), (failure, false));
                    ledger.has_failed = true;
                    ledger.completed += 1;
                }
                Outcome::Flushed => {
                    assert!(ledger.has_failed);
                    ledger.completed += 1;
                }
            }
        }
    }

    /// Checks that the octets of the first works of an end are in the memory of the other.
    fn check_arrived(&self, from: usize, works: usize) {
        for work in &self.ledgers[from].works[..works] {
            if let Work::Write { from: span, .. } = work {
                let range = span.address as usize..span.address as usize + span.length_bytes as usize;
                let (sent, came) = (&self.ends[from].source[range.clone()], &self.ends[1 - from].memory);
                assert!(came.octets[range.clone()] == *sent, "octets of a write before");
                assert!(came.writes[range].iter().all(|&count| count == 1), "written once");
            }
        }
    }

    /// Checks messages: those of the peer in its order, behind all writes before them.
    fn take(&mut self, at: usize) {
        for received in self.ends[at].received() {
            let works = &self.ledgers[1 - at].works;
            let first = self.ledgers[at].received;
            let takes_receive =
                |work: &Work| matches!(work, Work::Send { .. } | Work::Write { immediate: Some(_), .. });
            let index =
                first + works[first..].iter().position(takes_receive).expect("nothing that was not sent");
            let expected = match works[index] {
                Work::Send { message, immediate } => Received::Message { message, immediate },
                Work::Write { from, immediate, .. } => Received::Written {
                    length_bytes: from.length_bytes,
                    immediate: immediate.expect("it takes a receive"),
                },
            };
            assert_eq!(received, expected);
            self.ledgers[at].received = index + 1;
            self.check_arrived(1 - at, index + 1);
        }
    }

    fn next_event(&mut self) {
        let arrival = self.link.first_key_value().map(|(&(time, _), _)| time);
        let due = self.ends.iter().filter_map(|end| end.pair.poll_timeout()).min();
        // Both ends have work that waits to be posted: that needs no time.
        let Some(next) = [arrival, due].into_iter().flatten().min() else { return };
        self.now = self.now.max(next);
        if arrival.is_some_and(|arrival| arrival <= self.now) {
            let (_, (to, packet)) = self.link.pop_first().expect("an arrival");
            let taken = self.ends[to].receive(self.now, &packet);
            self.ledgers[to].corrupt += u64::from(taken.is_err());
        } else {
            self.ends.iter_mut().for_each(|end| end.pair.handle_timeout(self.now));
        }
    }
}

#[test]
fn everything_arrives_once_and_in_order_or_the_pair_has_failed() {
    let (mut all, mut corrupt, mut failures, mut mild) = (Counts::default(), 0, Vec::new(), 0);
    for seed in 0..RUNS {
        let mut run = Run::new(seed);
        run.go();
        mild += u64::from(run.is_mild());
        for at in 0..2 {
            let (end, ledger) = (&run.ends[at], &run.ledgers[at]);
            assert!(end.memory.writes.iter().all(|&count| count <= 1), "seed {seed}: written once");
            assert_eq!(
                end.pair.failure().is_some(),
                ledger.has_failed || ledger.works.len() < WORKS as usize
            );
            assert!(!run.is_mild() || end.pair.failure().is_none(), "seed {seed}: {:?}", end.pair.failure());
            failures.extend(end.pair.failure());
            corrupt += ledger.corrupt;
            let counts = end.pair.counts();
            all.requests += counts.requests;
            all.repeated += counts.repeated;
            all.duplicates += counts.duplicates;
            all.out_of_sequence += counts.out_of_sequence;
            all.not_ready += counts.not_ready;
            all.timeouts += counts.timeouts;
            all.sequence_naks += counts.sequence_naks;
            all.rnr_naks += counts.rnr_naks;
            let is_undisturbed =
                seed.is_multiple_of(10) && run.ends.iter().all(|end| end.pair.failure().is_none());
            let disturbances = counts.timeouts + counts.duplicates + counts.sequence_naks;
            assert!(!is_undisturbed || disturbances == 0, "seed {seed}: {counts:?}");
        }
    }
    let counts = [
        all.repeated,
        all.duplicates,
        all.out_of_sequence,
        all.not_ready,
        all.timeouts,
        all.sequence_naks,
        all.rnr_naks,
        corrupt,
    ];
    assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
    let is_known =
        |failure: &Failure| matches!(failure, Failure::NoAcknowledgement(_) | Failure::ReceiverNotReady(_));
    assert!(failures.iter().all(is_known), "nothing else happens on a link");
    assert!(mild > 50, "{mild} runs without many faults");
    assert!((20..800).contains(&failures.len()), "{} failures", failures.len());
}
