//! The octets of an information unit as the pieces that go out one after the other, so that its data need no copy.
//!
//! ```text
//! before | data as they are in the IU | behind: padding, or the rest of a TCCB | [check word over data and padding]
//! ```

use crate::choices::SENSE_BYTES;
use crate::crc::padding;
use crate::error::EmitError;
use crate::iu::{Body, Iu};
use crate::transfer_ready::TransferReady;
use crate::transport_iu::abort_accept;
use crate::transport_response::RESPONSE_BYTES;

/// Most octets behind the data: the trailer of a bidirectional TCCB.
const MOST_BEHIND: usize = 12;

/// Octets around the data of an IU; none by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IuParts {
    before: [u8; RESPONSE_BYTES],
    before_bytes: u8,
    behind: [u8; MOST_BEHIND],
    behind_bytes: u8,
    /// Octets of the IU's data, from the first, that go out between the two.
    pub data_bytes: u32,
    /// A check word over the data and what is behind them ends the IU.
    pub has_check_word: bool,
}

impl Default for IuParts {
    fn default() -> Self {
        Self::new(&[], 0, &[], false)
    }
}

impl IuParts {
    /// Returns the parts with at most 64 octets before the data and 12 behind; what is beyond that is cut.
    #[must_use]
    pub(crate) fn new(before: &[u8], data_bytes: usize, behind: &[u8], has_check_word: bool) -> Self {
        let mut parts = Self {
            before: [0; RESPONSE_BYTES],
            before_bytes: before.len().min(RESPONSE_BYTES) as u8,
            behind: [0; MOST_BEHIND],
            behind_bytes: behind.len().min(MOST_BEHIND) as u8,
            data_bytes: data_bytes as u32,
            has_check_word,
        };
        let (before_bytes, behind_bytes) = (before.len().min(RESPONSE_BYTES), behind.len().min(MOST_BEHIND));
        parts.before[..before_bytes].copy_from_slice(&before[..before_bytes]);
        parts.behind[..behind_bytes].copy_from_slice(&behind[..behind_bytes]);
        parts
    }

    /// Returns the octets before the data.
    #[inline]
    #[must_use]
    pub fn before(&self) -> &[u8] {
        &self.before[..usize::from(self.before_bytes)]
    }

    /// Returns the octets behind the data, the check word left out.
    #[inline]
    #[must_use]
    pub fn behind(&self) -> &[u8] {
        &self.behind[..usize::from(self.behind_bytes)]
    }
}

impl Iu {
    /// Returns what stands around the IU's data on the link.
    ///
    /// # Errors
    /// Data that this kind of IU does not take; a frame of a circuit.
    pub fn parts(&self) -> Result<IuParts, EmitError> {
        let length = self.data.len() as usize;
        match &self.body {
            Body::CommandMode(fields) => self.command_mode_parts(fields),
            Body::TransportCommand { read, write } => self.command_parts(*read, *write),
            Body::TransferReady { relative_offset, burst_bytes } => {
                let (relative_offset, burst_bytes) = (*relative_offset, *burst_bytes);
                self.without_data(&TransferReady { relative_offset, burst_bytes }.emit())
            }
            Body::TransportData { .. } if padding(length) != 0 => Err(EmitError::Data(length)),
            Body::TransportData { ends_transfer, .. } => Ok(IuParts::new(&[], length, &[], *ends_transfer)),
            Body::TransportResponse(_) if length != 0 && length != SENSE_BYTES => {
                Err(EmitError::Data(length))
            }
            Body::TransportResponse(response) => {
                Ok(IuParts::new(&response.emit(self.data.len()), length, &[], false))
            }
            Body::Device(_) => Err(EmitError::Circuit),
            Body::Abort => self.without_data(&[]),
            Body::AbortAccept { ox_id, rx_id } => self.without_data(&abort_accept(*ox_id, *rx_id)),
            Body::Fcp(unit) => unit.parts(self.address, length),
        }
    }

    /// Returns the octets of the IU, without FC-2 framing. Data known by length only go out as zeros.
    ///
    /// # Errors
    /// Data that this kind of IU does not take.
    pub fn emit(&self) -> Result<Vec<u8>, EmitError> {
        let parts = self.parts()?;
        let mut octets = Vec::with_capacity(self.payload_bytes() as usize);
        octets.extend_from_slice(parts.before());
        octets.extend_from_slice(&self.data.octets()[..parts.data_bytes as usize]);
        octets.extend_from_slice(parts.behind());
        if parts.has_check_word {
            let check = crate::crc::crc(&octets[parts.before().len()..]);
            octets.extend_from_slice(&check.to_be_bytes());
        }
        Ok(octets)
    }

    fn without_data(&self, octets: &[u8]) -> Result<IuParts, EmitError> {
        let length = self.data.len() as usize;
        if length == 0 { Ok(IuParts::new(octets, 0, &[], false)) } else { Err(EmitError::Data(length)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iu::{Address, IuData};

    #[test]
    fn what_is_too_long_is_cut() {
        let parts = IuParts::new(&[1; 65], 0, &[2; 13], false);
        assert_eq!((parts.before().len(), parts.behind().len()), (RESPONSE_BYTES, MOST_BEHIND));
    }

    #[test]
    fn transport_data_go_out_as_they_are() {
        let body = Body::TransportData { relative_offset: 0, inserted_bytes: 0, ends_transfer: true };
        let mut iu = Iu { address: Address::default(), body, data: IuData::Bytes(vec![7; 8]) };
        let parts = iu.parts().unwrap();
        assert_eq!((parts.before(), parts.data_bytes, parts.behind()), (&[][..], 8, &[][..]));
        assert!(parts.has_check_word);
        assert_eq!(iu.emit().unwrap().len(), 12);
        iu.data = IuData::Bytes(vec![7; 9]);
        assert_eq!(iu.parts(), Err(EmitError::Data(9)));
    }
}
