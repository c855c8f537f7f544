//! Interruption-response block: subchannel-status word, extended status, and the sense of a unit check.
//!
//! ```text
//! 0-11 SCSW | 12-31 ESW: 12-15 subchannel logout or path, 16-19 ERW, 20-31 zero | 32-63 ECW
//! ```
//!
//! The extended-status word is of format 1: nothing is logged out. The measurement word, bytes 64-95 of the long
//! form, is zero.

use crate::parse_error::{Fault, ParseError, Structure};
use crate::scsw::{
    CommandScsw, CommandScswFlags, SCSW_BYTES, ScswControls, TransportScsw, TransportScswFlags,
};
use crate::status::{DeviceStatus, SubchannelStatus};
use halftrack_base::fields::{array_at, put, u32_at};

const IRB: Structure = Structure("IRB");

/// Bytes of an IRB without the extended-measurement word.
pub const IRB_BYTES: usize = 64;
/// Bytes of an IRB with the extended-measurement word.
pub const IRB_EXTENDED_BYTES: usize = 96;
/// Bytes of concurrent sense.
pub const CONCURRENT_SENSE_BYTES: usize = 32;

/// Byte 1 of the SCSW: on for transport mode.
const TRANSPORT: u8 = 0x10;
const LAST_PATH: usize = 13;
const ERW: usize = 16;
const ECW: usize = 32;
const CONCURRENT_SENSE: u32 = 0x0100_0000;
const SENSE_COUNT: u32 = 0x003F_0000;
const SENSE_COUNT_SHIFT: u32 = SENSE_COUNT.trailing_zeros();
/// The extended-report word with concurrent sense: its bit, and the count.
const CONCURRENT_SENSE_REPORT: u32 =
    CONCURRENT_SENSE | (CONCURRENT_SENSE_BYTES as u32) << SENSE_COUNT_SHIFT & SENSE_COUNT;

/// The subchannel-status word of an IRB, by the mode of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scsw {
    /// Command mode.
    Command(CommandScsw),
    /// Transport mode.
    Transport(TransportScsw),
}

impl Scsw {
    /// Returns the three controls.
    pub const fn controls(&self) -> ScswControls {
        match self {
            Self::Command(scsw) => scsw.controls,
            Self::Transport(scsw) => scsw.controls,
        }
    }

    pub(crate) const fn controls_mut(&mut self) -> &mut ScswControls {
        match self {
            Self::Command(scsw) => &mut scsw.controls,
            Self::Transport(scsw) => &mut scsw.controls,
        }
    }

    /// Returns the device status.
    pub const fn device_status(&self) -> DeviceStatus {
        match self {
            Self::Command(scsw) => scsw.device_status,
            Self::Transport(scsw) => scsw.device_status,
        }
    }

    /// Returns the subchannel status.
    pub const fn subchannel_status(&self) -> SubchannelStatus {
        match self {
            Self::Command(scsw) => scsw.subchannel_status,
            Self::Transport(scsw) => scsw.subchannel_status,
        }
    }

    /// Returns flag E: the extended-control word is valid.
    pub const fn has_extended_control(&self) -> bool {
        match self {
            Self::Command(scsw) => scsw.flags.contains(CommandScswFlags::EXTENDED_CONTROL),
            Self::Transport(scsw) => scsw.flags.contains(TransportScswFlags::EXTENDED_CONTROL),
        }
    }

    fn clear_extended_control(&mut self) {
        match self {
            Self::Command(scsw) => scsw.flags = scsw.flags.without(CommandScswFlags::EXTENDED_CONTROL),
            Self::Transport(scsw) => scsw.flags = scsw.flags.without(TransportScswFlags::EXTENDED_CONTROL),
        }
    }

    /// Emits the 12 bytes.
    pub fn emit(&self) -> [u8; SCSW_BYTES] {
        match self {
            Self::Command(scsw) => scsw.emit(),
            Self::Transport(scsw) => scsw.emit(),
        }
    }
}

/// An interruption-response block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Irb {
    /// Subchannel-status word.
    pub scsw: Scsw,
    /// Byte 13: mask of the path last used, or 0.
    pub last_path: u8,
    /// Concurrent sense: in the extended-control word, marked and counted in the extended-report word.
    pub sense: Option<[u8; CONCURRENT_SENSE_BYTES]>,
}

impl Irb {
    /// Parses the first 64 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; a wrong subchannel-status word; a subchannel logout; in the extended-report word anything
    /// but concurrent sense of 32 bytes, with E on.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; IRB_BYTES] = IRB.fixed(bytes)?;
        // A channel subsystem with transport mode has no address-limit checking, whose bit this was.
        let scsw = if fixed[1] & TRANSPORT == 0 {
            Scsw::Command(CommandScsw::parse(fixed)?)
        } else {
            Scsw::Transport(TransportScsw::parse(fixed)?)
        };
        IRB.zero("subchannel logout", 12, fixed[12])?;
        IRB.zeros("bytes 14-15", 14, &fixed[14..ERW])?;
        let report = u32_at(fixed, ERW);
        let sense = match report {
            0 => None,
            CONCURRENT_SENSE_REPORT => Some(array_at(fixed, ECW)),
            _ => {
                let fault = Fault::Value { value: u64::from(report) };
                return Err(IRB.error("extended-report word", ERW, fault));
            }
        };
        IRB.check(scsw.has_extended_control() == sense.is_some(), "extended control", 1, fixed[1])?;
        IRB.zeros("bytes 20-31", 20, &fixed[20..ECW])?;
        Ok(Self { scsw, last_path: fixed[LAST_PATH], sense })
    }

    /// Removes the sense and its indication.
    pub(crate) fn clear_sense(&mut self) {
        self.sense = None;
        self.scsw.clear_extended_control();
    }

    /// Emits the 64 bytes.
    pub fn emit(&self) -> [u8; IRB_BYTES] {
        let mut bytes = [0; IRB_BYTES];
        put(&mut bytes, 0, &self.scsw.emit());
        bytes[LAST_PATH] = self.last_path;
        if let Some(sense) = &self.sense {
            put(&mut bytes, ERW, &CONCURRENT_SENSE_REPORT.to_be_bytes());
            put(&mut bytes, ECW, sense);
        }
        bytes
    }

    /// Emits the 96 bytes of the long form.
    pub fn emit_extended(&self) -> [u8; IRB_EXTENDED_BYTES] {
        let mut bytes = [0; IRB_EXTENDED_BYTES];
        put(&mut bytes, 0, &self.emit());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit_check() -> Irb {
        let scsw = CommandScsw {
            flags: CommandScswFlags::FORMAT_1 | CommandScswFlags::EXTENDED_CONTROL,
            controls: ScswControls::from_bits(0x4017),
            ccw_address: 0x1018,
            device_status: DeviceStatus(0x0E),
            ..CommandScsw::default()
        };
        Irb { scsw: Scsw::Command(scsw), last_path: 0x80, sense: Some([0xA5; 32]) }
    }

    #[test]
    fn a_unit_check_to_the_octet() {
        let bytes = unit_check().emit();
        assert_eq!(bytes[..12], [0, 0x82, 0x40, 0x17, 0, 0, 0x10, 0x18, 0x0E, 0, 0, 0]);
        assert_eq!(bytes[12..20], [0, 0x80, 0, 0, 0x01, 0x20, 0, 0]);
        assert_eq!((&bytes[20..32], &bytes[32..]), (&[0; 12][..], &[0xA5; 32][..]));
        assert_eq!(Irb::parse(&bytes).unwrap(), unit_check());
        assert_eq!(unit_check().emit_extended()[..64], bytes);
        assert_eq!(unit_check().emit_extended()[64..], [0; 32]);
    }

    #[test]
    fn x_tells_the_mode() {
        let scsw = TransportScsw { controls: ScswControls::from_bits(0x4007), ..TransportScsw::default() };
        let irb = Irb { scsw: Scsw::Transport(scsw), last_path: 1, sense: None };
        assert_eq!(irb.emit()[1], 0x10);
        assert_eq!(Irb::parse(&irb.emit()).unwrap(), irb);
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = unit_check().emit();
            octets[offset] = value;
            Irb::parse(&octets).unwrap_err().field
        };
        assert_eq!(fault(12, 1), "subchannel logout");
        assert_eq!(fault(15, 1), "bytes 14-15");
        assert_eq!(fault(17, 0x18), "extended-report word");
        assert_eq!(fault(1, 0x80), "extended control");
        assert_eq!(fault(31, 1), "bytes 20-31");
        assert!(Irb::parse(&[0; 63]).is_err());
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(mut bytes in prop::collection::vec(any::<u8>(), 60..70)) {
            bytes[12] = 0;
            bytes[14..32].fill(0);
            if bytes[1] & 2 != 0 {
                bytes[16..18].copy_from_slice(&[1, 0x20]);
            }
            if let Ok(parsed) = Irb::parse(&bytes) {
                prop_assert_eq!(Irb::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
