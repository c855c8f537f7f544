//! Volumes whose chains wait for a barrier that has not begun, and the order of the waits.

use std::cell::{Cell, RefCell};

/// The volumes of a control unit that want a barrier.
#[derive(Debug, Default)]
pub struct BarrierBoard {
    wanted: RefCell<Vec<usize>>,
    waits: Cell<u64>,
}

impl BarrierBoard {
    /// Notes that a chain of volume `number` waits; returns its place in the order of all waits.
    pub fn want(&self, number: usize) -> u64 {
        self.keep(number);
        self.waits.set(self.waits.get() + 1);
        self.waits.get()
    }

    /// Notes that volume `number` wants a barrier.
    pub fn keep(&self, number: usize) {
        let mut wanted = self.wanted.borrow_mut();
        if !wanted.contains(&number) {
            wanted.push(number);
        }
    }

    /// Returns whether no volume wants a barrier.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.wanted.borrow().is_empty()
    }

    /// Takes the volumes, in the order in which they came.
    pub fn take(&self) -> Vec<usize> {
        self.wanted.take()
    }
}
