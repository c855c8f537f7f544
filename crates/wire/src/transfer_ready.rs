//! Transfer ready: equal in FCP and in transport mode (FCP-4; reference section 6.6).

use crate::error::ParseError;

/// Octets of a transfer-ready.
pub const TRANSFER_READY_BYTES: usize = 12;

/// Permission to send a burst of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TransferReady {
    /// Where in the transfer the burst begins, octets.
    pub relative_offset: u32,
    /// Octets of the burst.
    pub burst_bytes: u32,
}

impl TransferReady {
    /// Reads a transfer-ready.
    ///
    /// # Errors
    /// Other than 12 octets.
    pub fn parse(octets: &[u8]) -> Result<Self, ParseError> {
        let octets: &[u8; TRANSFER_READY_BYTES] = octets
            .try_into()
            .map_err(|_| ParseError::Length { expected: TRANSFER_READY_BYTES, got: octets.len() })?;
        let word = |at: usize| u32::from_be_bytes(std::array::from_fn(|index| octets[at + index]));
        Ok(Self { relative_offset: word(0), burst_bytes: word(4) })
    }

    /// Returns the 12 octets.
    #[must_use]
    pub fn emit(&self) -> [u8; TRANSFER_READY_BYTES] {
        let mut octets = [0; TRANSFER_READY_BYTES];
        octets[0..4].copy_from_slice(&self.relative_offset.to_be_bytes());
        octets[4..8].copy_from_slice(&self.burst_bytes.to_be_bytes());
        octets
    }
}
