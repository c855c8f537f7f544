//! Channel-command word: 8 bytes, format 0 (24-bit address) or format 1 (31-bit address).
//!
//! ```text
//! format 0   command | address 24 bits | flags | ignored | count
//! format 1   command | flags | count | address 31 bits
//! ```
//!
//! Parsing checks the fields of one CCW by itself; rules about its neighbours (data chaining, two transfers in
//! channel in a row) belong to the walk of the chain.

use crate::command::{self, CommandClass, TRANSFER_IN_CHANNEL};
use crate::parse_error::{Fault, ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{put, u16_at, u32_at};

const CCW: Structure = Structure("CCW");

/// Bytes of a CCW.
pub const CCW_BYTES: usize = 8;

/// Where a field of a CCW lies, in bytes from its start.
struct Fields {
    flags: usize,
    count: usize,
    address: usize,
}

const FORMAT_0: Fields = Fields { flags: 4, count: 6, address: 0 };
const FORMAT_1: Fields = Fields { flags: 1, count: 2, address: 4 };

const ADDRESS_24: u32 = 0x00FF_FFFF;
const ADDRESS_31: u32 = 0x7FFF_FFFF;

bit_set! {
    /// CCW flags.
    CcwFlags: u8 {
        /// Chain data: the next CCW gives another area for the same command.
        CHAIN_DATA = 0x80;
        /// Chain command: the next CCW is another command for the same device.
        CHAIN_COMMAND = 0x40;
        /// Suppress the incorrect-length indication.
        SUPPRESS_LENGTH = 0x20;
        /// Do not store the data read.
        SKIP = 0x10;
        /// Program-controlled interruption.
        PROGRAM_CONTROLLED_INTERRUPTION = 0x08;
        /// The address is that of a list of IDAWs.
        INDIRECT = 0x04;
        /// Suspend before this CCW.
        SUSPEND = 0x02;
        /// The address is that of a list of MIDAWs.
        MODIFIED_INDIRECT = 0x01;
    }
}

/// Layout of the CCWs of a program, from the ORB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CcwFormat {
    /// 24-bit addresses.
    Zero,
    /// 31-bit addresses.
    One,
}

/// A view of the 8 bytes of a CCW as they lie in storage; nothing is checked.
#[derive(Debug, Clone, Copy)]
pub struct CcwView<'a> {
    bytes: &'a [u8; CCW_BYTES],
    format: CcwFormat,
}

impl<'a> CcwView<'a> {
    /// Returns the views the first 8 of `bytes`.
    ///
    /// # Errors
    /// [`Fault::Short`] when there are fewer.
    pub fn new(bytes: &'a [u8], format: CcwFormat) -> Result<Self, ParseError> {
        Ok(Self { bytes: CCW.fixed(bytes)?, format })
    }

    fn fields(&self) -> &'static Fields {
        match self.format {
            CcwFormat::Zero => &FORMAT_0,
            CcwFormat::One => &FORMAT_1,
        }
    }

    /// Returns the command code.
    pub fn command(&self) -> u8 {
        self.bytes[0]
    }

    /// Returns the flags.
    pub fn flags(&self) -> CcwFlags {
        CcwFlags(self.bytes[self.fields().flags])
    }

    /// Returns the count in bytes.
    pub fn count(&self) -> u16 {
        u16_at(self.bytes, self.fields().count)
    }

    /// Address field: 24 bits in format 0, all 32 bits of the word in format 1.
    pub fn address(&self) -> u32 {
        let word = u32_at(self.bytes, self.fields().address);
        match self.format {
            CcwFormat::Zero => word & ADDRESS_24,
            CcwFormat::One => word,
        }
    }
}

/// A channel-command word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ccw {
    /// Command code.
    pub command: u8,
    /// Flags.
    pub flags: CcwFlags,
    /// Count in bytes.
    pub count: u16,
    /// Address of the data area, of the IDAW or MIDAW list, or of the CCW to transfer to.
    pub address: u32,
}

impl Ccw {
    /// Parses the first 8 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; in format 1, bit 0 of the address on, or a transfer in channel that is not exactly
    /// code 08 with zero flags and count; in format 0, count zero in anything but a transfer in channel.
    pub fn parse(bytes: &[u8], format: CcwFormat) -> Result<Self, ParseError> {
        let view = CcwView::new(bytes, format)?;
        let ccw = Self {
            command: view.command(),
            flags: view.flags(),
            count: view.count(),
            address: view.address(),
        };
        ccw.check(format)?;
        Ok(ccw)
    }

    fn check(&self, format: CcwFormat) -> Result<(), ParseError> {
        let transfer = self.is_transfer_in_channel();
        match format {
            CcwFormat::Zero => {
                CCW.check(self.address <= ADDRESS_24, "address", FORMAT_0.address + 1, self.address)?;
                CCW.check(transfer || self.count != 0, "count", FORMAT_0.count, self.count)
            }
            CcwFormat::One => {
                CCW.check(self.address <= ADDRESS_31, "address", FORMAT_1.address, self.address)?;
                if transfer {
                    CCW.check(self.command == TRANSFER_IN_CHANNEL, "command", 0, self.command)?;
                    CCW.zero("flags of transfer in channel", FORMAT_1.flags, self.flags.0)?;
                    CCW.zero("count of transfer in channel", FORMAT_1.count, self.count)?;
                }
                Ok(())
            }
        }?;
        if transfer && !self.address.is_multiple_of(CCW_BYTES as u32) {
            let fault = Fault::Alignment { value: u64::from(self.address), boundary: CCW_BYTES as u32 };
            return Err(CCW.error("address of transfer in channel", 0, fault));
        }
        Ok(())
    }

    /// Emits the CCW.
    ///
    /// # Errors
    /// Errors of [`Ccw::parse`], so that every emitted CCW parses.
    pub fn emit(&self, format: CcwFormat) -> Result<[u8; CCW_BYTES], ParseError> {
        self.check(format)?;
        let mut bytes = [0; CCW_BYTES];
        let fields = match format {
            CcwFormat::Zero => &FORMAT_0,
            CcwFormat::One => &FORMAT_1,
        };
        put(&mut bytes, fields.address, &self.address.to_be_bytes());
        bytes[0] = self.command;
        bytes[fields.flags] = self.flags.0;
        put(&mut bytes, fields.count, &self.count.to_be_bytes());
        Ok(bytes)
    }

    /// Returns the generic class of the command.
    pub const fn class(&self) -> CommandClass {
        command::class(self.command)
    }

    /// Returns whether the CCW transfers in channel.
    pub const fn is_transfer_in_channel(&self) -> bool {
        matches!(self.class(), CommandClass::TransferInChannel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const READ_4K: Ccw =
        Ccw { command: 0x86, flags: CcwFlags::MODIFIED_INDIRECT, count: 4096, address: 0x0012_3458 };

    #[test]
    fn both_formats_to_the_octet() {
        assert_eq!(READ_4K.emit(CcwFormat::One).unwrap(), [0x86, 0x01, 0x10, 0x00, 0x00, 0x12, 0x34, 0x58]);
        assert_eq!(READ_4K.emit(CcwFormat::Zero).unwrap(), [0x86, 0x12, 0x34, 0x58, 0x01, 0x00, 0x10, 0x00]);
    }

    #[test]
    fn format_0_cannot_say_a_31_bit_address() {
        let high = Ccw { address: 0x0100_0000, ..READ_4K };
        assert_eq!(high.emit(CcwFormat::Zero).unwrap_err().field, "address");
        assert!(high.emit(CcwFormat::One).is_ok());
    }

    #[test]
    fn count_zero_is_valid_in_format_1_only() {
        let empty = Ccw { command: command::NO_OPERATION, count: 0, ..READ_4K };
        assert!(empty.emit(CcwFormat::One).is_ok());
        assert_eq!(empty.emit(CcwFormat::Zero).unwrap_err().field, "count");
    }

    #[test]
    fn a_transfer_in_channel_is_strict_in_format_1() {
        let loose = [0xF8, 0x00, 0x10, 0x08, 0xFF, 0x00, 0x00, 0x00];
        assert!(Ccw::parse(&loose, CcwFormat::Zero).unwrap().is_transfer_in_channel());
        let fault = |bytes: [u8; 8]| Ccw::parse(&bytes, CcwFormat::One).unwrap_err().field;
        assert_eq!(fault([0xF8, 0, 0, 0, 0, 0, 0x10, 8]), "command");
        assert_eq!(fault([0x08, 0x40, 0, 0, 0, 0, 0x10, 8]), "flags of transfer in channel");
        assert_eq!(fault([0x08, 0, 0, 1, 0, 0, 0x10, 8]), "count of transfer in channel");
        assert_eq!(fault([0x08, 0, 0, 0, 0, 0, 0x10, 4]), "address of transfer in channel");
        assert_eq!(fault([0x08, 0, 0, 0, 0x80, 0, 0x10, 8]), "address");
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(bytes in any::<Vec<u8>>(), one in any::<bool>()) {
            let format = if one { CcwFormat::One } else { CcwFormat::Zero };
            if let Ok(ccw) = Ccw::parse(&bytes, format) {
                let emitted = ccw.emit(format).unwrap();
                prop_assert_eq!(Ccw::parse(&emitted, format).unwrap(), ccw);
            }
        }
    }
}
