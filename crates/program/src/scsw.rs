//! Subchannel-status word (12 bytes), in the layouts of command mode and of transport mode.

use crate::parse_error::{Fault, ParseError, Structure};
use crate::status::{DeviceStatus, SubchannelStatus};
use halftrack_base::bit_set;
use halftrack_base::fields::{put, u16_at, u32_at};

const SCSW: Structure = Structure("SCSW");

/// Bytes of a subchannel-status word.
pub const SCSW_BYTES: usize = 12;
/// Byte 1, bit X: in transport mode on.
const TRANSPORT: u8 = 0x10;
/// Byte 11 of transport mode: the interrogation failed.
const INTERROGATE_FAILED: u8 = 0x80;

bit_set! {
    /// Function control.
    FunctionControl: u8 {
        /// Start function.
        START = 0x4;
        /// Halt function.
        HALT = 0x2;
        /// Clear function.
        CLEAR = 0x1;
    }
}

bit_set! {
    /// Activity control.
    ActivityControl: u8 {
        /// Resume pending.
        RESUME_PENDING = 0x40;
        /// Start pending.
        START_PENDING = 0x20;
        /// Halt pending.
        HALT_PENDING = 0x10;
        /// Clear pending.
        CLEAR_PENDING = 0x08;
        /// Subchannel active.
        SUBCHANNEL_ACTIVE = 0x04;
        /// Device active.
        DEVICE_ACTIVE = 0x02;
        /// Suspended.
        SUSPENDED = 0x01;
    }
}

bit_set! {
    /// Status control.
    StatusControl: u8 {
        /// Alert status.
        ALERT = 0x10;
        /// Intermediate status.
        INTERMEDIATE = 0x08;
        /// Primary status.
        PRIMARY = 0x04;
        /// Secondary status.
        SECONDARY = 0x02;
        /// Status pending.
        STATUS_PENDING = 0x01;
        /// Normal end of an operation with one interruption: primary, secondary and status pending.
        NORMAL_END = 0x07;
    }
}

/// The three controls: the low 15 bits of word 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ScswControls {
    /// Function control, 3 bits.
    pub function: FunctionControl,
    /// Activity control, 7 bits.
    pub activity: ActivityControl,
    /// Status control, 5 bits.
    pub status: StatusControl,
}

impl ScswControls {
    const MASK: u16 = 0x7FFF;

    /// Returns the bytes 2-3 of the word; the bit above the function control is zero.
    pub const fn to_bits(self) -> u16 {
        (self.function.0 as u16 & 0x7) << 12
            | (self.activity.0 as u16 & 0x7F) << 5
            | self.status.0 as u16 & 0x1F
    }

    /// Returns the controls in bytes 2-3 of the word.
    pub const fn from_bits(bits: u16) -> Self {
        Self {
            function: FunctionControl((bits >> 12 & 0x7) as u8),
            activity: ActivityControl((bits >> 5 & 0x7F) as u8),
            status: StatusControl((bits & 0x1F) as u8),
        }
    }
}

/// Deferred condition code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DeferredCondition {
    /// 0: the device took the function.
    #[default]
    Normal,
    /// 1: status was pending at the device.
    StatusPending,
    /// 3: the device is not operational.
    NotOperational,
}

impl DeferredCondition {
    const fn bits(self) -> u8 {
        match self {
            Self::Normal => 0,
            Self::StatusPending => 1,
            Self::NotOperational => 3,
        }
    }

    fn parse(byte: u8) -> Result<Self, ParseError> {
        match byte & 0x03 {
            0 => Ok(Self::Normal),
            1 => Ok(Self::StatusPending),
            3 => Ok(Self::NotOperational),
            _ => Err(SCSW.error("deferred condition code", 0, Fault::Value { value: u64::from(byte) })),
        }
    }
}

bit_set! {
    /// Byte 1 of a command-mode word.
    CommandScswFlags: u8 {
        /// F: format-1 CCWs.
        FORMAT_1 = 0x80;
        /// P: prefetch.
        PREFETCH = 0x40;
        /// I: initial-status interruption.
        INITIAL_STATUS = 0x20;
        /// A: address-limit checking.
        ADDRESS_LIMIT = 0x10;
        /// U: suppress the suspended interruption.
        SUPPRESS_SUSPENDED = 0x08;
        /// Z: zero condition code.
        ZERO_CONDITION = 0x04;
        /// E: extended control.
        EXTENDED_CONTROL = 0x02;
        /// N: path not operational.
        PATH_NOT_OPERATIONAL = 0x01;
    }
}

/// A command-mode subchannel-status word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CommandScsw {
    /// Storage key, 0-15.
    pub key: u8,
    /// S: suspend control.
    pub suspend_control: bool,
    /// L: a logout is stored in the extended-status word.
    pub logout: bool,
    /// Deferred condition code.
    pub deferred: DeferredCondition,
    /// Byte 1.
    pub flags: CommandScswFlags,
    /// Bytes 2-3.
    pub controls: ScswControls,
    /// Bytes 4-7: address of the last CCW used and 8.
    pub ccw_address: u32,
    /// Byte 8.
    pub device_status: DeviceStatus,
    /// Byte 9.
    pub subchannel_status: SubchannelStatus,
    /// Bytes 10-11: residual count of the last CCW used, in bytes.
    pub residual_count: u16,
}

fn head(key: u8, suspend_control: bool, logout: bool, deferred: DeferredCondition) -> u8 {
    key << 4 | u8::from(suspend_control) << 3 | u8::from(logout) << 2 | deferred.bits()
}

impl CommandScsw {
    /// Parses the first 12 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; the reserved bit on; deferred condition code 2.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; SCSW_BYTES] = SCSW.fixed(bytes)?;
        let controls = u16_at(fixed, 2);
        SCSW.zero("bit 16", 2, controls & !ScswControls::MASK)?;
        Ok(Self {
            key: fixed[0] >> 4,
            suspend_control: fixed[0] & 0x08 != 0,
            logout: fixed[0] & 0x04 != 0,
            deferred: DeferredCondition::parse(fixed[0])?,
            flags: CommandScswFlags(fixed[1]),
            controls: ScswControls::from_bits(controls),
            ccw_address: u32_at(fixed, 4),
            device_status: DeviceStatus(fixed[8]),
            subchannel_status: SubchannelStatus(fixed[9]),
            residual_count: u16_at(fixed, 10),
        })
    }

    /// Emits the 12 bytes.
    pub fn emit(&self) -> [u8; SCSW_BYTES] {
        let mut bytes = [0; SCSW_BYTES];
        bytes[0] = head(self.key, self.suspend_control, self.logout, self.deferred);
        bytes[1] = self.flags.0;
        put(&mut bytes, 2, &self.controls.to_bits().to_be_bytes());
        put(&mut bytes, 4, &self.ccw_address.to_be_bytes());
        bytes[8] = self.device_status.0;
        bytes[9] = self.subchannel_status.0;
        put(&mut bytes, 10, &self.residual_count.to_be_bytes());
        bytes
    }
}

bit_set! {
    /// Byte 1 of a transport-mode word without the bit that marks transport mode.
    TransportScswFlags: u8 {
        /// Q: the interrogation is complete.
        INTERROGATE_COMPLETE = 0x08;
        /// E: extended control.
        EXTENDED_CONTROL = 0x02;
        /// N: path not operational.
        PATH_NOT_OPERATIONAL = 0x01;
    }
}

impl TransportScswFlags {
    const DEFINED: u8 = 0x0B;
}

bit_set! {
    /// Byte 10 of a transport-mode word.
    FcxStatus: u8 {
        /// The transport-status block is valid, as drivers read it.
        TSB_VALID = 0x01;
    }
}

bit_set! {
    /// Low seven bits of byte 11 of a transport-mode word: subchannel-extended-status qualifier.
    StatusQualifier: u8 {
        /// The device does not do transport mode.
        DEVICE_NOT_CAPABLE = 3;
        /// The path does not do transport mode.
        PATH_NOT_CAPABLE = 4;
    }
}

/// A transport-mode subchannel-status word. Its residual count is in the transport-status block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TransportScsw {
    /// Storage key, 0-15.
    pub key: u8,
    /// L: a logout is stored in the extended-status word.
    pub logout: bool,
    /// Deferred condition code.
    pub deferred: DeferredCondition,
    /// Byte 1 without X.
    pub flags: TransportScswFlags,
    /// Bytes 2-3.
    pub controls: ScswControls,
    /// Bytes 4-7: address of the TCW.
    pub tcw_address: u32,
    /// Byte 8.
    pub device_status: DeviceStatus,
    /// Byte 9.
    pub subchannel_status: SubchannelStatus,
    /// Byte 10.
    pub fcx_status: FcxStatus,
    /// Byte 11: the interrogation failed.
    pub interrogate_failed: bool,
    /// Byte 11, low seven bits.
    pub qualifier: StatusQualifier,
}

impl TransportScsw {
    /// Parses the first 12 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; bit X off, or the format not 0; reserved bits on; deferred condition code 2.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; SCSW_BYTES] = SCSW.fixed(bytes)?;
        SCSW.zero("suspend control", 0, fixed[0] & 0x08)?;
        SCSW.check(fixed[1] & TRANSPORT != 0, "transport mode", 1, fixed[1])?;
        SCSW.zero("format and flags", 1, fixed[1] & !(TRANSPORT | TransportScswFlags::DEFINED))?;
        let controls = u16_at(fixed, 2);
        SCSW.zero("bit 16", 2, controls & !ScswControls::MASK)?;
        Ok(Self {
            key: fixed[0] >> 4,
            logout: fixed[0] & 0x04 != 0,
            deferred: DeferredCondition::parse(fixed[0])?,
            flags: TransportScswFlags(fixed[1] & !TRANSPORT),
            controls: ScswControls::from_bits(controls),
            tcw_address: u32_at(fixed, 4),
            device_status: DeviceStatus(fixed[8]),
            subchannel_status: SubchannelStatus(fixed[9]),
            fcx_status: FcxStatus(fixed[10]),
            interrogate_failed: fixed[11] & INTERROGATE_FAILED != 0,
            qualifier: StatusQualifier(fixed[11] & !INTERROGATE_FAILED),
        })
    }

    /// Emits the 12 bytes.
    pub fn emit(&self) -> [u8; SCSW_BYTES] {
        let mut bytes = [0; SCSW_BYTES];
        bytes[0] = head(self.key, false, self.logout, self.deferred);
        bytes[1] = self.flags.0 & TransportScswFlags::DEFINED | TRANSPORT;
        put(&mut bytes, 2, &self.controls.to_bits().to_be_bytes());
        put(&mut bytes, 4, &self.tcw_address.to_be_bytes());
        bytes[8] = self.device_status.0;
        bytes[9] = self.subchannel_status.0;
        bytes[10] = self.fcx_status.0;
        let failed = if self.interrogate_failed { INTERROGATE_FAILED } else { 0 };
        bytes[11] = failed | self.qualifier.0 & !INTERROGATE_FAILED;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn normal_end() -> ScswControls {
        ScswControls {
            function: FunctionControl::START,
            activity: ActivityControl(0),
            status: StatusControl::NORMAL_END,
        }
    }

    #[test]
    fn a_normal_end_is_4007() {
        assert_eq!(normal_end().to_bits(), 0x4007);
        let active = ScswControls {
            function: FunctionControl::START,
            activity: ActivityControl::SUBCHANNEL_ACTIVE | ActivityControl::DEVICE_ACTIVE,
            status: StatusControl(0),
        };
        assert_eq!(active.to_bits(), 0x40C0);
        assert_eq!(ScswControls::from_bits(0x40C0), active);
    }

    #[test]
    fn command_mode_to_the_octet() {
        let scsw = CommandScsw {
            flags: CommandScswFlags::FORMAT_1 | CommandScswFlags::PREFETCH,
            controls: normal_end(),
            ccw_address: 0x1010,
            device_status: DeviceStatus::NORMAL_END,
            ..CommandScsw::default()
        };
        let octets = [0x00, 0xC0, 0x40, 0x07, 0, 0, 0x10, 0x10, 0x0C, 0, 0, 0];
        assert_eq!(scsw.emit(), octets);
        assert_eq!(CommandScsw::parse(&octets).unwrap(), scsw);
    }

    #[test]
    fn transport_mode_to_the_octet() {
        let scsw = TransportScsw {
            controls: normal_end(),
            tcw_address: 0x2040,
            device_status: DeviceStatus::NORMAL_END,
            fcx_status: FcxStatus::TSB_VALID,
            qualifier: StatusQualifier::PATH_NOT_CAPABLE,
            ..TransportScsw::default()
        };
        let octets = [0x00, 0x10, 0x40, 0x07, 0, 0, 0x20, 0x40, 0x0C, 0, 0x01, 0x04];
        assert_eq!(scsw.emit(), octets);
        assert_eq!(TransportScsw::parse(&octets).unwrap(), scsw);
    }

    #[test]
    fn faults_name_the_field() {
        let command = [0x02, 0xC0, 0x40, 0x07, 0, 0, 0x10, 0x10, 0x0C, 0, 0, 0];
        assert_eq!(CommandScsw::parse(&command).unwrap_err().field, "deferred condition code");
        let transport = |first: u8, second: u8, third: u8| {
            TransportScsw::parse(&[first, second, third, 7, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap_err().field
        };
        assert_eq!(transport(0x08, 0x10, 0x40), "suspend control");
        assert_eq!(transport(0, 0x00, 0x40), "transport mode");
        assert_eq!(transport(0, 0x30, 0x40), "format and flags");
        assert_eq!(transport(0, 0x10, 0xC0), "bit 16");
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..16), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 2 {
                bytes[0] &= 0xF5;
                bytes[1] = bytes[1] & 0x0B | 0x10;
                bytes[2] &= 0x7F;
            }
            if let Ok(parsed) = CommandScsw::parse(&bytes) {
                prop_assert_eq!(CommandScsw::parse(&parsed.emit()).unwrap(), parsed);
            }
            if let Ok(parsed) = TransportScsw::parse(&bytes) {
                prop_assert_eq!(TransportScsw::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
