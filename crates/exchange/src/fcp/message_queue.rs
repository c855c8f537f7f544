//! Messages in order. Most exchanges have two at a time at most, which take no memory of their own.

use std::collections::VecDeque;

use super::message::FcpMessage;

/// Messages that can be sent now.
#[derive(Debug, Clone, Default)]
pub(super) struct MessageQueue {
    first: Option<FcpMessage>,
    second: Option<FcpMessage>,
    more: VecDeque<FcpMessage>,
}

impl MessageQueue {
    /// Returns a queue with one message.
    pub fn of(message: FcpMessage) -> Self {
        Self { first: Some(message), ..Self::default() }
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Puts a message behind all others.
    pub fn push(&mut self, message: FcpMessage) {
        if self.first.is_none() {
            self.first = Some(message);
        } else if self.second.is_none() {
            self.second = Some(message);
        } else {
            self.more.push_back(message);
        }
    }

    /// Takes the first.
    pub fn pop(&mut self) -> Option<FcpMessage> {
        let popped = self.first.take();
        self.first = self.second.take();
        if !self.more.is_empty() {
            self.second = self.more.pop_front();
        }
        popped
    }

    /// Drops all.
    pub fn clear(&mut self) {
        (self.first, self.second) = (None, None);
        self.more.clear();
    }

    /// Keeps those that `is_kept` takes.
    pub fn retain(&mut self, is_kept: impl Fn(&FcpMessage) -> bool) {
        let mut kept = Self::default();
        while let Some(message) = self.pop() {
            if is_kept(&message) {
                kept.push(message);
            }
        }
        *self = kept;
    }

    /// Returns whether there is one that `is_sought` takes.
    pub fn any(&self, is_sought: impl Fn(&FcpMessage) -> bool) -> bool {
        self.first.iter().chain(&self.second).chain(&self.more).any(is_sought)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(offset: u32) -> FcpMessage {
        use halftrack_wire::fcp::FcpCategory;
        FcpMessage::Retransmission { category: FcpCategory::Data, relative_offset: offset }
    }

    #[test]
    fn what_is_put_in_first_comes_out_first() {
        let mut queue = MessageQueue::default();
        let mut expected = VecDeque::new();
        for (number, pops) in (0..).zip([0, 0, 0, 0, 2, 0, 3, 1, 0, 3]) {
            queue.push(numbered(number));
            expected.push_back(numbered(number));
            for _ in 0..pops {
                assert_eq!(queue.pop(), expected.pop_front());
            }
            assert_eq!(queue.is_empty(), expected.is_empty());
        }
        queue.clear();
        (0..5).for_each(|number| queue.push(numbered(number)));
        queue.retain(|message| *message != numbered(1) && *message != numbered(4));
        assert!(
            queue.any(|message| *message == numbered(3)) && !queue.any(|message| *message == numbered(4))
        );
        assert_eq!(
            [queue.pop(), queue.pop(), queue.pop(), queue.pop()],
            [Some(numbered(0)), Some(numbered(2)), Some(numbered(3)), None]
        );
        queue.push(numbered(7));
        queue.clear();
        assert!(queue.is_empty());
    }
}
