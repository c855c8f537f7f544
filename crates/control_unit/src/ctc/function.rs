//! Commands of the adapter by their codes, whose modifier bits may have any value.

use halftrack_program::command::SENSE_ID;

/// Mode of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// No Prepare, and every Write is one of data. A side that is not ready is waited for.
    #[default]
    Basic,
    /// All commands.
    Extended,
}

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// Waits until the other side does something, so that the next command of the chain can answer.
    Prepare,
    /// Demands the other side's Sense Command Byte.
    Control,
    /// Takes the data of the other side's Write, forward or backward: the adapter makes no difference.
    Read,
    /// Gives data to the other side's Read.
    Write,
    /// Ends the other side's Read with unit exception.
    WriteEndOfFile,
    /// Returns the code of the other side's command, and ends its Control.
    SenseCommandByte,
    /// Does nothing.
    NoOperation,
    /// Sets the mode of the side.
    SetMode(Mode),
    /// Returns and clears the sense, with the state of the adapter. It is the Sense of other devices.
    SenseAdapterState,
    /// Returns the type of the adapter.
    SenseId,
}

impl Function {
    /// Returns the command of a code in a mode; none when the adapter has no such command.
    pub const fn decode(code: u8, mode: Mode) -> Option<Self> {
        let is_extended = matches!(mode, Mode::Extended);
        Some(match code {
            0xE3 if is_extended => Self::Prepare,
            // Sense; other modifiers of this class are no commands.
            0x04 => Self::SenseAdapterState,
            SENSE_ID => Self::SenseId,
            0xC3 => Self::SetMode(Mode::Extended),
            _ if code & 0x83 == 0x81 && is_extended => Self::WriteEndOfFile,
            _ if code & 0x03 == 0x01 => Self::Write,
            _ if code & 0x03 == 0x02 || code & 0x0F == 0x0C => Self::Read,
            _ if code & 0x07 == 0x07 => Self::Control,
            _ if code & 0x1F == 0x14 => Self::SenseCommandByte,
            _ if code & 0x47 == 0x03 => Self::NoOperation,
            _ if code & 0xC7 == 0x43 => Self::SetMode(Mode::Basic),
            _ => return None,
        })
    }

    /// Returns whether the command moves no data, so that its channel end is its initial status.
    pub const fn is_immediate(self) -> bool {
        !matches!(
            self,
            Self::Read | Self::Write | Self::SenseCommandByte | Self::SenseAdapterState | Self::SenseId
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(function: Function, mode: Mode) -> Vec<u8> {
        (0..=u8::MAX).filter(|code| Function::decode(*code, mode) == Some(function)).collect()
    }

    /// Returns the codes that match a pattern of 0, 1 and x.
    fn matching(pattern: &str) -> Vec<u8> {
        let fits = |code: u8| {
            let bits = pattern.bytes().enumerate();
            bits.fold(true, |fits, (at, bit)| fits && (bit == b'x' || bit - b'0' == code >> (7 - at) & 1))
        };
        (0..=u8::MAX).filter(|code| fits(*code)).collect()
    }

    #[test]
    fn modifier_bits_may_have_any_value() {
        use Mode::{Basic, Extended};
        assert_eq!(codes(Function::Write, Basic), matching("xxxxxx01"));
        assert_eq!(codes(Function::Write, Extended), matching("0xxxxx01"));
        assert_eq!(codes(Function::WriteEndOfFile, Extended), matching("1xxxxx01"));
        assert_eq!(codes(Function::WriteEndOfFile, Basic), [0; 0]);
        assert_eq!(codes(Function::Prepare, Extended), [0xE3]);
        assert_eq!(codes(Function::Prepare, Basic), [0; 0]);
        for mode in [Basic, Extended] {
            let mut reads = [matching("xxxxxx10"), matching("xxxx1100")].concat();
            reads.sort_unstable();
            assert_eq!(codes(Function::Read, mode), reads);
            assert_eq!(codes(Function::Control, mode), matching("xxxxx111"));
            assert_eq!(codes(Function::SenseCommandByte, mode), matching("xxx10100"));
            assert_eq!(codes(Function::NoOperation, mode), matching("x0xxx011"));
            assert_eq!(codes(Function::SetMode(Basic), mode), matching("01xxx011"));
            assert_eq!(codes(Function::SetMode(Extended), mode), [0xC3]);
            assert_eq!(codes(Function::SenseAdapterState, mode), [0x04]);
            assert_eq!(codes(Function::SenseId, mode), [0xE4]);
        }
        assert_eq!(Function::decode(0xCB, Extended), None);
        assert_eq!(Function::decode(0x08, Extended), None);
    }
}
