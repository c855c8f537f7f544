//! FC-4 TYPEs of a port, and its features with one of them, as it registers them.

/// Which FC-4 TYPEs a port does: 256 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FcTypes(pub [u32; 8]);

impl FcTypes {
    /// Returns the same with `fc_type` on.
    #[must_use]
    pub const fn with(mut self, fc_type: u8) -> Self {
        self.0[(fc_type >> 5) as usize] |= 1 << (fc_type & 31);
        self
    }

    /// Returns true when `fc_type` is on.
    #[must_use]
    pub const fn has(&self, fc_type: u8) -> bool {
        self.0[(fc_type >> 5) as usize] >> (fc_type & 31) & 1 == 1
    }
}

/// Features of a port with an FC-4 TYPE: the constants are those of FCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FcFeatures(pub u8);

impl FcFeatures {
    /// FCP: target.
    pub const TARGET: Self = Self(0x01);
    /// FCP: initiator.
    pub const INITIATOR: Self = Self(0x02);
}
