//! Queue for a resource, first come first served.

use std::collections::VecDeque;

/// A first-in first-out line of identifiers in a ring that grows only when it is full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiters {
    line: VecDeque<u32>,
}

impl Waiters {
    /// Creates an empty line with room for `waiters`.
    pub fn with_capacity(waiters: usize) -> Self {
        Self { line: VecDeque::with_capacity(waiters) }
    }

    /// Puts `id` at the end.
    #[inline]
    pub fn push(&mut self, id: u32) {
        self.line.push_back(id);
    }

    /// Takes the first.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        self.line.pop_front()
    }

    /// Returns the first, who stays.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        self.line.front().copied()
    }

    /// Takes `id` out wherever it stands; false if it does not wait. Costs the length of the line.
    pub fn remove(&mut self, id: u32) -> bool {
        let place = self.line.iter().position(|&waiting| waiting == id);
        place.and_then(|place| self.line.remove(place)).is_some()
    }

    /// Returns the number of wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.line.len()
    }

    /// Returns whether nobody waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_come_first_served() {
        let mut line = Waiters::with_capacity(2);
        for id in [7, 3, 9, 5] {
            line.push(id);
        }
        assert!(line.remove(9));
        assert!(!line.remove(9));
        assert_eq!((line.first(), line.len()), (Some(7), 3));
        assert_eq!([line.pop(), line.pop(), line.pop(), line.pop()], [Some(7), Some(3), Some(5), None]);
        assert!(line.is_empty());
    }
}
