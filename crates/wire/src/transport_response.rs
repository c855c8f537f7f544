//! The transport-response IU without its sense (reference section 6.6).
//!
//! ```text
//! FCP response 24 | response information 8 | extended status 32 | [sense 32]
//! ```

use crate::choices::{
    EXTENDED_STATUS_TYPE, RESPONSE_ACCEPTED, SENSE_BYTES, TSA_FORMAT_IO_STATUS, TSA_FORMAT_PROGRAM_CHECK,
};
use crate::error::ParseError;
use crate::lrc::lrc;

/// Octets of the response without sense.
pub const RESPONSE_BYTES: usize = 64;

const RESPONSE_INFO_BYTES: u32 = 8;
const EXTENDED_STATUS_BYTES: u32 = 32;

/// Where the fields stand.
mod field {
    use std::ops::Range;
    pub const MAX_EXCHANGES: usize = 8;
    pub const FLAGS: usize = 10;
    pub const RESIDUAL: usize = 12;
    pub const EXTENDED_STATUS_LENGTH: usize = 16;
    pub const RESPONSE_INFO_LENGTH: usize = 20;
    pub const RESPONSE_CODE: usize = 27;
    pub const TYPE: usize = 32;
    pub const STATUS_FLAGS: usize = 35;
    pub const DEVICE_STATUS: usize = 36;
    pub const DCW_OFFSET: usize = 38;
    pub const DCW_RESIDUAL: usize = 40;
    pub const LRC: usize = 44;
    pub const LRC_SPAN: Range<usize> = 32..44;
    pub const REASON: usize = 48;
    pub const TIMES: usize = 52;
}

/// FCP_RSP flags (octet 10).
mod flag {
    pub const RESPONSE_LENGTH_VALID: u8 = 0x01;
    pub const EXTENDED_STATUS_VALID: u8 = 0x02;
    pub const OVER: u8 = 0x04;
    pub const UNDER: u8 = 0x08;
}

/// Flags of the extended status (octet 35).
pub mod status_flag {
    /// The DCW offset is valid.
    pub const DCW_OFFSET_VALID: u8 = 0x80;
    /// The residual count is valid.
    pub const COUNT_VALID: u8 = 0x40;
    /// The data was not in cache.
    pub const CACHE_MISS: u8 = 0x20;
    /// The times are valid.
    pub const TIMES_VALID: u8 = 0x10;
    /// Format of the TSB's status area.
    pub const FORMAT: u8 = 0x07;
}

/// Times that the control unit reports, each in units of 10 µs (reference section 6.6, octets 52 to 59).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ResponseTimes {
    /// Queue time.
    pub queue_10us: u16,
    /// Defer time.
    pub defer_10us: u16,
    /// Device busy.
    pub device_busy_10us: u16,
    /// Device active only.
    pub device_active_10us: u16,
}

/// Representation of a transport response; the sense is the IU's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TransportResponse {
    /// Exchanges that the control unit takes at most.
    pub max_exchanges: u16,
    /// Fewer octets moved than the transport count.
    pub under: bool,
    /// The program requested more than the device has.
    pub over: bool,
    /// Octets that were not moved.
    pub residual: u32,
    /// 0 when the exchange kept the rules.
    pub response_code: u8,
    /// Flags of the extended status: [`status_flag`].
    pub status_flags: u8,
    /// Device status.
    pub device_status: u8,
    /// Offset of the last DCW in the TCA.
    pub dcw_offset: u16,
    /// Octets of user data that were not moved.
    pub data_residual: u32,
    /// Reason code and qualifier of a device-detected program check.
    pub reason: u32,
    /// Times of the control unit.
    pub times: ResponseTimes,
}

impl TransportResponse {
    /// Returns the response to a program that ended with `device_status` and left `residual` octets of user data.
    #[must_use]
    pub fn ending(device_status: u8, residual: u32) -> TransportResponse {
        TransportResponse {
            max_exchanges: 0,
            under: residual > 0,
            over: false,
            residual,
            response_code: RESPONSE_ACCEPTED,
            status_flags: TSA_FORMAT_IO_STATUS | status_flag::COUNT_VALID,
            device_status,
            dcw_offset: 0,
            data_residual: residual,
            reason: 0,
            times: ResponseTimes::default(),
        }
    }

    /// Returns the same response with a device-detected program check of this reason code.
    #[must_use]
    pub fn with_program_check(mut self, reason: u8) -> TransportResponse {
        self.status_flags = self.status_flags & !status_flag::FORMAT | TSA_FORMAT_PROGRAM_CHECK;
        self.reason = u32::from(reason) << 24;
        self
    }

    /// Returns the reason code of the device-detected program check, when there is one.
    #[must_use]
    pub fn program_check(&self) -> Option<u8> {
        let is_check = self.status_flags & status_flag::FORMAT == TSA_FORMAT_PROGRAM_CHECK;
        is_check.then_some((self.reason >> 24) as u8)
    }

    /// Reads a response of 64 octets.
    ///
    /// # Errors
    /// [`ParseError::Lrc`], or [`ParseError::Field`] for lengths and flags that this format does not have.
    pub fn parse(octets: &[u8; RESPONSE_BYTES]) -> Result<TransportResponse, ParseError> {
        let word = |offset: usize| u32::from_be_bytes(std::array::from_fn(|index| octets[offset + index]));
        let half = |offset: usize| u16::from_be_bytes([octets[offset], octets[offset + 1]]);
        let (expected, found) = (lrc(&octets[field::LRC_SPAN]), word(field::LRC));
        if expected != found {
            return Err(ParseError::Lrc { expected, found });
        }
        let flags = octets[field::FLAGS];
        let known = flag::RESPONSE_LENGTH_VALID | flag::EXTENDED_STATUS_VALID;
        if flags & known != known {
            return Err(ParseError::Field { field: "response flags", value: u32::from(flags) });
        }
        if word(field::RESPONSE_INFO_LENGTH) != RESPONSE_INFO_BYTES {
            let value = word(field::RESPONSE_INFO_LENGTH);
            return Err(ParseError::Field { field: "response-information length", value });
        }
        if octets[field::TYPE] != EXTENDED_STATUS_TYPE {
            let value = u32::from(octets[field::TYPE]);
            return Err(ParseError::Field { field: "extended-status type", value });
        }
        Ok(TransportResponse {
            max_exchanges: half(field::MAX_EXCHANGES),
            under: flags & flag::UNDER != 0,
            over: flags & flag::OVER != 0,
            residual: word(field::RESIDUAL),
            response_code: octets[field::RESPONSE_CODE],
            status_flags: octets[field::STATUS_FLAGS],
            device_status: octets[field::DEVICE_STATUS],
            dcw_offset: half(field::DCW_OFFSET),
            data_residual: word(field::DCW_RESIDUAL),
            reason: word(field::REASON),
            times: ResponseTimes {
                queue_10us: half(field::TIMES),
                defer_10us: half(field::TIMES + 2),
                device_busy_10us: half(field::TIMES + 4),
                device_active_10us: half(field::TIMES + 6),
            },
        })
    }

    /// Returns the octets of sense that follow a parsed response, by its extended-status length.
    ///
    /// # Errors
    /// [`ParseError::Field`] when the length is neither 32 nor 64.
    pub fn sense_bytes(octets: &[u8; RESPONSE_BYTES]) -> Result<usize, ParseError> {
        let at = field::EXTENDED_STATUS_LENGTH;
        let value = u32::from_be_bytes(std::array::from_fn(|index| octets[at + index]));
        match value.checked_sub(EXTENDED_STATUS_BYTES) {
            Some(0) => Ok(0),
            Some(sense) if sense as usize == SENSE_BYTES => Ok(SENSE_BYTES),
            _ => Err(ParseError::Field { field: "extended-status length", value }),
        }
    }

    /// Returns the 64 octets, for a response that `sense_bytes` octets of sense follow.
    #[must_use]
    pub fn emit(&self, sense_bytes: u32) -> [u8; RESPONSE_BYTES] {
        let mut octets = [0; RESPONSE_BYTES];
        let mut put =
            |offset: usize, value: &[u8]| octets[offset..offset + value.len()].copy_from_slice(value);
        let mut flags = flag::RESPONSE_LENGTH_VALID | flag::EXTENDED_STATUS_VALID;
        flags |= if self.under { flag::UNDER } else { 0 };
        flags |= if self.over { flag::OVER } else { 0 };
        put(field::MAX_EXCHANGES, &self.max_exchanges.to_be_bytes());
        put(field::FLAGS, &[flags]);
        put(field::RESIDUAL, &self.residual.to_be_bytes());
        put(field::EXTENDED_STATUS_LENGTH, &(EXTENDED_STATUS_BYTES + sense_bytes).to_be_bytes());
        put(field::RESPONSE_INFO_LENGTH, &RESPONSE_INFO_BYTES.to_be_bytes());
        put(field::RESPONSE_CODE, &[self.response_code]);
        put(field::TYPE, &[EXTENDED_STATUS_TYPE]);
        put(field::STATUS_FLAGS, &[self.status_flags, self.device_status]);
        put(field::DCW_OFFSET, &self.dcw_offset.to_be_bytes());
        put(field::DCW_RESIDUAL, &self.data_residual.to_be_bytes());
        put(field::REASON, &self.reason.to_be_bytes());
        let times = [
            self.times.queue_10us,
            self.times.defer_10us,
            self.times.device_busy_10us,
            self.times.device_active_10us,
        ];
        for (index, time) in times.iter().enumerate() {
            put(field::TIMES + 2 * index, &time.to_be_bytes());
        }
        let check = lrc(&octets[field::LRC_SPAN]).to_be_bytes();
        octets[field::LRC..field::LRC + 4].copy_from_slice(&check);
        octets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_the_reference_says() {
        let mut response = TransportResponse::ending(0x0E, 0x0102_0304);
        response.max_exchanges = 0x0506;
        response.times.device_active_10us = 0x0708;
        let octets = response.emit(32);
        assert_eq!(&octets[8..12], [5, 6, 0x0B, 0]);
        assert_eq!(&octets[12..24], [1, 2, 3, 4, 0, 0, 0, 64, 0, 0, 0, 8]);
        assert_eq!((octets[27], octets[35], octets[36]), (0, 0x41, 0x0E));
        assert_eq!(&octets[40..44], [1, 2, 3, 4]);
        assert_eq!(&octets[58..60], [7, 8]);
        assert_eq!(TransportResponse::parse(&octets), Ok(response));
        assert_eq!(TransportResponse::sense_bytes(&octets), Ok(32));
    }

    #[test]
    fn damaged_status_is_found() {
        let mut octets = TransportResponse::ending(0x0C, 0).emit(0);
        octets[36] ^= 2;
        assert!(matches!(TransportResponse::parse(&octets), Err(ParseError::Lrc { .. })));
    }
}
