//! FCP_RSP: the end of a command or of a task management function (FCP-4; FCP reference sections 1.5, 1.6).

use std::cmp::Ordering;

use halftrack_base::Octets;

use crate::error::ParseError;

/// Octets before response information and sense.
pub const RESPONSE_BYTES: usize = 24;
/// Octets of a response of old targets, all of whose flags are off.
const SHORT_RESPONSE_BYTES: usize = 12;
/// Octets of the response information that this format writes.
const INFORMATION_BYTES: usize = 8;
/// Most octets of sense (SPC-4).
pub const SENSE_MAX_BYTES: usize = 252;

mod flag {
    pub const INFORMATION_VALID: u8 = 0x01;
    pub const SENSE_VALID: u8 = 0x02;
    pub const OVER: u8 = 0x04;
    pub const UNDER: u8 = 0x08;
    pub const CONFIRMATION_REQUESTED: u8 = 0x10;
    /// Residuals of bidirectional commands, of which there are none here.
    pub const BIDIRECTIONAL: u8 = 0xE0;
}

/// SCSI status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ScsiStatus(pub u8);

impl ScsiStatus {
    /// GOOD.
    pub const GOOD: Self = Self(0x00);
    /// CHECK CONDITION.
    pub const CHECK_CONDITION: Self = Self(0x02);
    /// CONDITION MET.
    pub const CONDITION_MET: Self = Self(0x04);
    /// BUSY.
    pub const BUSY: Self = Self(0x08);
    /// RESERVATION CONFLICT.
    pub const RESERVATION_CONFLICT: Self = Self(0x18);
    /// TASK SET FULL.
    pub const TASK_SET_FULL: Self = Self(0x28);
    /// ACA ACTIVE.
    pub const ACA_ACTIVE: Self = Self(0x30);
    /// TASK ABORTED.
    pub const TASK_ABORTED: Self = Self(0x40);
}

/// Difference between the octets that a command calls for and FCP_DL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Residual {
    /// None.
    #[default]
    None,
    /// Fewer octets than FCP_DL.
    Under(u32),
    /// More octets than FCP_DL, which did not move.
    Over(u32),
}

impl Residual {
    /// Returns the residual of a command that calls for `called_bytes` where the initiator stated `stated_bytes`.
    #[must_use]
    pub fn of(called_bytes: u64, stated_bytes: u32) -> Self {
        let stated_bytes = u64::from(stated_bytes);
        let limited = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        match called_bytes.cmp(&stated_bytes) {
            Ordering::Less => Self::Under(limited(stated_bytes - called_bytes)),
            Ordering::Equal => Self::None,
            Ordering::Greater => Self::Over(limited(called_bytes - stated_bytes)),
        }
    }
}

/// Response code: how the protocol of an exchange, or a task management function, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResponseCode {
    /// No failure; a task management function is complete.
    Complete,
    /// The length of data differs from the burst length.
    DataLength,
    /// Fields of the command are invalid.
    CommandFields,
    /// The parameter of data differs from the offset that was requested.
    DataOffset,
    /// The task management function is not supported.
    Rejected,
    /// The task management function failed.
    Failed,
    /// The task management function is for a logical unit that does not exist.
    WrongLogicalUnit,
    /// A code without a name here.
    Other(u8),
}

impl ResponseCode {
    const NAMED: [(Self, u8); 7] = [
        (Self::Complete, 0x00),
        (Self::DataLength, 0x01),
        (Self::CommandFields, 0x02),
        (Self::DataOffset, 0x03),
        (Self::Rejected, 0x04),
        (Self::Failed, 0x05),
        (Self::WrongLogicalUnit, 0x09),
    ];

    /// Returns the code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Other(code) => code,
            named => Self::NAMED.iter().find(|entry| entry.0 == named).map_or(0, |entry| entry.1),
        }
    }

    /// Returns the response with this code.
    #[must_use]
    pub fn from_code(code: u8) -> Self {
        Self::NAMED.iter().find(|entry| entry.1 == code).map_or(Self::Other(code), |entry| entry.0)
    }
}

/// FCP_RSP.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct FcpResponse {
    /// Status qualifier: for BUSY and TASK SET FULL how long to wait, 14 bits in units of 100 ms below 2 of scope.
    pub retry_delay: u16,
    /// The target keeps the response until an FCP_CONF comes.
    pub requests_confirmation: bool,
    /// Residual.
    pub residual: Residual,
    /// SCSI status; without meaning with a response code other than that of completion.
    pub status: ScsiStatus,
    /// Response information, when there is any.
    pub code: Option<ResponseCode>,
    /// Sense.
    pub sense: Vec<u8>,
}

impl FcpResponse {
    /// Returns a response that consists of response information.
    #[must_use]
    pub fn of_code(code: ResponseCode) -> Self {
        Self { code: Some(code), ..Self::default() }
    }

    /// Reads a response. Twelve octets without a flag are one as well.
    ///
    /// # Errors
    /// A wrong length; both residuals; residuals of a bidirectional command; a length of response information that
    /// is none of 0, 4 and 8.
    pub fn parse(octets: &[u8]) -> Result<Self, ParseError> {
        let got = octets.len();
        let mut reader = Octets::new(octets);
        reader.take(8)?;
        let retry_delay = reader.half()?;
        let [flags, status] = reader.array()?;
        let status = ScsiStatus(status);
        if got == SHORT_RESPONSE_BYTES && flags == 0 {
            return Ok(Self { retry_delay, status, ..Self::default() });
        }
        let value = u32::from(flags);
        let count = reader.word()?;
        let residual = match flags & (flag::UNDER | flag::OVER | flag::BIDIRECTIONAL) {
            0 => Residual::None,
            flag::UNDER => Residual::Under(count),
            flag::OVER => Residual::Over(count),
            _ => return Err(ParseError::Field { field: "residual flags", value }),
        };
        let sense_bytes = length(flags, flag::SENSE_VALID, reader.word()?);
        let information_bytes = length(flags, flag::INFORMATION_VALID, reader.word()?);
        if !matches!(information_bytes, 0 | 4 | 8) {
            let value = information_bytes as u32;
            return Err(ParseError::Field { field: "response information length", value });
        }
        let expected = RESPONSE_BYTES.saturating_add(information_bytes).saturating_add(sense_bytes);
        if got != expected {
            return Err(ParseError::Length { expected, got });
        }
        let information = reader.take(information_bytes)?;
        Ok(Self {
            retry_delay,
            requests_confirmation: flags & flag::CONFIRMATION_REQUESTED != 0,
            residual,
            status,
            code: information.get(3).map(|&code| ResponseCode::from_code(code)),
            sense: reader.take(sense_bytes)?.to_vec(),
        })
    }

    /// Returns the octets before the sense: 24, or 32 with response information.
    #[must_use]
    pub fn emit_head(&self) -> ([u8; RESPONSE_BYTES + INFORMATION_BYTES], usize) {
        let mut octets = [0; RESPONSE_BYTES + INFORMATION_BYTES];
        let (residual_flag, count) = match self.residual {
            Residual::None => (0, 0),
            Residual::Under(count) => (flag::UNDER, count),
            Residual::Over(count) => (flag::OVER, count),
        };
        let information_bytes = if self.code.is_some() { INFORMATION_BYTES } else { 0 };
        octets[8..10].copy_from_slice(&self.retry_delay.to_be_bytes());
        octets[10] = residual_flag
            | if self.code.is_some() { flag::INFORMATION_VALID } else { 0 }
            | if self.sense.is_empty() { 0 } else { flag::SENSE_VALID }
            | if self.requests_confirmation { flag::CONFIRMATION_REQUESTED } else { 0 };
        octets[11] = self.status.0;
        octets[12..16].copy_from_slice(&count.to_be_bytes());
        octets[16..20].copy_from_slice(&(self.sense.len() as u32).to_be_bytes());
        octets[20..24].copy_from_slice(&(information_bytes as u32).to_be_bytes());
        octets[27] = self.code.map_or(0, ResponseCode::code);
        (octets, RESPONSE_BYTES + information_bytes)
    }

    /// Returns the octets.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let (head, bytes) = self.emit_head();
        [&head[..bytes], &self.sense].concat()
    }
}

fn length(flags: u8, valid: u8, stated: u32) -> usize {
    if flags & valid == 0 { 0 } else { stated as usize }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The check condition of the FCP reference, section 6.5.
    #[test]
    fn worked_check_condition() {
        let sense = [0x70, 0, 6, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x29, 7, 0, 0, 0, 0];
        let mut expected = vec![0; 10];
        expected.extend_from_slice(&[0x12, 2, 0, 0, 0, 0, 0, 0, 0, 0x12, 0, 0, 0, 0]);
        expected.extend_from_slice(&sense);
        let response = FcpResponse {
            requests_confirmation: true,
            status: ScsiStatus::CHECK_CONDITION,
            sense: sense.to_vec(),
            ..FcpResponse::default()
        };
        assert_eq!(response.emit(), expected);
        assert_eq!(FcpResponse::parse(&expected), Ok(response));
    }

    /// The answer to a logical unit reset of the FCP reference, section 6.5.
    #[test]
    fn worked_function_complete() {
        let mut expected = vec![0; 32];
        (expected[10], expected[23]) = (1, 8);
        let response = FcpResponse::of_code(ResponseCode::Complete);
        assert_eq!(response.emit(), expected);
        assert_eq!(FcpResponse::parse(&expected), Ok(response));
    }

    #[test]
    fn a_short_response_without_flags_is_one() {
        let mut octets = [0; 12];
        octets[11] = 8;
        let busy = FcpResponse { status: ScsiStatus::BUSY, ..FcpResponse::default() };
        assert_eq!(FcpResponse::parse(&octets), Ok(busy));
        octets[10] = 8;
        assert!(FcpResponse::parse(&octets).is_err(), "where is the residual?");
    }

    #[test]
    fn invalid_fields_are_refused() {
        let changed = |octet: usize, value: u8| {
            let mut octets = FcpResponse::of_code(ResponseCode::Rejected).emit();
            octets[octet] = value;
            FcpResponse::parse(&octets)
        };
        assert!(matches!(changed(10, 0x0D), Err(ParseError::Field { field: "residual flags", .. })));
        assert!(matches!(changed(10, 0x81), Err(ParseError::Field { field: "residual flags", .. })));
        assert!(matches!(
            changed(23, 6),
            Err(ParseError::Field { field: "response information length", .. })
        ));
        assert_eq!(changed(23, 4), Err(ParseError::Length { expected: 28, got: 32 }));
        assert_eq!(changed(10, 0x03), changed(10, 0x01), "sense of no octets");
    }

    #[test]
    fn the_residual_is_the_difference() {
        assert_eq!(Residual::of(512, 0), Residual::Over(512));
        assert_eq!(Residual::of(512, 10_000), Residual::Under(9488));
        assert_eq!(Residual::of(512, 200), Residual::Over(312));
        assert_eq!(Residual::of(512, 512), Residual::None);
    }

    proptest! {
        #[test]
        fn any_response_round_trips(
            retry_delay: u16,
            requests_confirmation: bool,
            residual in prop_oneof![
                Just(Residual::None), any::<u32>().prop_map(Residual::Under), any::<u32>().prop_map(Residual::Over),
            ],
            status: u8,
            code in prop::option::of(any::<u8>().prop_map(ResponseCode::from_code)),
            sense in prop::collection::vec(any::<u8>(), 0..SENSE_MAX_BYTES),
        ) {
            let status = ScsiStatus(status);
            let response = FcpResponse { retry_delay, requests_confirmation, residual, status, code, sense };
            prop_assert_eq!(FcpResponse::parse(&response.emit()), Ok(response));
        }

        #[test]
        fn any_octets_parse_or_fail(octets in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(response) = FcpResponse::parse(&octets) {
                prop_assert_eq!(FcpResponse::parse(&response.emit()), Ok(response));
            }
        }
    }
}
