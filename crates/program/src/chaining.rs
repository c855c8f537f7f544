//! The one rule of what follows a command: whether the chain continues, skips a CCW, or ends, and whether the
//! length was incorrect (reference 2.3 and 2.4).

use crate::ccw::CcwFlags;
use crate::device::ChainEnd;
use crate::status::DeviceStatus;

/// How a command ended, as far as chaining depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandEnding {
    /// Flags of the last CCW used.
    pub flags: CcwFlags,
    /// Device status.
    pub status: DeviceStatus,
    /// Sum of the counts of the CCWs used, in bytes.
    pub count: u32,
    /// Bytes of it that moved.
    pub moved_bytes: u32,
    /// Bytes that the device had to send or could take.
    pub device_bytes: u32,
    /// The count is not compared: an immediate command whose length is of no account.
    pub length_ignored: bool,
}

/// Continuation of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Chaining {
    /// The next CCW.
    GoOn,
    /// The CCW after the next one.
    Skip,
    /// The ending of the chain.
    End {
        /// The length is to be indicated as incorrect.
        incorrect_length: bool,
    },
}

impl CommandEnding {
    /// Returns the bytes of the count that did not move.
    pub const fn residual_bytes(&self) -> u32 {
        self.count.saturating_sub(self.moved_bytes)
    }

    /// Returns whether the length is indicated as incorrect because the device had or wanted more than the count.
    pub const fn is_long(&self) -> bool {
        !self.is_length_suppressed() && self.device_bytes > self.count
    }

    const fn is_length_suppressed(&self) -> bool {
        // Data chaining overrides the suppression: areas are left that the command did not reach.
        let chains_data = self.flags.contains(CcwFlags::CHAIN_DATA);
        self.length_ignored || self.flags.contains(CcwFlags::SUPPRESS_LENGTH) && !chains_data
    }

    /// Returns the end of the chain for the device, when the chain ends here.
    #[inline]
    pub const fn chain_end(&self) -> ChainEnd {
        let is_ended = self.status.contains(DeviceStatus::NORMAL_END);
        let is_checked = self.status.contains(DeviceStatus::UNIT_CHECK);
        if is_ended && !is_checked && !self.chains_command() { ChainEnd::Unchained } else { ChainEnd::Broken }
    }

    const fn chains_command(&self) -> bool {
        self.flags.contains(CcwFlags::CHAIN_COMMAND) && !self.flags.contains(CcwFlags::CHAIN_DATA)
    }

    /// Returns the continuation.
    #[inline]
    pub const fn chaining(&self) -> Chaining {
        let differs = self.residual_bytes() > 0 || self.device_bytes > self.count;
        let incorrect_length = differs && !self.is_length_suppressed();
        if incorrect_length || !self.chains_command() || !self.status.chains() {
            Chaining::End { incorrect_length }
        } else if self.status.skips_one() {
            Chaining::Skip
        } else {
            Chaining::GoOn
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAINED: CommandEnding = CommandEnding {
        flags: CcwFlags::CHAIN_COMMAND,
        status: DeviceStatus::NORMAL_END,
        count: 4096,
        moved_bytes: 4096,
        device_bytes: 4096,
        length_ignored: false,
    };
    const END: Chaining = Chaining::End { incorrect_length: false };
    const INCORRECT: Chaining = Chaining::End { incorrect_length: true };

    #[test]
    fn a_chain_goes_on_skips_or_ends() {
        assert_eq!(CHAINED.chaining(), Chaining::GoOn);
        assert_eq!(CommandEnding { flags: CcwFlags(0), ..CHAINED }.chaining(), END);
        let modified = DeviceStatus::NORMAL_END | DeviceStatus::STATUS_MODIFIER;
        assert_eq!(CommandEnding { status: modified, ..CHAINED }.chaining(), Chaining::Skip);
        let check = DeviceStatus::NORMAL_END | DeviceStatus::UNIT_CHECK;
        assert_eq!(CommandEnding { status: check, ..CHAINED }.chaining(), END);
    }

    #[test]
    fn a_short_or_long_block_is_incorrect_unless_suppressed() {
        let short = CommandEnding { moved_bytes: 80, device_bytes: 80, ..CHAINED };
        let long = CommandEnding { device_bytes: 5000, ..CHAINED };
        assert_eq!((short.chaining(), short.residual_bytes(), short.is_long()), (INCORRECT, 4016, false));
        assert_eq!((long.chaining(), long.residual_bytes(), long.is_long()), (INCORRECT, 0, true));
        let flags = CcwFlags::CHAIN_COMMAND | CcwFlags::SUPPRESS_LENGTH;
        assert_eq!(CommandEnding { flags, ..short }.chaining(), Chaining::GoOn);
        assert_eq!(CommandEnding { flags, ..long }.chaining(), Chaining::GoOn);
        assert!(!CommandEnding { flags, ..long }.is_long());
        assert_eq!(CommandEnding { length_ignored: true, ..short }.chaining(), Chaining::GoOn);
    }

    #[test]
    fn data_chaining_overrides_suppression_and_command_chaining() {
        let flags = CcwFlags::CHAIN_DATA | CcwFlags::CHAIN_COMMAND | CcwFlags::SUPPRESS_LENGTH;
        assert_eq!(CommandEnding { flags, moved_bytes: 80, ..CHAINED }.chaining(), INCORRECT);
        assert_eq!(CommandEnding { flags, ..CHAINED }.chaining(), END);
    }
}
