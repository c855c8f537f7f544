//! Device status and subchannel status: bytes 8 and 9 of a subchannel-status word.

use halftrack_base::bit_set;

bit_set! {
    /// Device status: that of the device for the operation.
    DeviceStatus: u8 {
        /// Attention: the device needs the program.
        ATTENTION = 0x80;
        /// Status modifier.
        STATUS_MODIFIER = 0x40;
        /// Control-unit end.
        CONTROL_UNIT_END = 0x20;
        /// Busy.
        BUSY = 0x10;
        /// Channel end: the channel is no longer needed.
        CHANNEL_END = 0x08;
        /// Device end: the device has finished.
        DEVICE_END = 0x04;
        /// Unit check: sense data have the reason.
        UNIT_CHECK = 0x02;
        /// Unit exception: an end-of-file record was read.
        UNIT_EXCEPTION = 0x01;
        /// Channel end and device end: the normal ending, on which command chaining continues.
        NORMAL_END = 0x0C;
    }
}

bit_set! {
    /// Subchannel status: that of the channel subsystem for the operation.
    SubchannelStatus: u8 {
        /// Program-controlled interruption.
        PROGRAM_CONTROLLED_INTERRUPTION = 0x80;
        /// Incorrect length.
        INCORRECT_LENGTH = 0x40;
        /// Program check.
        PROGRAM_CHECK = 0x20;
        /// Protection check.
        PROTECTION_CHECK = 0x10;
        /// Channel-data check.
        CHANNEL_DATA_CHECK = 0x08;
        /// Channel-control check.
        CHANNEL_CONTROL_CHECK = 0x04;
        /// Interface-control check.
        INTERFACE_CONTROL_CHECK = 0x02;
        /// Chaining check.
        CHAINING_CHECK = 0x01;
    }
}

impl DeviceStatus {
    /// Returns whether command chaining continues to the next CCW: channel end and device end, and none of unit
    /// check, unit exception and busy.
    pub const fn chains(self) -> bool {
        let stops = Self::UNIT_CHECK.with(Self::UNIT_EXCEPTION).with(Self::BUSY);
        self.contains(Self::NORMAL_END) && self.0 & stops.0 == 0
    }

    /// Returns whether command chaining skips one CCW: it continues, and the status modifier is on.
    pub const fn skips_one(self) -> bool {
        self.chains() && self.contains(Self::STATUS_MODIFIER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chaining_needs_both_ends_and_no_trouble() {
        assert!(DeviceStatus::NORMAL_END.chains());
        assert!(!DeviceStatus::CHANNEL_END.chains(), "the chain waits for device end");
        assert!(!DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK).chains());
        assert!(!DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_EXCEPTION).chains());
        assert!(!DeviceStatus::NORMAL_END.with(DeviceStatus::BUSY).chains());
        let modified = DeviceStatus::NORMAL_END.with(DeviceStatus::STATUS_MODIFIER);
        assert!(modified.chains() && modified.skips_one());
        assert!(!DeviceStatus::NORMAL_END.skips_one());
    }
}
