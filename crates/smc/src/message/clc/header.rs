//! Header and trailer of each message of CLC.

use halftrack_base::{LengthError, fields};

use super::Variant;
use crate::message::{EYE_CATCHER, EYE_CATCHER_SMC_D, MessageError};

/// Octets of the header.
pub const HEADER_BYTES: usize = 8;
/// Octets of the trailer.
pub(super) const TRAILER_BYTES: usize = 4;
/// Version of RFC 7609.
const VERSION: u8 = 1;
/// First contact of an Accept or Confirm, out of synchronisation of a Decline.
const FLAG: u8 = 0x08;

/// Kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Proposal.
    Proposal = 1,
    /// Accept.
    Accept = 2,
    /// Confirm.
    Confirm = 3,
    /// Decline.
    Decline = 4,
}

/// Header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Kind.
    pub kind: Kind,
    /// Version, at least 1.
    pub version: u8,
    /// First contact, or out of synchronisation.
    pub flag: bool,
    /// Variant of SMC.
    pub variant: Variant,
}

/// Returns the octets of the whole message that begins with this header.
///
/// # Errors
/// The octets are no header of CLC.
pub fn announced_bytes(header: &[u8; HEADER_BYTES]) -> Result<usize, MessageError> {
    check_eye_catcher(header, 0)?;
    kind(header[4])?;
    let announced = usize::from(fields::u16_at(header, 5));
    let shortest = HEADER_BYTES + TRAILER_BYTES;
    if announced < shortest {
        return Err(LengthError { expected: shortest, got: announced }.into());
    }
    Ok(announced)
}

fn check_eye_catcher(octets: &[u8], at: usize) -> Result<(), MessageError> {
    let found: [u8; 4] = fields::array_at(octets, at);
    if found == EYE_CATCHER || found == EYE_CATCHER_SMC_D {
        Ok(())
    } else {
        Err(MessageError::EyeCatcher(u32::from_be_bytes(found)))
    }
}

fn kind(octet: u8) -> Result<Kind, MessageError> {
    match octet {
        1 => Ok(Kind::Proposal),
        2 => Ok(Kind::Accept),
        3 => Ok(Kind::Confirm),
        4 => Ok(Kind::Decline),
        other => Err(MessageError::Type(other)),
    }
}

impl Header {
    /// Returns a header of SMC-R.
    pub const fn of(kind: Kind, flag: bool) -> Self {
        Self { kind, version: VERSION, flag, variant: Variant::SmcR }
    }

    /// Splits a message into header and body, without the trailer.
    pub fn split(octets: &[u8]) -> Result<(Self, &[u8]), MessageError> {
        let short = LengthError { expected: HEADER_BYTES, got: octets.len() };
        let header = octets.first_chunk::<HEADER_BYTES>().ok_or(short)?;
        let announced = announced_bytes(header)?;
        if octets.len() != announced {
            return Err(LengthError { expected: announced, got: octets.len() }.into());
        }
        check_eye_catcher(octets, announced - TRAILER_BYTES)?;
        let version = header[7] >> 4;
        if version < VERSION {
            return Err(MessageError::Version(version));
        }
        let variant = match header[7] & 3 {
            0 => Variant::SmcR,
            1 => Variant::SmcD,
            2 => Variant::Neither,
            _ => Variant::Both,
        };
        let this = Self { kind: kind(header[4])?, version, flag: header[7] & FLAG != 0, variant };
        Ok((this, &octets[HEADER_BYTES..announced - TRAILER_BYTES]))
    }

    /// Writes header and trailer around a body that is in its place.
    pub fn put(&self, octets: &mut [u8]) {
        let variant = match self.variant {
            Variant::SmcR => 0,
            Variant::SmcD => 1,
            Variant::Neither => 2,
            Variant::Both => 3,
        };
        let eye_catcher = if self.variant == Variant::SmcD { EYE_CATCHER_SMC_D } else { EYE_CATCHER };
        let length = octets.len();
        fields::put(octets, 0, &eye_catcher);
        octets[4] = self.kind as u8;
        fields::put(octets, 5, &(length as u16).to_be_bytes());
        octets[7] = self.version << 4 | if self.flag { FLAG } else { 0 } | variant;
        fields::put(octets, length - TRAILER_BYTES, &eye_catcher);
    }
}
