//! Buffer-to-buffer credit of one direction of a link, at the sender (Fibre Channel reference 2).

/// What the other side's receive buffers let this side send. A frame without a credit waits until a buffer is said to
/// be free. The links of the twin have the same type; where it looks at no single frame it counts none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferCredit {
    granted: u32,
    outstanding: u32,
}

impl BufferCredit {
    /// Of a link whose other side has this many receive buffers, none in use.
    #[must_use]
    pub const fn new(granted: u32) -> BufferCredit {
        BufferCredit { granted, outstanding: 0 }
    }

    /// Returns the receive buffers that the other side has stated.
    #[inline]
    #[must_use]
    pub const fn granted(&self) -> u32 {
        self.granted
    }

    /// Frames sent whose buffers have not been said to be free.
    #[inline]
    #[must_use]
    pub const fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// Frames that may be sent now.
    #[inline]
    #[must_use]
    pub const fn available(&self) -> u32 {
        self.granted.saturating_sub(self.outstanding)
    }

    /// Takes a credit for a frame; false, and the frame must wait, when there is none.
    #[inline]
    #[must_use]
    pub const fn take(&mut self) -> bool {
        let has_credit = self.outstanding < self.granted;
        if has_credit {
            self.outstanding += 1;
        }
        has_credit
    }

    /// The other side has freed `buffers` more. What is beyond the frames outstanding does not count: there are never
    /// fewer than none.
    #[inline]
    pub const fn give_back(&mut self, buffers: u32) {
        self.outstanding = self.outstanding.saturating_sub(buffers);
    }

    /// The other side states another number of receive buffers, as at login; frames under way keep theirs.
    pub const fn set_granted(&mut self, granted: u32) {
        self.granted = granted;
    }

    /// The link was reset: nothing is outstanding.
    pub const fn reset(&mut self) {
        self.outstanding = 0;
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
        assert_eq!(credit.available(), 2);
    }

    #[test]
    fn a_login_changes_what_is_granted_and_a_reset_what_is_outstanding() {
        let mut credit = BufferCredit::new(3);
        assert!(credit.take() && credit.take());
        credit.set_granted(1);
        assert_eq!((credit.available(), credit.take()), (0, false));
        credit.reset();
        assert_eq!((credit.available(), credit.outstanding()), (1, 0));
    }
}
