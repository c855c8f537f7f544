//! Pending events of the host's process.

use halftrack_base::Time;
use halftrack_engine::{Alarms, EventKey, Heads, Lane, Order};

use super::credits::ReturningCredits;
use super::images::ImageLines;
use super::lanes::{MessageLane, Others, ROOM, Slots, put};
use super::leaf;
use crate::events::event::HostEvent;
use crate::events::message::ExpressAnswer;

/// The place of a start in the serial part of its image.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It requests its turn.
    #[default]
    Requested,
    /// It has its turn.
    Granted,
}

/// Makes the event of a start.
pub(super) fn started((io, turn): (u32, Turn)) -> HostEvent {
    match turn {
        Turn::Requested => HostEvent::Started { io },
        Turn::Granted => HostEvent::Admitted { io },
    }
}

/// Pending events of the host's process, with those of the images' side where that is in it.
#[derive(Debug)]
pub(crate) struct HostPending {
    pub(crate) heads: Heads,
    /// Starts from a CP, and starts whose turn in the serial part of their image comes.
    pub(crate) started: Lane<(u32, Turn), ROOM>,
    pub(crate) drive: Slots,
    pub(crate) visited: Slots,
    pub(crate) answers: MessageLane<ExpressAnswer>,
    pub(crate) inbound: Slots,
    pub(crate) fetched: Slots,
    pub(crate) stored: Lane<(u32, u16), ROOM>,
    pub(crate) images: ImageLines,
    /// Credits for which no frame waits; the others are events.
    pub(crate) returning: ReturningCredits,
    /// By channel: when its processor has done the first of the visits that share it.
    processors: Alarms,
    others: Others<HostEvent>,
}

impl HostPending {
    /// Makes a set in which nothing is pending, for so many channels.
    pub(crate) fn new(channels: usize) -> Self {
        Self {
            heads: Heads::new(),
            started: Lane::new(),
            drive: Lane::new(),
            visited: Lane::new(),
            answers: MessageLane::new(),
            inbound: Lane::new(),
            fetched: Lane::new(),
            stored: Lane::new(),
            images: ImageLines::new(),
            returning: ReturningCredits::default(),
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
                put((&mut self.started, leaf::STARTED), heads, others, key, (io, Turn::Requested), started);
            }
            HostEvent::Admitted { io } => {
                put((&mut self.started, leaf::STARTED), heads, others, key, (io, Turn::Granted), started);
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
            HostEvent::Credit { link } => {
                if self.returning.put(key, link) {
                    others.push(heads, at, order, event);
                }
            }
            event => others.push(heads, at, order, event),
        }
    }

    /// Makes events of all credits of `link`, for which a frame waits from now on.
    #[cold]
    pub(crate) fn await_credits(&mut self, link: u32) {
        for EventKey { at, order } in self.returning.await_all(link) {
            self.others.push(&mut self.heads, at, order, HostEvent::Credit { link });
        }
    }

    /// Puts the answer of an exchange in the express lane in.
    #[inline(always)]
    pub(crate) fn push_answer(&mut self, at: Time, order: Order, answer: ExpressAnswer) {
        let to = (leaf::ANSWER, &mut self.heads, &mut self.others);
        self.answers.put(to, EventKey { at, order }, answer, |aside| HostEvent::ExpressAnswer { aside });
    }

    /// Collects the answers in the express lane.
    pub(crate) fn answers_under_way(&self) -> Vec<ExpressAnswer> {
        self.answers.all(&self.others, |event| match event {
            HostEvent::ExpressAnswer { aside } => Some(aside),
            _ => None,
        })
    }

    /// Sets the alarm of the processor of `channel`, which has done the first of the visits that share it at `at`.
    /// [`Time::MAX`] stands for no visit.
    #[inline(never)]
    pub(crate) fn set_processor(&mut self, channel: u32, at: Time, order: Order) {
        self.processors.set(channel, at, order);
        let due = self.processors.first_due();
        self.heads.set(leaf::PROCESSORS, due.at, due.order);
    }

    /// Returns the channel whose processor is the first to have done a visit.
    pub(crate) fn first_processor(&self) -> u32 {
        self.processors.first()
    }

    /// Takes the first of the events that are in no lane.
    pub(crate) fn take_other(&mut self) -> Option<HostEvent> {
        self.others.take(&mut self.heads)
    }

    /// Collects the events of this process with their times and orders. Alarms of processors, events of the images' side and
    /// answers in the express lane are left out, credits that are no events are not.
    pub(crate) fn events(&self) -> Vec<(Time, Order, HostEvent)> {
        let Self { started, drive, visited, inbound, fetched, stored, returning, others, .. } = self;
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
        events.extend(
            returning.on_their_way().map(|(key, link)| (key.at, key.order, HostEvent::Credit { link })),
        );
        events
    }
}

#[cfg(test)]
impl HostPending {
    /// Takes the first answer in the express lane.
    pub(crate) fn take_answer_for_test(&mut self) -> Option<ExpressAnswer> {
        (!self.answers.is_empty()).then(|| self.answers.take(&mut self.heads, leaf::ANSWER))
    }

    /// Takes the first chunk that arrives at a channel and is in its lane.
    pub(crate) fn take_inbound(&mut self) -> Option<u32> {
        (!self.inbound.is_empty()).then(|| self.inbound.take(&mut self.heads, leaf::INBOUND))
    }
}
