//! Pending events of the two logical processes: a lane for each kind of which there are many, because most delays of a
//! kind are constant; all others wait together.

use halftrack_base::Time;
use halftrack_engine::{Alarms, EventKey, Heads, Lane, Order, PendingSet, ServerLanes};

use crate::events::event::SupervisorEvent;
use crate::events::event::{HostEvent, StorageEvent};
use crate::events::message::{Answered, Asked};
use crate::events::slab::Slab;

/// Where the lines of each process stand in its tournament of [`Heads`]: the more of their events an I/O has, the nearer
/// to the root.
pub(crate) mod leaf {
    pub(crate) const STARTED: usize = 4;
    pub(crate) const DRIVE: usize = 5;
    pub(crate) const VISITED: usize = 12;
    pub(crate) const INTERRUPT: usize = 14;
    pub(crate) const ANSWERED: usize = 13;
    pub(crate) const SUPERVISOR_OTHERS: usize = 60;
    pub(crate) const PROCESSORS: usize = 63;
    pub(crate) const INBOUND: usize = 124;
    pub(crate) const HOST_OTHERS: usize = 125;
    pub(crate) const FETCHED: usize = 122;
    pub(crate) const STORED: usize = 123;
    pub(crate) const ASKED: usize = 4;
    pub(crate) const SEND: usize = 5;
    pub(crate) const ASKED_ON: usize = 12;
    pub(crate) const ANSWERED_ON: usize = 13;
    pub(crate) const ARRIVED: usize = 14;
    pub(crate) const HOP: usize = 30;
    pub(crate) const STORAGE_OTHERS: usize = 31;
}

/// Events of one kind that wait in their lane at most.
const ROOM: usize = 4096;
/// Events of each thread of the IOPs that wait in their lane at most.
const THREAD_ROOM: usize = 64;
const OTHERS_ROOM: usize = 64;

/// A lane of what the events of a kind are of: I/Os, exchanges or transits.
type Slots = Lane<u32, ROOM>;

/// All events that are in no lane.
#[derive(Debug, Clone)]
struct Others<E: Copy> {
    events: PendingSet<E>,
    leaf: usize,
}

impl<E: Copy> Others<E> {
    fn new(leaf: usize) -> Self {
        Self { events: PendingSet::with_capacity(OTHERS_ROOM), leaf }
    }

    #[inline(never)]
    fn push(&mut self, heads: &mut Heads, at: Time, order: Order, event: E) {
        self.events.push(at, order, event);
        if self.events.peek_key() == Some((at, order)) {
            heads.set(self.leaf, at, order);
        }
    }

    #[inline(never)]
    fn take(&mut self, heads: &mut Heads) -> Option<E> {
        let first = self.events.pop();
        let (at, order) = self.events.peek_key().unwrap_or((Time::MAX, Order::default()));
        heads.set(self.leaf, at, order);
        first.map(|(_, _, event)| event)
    }
}

/// Puts an event of `payload` into `lane`, whose leaf is `leaf`; what has no place there goes to `others`.
#[inline(always)]
fn put<T: Copy + Default, E: Copy, const R: usize>(
    (lane, leaf): (&mut Lane<T, R>, usize),
    heads: &mut Heads,
    others: &mut Others<E>,
    EventKey { at, order }: EventKey,
    payload: T,
    mut event: impl FnMut(T) -> E,
) {
    if lane.push(at, order, payload, |at, order, payload| others.push(heads, at, order, event(payload))) {
        heads.set(leaf, at, order);
    }
}

/// A lane of messages that stand in it as they are, and room aside for those that have no place in it.
#[derive(Debug)]
pub(crate) struct MessageLane<T> {
    lane: Lane<T, ROOM>,
    aside: Slab<T>,
}

impl<T: Copy + Default> MessageLane<T> {
    fn new() -> Self {
        Self { lane: Lane::new(), aside: Slab::with_capacity(0) }
    }

    /// Puts `message` in; what has no place becomes an `event` of what is aside.
    #[inline(always)]
    fn put<E: Copy>(
        &mut self,
        (leaf, heads, others): (usize, &mut Heads, &mut Others<E>),
        key: EventKey,
        message: T,
        event: impl Fn(u32) -> E,
    ) {
        put((&mut self.lane, leaf), heads, others, key, message, |message| event(self.aside.put(message)));
    }

    /// Takes the first of a lane that has one and whose leaf in `heads` is `leaf`.
    #[inline(always)]
    pub(crate) fn take(&mut self, heads: &mut Heads, leaf: usize) -> T {
        self.lane.take(heads, leaf)
    }

    /// As [`Lane::soon`].
    #[inline(always)]
    pub(crate) fn soon(&self, position: usize) -> T {
        self.lane.soon(position)
    }

    /// Takes what has been laid aside in the slot `aside`.
    pub(crate) fn take_aside(&mut self, aside: u32) -> T {
        self.aside.give(aside);
        self.aside[aside]
    }

    /// All of them, with those aside of which `is_of` tells the slot.
    fn all<E: Copy>(&self, others: &Others<E>, is_of: impl Fn(E) -> Option<u32>) -> Vec<T> {
        let aside = Vec::from(others.events.clone()).into_iter().filter_map(|(.., event)| is_of(event));
        let in_lane = self.lane.iter().map(|(.., message)| message);
        in_lane.chain(aside.map(|aside| self.aside[aside])).collect()
    }
}

/// Pending events of the images' side, in the tournament of whoever holds it. Interrupts are in order on each IOP thread.
#[derive(Debug)]
pub(crate) struct SupervisorLines {
    pub(crate) interrupts: ServerLanes<u32, THREAD_ROOM>,
    others: Others<SupervisorEvent>,
}

impl SupervisorLines {
    /// Nothing is pending.
    pub(crate) fn new() -> Self {
        Self { interrupts: ServerLanes::new(), others: Others::new(leaf::SUPERVISOR_OTHERS) }
    }

    /// Puts an event in. No two events may have the same time and order, and one at [`Time::MAX`] never comes.
    #[inline(always)]
    pub(crate) fn push(&mut self, heads: &mut Heads, at: Time, order: Order, event: SupervisorEvent) {
        self.others.push(heads, at, order, event);
    }

    /// An interrupt of `io` is done by `thread` of the IOPs.
    #[inline(always)]
    pub(crate) fn push_interrupt(
        &mut self,
        heads: &mut Heads,
        thread: u32,
        EventKey { at, order }: EventKey,
        io: u32,
    ) {
        let others = &mut self.others;
        let elsewhere = |at, order, io| others.push(heads, at, order, SupervisorEvent::Interrupt { io });
        if self.interrupts.push(thread, at, order, io, elsewhere) {
            heads.set(leaf::INTERRUPT, at, order);
        }
    }

    /// Takes the first of the events that are in no lane.
    pub(crate) fn take_other(&mut self, heads: &mut Heads) -> Option<SupervisorEvent> {
        self.others.take(heads)
    }
}

/// Where a start is: it asks for its turn in the serial part of its image, or has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Turn {
    #[default]
    Asks,
    Comes,
}

/// The event of a start.
fn started((io, turn): (u32, Turn)) -> HostEvent {
    match turn {
        Turn::Asks => HostEvent::Started { io },
        Turn::Comes => HostEvent::Admitted { io },
    }
}

/// Pending events of the host's process, with those of the images' side where that is in it.
#[derive(Debug)]
pub(crate) struct HostPending {
    pub(crate) heads: Heads,
    /// Starts from a CP, and those of which the turn in the serial part of their image comes, which are told apart.
    pub(crate) started: Lane<(u32, Turn), ROOM>,
    pub(crate) drive: Slots,
    pub(crate) visited: Slots,
    pub(crate) answered: MessageLane<Answered>,
    pub(crate) inbound: Slots,
    pub(crate) fetched: Slots,
    pub(crate) stored: Lane<(u32, u16), ROOM>,
    pub(crate) supervisor: SupervisorLines,
    /// By channel: when its processor has done the first of the visits that share it.
    processors: Alarms,
    others: Others<HostEvent>,
}

impl HostPending {
    /// Nothing is pending at so many channels.
    pub(crate) fn new(channels: usize) -> Self {
        Self {
            heads: Heads::new(),
            started: Lane::new(),
            drive: Lane::new(),
            visited: Lane::new(),
            answered: MessageLane::new(),
            inbound: Lane::new(),
            fetched: Lane::new(),
            stored: Lane::new(),
            supervisor: SupervisorLines::new(),
            processors: Alarms::new(channels),
            others: Others::new(leaf::HOST_OTHERS),
        }
    }

    /// Puts an event in. No two events may have the same time and order, and one at [`Time::MAX`] never comes.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: Time, order: Order, event: HostEvent) {
        let (heads, others, key) = (&mut self.heads, &mut self.others, EventKey { at, order });
        match event {
            HostEvent::Started { io } => {
                put((&mut self.started, leaf::STARTED), heads, others, key, (io, Turn::Asks), started);
            }
            HostEvent::Admitted { io } => {
                put((&mut self.started, leaf::STARTED), heads, others, key, (io, Turn::Comes), started);
            }
            HostEvent::Drive { io } => {
                put((&mut self.drive, leaf::DRIVE), heads, others, key, io, |io| HostEvent::Drive { io });
            }
            HostEvent::Visited { exchange } => {
                let event = |exchange| HostEvent::Visited { exchange };
                put((&mut self.visited, leaf::VISITED), heads, others, key, exchange, event);
            }
            HostEvent::Inbound { transit } => {
                let event = |transit| HostEvent::Inbound { transit };
                put((&mut self.inbound, leaf::INBOUND), heads, others, key, transit, event);
            }
            HostEvent::Fetched { exchange } => {
                let event = |exchange| HostEvent::Fetched { exchange };
                put((&mut self.fetched, leaf::FETCHED), heads, others, key, exchange, event);
            }
            HostEvent::Stored { exchange, steps } => {
                let event = |(exchange, steps)| HostEvent::Stored { exchange, steps };
                put((&mut self.stored, leaf::STORED), heads, others, key, (exchange, steps), event);
            }
            event => others.push(heads, at, order, event),
        }
    }

    /// A plain exchange is answered.
    #[inline(always)]
    pub(crate) fn push_answered(&mut self, at: Time, order: Order, answered: Answered) {
        let to = (leaf::ANSWERED, &mut self.heads, &mut self.others);
        self.answered.put(to, EventKey { at, order }, answered, |aside| HostEvent::Answered { aside });
    }

    /// All answers of plain exchanges.
    pub(crate) fn answers(&self) -> Vec<Answered> {
        self.answered.all(&self.others, |event| match event {
            HostEvent::Answered { aside } => Some(aside),
            _ => None,
        })
    }

    /// The processor of `channel` has done the first of the visits that share it at `at`; [`Time::MAX`] if there is
    /// none.
    #[inline(never)]
    pub(crate) fn set_processor(&mut self, channel: u32, at: Time, order: Order) {
        self.processors.set(channel, at, order);
        let due = self.processors.first_due();
        self.heads.set(leaf::PROCESSORS, due.at, due.order);
    }

    /// The channel whose processor is the first to have done a visit.
    pub(crate) fn first_processor(&self) -> u32 {
        self.processors.first()
    }

    /// Takes the first of the events that are in no lane.
    pub(crate) fn take_other(&mut self) -> Option<HostEvent> {
        self.others.take(&mut self.heads)
    }

    /// All events of this process itself but those of the channels' processors and answers of plain exchanges, each with
    /// its time and order.
    pub(crate) fn events(&self) -> Vec<(Time, Order, HostEvent)> {
        let Self { started, drive, visited, inbound, fetched, stored, others, .. } = self;
        let mut events = Vec::from(others.events.clone());
        events.extend(started.iter().map(|(at, order, start)| (at, order, self::started(start))));
        events.extend(drive.iter().map(|(at, order, io)| (at, order, HostEvent::Drive { io })));
        events
            .extend(visited.iter().map(|(at, order, exchange)| (at, order, HostEvent::Visited { exchange })));
        events.extend(inbound.iter().map(|(at, order, transit)| (at, order, HostEvent::Inbound { transit })));
        events
            .extend(fetched.iter().map(|(at, order, exchange)| (at, order, HostEvent::Fetched { exchange })));
        let of_stored = |(at, order, (exchange, steps))| (at, order, HostEvent::Stored { exchange, steps });
        events.extend(stored.iter().map(of_stored));
        events
    }
}

#[cfg(test)]
impl HostPending {
    /// Takes the first answer of a plain exchange.
    pub(crate) fn take_answered(&mut self) -> Option<Answered> {
        (!self.answered.lane.is_empty()).then(|| self.answered.take(&mut self.heads, leaf::ANSWERED))
    }

    /// Takes the first chunk that arrives at a channel and is in its lane.
    pub(crate) fn take_inbound(&mut self) -> Option<u32> {
        (!self.inbound.is_empty()).then(|| self.inbound.take(&mut self.heads, leaf::INBOUND))
    }
}

/// Pending events of the storage's process.
#[derive(Debug)]
pub(crate) struct StoragePending {
    pub(crate) heads: Heads,
    pub(crate) asked: MessageLane<Asked>,
    pub(crate) asked_on: MessageLane<Asked>,
    pub(crate) answered_on: MessageLane<Answered>,
    pub(crate) arrived: Slots,
    pub(crate) send: Slots,
    pub(crate) hop: Slots,
    others: Others<StorageEvent>,
}

impl StoragePending {
    /// Nothing is pending.
    pub(crate) fn new() -> Self {
        Self {
            heads: Heads::new(),
            asked: MessageLane::new(),
            asked_on: MessageLane::new(),
            answered_on: MessageLane::new(),
            arrived: Lane::new(),
            send: Lane::new(),
            hop: Lane::new(),
            others: Others::new(leaf::STORAGE_OTHERS),
        }
    }

    /// Puts an event in. No two events may have the same time and order, and one at [`Time::MAX`] never comes.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: Time, order: Order, event: StorageEvent) {
        let (heads, others, key) = (&mut self.heads, &mut self.others, EventKey { at, order });
        match event {
            StorageEvent::Arrived { transit } => {
                let event = |transit| StorageEvent::Arrived { transit };
                put((&mut self.arrived, leaf::ARRIVED), heads, others, key, transit, event);
            }
            StorageEvent::Send { exchange } => {
                let event = |exchange| StorageEvent::Send { exchange };
                put((&mut self.send, leaf::SEND), heads, others, key, exchange, event);
            }
            StorageEvent::Hop { transit } => {
                let event = |transit| StorageEvent::Hop { transit };
                put((&mut self.hop, leaf::HOP), heads, others, key, transit, event);
            }
            event => others.push(heads, at, order, event),
        }
    }

    /// Puts in what a plain exchange asks.
    #[inline(always)]
    pub(crate) fn push_asked(&mut self, at: Time, order: Order, asked: Asked) {
        let to = (leaf::ASKED, &mut self.heads, &mut self.others);
        self.asked.put(to, EventKey { at, order }, asked, |aside| StorageEvent::Asked { aside });
    }

    /// It is ready for the second link of its route.
    #[inline(always)]
    pub(crate) fn push_asked_on(&mut self, at: Time, order: Order, asked: Asked) {
        let to = (leaf::ASKED_ON, &mut self.heads, &mut self.others);
        self.asked_on.put(to, EventKey { at, order }, asked, |aside| StorageEvent::AskedOn { aside });
    }

    /// An answer is ready for the second link of its route.
    #[inline(always)]
    pub(crate) fn push_answered_on(&mut self, at: Time, order: Order, answered: Answered) {
        let to = (leaf::ANSWERED_ON, &mut self.heads, &mut self.others);
        let event = |aside| StorageEvent::AnsweredOn { aside };
        self.answered_on.put(to, EventKey { at, order }, answered, event);
    }

    /// All that plain exchanges ask.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let mut asked = self.asked.all(&self.others, |event| match event {
            StorageEvent::Asked { aside } => Some(aside),
            _ => None,
        });
        asked.extend(self.asked_on.all(&self.others, |event| match event {
            StorageEvent::AskedOn { aside } => Some(aside),
            _ => None,
        }));
        asked
    }

    /// All answers of plain exchanges.
    pub(crate) fn answers(&self) -> Vec<Answered> {
        self.answered_on.all(&self.others, |event| match event {
            StorageEvent::AnsweredOn { aside } => Some(aside),
            _ => None,
        })
    }

    /// Takes the first of the events that are in no lane.
    pub(crate) fn take_other(&mut self) -> Option<StorageEvent> {
        self.others.take(&mut self.heads)
    }

    /// All events but what plain exchanges ask and are answered, each with its time and order.
    pub(crate) fn events(&self) -> Vec<(Time, Order, StorageEvent)> {
        let Self { arrived, send, hop, others, .. } = self;
        let mut events = Vec::from(others.events.clone());
        events.extend(
            arrived.iter().map(|(at, order, transit)| (at, order, StorageEvent::Arrived { transit })),
        );
        events.extend(send.iter().map(|(at, order, exchange)| (at, order, StorageEvent::Send { exchange })));
        events.extend(hop.iter().map(|(at, order, transit)| (at, order, StorageEvent::Hop { transit })));
        events
    }
}

#[cfg(test)]
mod tests {
    use halftrack_engine::{Rank, Sequencer};

    use super::*;

    /// Messages that have no place in their lane are laid aside, and all come in their order.
    #[test]
    fn messages_that_are_laid_aside_come_in_their_order() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = StoragePending::new();
        let far = 1_000_000..1_000_040;
        for ps in (0..100).chain(far.clone()).chain(100..200) {
            let asked = Asked { tail_lag_ps: ps, ..Asked::default() };
            pending.push_asked(Time::from_ps(u64::from(ps)), orders.next(), asked);
        }
        assert_eq!(pending.asked().len(), 240);
        let (mut taken, mut from_aside) = (Vec::new(), 0);
        while pending.heads.first_at() < Time::MAX {
            let asked = if pending.heads.first() == leaf::ASKED {
                pending.asked.take(&mut pending.heads, leaf::ASKED)
            } else {
                let other = pending.take_other();
                let Some(StorageEvent::Asked { aside }) = other else { panic!("{other:?} was not put in") };
                from_aside += 1;
                pending.asked.take_aside(aside)
            };
            taken.push(asked.tail_lag_ps);
        }
        assert!((0..200).chain(far).eq(taken));
        assert!(from_aside > 0);
    }

    /// No line stands above another in its tournament: their nodes would be each other's.
    #[test]
    fn leaves_are_leaves() {
        use super::leaf::*;

        let host = [
            STARTED,
            DRIVE,
            VISITED,
            INBOUND,
            INTERRUPT,
            ANSWERED,
            SUPERVISOR_OTHERS,
            PROCESSORS,
            HOST_OTHERS,
            FETCHED,
            STORED,
        ];
        let storage = [ASKED, SEND, ASKED_ON, ANSWERED_ON, ARRIVED, HOP, STORAGE_OTHERS];
        for lines in [&host[..], &storage[..]] {
            for leaf in lines {
                let above =
                    std::iter::successors(Some(leaf / 2), |node| Some(node / 2)).take_while(|node| *node > 0);
                assert!(*leaf > 1 && above.clone().all(|node| !lines.contains(&node)));
                assert_eq!(lines.iter().filter(|line| *line == leaf).count(), 1);
            }
        }
    }
}
