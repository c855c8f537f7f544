//! Windows of two processes on one thread: the one whose next event is first runs next.

use super::horizon::{Outlook, check_lookaheads};
use super::sequential::outlook_of;
use super::{LogicalProcess, WindowError, WindowStats, check_destination};
use halftrack_base::Time;

/// A process in its turn.
struct Turn<'a, L> {
    process: &'a mut L,
    outlook: Outlook,
    done: Time,
}

impl<'a, L: LogicalProcess> Turn<'a, L> {
    fn new(index: usize, process: &'a mut L) -> Result<Self, WindowError> {
        let outlook = outlook_of(index, process, Time::ZERO)?;
        Ok(Self { process, outlook, done: Time::ZERO })
    }
}

/// Runs both processes on this thread, for [`super::run`].
pub(super) fn run<L: LogicalProcess>(
    one: &mut L,
    other: &mut L,
    until: Time,
) -> Result<WindowStats, WindowError> {
    let mut stats = WindowStats::default();
    let (mut one, mut other) = (Turn::new(0, one)?, Turn::new(1, other)?);
    loop {
        let one_is_behind = one.outlook.turn() <= other.outlook.turn();
        let first = if one_is_behind { &one } else { &other };
        if first.outlook.next >= until {
            return Ok(stats);
        }
        if one_is_behind {
            window(0, &mut one, &mut other, until, &mut stats)?;
        } else {
            window(1, &mut other, &mut one, until, &mut stats)?;
        }
    }
}

/// Runs `behind`, the process `index`, as far as `ahead` allows, and delivers what it sends.
#[inline(always)]
fn window<L: LogicalProcess>(
    index: usize,
    behind: &mut Turn<'_, L>,
    ahead: &mut Turn<'_, L>,
    until: Time,
    stats: &mut WindowStats,
) -> Result<(), WindowError> {
    let outlooks = [behind.outlook, ahead.outlook];
    if outlooks.iter().all(|outlook| outlook.lookahead.is_zero()) {
        check_lookaheads(&if index == 0 { outlooks } else { [outlooks[1], outlooks[0]] })?;
    }
    // [`super::horizon`] for two processes: the other acts at its next event or at the first message from here.
    let answer = ahead.outlook.next.min(behind.outlook.first_message());
    behind.done = answer.saturating_add(ahead.outlook.lookahead).min(until);
    ahead.process.lend(behind.process);
    behind.process.run_until(behind.done);
    ahead.process.take_back(behind.process);
    behind.outlook = outlook_of(index, behind.process, behind.done)?;
    stats.windows += 1;
    if !behind.process.outbox().is_empty() {
        deliver(index, behind.process, ahead.process, stats)?;
    }
    ahead.outlook = outlook_of(1 - index, ahead.process, ahead.done)?;
    Ok(())
}

/// Delivers what `sender`, the process `index`, has not put into the event set of `receiver` itself.
fn deliver<L: LogicalProcess>(
    index: usize,
    sender: &mut L,
    receiver: &mut L,
    stats: &mut WindowStats,
) -> Result<(), WindowError> {
    let outbox = sender.outbox();
    stats.messages += outbox.len() as u64;
    // The order of delivery has no meaning, but an event set has least to do with the order of sending.
    for (destination, message) in outbox.drain(..) {
        check_destination(index, destination, 2)?;
        receiver.deliver(message);
    }
    Ok(())
}
