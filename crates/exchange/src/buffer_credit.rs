//! Buffer-to-buffer credit of one direction of a link, at the sender (Fibre Channel reference 2).

use halftrack_engine::TokenPool;

/// What the other side's receive buffers let this side send. The first frame after the last credit waits until a
/// buffer is said to be free; the twin counts bursts of frames where it looks at no single frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferCredit {
    buffers: TokenPool,
}

impl BufferCredit {
    /// Of a link whose other side has stated this many receive buffers at login.
    #[must_use]
    pub const fn new(granted: u32) -> BufferCredit {
        BufferCredit { buffers: TokenPool::new(granted) }
    }

    /// Receive buffers that the other side has stated.
    #[inline]
    #[must_use]
    pub const fn granted(&self) -> u32 {
        self.buffers.total()
    }

    /// Frames sent whose buffers have not been said to be free.
    #[inline]
    #[must_use]
    pub const fn outstanding(&self) -> u32 {
        self.buffers.outstanding()
    }

    /// Frames that may be sent now.
    #[inline]
    #[must_use]
    pub const fn available(&self) -> u32 {
        self.buffers.free()
    }

    /// A frame is sent; false, and it must wait, without a credit.
    #[inline]
    #[must_use]
    pub fn take(&mut self) -> bool {
        self.buffers.take()
    }

    /// The other side has freed `buffers` more. What is beyond the frames outstanding does not count: the number of
    /// frames outstanding is never below none.
    #[inline]
    pub fn give_back(&mut self, buffers: u32) {
        self.buffers.give_n(buffers.min(self.buffers.outstanding()));
    }

    /// The link was reset, or another login states `granted` buffers: nothing is outstanding.
    pub fn reset(&mut self, granted: u32) {
        *self = BufferCredit::new(granted);
    }

    /// Most frames that were outstanding at once.
    #[must_use]
    pub const fn high_water(&self) -> u32 {
        self.buffers.high_water()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_waits_without_a_credit() {
        let mut credit = BufferCredit::new(2);
        assert!(credit.take() && credit.take() && !credit.take());
        assert_eq!((credit.granted(), credit.outstanding(), credit.available()), (2, 2, 0));
        credit.give_back(1);
        assert!(credit.take() && !credit.take());
    }

    #[test]
    fn more_than_was_taken_does_not_come_back() {
        let mut credit = BufferCredit::new(2);
        assert!(credit.take());
        credit.give_back(9);
        assert_eq!((credit.available(), credit.high_water()), (2, 1));
        credit.reset(5);
        assert_eq!((credit.granted(), credit.available()), (5, 5));
    }
}
