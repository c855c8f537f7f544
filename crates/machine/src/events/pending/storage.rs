//! Pending events of the storage's process.

use halftrack_base::Time;
use halftrack_engine::{EventKey, Heads, Lane, Order};

use super::credits::ReturningCredits;
use super::lanes::{MessageLane, Others, Slots, put};
use super::leaf;
use crate::events::event::StorageEvent;
use crate::events::message::{ExpressAnswer, ExpressCommand};

/// Pending events of the storage's process.
#[derive(Debug)]
pub(crate) struct StoragePending {
    pub(crate) heads: Heads,
    pub(crate) commands: MessageLane<ExpressCommand>,
    pub(crate) commands_at_director: MessageLane<ExpressCommand>,
    pub(crate) answers_at_director: MessageLane<ExpressAnswer>,
    pub(crate) arrived: Slots,
    pub(crate) send: Slots,
    pub(crate) hop: Slots,
    pub(crate) pump: Slots,
    /// Credits for which frames wait.
    pub(crate) credits: Slots,
    /// All others.
    pub(crate) returning: ReturningCredits,
    others: Others<StorageEvent>,
}

impl StoragePending {
    /// Makes a set in which nothing is pending.
    pub(crate) fn new() -> Self {
        Self {
            heads: Heads::new(),
            commands: MessageLane::new(),
            commands_at_director: MessageLane::new(),
            answers_at_director: MessageLane::new(),
            arrived: Lane::new(),
            send: Lane::new(),
            hop: Lane::new(),
            pump: Lane::new(),
            credits: Lane::new(),
            returning: ReturningCredits::default(),
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
            StorageEvent::Pump { exchange } => {
                let event = |exchange| StorageEvent::Pump { exchange };
                put((&mut self.pump, leaf::PUMP), heads, others, key, exchange, event);
            }
            StorageEvent::Credit { link } => {
                if self.returning.put(key, link) {
                    self.push_credit(key, link);
                }
            }
            event => others.push(heads, at, order, event),
        }
    }

    /// Puts a credit of `link` in as an event.
    #[cold]
    fn push_credit(&mut self, key: EventKey, link: u32) {
        let lane = (&mut self.credits, leaf::CREDIT);
        put(lane, &mut self.heads, &mut self.others, key, link, |link| StorageEvent::Credit { link });
    }

    /// Makes events of all credits of `link`, for which a frame waits from now on.
    #[cold]
    pub(crate) fn await_credits(&mut self, link: u32) {
        for key in self.returning.await_all(link) {
            self.push_credit(key, link);
        }
    }

    /// Puts the command of an exchange in the express lane in.
    #[inline(always)]
    pub(crate) fn push_command(&mut self, at: Time, order: Order, command: ExpressCommand) {
        let to = (leaf::COMMAND, &mut self.heads, &mut self.others);
        self.commands
            .put(to, EventKey { at, order }, command, |aside| StorageEvent::ExpressCommand { aside });
    }

    /// Puts a command in the express lane in that is ready for the second link of its route.
    #[inline(always)]
    pub(crate) fn push_command_at_director(&mut self, at: Time, order: Order, command: ExpressCommand) {
        let to = (leaf::COMMAND_AT_DIRECTOR, &mut self.heads, &mut self.others);
        self.commands_at_director.put(to, EventKey { at, order }, command, |aside| {
            StorageEvent::ExpressCommandAtDirector { aside }
        });
    }

    /// Puts an answer in the express lane in that is ready for the second link of its route.
    #[inline(always)]
    pub(crate) fn push_answer_at_director(&mut self, at: Time, order: Order, answer: ExpressAnswer) {
        let to = (leaf::ANSWER_AT_DIRECTOR, &mut self.heads, &mut self.others);
        let event = |aside| StorageEvent::ExpressAnswerAtDirector { aside };
        self.answers_at_director.put(to, EventKey { at, order }, answer, event);
    }

    /// Collects the commands in the express lane.
    pub(crate) fn commands_under_way(&self) -> Vec<ExpressCommand> {
        let mut commands = self.commands.all(&self.others, |event| match event {
            StorageEvent::ExpressCommand { aside } => Some(aside),
            _ => None,
        });
        commands.extend(self.commands_at_director.all(&self.others, |event| match event {
            StorageEvent::ExpressCommandAtDirector { aside } => Some(aside),
            _ => None,
        }));
        commands
    }

    /// Collects the answers in the express lane.
    pub(crate) fn answers_under_way(&self) -> Vec<ExpressAnswer> {
        self.answers_at_director.all(&self.others, |event| match event {
            StorageEvent::ExpressAnswerAtDirector { aside } => Some(aside),
            _ => None,
        })
    }

    /// Takes the first of the events that are in no lane.
    pub(crate) fn take_other(&mut self) -> Option<StorageEvent> {
        self.others.take(&mut self.heads)
    }

    /// Collects the events with their times and orders. Commands and answers in the express lane are left out, credits that are no
    /// events are not.
    pub(crate) fn events(&self) -> Vec<(Time, Order, StorageEvent)> {
        let Self { arrived, send, hop, pump, credits, returning, others, .. } = self;
        let mut events = Vec::from(others.events.clone());
        events.extend(
            arrived.iter().map(|(at, order, transit)| (at, order, StorageEvent::Arrived { transit })),
        );
        events.extend(send.iter().map(|(at, order, exchange)| (at, order, StorageEvent::Send { exchange })));
        events.extend(pump.iter().map(|(at, order, exchange)| (at, order, StorageEvent::Pump { exchange })));
        events.extend(credits.iter().map(|(at, order, link)| (at, order, StorageEvent::Credit { link })));
        events.extend(
            returning.on_their_way().map(|(key, link)| (key.at, key.order, StorageEvent::Credit { link })),
        );
        events.extend(hop.iter().map(|(at, order, transit)| (at, order, StorageEvent::Hop { transit })));
        events
    }
}

#[cfg(test)]
mod tests {
    use halftrack_engine::{Rank, Sequencer};

    use super::*;

    #[test]
    fn messages_that_are_laid_aside_come_in_their_order() {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = StoragePending::new();
        let far = 1_000_000..1_000_040;
        for ps in (0..100).chain(far.clone()).chain(100..200) {
            let command = ExpressCommand { tail_lag_ps: ps, ..ExpressCommand::default() };
            pending.push_command(Time::from_ps(u64::from(ps)), orders.next(), command);
        }
        assert_eq!(pending.commands_under_way().len(), 240);
        let (mut taken, mut from_aside) = (Vec::new(), 0);
        while pending.heads.first_at() < Time::MAX {
            let command = if pending.heads.first() == leaf::COMMAND {
                pending.commands.take(&mut pending.heads, leaf::COMMAND)
            } else {
                let other = pending.take_other();
                let Some(StorageEvent::ExpressCommand { aside }) = other else {
                    panic!("{other:?} was not put in")
                };
                from_aside += 1;
                pending.commands.take_aside(aside)
            };
            taken.push(command.tail_lag_ps);
        }
        assert!((0..200).chain(far).eq(taken));
        assert!(from_aside > 0);
    }
}
