//! Where what a process sends to another goes.
//!
//! On a thread of its own the other process gets its messages from an outbox. Where both take turns on one thread, the one
//! that waits lends its event set, and a message is put into it at once.

use std::mem;

use halftrack_base::Time;
use halftrack_engine::{EventKey, Order};

use crate::events::event::{HostEvent, StorageEvent};
use crate::events::message::{Body, Long, Message, Transit};
use crate::events::pending::{HostPending, StoragePending};
use crate::events::slab::Slab;

/// Index of the host's process.
pub(crate) const HOST: usize = 0;
/// Index of the storage's process.
pub(crate) const STORAGE: usize = 1;
/// Index of the process of images and SAPs, where the storage is in the host's.
pub(crate) const SAPS: usize = 1;

/// Where frames come to that cross from one process to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination {
    /// The end point: it is their tail that arrives.
    EndPoint,
    /// A director from where they go on: it is their head that is ready.
    Director,
    /// A channel to which a channel-to-channel device leads.
    Channel,
}

/// The event set of a process that gets messages.
pub(crate) trait Receives {
    /// Makes an empty set, for a process that does not run.
    fn empty() -> Self;

    /// Puts `message` in; if it is frames, they wait among `transits`.
    fn receive(&mut self, transits: &mut Slab<Transit>, message: Message);

    /// Puts the frames of `transit` in, which come `to` there.
    fn receive_frames(
        &mut self,
        transits: &mut Slab<Transit>,
        key: EventKey,
        to: Destination,
        transit: Transit,
    );
}

impl Receives for HostPending {
    fn empty() -> Self {
        Self::new(0)
    }

    #[inline(always)]
    fn receive(&mut self, transits: &mut Slab<Transit>, Message { at, order, body }: Message) {
        let event = match body {
            Body::ExpressAnswer(answered) => return self.push_answer(at, order, answered),
            Body::ExpressCommand(_) | Body::ExpressCommandAtDirector(_) => return,
            Body::Long(long) => {
                if let Long::Frames(to, transit) = *long {
                    self.receive_frames(transits, EventKey { at, order }, to, transit);
                }
                return;
            }
            Body::Credit { link } => HostEvent::Credit { link },
            Body::Closed { exchange } => HostEvent::Closed { exchange },
            Body::Lost { exchange } => HostEvent::Lost { exchange },
            Body::Circuit { exchange, notice } => HostEvent::Circuit { exchange, notice },
            Body::ControlUnitEnd { lcu } => HostEvent::ControlUnitEnd { lcu },
            Body::Redrive { io } => HostEvent::Drive { io },
            Body::CircuitOver { .. }
            | Body::Start(_)
            | Body::Interrupt(_)
            | Body::Drive(_)
            | Body::Ended(_)
            | Body::Retry { .. } => return,
        };
        self.push(at, order, event);
    }

    #[inline(always)]
    fn receive_frames(
        &mut self,
        transits: &mut Slab<Transit>,
        key: EventKey,
        to: Destination,
        transit: Transit,
    ) {
        let transit = transits.put(transit);
        let event = match to {
            Destination::EndPoint => HostEvent::Inbound { transit },
            Destination::Director => HostEvent::Hop { transit },
            Destination::Channel => HostEvent::UnitArrived { transit },
        };
        self.push(key.at, key.order, event);
    }
}

impl Receives for StoragePending {
    fn empty() -> Self {
        Self::new()
    }

    #[inline(always)]
    fn receive(&mut self, transits: &mut Slab<Transit>, Message { at, order, body }: Message) {
        let event = match body {
            Body::ExpressCommand(asked) => return self.push_command(at, order, asked),
            Body::ExpressCommandAtDirector(asked) => return self.push_command_at_director(at, order, asked),
            Body::Long(long) => {
                if let Long::Frames(to, transit) = *long {
                    self.receive_frames(transits, EventKey { at, order }, to, transit);
                }
                return;
            }
            Body::Credit { link } => StorageEvent::Credit { link },
            Body::Lost { exchange } => StorageEvent::Lost { exchange },
            Body::CircuitOver { device } => StorageEvent::CircuitOver { device },
            Body::ExpressAnswer(_)
            | Body::Closed { .. }
            | Body::Circuit { .. }
            | Body::ControlUnitEnd { .. }
            | Body::Start(_)
            | Body::Interrupt(_)
            | Body::Drive(_)
            | Body::Redrive { .. }
            | Body::Ended(_)
            | Body::Retry { .. } => return,
        };
        self.push(at, order, event);
    }

    #[inline(always)]
    fn receive_frames(
        &mut self,
        transits: &mut Slab<Transit>,
        key: EventKey,
        to: Destination,
        transit: Transit,
    ) {
        let transit = transits.put(transit);
        let event = match to {
            Destination::EndPoint | Destination::Channel => StorageEvent::Arrived { transit },
            Destination::Director => StorageEvent::Hop { transit },
        };
        self.push(key.at, key.order, event);
    }
}

/// The event set of a process and what is under way to it, which it lends some times for each I/O: two pointers change places.
type OwnedInbox<P> = (Box<P>, Box<Slab<Transit>>);

/// Where messages to a process come, while it has that itself.
pub(crate) type Inbox<'a, P> = (&'a mut Box<P>, &'a mut Box<Slab<Transit>>);

/// The way from one process to another, whose event set is a `P`.
#[derive(Debug)]
pub(crate) struct Outlet<P> {
    destination: usize,
    /// The inbox of the other is here.
    is_lent: bool,
    /// Inbox that the other has lent, else the one that stands in its place meanwhile.
    inbox: Option<OwnedInbox<P>>,
    /// Messages for the windows that run the processes, while nothing is lent.
    pub outbox: Vec<(usize, Message)>,
}

impl<P: Receives> Outlet<P> {
    /// Makes the outlet to the process with the index `destination`.
    pub(crate) fn to(destination: usize) -> Self {
        Self { destination, is_lent: false, inbox: None, outbox: Vec::new() }
    }

    /// Sends `message`.
    #[inline(always)]
    pub(crate) fn send(&mut self, message: Message) {
        match self.lent() {
            Some((pending, transits)) => pending.receive(transits, message),
            None => self.outbox.push((self.destination, message)),
        }
    }

    /// Sends the frames of `transit`, which come `to` there at `at`. They are boxed only for another thread.
    #[inline(always)]
    pub(crate) fn send_frames(&mut self, at: Time, order: Order, to: Destination, transit: Transit) {
        if let Some((pending, transits)) = self.lent() {
            return pending.receive_frames(transits, EventKey { at, order }, to, transit);
        }
        let body = Body::Long(Box::new(Long::Frames(to, transit)));
        self.outbox.push((self.destination, Message { at, order, body }));
    }

    /// Returns the inbox of the other, while that is here.
    #[inline(always)]
    fn lent(&mut self) -> Option<&mut OwnedInbox<P>> {
        if self.is_lent { self.inbox.as_mut() } else { None }
    }

    /// Takes the event set of the other process, and what is under way to it, on loan.
    #[inline]
    pub(crate) fn lend(&mut self, inbox: Inbox<'_, P>) {
        self.inbox.get_or_insert_with(|| (Box::new(P::empty()), Box::new(Slab::with_capacity(0))));
        self.is_lent = true;
        self.exchange(inbox);
    }

    /// Gives both back, with what has been sent.
    #[inline]
    pub(crate) fn give_back(&mut self, inbox: Inbox<'_, P>) {
        if mem::take(&mut self.is_lent) {
            self.exchange(inbox);
        }
    }

    /// Lets the inbox of the other and the one that stands in its place change places.
    #[inline(always)]
    fn exchange(&mut self, (pending, transits): Inbox<'_, P>) {
        if let Some((others, under_way)) = &mut self.inbox {
            mem::swap(others, pending);
            mem::swap(under_way, transits);
        }
    }
}
