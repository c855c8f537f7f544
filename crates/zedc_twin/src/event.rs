//! Events, in the order in which it happens when times are equal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use halftrack_base::Time;

/// Event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// Counts begin.
    Measure,
    /// The update of this number ends.
    UpdateEnds(usize),
    /// The update of this number begins.
    UpdateBegins(usize),
    /// The slice of this number ends on a card, unless the card was taken away meanwhile.
    SliceEnds {
        /// Card.
        card: u8,
        /// Number of the slice on the card.
        number: u32,
    },
    /// A request of this stream arrives.
    Arrives(usize),
}

/// Events to come.
#[derive(Debug, Default)]
pub struct Calendar {
    heap: BinaryHeap<Reverse<(Time, Event)>>,
}

impl Calendar {
    /// Adds an event.
    pub fn add(&mut self, at: Time, event: Event) {
        self.heap.push(Reverse((at, event)));
    }

    /// Takes the next event before `end`.
    pub fn next_before(&mut self, end: Time) -> Option<(Time, Event)> {
        let Reverse((at, _)) = self.heap.peek()?;
        if *at >= end {
            return None;
        }
        self.heap.pop().map(|Reverse(next)| next)
    }
}
