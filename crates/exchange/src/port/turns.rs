//! Turns of sending: one exchange after the other, each with as many frames as a command-mode information unit has, so
//! that none waits long and few are interrupted.

use std::collections::VecDeque;

/// Frames in a row of one exchange while others wait: an 8 KiB information unit (wire's choice on IU data).
const FRAMES_PER_TURN: u8 = 4;

/// Exchanges that have something to send, by place.
#[derive(Debug)]
pub(crate) struct Turns {
    line: VecDeque<u16>,
    in_line: Vec<bool>,
    /// Frames that the first in line may still send.
    left: u8,
}

impl Turns {
    /// Makes the turns of a table with `room` places.
    pub(crate) fn new(room: usize) -> Self {
        Self { line: VecDeque::with_capacity(room), in_line: vec![false; room], left: FRAMES_PER_TURN }
    }

    /// Adds the exchange in `place`, which has something to send, unless it is in line already.
    pub(crate) fn add(&mut self, place: u16) {
        if let Some(in_line) = self.in_line.get_mut(usize::from(place))
            && !std::mem::replace(in_line, true)
        {
            self.line.push_back(place);
        }
    }

    /// Returns the place of the exchange whose turn it is.
    pub(crate) fn first(&self) -> Option<u16> {
        self.line.front().copied()
    }

    /// Counts a frame of the first, which has more to send; after its last of the turn the next one is first.
    pub(crate) fn sent(&mut self) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.left = FRAMES_PER_TURN;
            self.line.rotate_left(self.line.len().min(1));
        }
    }

    /// Takes the first, which has nothing more to send, out of the line.
    pub(crate) fn leave(&mut self) {
        self.left = FRAMES_PER_TURN;
        if let Some(place) = self.line.pop_front() {
            self.in_line[usize::from(place)] = false;
        }
    }

    /// Takes all exchanges out of the line.
    pub(crate) fn clear(&mut self) {
        while !self.line.is_empty() {
            self.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_round() {
        let mut turns = Turns::new(3);
        for place in [2, 0, 2] {
            turns.add(place);
        }
        let mut order = Vec::new();
        for _ in 0..9 {
            order.push(turns.first().unwrap());
            turns.sent();
        }
        assert_eq!(order, [2, 2, 2, 2, 0, 0, 0, 0, 2]);
        turns.leave();
        assert_eq!(turns.first(), Some(0));
        turns.add(2);
        turns.clear();
        assert_eq!(turns.first(), None);
        turns.add(2);
        assert_eq!(turns.first(), Some(2));
    }
}
