//! Why octets are not the structure that they should be.

use thiserror::Error;

/// A structure could not be parsed: names the structure, the field and its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{structure}, {field} at offset {offset}: {fault}")]
pub struct ParseError {
    /// Name of the structure.
    pub structure: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Offset of the field in bytes from the start of the structure.
    pub offset: usize,
    /// Fault of the field.
    pub fault: Fault,
}

/// Fault of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Fault {
    /// Fewer bytes than the structure has.
    #[error("{found} bytes where {needed} are needed")]
    Short {
        /// Bytes that the structure has.
        needed: usize,
        /// Bytes given.
        found: usize,
    },
    /// More bytes than the structure has, where its length is exact.
    #[error("{found} bytes where {needed} are expected")]
    Long {
        /// Bytes that the structure has.
        needed: usize,
        /// Bytes given.
        found: usize,
    },
    /// Bits that must be zero are not.
    #[error("reserved bits are on: {value:#x}")]
    Reserved {
        /// The field with the bits at fault.
        value: u64,
    },
    /// A value that the field cannot have.
    #[error("invalid value {value:#x}")]
    Value {
        /// The value found.
        value: u64,
    },
    /// An address that is not on the boundary which the structure needs.
    #[error("address {value:#x} is not on a {boundary}-byte boundary")]
    Alignment {
        /// The address found.
        value: u64,
        /// The boundary in bytes.
        boundary: u32,
    },
}

/// Makes the errors of one structure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Structure(pub &'static str);

impl Structure {
    /// Returns the first `N` bytes, or an error with their number.
    #[inline]
    pub(crate) fn fixed<const N: usize>(self, bytes: &[u8]) -> Result<&[u8; N], ParseError> {
        bytes.first_chunk::<N>().ok_or(self.error(
            "length",
            0,
            Fault::Short { needed: N, found: bytes.len() },
        ))
    }

    /// Returns an error of this structure.
    #[inline]
    pub(crate) const fn error(self, field: &'static str, offset: usize, fault: Fault) -> ParseError {
        ParseError { structure: self.0, field, offset, fault }
    }

    /// Fails with [`Fault::Value`] unless `valid`.
    #[inline]
    pub(crate) fn check(
        self,
        valid: bool,
        field: &'static str,
        offset: usize,
        value: impl Into<u64>,
    ) -> Result<(), ParseError> {
        if valid { Ok(()) } else { Err(self.error(field, offset, Fault::Value { value: value.into() })) }
    }

    /// Fails with [`Fault::Reserved`] unless `value` is zero.
    #[inline]
    pub(crate) fn zero(
        self,
        field: &'static str,
        offset: usize,
        value: impl Into<u64>,
    ) -> Result<(), ParseError> {
        let value = value.into();
        if value == 0 { Ok(()) } else { Err(self.error(field, offset, Fault::Reserved { value })) }
    }

    /// Fails with [`Fault::Reserved`] unless all of `bytes`, which begin at `offset`, are zero.
    #[inline]
    pub(crate) fn zeros(self, field: &'static str, offset: usize, bytes: &[u8]) -> Result<(), ParseError> {
        // All at once, which takes a few instructions; one by one only to name the one at fault.
        if bytes.iter().fold(0, |all, byte| all | byte) == 0 {
            return Ok(());
        }
        match bytes.iter().position(|&byte| byte != 0) {
            None => Ok(()),
            Some(at) => Err(self.error(field, offset + at, Fault::Reserved { value: u64::from(bytes[at]) })),
        }
    }

    /// Fails with [`Fault::Alignment`] unless `address` is a multiple of `boundary`.
    #[inline]
    pub(crate) fn aligned(
        self,
        field: &'static str,
        offset: usize,
        address: u64,
        boundary: u32,
    ) -> Result<(), ParseError> {
        if address.is_multiple_of(u64::from(boundary)) {
            Ok(())
        } else {
            Err(self.error(field, offset, Fault::Alignment { value: address, boundary }))
        }
    }
}
