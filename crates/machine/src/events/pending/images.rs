//! Pending events of the side of the images.

use halftrack_base::Time;
use halftrack_engine::{EventKey, Heads, Order, ServerLanes};

use super::lanes::{Others, THREAD_ROOM};
use super::leaf;
use crate::events::event::ImageEvent;

/// Pending events of the images' side, in the tournament of the process that holds it.
///
/// Interrupts are in order on each IOP thread.
#[derive(Debug)]
pub(crate) struct ImageLines {
    pub(crate) interrupts: ServerLanes<u32, THREAD_ROOM>,
    others: Others<ImageEvent>,
}

impl ImageLines {
    /// Makes lines in which nothing is pending.
    pub(crate) fn new() -> Self {
        Self { interrupts: ServerLanes::new(), others: Others::new(leaf::IMAGE_OTHERS) }
    }

    /// Puts an event in. No two events may have the same time and order, and one at [`Time::MAX`] never comes.
    #[inline(always)]
    pub(crate) fn push(&mut self, heads: &mut Heads, at: Time, order: Order, event: ImageEvent) {
        self.others.push(heads, at, order, event);
    }

    /// Puts the interrupt of `io` in, which `thread` of the IOPs has processed then.
    #[inline(always)]
    pub(crate) fn push_interrupt(
        &mut self,
        heads: &mut Heads,
        thread: u32,
        EventKey { at, order }: EventKey,
        io: u32,
    ) {
        let others = &mut self.others;
        let elsewhere = |at, order, io| others.push(heads, at, order, ImageEvent::Interrupt { io });
        if self.interrupts.push(thread, at, order, io, elsewhere) {
            heads.set(leaf::INTERRUPT, at, order);
        }
    }

    /// Takes the first of the events that are in no lane.
    pub(crate) fn take_other(&mut self, heads: &mut Heads) -> Option<ImageEvent> {
        self.others.take(heads)
    }
}
