//! LS_ACC of REC: the state of an exchange (FC-LS; recovery reference section 4.1).

use crate::error::ParseError;
use halftrack_base::Octets;

/// State of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ExchangeStatus {
    /// OX_ID.
    pub ox_id: u16,
    /// RX_ID.
    pub rx_id: u16,
    /// Address of the originator, 24 bits.
    pub originator: u32,
    /// Address of the responder, 24 bits.
    pub responder: u32,
    /// Octets of data that the answering port has received.
    pub received_bytes: u32,
    /// Status: the constants of this type.
    pub status: u32,
}

impl ExchangeStatus {
    /// The answering port is the responder.
    pub const RESPONDER: u32 = 1 << 31;
    /// The answering port holds the sequence initiative.
    pub const INITIATIVE: u32 = 1 << 30;
    /// The exchange is complete.
    pub const COMPLETE: u32 = 1 << 29;

    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let ids = octets.word()?;
        Ok(Self {
            ox_id: (ids >> 16) as u16,
            rx_id: ids as u16,
            originator: octets.address()?,
            responder: octets.address()?,
            received_bytes: octets.word()?,
            status: octets.word()?,
        })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.ox_id.to_be_bytes());
        into.extend_from_slice(&self.rx_id.to_be_bytes());
        let (originator, responder) = (self.originator & 0x00FF_FFFF, self.responder & 0x00FF_FFFF);
        for word in [originator, responder, self.received_bytes, self.status] {
            into.extend_from_slice(&word.to_be_bytes());
        }
    }
}
