//! Transport-status block (64 bytes): where the channel puts the ending of a transport-mode operation.

use crate::device::SENSE_BYTES;
use crate::parse_error::{Fault, ParseError, Structure};
use halftrack_base::bit_set;
use halftrack_base::fields::{array_at, put, u16_at, u32_at};

const TSB: Structure = Structure("TSB");

/// Bytes of a TSB.
pub const TSB_BYTES: usize = 64;
/// Where the status area of a TSB begins.
pub(crate) const STATUS_AREA: usize = 12;
/// Bytes of the status area of a TSB.
pub const STATUS_AREA_BYTES: usize = TSB_BYTES - STATUS_AREA;
/// Length field when sense is present. Not public; our choice.
pub const LENGTH_WITH_SENSE: u8 = 64;
/// Length field when only times are present. Not public; our choice.
pub const LENGTH_WITH_TIMES: u8 = 32;
const FORMAT: u8 = 0x07;
const RESERVED_FLAGS: u8 = 0x08;

bit_set! {
    /// Byte 1 without the format.
    TsbFlags: u8 {
        /// The DCW offset is valid.
        DCW_OFFSET_VALID = 0x80;
        /// The residual count is valid.
        COUNT_VALID = 0x40;
        /// The data were not in the cache.
        CACHE_MISS = 0x20;
        /// The times are valid.
        TIMES_VALID = 0x10;
    }
}

/// Times of format 1. The unit, microseconds, is not public; our choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TsbTimes {
    /// Bytes 12-15: device time in microseconds.
    pub device_us: u32,
    /// Bytes 16-19: defer time in microseconds.
    pub defer_us: u32,
    /// Bytes 20-23: queue time in microseconds.
    pub queue_us: u32,
    /// Bytes 24-27: device-busy time in microseconds.
    pub device_busy_us: u32,
    /// Bytes 28-31: device-active-only time in microseconds.
    pub device_active_us: u32,
}

/// The status area, by format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TsbArea {
    /// 0: none.
    None,
    /// 1: I/O status.
    Io {
        /// Times.
        times: TsbTimes,
        /// Sense.
        sense: [u8; SENSE_BYTES],
    },
    /// 2: device-detected program check.
    ProgramCheck {
        /// Byte 15: reason code.
        reason: u8,
        /// Bytes 16-31: reason-code qualifier.
        qualifier: [u8; 16],
        /// Sense.
        sense: [u8; SENSE_BYTES],
    },
    /// 3: answer to an interrogation.
    Interrogate(InterrogateAnswer),
}

/// The status area of format 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct InterrogateAnswer {
    /// Byte 12: format.
    pub format: u8,
    /// Byte 13: 0x80 control-unit state, 0x40 device state, 0x20 operation state valid.
    pub flags: u8,
    /// Byte 14: control-unit state.
    pub control_unit_state: u8,
    /// Byte 15: device state.
    pub device_state: u8,
    /// Byte 16: operation state.
    pub operation_state: u8,
    /// Bytes 20-31: state-dependent information.
    pub state_information: [u8; 12],
    /// Bytes 32-35: device-level identifier.
    pub device_level_id: u32,
    /// Bytes 36-63: device-dependent information.
    pub device_information: [u8; 28],
}

impl InterrogateAnswer {
    /// Returns the bytes 12-63 of the block, which a device gives for data when it is interrogated.
    pub fn emit(&self) -> [u8; STATUS_AREA_BYTES] {
        let mut block = [0; TSB_BYTES];
        emit_answer(self, &mut block);
        array_at(&block, STATUS_AREA)
    }
}

/// A transport-status block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tsb {
    /// Byte 0: bytes of status stored.
    pub length: u8,
    /// Byte 1 without the format.
    pub flags: TsbFlags,
    /// Bytes 2-3: offset of the last DCW in the transport-command area.
    pub dcw_offset: u16,
    /// Bytes 4-7: residual count in bytes.
    pub residual_count: u32,
    /// Bytes 12-63.
    pub area: TsbArea,
}

impl Tsb {
    /// Parses the first 64 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; reserved bits on; a format above 3.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; TSB_BYTES] = TSB.fixed(bytes)?;
        TSB.zero("flags", 1, fixed[1] & RESERVED_FLAGS)?;
        TSB.zeros("bytes 8-11", 8, &fixed[8..12])?;
        let area = match fixed[1] & FORMAT {
            0 => TsbArea::None,
            1 => TsbArea::Io { times: parse_times(fixed), sense: array_at(fixed, 32) },
            2 => TsbArea::ProgramCheck {
                reason: fixed[15],
                qualifier: array_at(fixed, 16),
                sense: array_at(fixed, 32),
            },
            3 => TsbArea::Interrogate(parse_answer(fixed)),
            format => return Err(TSB.error("format", 1, Fault::Value { value: u64::from(format) })),
        };
        Ok(Self {
            length: fixed[0],
            flags: TsbFlags(fixed[1] & !FORMAT),
            dcw_offset: u16_at(fixed, 2),
            residual_count: u32_at(fixed, 4),
            area,
        })
    }

    /// Emits the 64 bytes.
    #[inline]
    pub fn emit(&self) -> [u8; TSB_BYTES] {
        let mut bytes = [0; TSB_BYTES];
        bytes[0] = self.length;
        put(&mut bytes, 2, &self.dcw_offset.to_be_bytes());
        put(&mut bytes, 4, &self.residual_count.to_be_bytes());
        let format = match &self.area {
            TsbArea::None => 0,
            TsbArea::Io { times, sense } => {
                emit_times(times, &mut bytes);
                put(&mut bytes, 32, sense);
                1
            }
            TsbArea::ProgramCheck { reason, qualifier, sense } => {
                bytes[15] = *reason;
                put(&mut bytes, 16, qualifier);
                put(&mut bytes, 32, sense);
                2
            }
            TsbArea::Interrogate(answer) => {
                emit_answer(answer, &mut bytes);
                3
            }
        };
        bytes[1] = self.flags.0 & !FORMAT | format;
        bytes
    }
}

fn parse_times(fixed: &[u8; TSB_BYTES]) -> TsbTimes {
    TsbTimes {
        device_us: u32_at(fixed, 12),
        defer_us: u32_at(fixed, 16),
        queue_us: u32_at(fixed, 20),
        device_busy_us: u32_at(fixed, 24),
        device_active_us: u32_at(fixed, 28),
    }
}

fn emit_times(times: &TsbTimes, bytes: &mut [u8; TSB_BYTES]) {
    put(bytes, 12, &times.device_us.to_be_bytes());
    put(bytes, 16, &times.defer_us.to_be_bytes());
    put(bytes, 20, &times.queue_us.to_be_bytes());
    put(bytes, 24, &times.device_busy_us.to_be_bytes());
    put(bytes, 28, &times.device_active_us.to_be_bytes());
}

fn parse_answer(fixed: &[u8; TSB_BYTES]) -> InterrogateAnswer {
    InterrogateAnswer {
        format: fixed[12],
        flags: fixed[13],
        control_unit_state: fixed[14],
        device_state: fixed[15],
        operation_state: fixed[16],
        state_information: array_at(fixed, 20),
        device_level_id: u32_at(fixed, 32),
        device_information: array_at(fixed, 36),
    }
}

fn emit_answer(answer: &InterrogateAnswer, bytes: &mut [u8; TSB_BYTES]) {
    bytes[12] = answer.format;
    bytes[13] = answer.flags;
    bytes[14] = answer.control_unit_state;
    bytes[15] = answer.device_state;
    bytes[16] = answer.operation_state;
    put(bytes, 20, &answer.state_information);
    put(bytes, 32, &answer.device_level_id.to_be_bytes());
    put(bytes, 36, &answer.device_information);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_normal_end_to_the_octet() {
        let tsb = Tsb {
            length: LENGTH_WITH_TIMES,
            flags: TsbFlags::DCW_OFFSET_VALID | TsbFlags::COUNT_VALID | TsbFlags::TIMES_VALID,
            dcw_offset: 72,
            residual_count: 4096,
            area: TsbArea::Io {
                times: TsbTimes { device_us: 120, queue_us: 3, ..TsbTimes::default() },
                sense: [0; SENSE_BYTES],
            },
        };
        let bytes = tsb.emit();
        assert_eq!(bytes[..12], [32, 0xD1, 0, 72, 0, 0, 0x10, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[12..24], [0, 0, 0, 120, 0, 0, 0, 0, 0, 0, 0, 3]);
        assert_eq!(bytes[24..], [0; 40]);
        assert_eq!(Tsb::parse(&bytes).unwrap(), tsb);
    }

    #[test]
    fn a_program_check_to_the_octet() {
        let mut sense = [0; SENSE_BYTES];
        sense[0] = 0x80;
        let tsb = Tsb {
            length: LENGTH_WITH_SENSE,
            flags: TsbFlags::DCW_OFFSET_VALID,
            dcw_offset: 0,
            residual_count: 0,
            area: TsbArea::ProgramCheck { reason: 5, qualifier: [1; 16], sense },
        };
        let bytes = tsb.emit();
        assert_eq!(bytes[..4], [64, 0x82, 0, 0]);
        assert_eq!(bytes[12..20], [0, 0, 0, 5, 1, 1, 1, 1]);
        assert_eq!(bytes[32], 0x80);
        assert_eq!(Tsb::parse(&bytes).unwrap(), tsb);
    }

    #[test]
    fn an_answer_is_the_status_area() {
        let answer =
            InterrogateAnswer { flags: 0xE0, device_state: 2, device_level_id: 7, ..Default::default() };
        let tsb = Tsb {
            length: LENGTH_WITH_SENSE,
            flags: TsbFlags(0),
            dcw_offset: 0,
            residual_count: 0,
            area: TsbArea::Interrogate(answer),
        };
        assert_eq!(tsb.emit()[STATUS_AREA..], answer.emit());
        assert_eq!(answer.emit()[..4], [0, 0xE0, 0, 2]);
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |offset: usize, value: u8| {
            let mut octets = [0; TSB_BYTES];
            octets[offset] = value;
            Tsb::parse(&octets).unwrap_err().field
        };
        assert_eq!(fault(1, 0x08), "flags");
        assert_eq!(fault(1, 0x04), "format");
        assert_eq!(fault(9, 1), "bytes 8-11");
    }

    proptest! {
        #[test]
        fn what_parses_emits_and_parses_the_same(
            mut bytes in prop::collection::vec(any::<u8>(), 0..70), likely in any::<bool>()
        ) {
            if likely && bytes.len() > 11 {
                bytes[1] &= 0xF3;
                bytes[8..12].fill(0);
            }
            if let Ok(parsed) = Tsb::parse(&bytes) {
                prop_assert_eq!(Tsb::parse(&parsed.emit()).unwrap(), parsed);
            }
        }
    }
}
