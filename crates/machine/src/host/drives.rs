//! Drives to come of starts and retries that threads of the IOPs have, and their way to channels in another process.

use halftrack_base::Time;
use halftrack_engine::{EventKey, Order, ServerLanes};

use crate::events::crossing::Start;
use crate::events::drive::Drive;
use crate::events::message::{Body, Long, Message};
use crate::events::outlet::HOST;

/// Most drives of one thread that wait to be sent in their order.
const THREAD_ROOM: usize = 64;

/// Messages to other processes, each with the index of its destination.
pub(super) type Outbox = Vec<(usize, Message)>;

/// An I/O, and when it was executed unless it is tried again.
type Driven = (u32, Option<Time>);

/// Starts, and drives that are not sent yet: those of each thread are due in order.
#[derive(Debug)]
pub(super) struct Drives {
    /// By I/O.
    starts: Vec<Option<Start>>,
    waiting: ServerLanes<Driven, THREAD_ROOM>,
}

impl Drives {
    /// Makes a way on which nothing is.
    pub(super) fn new() -> Self {
        Self { starts: Vec::new(), waiting: ServerLanes::new() }
    }

    /// Takes `start`, which has no drive yet.
    #[inline(always)]
    pub(super) fn receive_start(&mut self, start: &Start) {
        let slot = start.io as usize;
        if self.starts.len() <= slot {
            self.starts.resize(slot + 1, None);
        }
        self.starts[slot] = Some(*start);
    }

    /// Expects a drive at `due`, when `thread` has done its part. One that finds no room goes to `outbox` at once.
    #[inline(always)]
    pub(super) fn expect(&mut self, due: EventKey, thread: u32, driven: Driven, outbox: &mut Outbox) {
        let Self { starts, waiting } = self;
        let at_once = |at, order, driven| send(starts, (at, order), driven, outbox);
        waiting.push(thread, due.at, due.order, driven, at_once);
    }

    /// Sends the drives that are due before `horizon`.
    #[inline]
    pub(super) fn send_before(&mut self, horizon: Time, outbox: &mut Outbox) {
        let Self { starts, waiting } = self;
        loop {
            let key = waiting.first_key();
            if key.0 >= horizon {
                return;
            }
            send(starts, key, waiting.pop().0, outbox);
        }
    }
}

/// Sends a drive.
#[inline(always)]
fn send(starts: &[Option<Start>], (at, order): (Time, Order), (io, started): Driven, outbox: &mut Outbox) {
    let drive = started.zip(starts[io as usize]).map(|(started, start)| Drive { start, started });
    let body = match drive {
        None => Body::Redrive { io },
        Some(drive) => match drive.brief(at) {
            Some(brief) => Body::Drive(brief),
            None => Body::Long(Box::new(Long::Drive(drive))),
        },
    };
    outbox.push((HOST, Message { at, order, body }));
}
