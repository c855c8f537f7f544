//! Buffer-to-buffer credits as the sender counts them (Fibre Channel reference, section 2).

/// The credits of one direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferCredit {
    granted: u16,
    outstanding: u16,
}

impl BufferCredit {
    /// `granted` receive buffers at the other end, none in use.
    #[must_use]
    pub const fn new(granted: u16) -> Self {
        Self { granted, outstanding: 0 }
    }

    /// The other end has so many receive buffers now; frames under way keep theirs.
    pub const fn set_granted(&mut self, granted: u16) {
        self.granted = granted;
    }

    /// Frames that may be sent now.
    #[inline]
    #[must_use]
    pub const fn available(&self) -> u16 {
        self.granted.saturating_sub(self.outstanding)
    }

    /// A frame is sent.
    #[inline]
    pub const fn take(&mut self) {
        self.outstanding = self.outstanding.saturating_add(1);
    }

    /// The other end has `count` buffers free again; never more than were in use.
    #[inline]
    pub const fn give_back(&mut self, count: u16) {
        self.outstanding = self.outstanding.saturating_sub(count);
    }
}
