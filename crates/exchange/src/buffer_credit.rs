//! Buffer-to-buffer credit of one direction of a link, at the sender (Fibre Channel reference 2).

/// Frames that this side may still send, one for each free receive buffer of the other side. A frame without a credit
/// waits until the other side returns one. The links of the twin use this type too; where they model no single frame,
/// none is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferCredit {
    granted: u32,
    outstanding: u32,
}

impl BufferCredit {
    /// Makes the credit of a link whose other side has `granted` receive buffers, none in use.
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

    /// Returns the frames sent whose credits have not come back.
    #[inline]
    #[must_use]
    pub const fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// Returns the frames that may be sent now.
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

    /// Takes back the credits of `buffers` that the other side has freed. Credits beyond the frames outstanding do not
    /// count.
    #[inline]
    pub const fn give_back(&mut self, buffers: u32) {
        self.outstanding = self.outstanding.saturating_sub(buffers);
    }

    /// Replaces the number of receive buffers, as a login does; frames under way keep theirs.
    pub const fn set_granted(&mut self, granted: u32) {
        self.granted = granted;
    }

    /// Clears the frames outstanding, as a reset of the link does.
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
