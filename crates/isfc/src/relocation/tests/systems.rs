//! Both systems of a relocation, which start anew at every moment, and memories that are changed on their way.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};

use super::super::*;

const PAGES: u64 = 600;
const GUEST: &str = "LINUX01";

/// Mistake that is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    None,
    /// The destination stores another octet.
    Store,
    /// Changes of a page are not counted.
    Count,
    /// The destination has the guest's name for another memory.
    Present,
}

/// A page is one octet, with which all of its octets are filled.
struct World {
    now: Time,
    plan: Plan,
    /// Pages that the guest changes in a step.
    changes: u64,
    mistake: Mistake,
    departure: Departure,
    memory: Vec<u8>,
    /// Memory with which a source starts anew.
    saved: Vec<u8>,
    changed: PageSet,
    stored_changes: u64,
    arrival: Arrival,
    part: Option<Vec<u8>>,
    kept: Option<Vec<u8>>,
    records: VecDeque<Vec<u8>>,
    replies: VecDeque<Vec<u8>>,
    sent: u64,
    /// Memories that were kept by the destination while the guest ran at the source.
    doubles: u64,
}

fn digest(memory: &[u8]) -> Digest {
    let mut digest = [0_u8; 32];
    for (at, octet) in memory.iter().enumerate() {
        let mixed = (u64::from(*octet) + 1).wrapping_mul(at as u64 * 2 + 0x9E37_79B9_7F4A_7C15);
        for (octet, mixed) in digest[at % 4 * 8..].iter_mut().zip(mixed.to_be_bytes()) {
            *octet = octet.rotate_left(1) ^ mixed;
        }
    }
    Digest(digest)
}

fn plan(passes_max: u32, quiesce_us: u64, otherwise: Otherwise) -> Plan {
    let memory_bytes = PAGES * PAGE_BYTES;
    let quiesce_max = Span::from_us(quiesce_us);
    Plan { memory_bytes, changes: Changes::Counted, quiesce_max, passes_max, otherwise }
}

impl World {
    fn new(plan: Plan, changes: u64, mistake: Mistake) -> Self {
        let memory: Vec<u8> = (0..PAGES).map(|page| (page * 7) as u8).collect();
        let kept = (mistake == Mistake::Present).then(|| vec![9; PAGES as usize]);
        let mut world = Self {
            now: Time::ZERO,
            plan,
            changes,
            mistake,
            departure: Departure::new(GUEST.parse().unwrap(), plan),
            saved: memory.clone(),
            memory,
            changed: PageSet::none(PAGES),
            stored_changes: 0,
            arrival: Arrival::new(GUEST.parse().unwrap(), kept.as_deref().map(digest)),
            part: None,
            kept,
            records: VecDeque::new(),
            replies: VecDeque::new(),
            sent: 0,
            doubles: 0,
        };
        world.connect();
        world
    }

    /// Begins the conversation anew on both sides: nothing is under way.
    fn connect(&mut self) {
        self.records.clear();
        self.replies.clear();
        self.sent = 0;
        self.departure.restarted();
        self.arrival.restarted();
    }

    fn restart_source(&mut self) {
        self.departure = Departure::new(GUEST.parse().unwrap(), self.plan);
        self.memory = self.saved.clone();
        self.changed = PageSet::none(PAGES);
        self.connect();
    }

    fn restart_destination(&mut self) {
        self.part = None;
        self.arrival = Arrival::new(GUEST.parse().unwrap(), self.kept.as_deref().map(digest));
        self.connect();
    }

    /// Has the guest change pages, as far as it runs.
    fn run_guest(&mut self) {
        for _ in 0..if self.departure.is_guest_running() { self.changes } else { 0 } {
            self.stored_changes += 1;
            let page = self.stored_changes * 13 % 90;
            self.memory[page as usize] ^= 1 + (self.stored_changes % 200) as u8;
            if self.mistake != Mistake::Count || page != 20 {
                self.changed.insert(page);
            }
        }
    }

    fn step(&mut self) {
        self.now += Span::from_us(10);
        self.run_guest();
        match self.departure.task() {
            Some(Task::Count) => {
                let changed = std::mem::replace(&mut self.changed, PageSet::none(PAGES));
                self.departure.counted(&changed, self.now);
            }
            Some(Task::Digest) => self.departure.digested(digest(&self.memory)),
            Some(Task::Save) => {
                self.saved = self.memory.clone();
                self.departure.saved();
            }
            None => {}
        }
        let memory = &self.memory;
        let record = self.departure.next(1 << 20, |run, octets| {
            for page in run.first..run.first + u64::from(run.pages) {
                octets.extend([memory[page as usize]; PAGE_BYTES as usize]);
            }
        });
        self.records.extend(record);
        if let Some(octets) = self.records.pop_front() {
            self.sent += octets.len() as u64;
            self.take(&octets);
            self.departure.acknowledged(self.sent, self.now);
        }
        self.replies.extend(self.arrival.poll_reply().map(|reply| reply.encode()));
        if let Some(octets) = self.replies.pop_front() {
            let reply = Reply::decode(&octets).unwrap();
            self.departure.received(reply, self.now).unwrap();
        }
        self.doubles += u64::from(self.kept.is_some() && self.departure.is_guest_running());
    }

    fn take(&mut self, octets: &[u8]) {
        let record = Record::decode(octets).unwrap();
        match self.arrival.received(&record, self.now).unwrap() {
            Effect::None => {}
            Effect::Open { memory_bytes } => self.part = Some(vec![0; (memory_bytes / PAGE_BYTES) as usize]),
            Effect::Store => {
                let Record::Pages { runs, contents } = &record else { panic!("{record:?}") };
                let pages = runs.iter().flat_map(|run| run.first..run.first + u64::from(run.pages));
                let part = self.part.as_mut().unwrap();
                for (page, contents) in pages.zip(contents.chunks(PAGE_BYTES as usize)) {
                    part[page as usize] = contents[17];
                }
                if self.mistake == Mistake::Store {
                    part[500] = (500_u64 * 7) as u8 ^ 1;
                }
            }
            Effect::Compare => {
                let digest = digest(self.part.as_deref().unwrap());
                if !self.arrival.compared(digest, self.now) {
                    self.part = None;
                }
            }
            Effect::Keep => self.kept = self.part.take(),
            Effect::Drop => self.part = None,
        }
    }

    fn is_over(&self) -> bool {
        self.departure.is_finished() && self.arrival.is_finished()
    }

    /// Takes steps until both are finished. Returns how many.
    fn run(&mut self) -> u64 {
        for step in 0..10_000 {
            if self.is_over() {
                return step;
            }
            self.step();
        }
        panic!("no end: {:?} {:?}", self.departure, self.arrival);
    }

    fn conclusions(&self) -> [Conclusion; 2] {
        [self.departure.report(), self.arrival.report()].map(|report| report.conclusion.unwrap())
    }
}

/// Makes a guest that needs some passes until what is left is within the quiesce time.
fn converging() -> World {
    World::new(plan(20, 4, Otherwise::Cancel), 12, Mistake::None)
}

#[test]
fn a_guest_that_changes_little_is_moved_as_it_was_at_its_stop() {
    let mut world = converging();
    world.run();
    assert_eq!(world.conclusions(), [Conclusion::Moved { has_converged: true }; 2]);
    assert_eq!((world.kept.as_ref(), world.doubles), (Some(&world.memory), 0));
    assert_eq!(world.saved, world.memory);
    let [source, destination] = [world.departure.report(), world.arrival.report()];
    let bytes = |report: &RelocationReport| report.passes.iter().map(|pass| pass.bytes).collect::<Vec<_>>();
    assert_eq!(bytes(&source), bytes(&destination));
    assert!(source.passes.len() > 2 && source.passes[0].bytes == PAGES * PAGE_BYTES, "{source:?}");
    assert!(source.quiesce.unwrap() >= destination.quiesce.unwrap());
    assert!(source.total.unwrap() > source.quiesce.unwrap());
}

#[test]
fn a_guest_that_changes_much_stays_or_is_moved_nevertheless() {
    for (otherwise, stays) in [(Otherwise::Cancel, true), (Otherwise::Quiesce, false)] {
        let mut world = World::new(plan(3, 0, otherwise), 60, Mistake::None);
        world.run();
        let expected = match stays {
            true => Conclusion::Stays(Reason::NotConverged),
            false => Conclusion::Moved { has_converged: false },
        };
        assert_eq!(world.conclusions(), [expected; 2]);
        assert_eq!((world.kept.is_none(), world.departure.is_guest_running()), (stays, stays));
        assert_eq!(world.part, None);
        assert!(stays || world.kept.as_ref() == Some(&world.memory));
        assert_eq!(world.departure.report().passes.len(), if stays { 3 } else { 4 });
    }
}

/// Either system starts anew after any step, twice: the guest is moved whole, never at both, and the memories are equal.
#[test]
fn a_system_that_starts_anew_at_any_moment_moves_the_guest_whole() {
    let steps = converging().run();
    for first in 0..steps {
        for second in [None, Some(1), Some(4), Some(9), Some(steps - 1)] {
            for anew in [[true, true], [true, false], [false, true], [false, false]] {
                let mut world = converging();
                (0..first).for_each(|_| world.step());
                let mut restart = |is_source: bool| {
                    if is_source { world.restart_source() } else { world.restart_destination() }
                };
                restart(anew[0]);
                if let Some(steps) = second {
                    (0..steps).for_each(|_| world.step());
                    if anew[1] { world.restart_source() } else { world.restart_destination() }
                }
                world.run();
                let conclusions = world.conclusions();
                assert!(conclusions.iter().all(|one| one.is_moved()), "{first} {anew:?}: {conclusions:?}");
                assert_eq!(
                    (world.kept.as_ref(), world.doubles),
                    (Some(&world.memory), 0),
                    "{first} {anew:?}"
                );
                assert_eq!(world.saved, world.memory, "{first} {anew:?}");
            }
        }
    }
}

/// A guest that does not converge is at the destination in no case, whichever system starts anew and when.
#[test]
fn a_guest_that_stays_is_nowhere_else() {
    for first in 0..40 {
        for is_source in [true, false] {
            let mut world = World::new(plan(3, 0, Otherwise::Cancel), 60, Mistake::None);
            (0..first).for_each(|_| world.step());
            if is_source {
                world.restart_source()
            } else {
                world.restart_destination()
            }
            world.run();
            assert_eq!(world.conclusions(), [Conclusion::Stays(Reason::NotConverged); 2]);
            assert_eq!((&world.kept, &world.part), (&None, &None));
            assert!(world.departure.is_guest_running());
        }
    }
}

#[test]
fn a_memory_that_is_not_the_one_sent_is_not_kept() {
    for mistake in [Mistake::Store, Mistake::Count] {
        let mut world = World::new(plan(20, 4, Otherwise::Cancel), 12, mistake);
        world.run();
        assert_eq!(world.conclusions(), [Conclusion::Stays(Reason::Different); 2], "{mistake:?}");
        assert_eq!((&world.kept, &world.part), (&None, &None));
        assert!(world.departure.is_guest_running(), "the guest goes on");
    }
}

#[test]
fn a_guest_of_the_name_with_another_memory_is_not_replaced() {
    let mut world = World::new(plan(20, 4, Otherwise::Cancel), 12, Mistake::Present);
    world.run();
    assert_eq!(world.conclusions(), [Conclusion::Stays(Reason::OtherMemory); 2]);
    assert_eq!(world.kept, Some(vec![9; PAGES as usize]));
}

#[test]
fn another_guest_is_refused() {
    let mut world = converging();
    world.arrival = Arrival::new("LINUX02".parse().unwrap(), None);
    world.connect();
    world.run();
    assert_eq!(world.conclusions(), [Conclusion::Stays(Reason::OtherGuest); 2]);
    assert_eq!(world.kept, None);
}

#[test]
fn records_out_of_their_order_are_refused() {
    let now = Time::ZERO;
    let guest = GUEST.parse().unwrap();
    let memory_bytes = 4 * PAGE_BYTES;
    let page = [0; PAGE_BYTES as usize];
    let begin = Record::Begin { guest, memory_bytes };
    let pass = |number, kind, pages| Record::Pass { number, kind, pages };
    let pages = |first| Record::Pages { runs: vec![PageRun { first, pages: 1 }], contents: &page };
    let first = pass(1, PassKind::Running, 4);
    let end = Record::End(Digest([0; 32]));
    let cases = [
        (vec![first.clone()], ArrivalError::Order),
        (vec![Record::Commit], ArrivalError::Order),
        (vec![begin.clone(), begin.clone()], ArrivalError::Order),
        (vec![begin.clone(), Record::Commit], ArrivalError::Order),
        (vec![begin.clone(), pages(0)], ArrivalError::Count),
        (vec![begin.clone(), pass(2, PassKind::Running, 4)], ArrivalError::Pass { expected: 1, found: 2 }),
        (vec![begin.clone(), pass(1, PassKind::Running, 3)], ArrivalError::Count),
        (vec![begin.clone(), first.clone(), pages(4)], ArrivalError::Page(4)),
        (vec![begin.clone(), first.clone(), pass(2, PassKind::Running, 1)], ArrivalError::Count),
        (vec![begin.clone(), first.clone(), end.clone()], ArrivalError::Order),
        (vec![begin.clone(), pass(1, PassKind::Forced, 4), pages(0), end], ArrivalError::Count),
        (vec![begin, pass(1, PassKind::Forced, 4), first], ArrivalError::Order),
    ];
    for (records, expected) in cases {
        let mut arrival = Arrival::new(guest, None);
        arrival.restarted();
        let (last, before) = records.split_last().unwrap();
        for record in before {
            arrival.received(record, now).unwrap();
        }
        assert_eq!(arrival.received(last, now), Err(expected), "{records:?}");
    }
    let mut departure = Departure::new(guest, plan(1, 0, Otherwise::Cancel));
    assert_eq!(departure.received(Reply::Whole, now), Err(DepartureError(Reply::Whole)));
    departure.received(Reply::Greeting(None), now).unwrap();
    let greeting = Reply::Greeting(None);
    assert_eq!(departure.received(greeting, now), Err(DepartureError(greeting)));
}
