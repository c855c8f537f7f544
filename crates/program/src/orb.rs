//! Operation-request block: what start subchannel is given, in command mode and in transport mode.
//!
//! ```text
//! 0-3 interruption parameter | 4 key and flags | 5 flags | 6 path mask | 7 flags | 8-11 program address
//! 12 channel-subsystem priority | 14 control-unit priority | to 31 zero      (extended only)
//! ```

use crate::ccw::CcwFormat;
use crate::idaw::IdawFormat;
use crate::parse_error::{ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{put, u32_at};

const ORB: Structure = Structure("ORB");

/// Bytes of an ORB.
pub const ORB_BYTES: usize = 12;
/// Bytes of an extended ORB.
pub const ORB_EXTENDED_BYTES: usize = 32;
/// Boundary that a TCW must lie on.
const TCW_BOUNDARY: u32 = 64;
/// Boundary that a CCW must lie on.
const CCW_BOUNDARY: u32 = 8;
const HIGH_BIT: u32 = 0x8000_0000;

bit_set! {
    /// Bytes 4 (low half), 5 and 7 as one number, without the bits for the kind of ORB.
    OrbFlags: u32 {
        /// S: the suspend flag of CCWs is allowed.
        SUSPEND = 0x0008_0000;
        /// C: streaming mode.
        STREAMING = 0x0004_0000;
        /// M: modification control.
        MODIFICATION = 0x0002_0000;
        /// Y: synchronize control.
        SYNCHRONIZE = 0x0001_0000;
        /// P: prefetch is allowed.
        PREFETCH = 0x0000_4000;
        /// I: initial-status interruption.
        INITIAL_STATUS = 0x0000_2000;
        /// A: address-limit checking.
        ADDRESS_LIMIT = 0x0000_1000;
        /// U: suppress the suspended interruption.
        SUPPRESS_SUSPENDED = 0x0000_0800;
        /// L: incorrect-length suppression for immediate commands of format 1.
        SUPPRESS_LENGTH = 0x0000_0080;
        /// D: MIDAWs are allowed.
        MIDAWS = 0x0000_0040;
    }
}

impl OrbFlags {
    const DEFINED: u32 = 0x000F_78C0;
}

const FORMAT_1: u32 = 0x8000;
const TRANSPORT: u32 = 0x0400;
const FORMAT_2_IDAWS: u32 = 0x0200;
const SMALL_BLOCKS: u32 = 0x0100;
const EXTENDED: u32 = 0x0001;
const MUST_BE_ZERO: u32 = 0x003E;

/// Part of the ORB that depends on its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrbProgram {
    /// B = 0: command mode.
    Command {
        /// Flags.
        flags: OrbFlags,
        /// F: format of the CCWs.
        ccw_format: CcwFormat,
        /// H and T: format of the IDAWs.
        idaw_format: IdawFormat,
        /// Address of the first CCW.
        address: u32,
    },
    /// B = 1: transport mode.
    Transport {
        /// Address of the TCW, on a 64-byte boundary.
        address: u32,
    },
}

/// Bytes 12 and 14 of an extended ORB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OrbPriorities {
    /// Byte 12.
    pub channel_subsystem: u8,
    /// Byte 14: control-unit priority; in transport mode reserved for the program.
    pub control_unit: u8,
}

/// An operation-request block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Orb {
    /// Bytes 0-3, returned untouched.
    pub interruption_parameter: u32,
    /// Storage key, 0-15.
    pub key: u8,
    /// Byte 6: paths that may be used; FF for any.
    pub path_mask: u8,
    /// The program.
    pub program: OrbProgram,
    /// Bytes 12-31, when X is on.
    pub priorities: Option<OrbPriorities>,
}

impl Orb {
    /// Parses 12 bytes, or 32 when the ORB is extended.
    ///
    /// # Errors
    /// Too few bytes; reserved bits on, which for transport mode are all but key, B, path mask and X; a
    /// program address off its boundary or range.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; ORB_BYTES] = ORB.fixed(bytes)?;
        let flags = u32::from(fixed[4] & 0x0F) << 16 | u32::from(fixed[5]) << 8 | u32::from(fixed[7]);
        let address = u32_at(fixed, 8);
        ORB.zero("byte 7", 7, flags & MUST_BE_ZERO)?;
        ORB.check(address & HIGH_BIT == 0, "program address", 8, address)?;
        let program = if flags & TRANSPORT == 0 {
            parse_command(flags, address)?
        } else {
            ORB.zero("flags of transport mode", 4, flags & !(TRANSPORT | EXTENDED))?;
            ORB.aligned("TCW address", 8, u64::from(address), TCW_BOUNDARY)?;
            OrbProgram::Transport { address }
        };
        let priorities = if flags & EXTENDED == 0 { None } else { Some(parse_extension(bytes)?) };
        Ok(Self {
            interruption_parameter: u32_at(fixed, 0),
            key: fixed[4] >> 4,
            path_mask: fixed[6],
            program,
            priorities,
        })
    }

    /// Emits 12 bytes, or 32 when there are priorities.
    pub fn emit(&self) -> Vec<u8> {
        let (mut flags, address) = match self.program {
            OrbProgram::Command { flags, ccw_format, idaw_format, address } => {
                let format = if ccw_format == CcwFormat::One { FORMAT_1 } else { 0 };
                let idaws = match idaw_format {
                    IdawFormat::One => 0,
                    IdawFormat::TwoWith4K => FORMAT_2_IDAWS,
                    IdawFormat::TwoWith2K => FORMAT_2_IDAWS | SMALL_BLOCKS,
                };
                (flags.0 & OrbFlags::DEFINED | format | idaws, address)
            }
            OrbProgram::Transport { address } => (TRANSPORT, address),
        };
        let mut bytes = vec![0; ORB_BYTES];
        if let Some(priorities) = self.priorities {
            bytes.resize(ORB_EXTENDED_BYTES, 0);
            bytes[12] = priorities.channel_subsystem;
            bytes[14] = priorities.control_unit;
            flags |= EXTENDED;
        }
        put(&mut bytes, 0, &self.interruption_parameter.to_be_bytes());
        let [_, fourth, fifth, seventh] = flags.to_be_bytes();
        bytes[4] = self.key << 4 | fourth;
        bytes[5] = fifth;
        bytes[6] = self.path_mask;
        bytes[7] = seventh;
        put(&mut bytes, 8, &address.to_be_bytes());
        bytes
    }
}

fn parse_command(flags: u32, address: u32) -> Result<OrbProgram, ParseError> {
    let idaw_format = match (flags & FORMAT_2_IDAWS != 0, flags & SMALL_BLOCKS != 0) {
        // Without H the block size is always 2 KiB, and T has no meaning.
        (false, _) => IdawFormat::One,
        (true, false) => IdawFormat::TwoWith4K,
        (true, true) => IdawFormat::TwoWith2K,
    };
    let ccw_format = if flags & FORMAT_1 == 0 { CcwFormat::Zero } else { CcwFormat::One };
    ORB.aligned("CCW address", 8, u64::from(address), CCW_BOUNDARY)?;
    let in_24_bits = address < 1 << 24;
    ORB.check(in_24_bits || ccw_format == CcwFormat::One, "CCW address", 8, address)?;
    Ok(OrbProgram::Command { flags: OrbFlags(flags & OrbFlags::DEFINED), ccw_format, idaw_format, address })
}

fn parse_extension(bytes: &[u8]) -> Result<OrbPriorities, ParseError> {
    let extended: &[u8; ORB_EXTENDED_BYTES] = ORB.fixed(bytes)?;
    ORB.zero("byte 13", 13, extended[13])?;
    ORB.zeros("bytes 15-31", 15, &extended[15..])?;
    Ok(OrbPriorities { channel_subsystem: extended[12], control_unit: extended[14] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn command_mode() -> Orb {
        Orb {
            interruption_parameter: 0x00F1_2340,
            key: 0,
            path_mask: 0xFF,
            program: OrbProgram::Command {
                flags: OrbFlags::PREFETCH | OrbFlags::MIDAWS,
                ccw_format: CcwFormat::One,
                idaw_format: IdawFormat::TwoWith4K,
                address: 0x1000,
            },
            priorities: None,
        }
    }

    const COMMAND_MODE: [u8; 12] = [0x00, 0xF1, 0x23, 0x40, 0x00, 0xC2, 0xFF, 0x40, 0, 0, 0x10, 0];

    #[test]
    fn command_mode_to_the_octet() {
        assert_eq!(command_mode().emit(), COMMAND_MODE);
        assert_eq!(Orb::parse(&COMMAND_MODE).unwrap(), command_mode());
    }

    #[test]
    fn transport_mode_to_the_octet() {
        let orb = Orb {
            key: 9,
            program: OrbProgram::Transport { address: 0x2040 },
            priorities: Some(OrbPriorities { channel_subsystem: 3, control_unit: 7 }),
            ..command_mode()
        };
        let bytes = orb.emit();
        assert_eq!(bytes.len(), ORB_EXTENDED_BYTES);
        assert_eq!(bytes[4..12], [0x90, 0x04, 0xFF, 0x01, 0, 0, 0x20, 0x40]);
        assert_eq!(bytes[12..16], [3, 0, 7, 0]);
        assert_eq!(Orb::parse(&bytes).unwrap(), orb);
        assert!(Orb::parse(&bytes[..31]).is_err());
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = COMMAND_MODE;
            octets[offset] = value;
            Orb::parse(&octets).unwrap_err().field
        };
        assert_eq!(fault(7, 0x02), "byte 7");
        assert_eq!(fault(8, 0x80), "program address");
        assert_eq!(fault(11, 4), "CCW address");
        assert_eq!(fault(5, 0xC6), "flags of transport mode");
        let mut format_0 = COMMAND_MODE;
        (format_0[5], format_0[8]) = (0x42, 1);
        assert_eq!(Orb::parse(&format_0).unwrap_err().field, "CCW address");
        let transport = [0, 0, 0, 0, 0, 0x04, 0xFF, 0, 0, 0, 0x20, 0x20];
        assert_eq!(Orb::parse(&transport).unwrap_err().field, "TCW address");
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..40), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 31 {
                bytes[7] &= 0xC1;
                bytes[8] &= 0x7F;
                bytes[11] &= 0xC0;
                bytes[13] = 0;
                bytes[15..].fill(0);
            }
            if let Ok(parsed) = Orb::parse(&bytes) {
                prop_assert_eq!(Orb::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
