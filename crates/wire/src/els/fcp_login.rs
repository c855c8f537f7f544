//! Service parameters of FCP in PRLI (FCP-4; FCP reference section 1.7).

/// Service parameters of FCP: what a port offers, and what two ports agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FcpLogin(pub u32);

impl FcpLogin {
    /// A write begins without FCP_XFER_RDY.
    pub const WRITE_READY_DISABLED: Self = Self(0x0001);
    /// A read has no FCP_XFER_RDY.
    pub const READ_READY_DISABLED: Self = Self(0x0002);
    /// The port is a target.
    pub const TARGET: Self = Self(0x0010);
    /// The port is an initiator.
    pub const INITIATOR: Self = Self(0x0020);
    /// A response may request FCP_CONF.
    pub const CONFIRMATION: Self = Self(0x0080);
    /// Lost information units are sent again (REC and SRR).
    pub const RETRY: Self = Self(0x0100);
    /// REC is answered.
    pub const REC: Self = Self(0x0400);

    /// Returns both sets of bits.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether all bits of `other` are on.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns what a target that offers this grants an initiator that offers `initiator`: its own function, and what
    /// both have. None for a port that is no initiator, or wants transfer-ready for reads.
    #[must_use]
    pub const fn granted(self, initiator: Self) -> Option<Self> {
        if initiator.has(Self::INITIATOR.with(Self::READ_READY_DISABLED)) && self.has(Self::TARGET) {
            let common = self.0 & initiator.0 & !Self::INITIATOR.0;
            Some(Self(common).with(Self::TARGET).with(Self::READ_READY_DISABLED))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_common_features_are_granted() {
        let base = FcpLogin::READ_READY_DISABLED;
        let target = base.with(FcpLogin::TARGET).with(FcpLogin::RETRY).with(FcpLogin::REC);
        let initiator = base.with(FcpLogin::INITIATOR).with(FcpLogin::RETRY).with(FcpLogin::CONFIRMATION);
        let granted = target.granted(initiator);
        assert_eq!(granted, Some(base.with(FcpLogin::TARGET).with(FcpLogin::RETRY)));
        assert_eq!(target.granted(FcpLogin::INITIATOR), None, "reads with transfer-ready");
        assert_eq!(target.granted(target), None, "two targets");
        assert_eq!(initiator.granted(initiator), None, "two initiators");
    }
}
