//! Ids of an exchange, as RRQ and REC have them (FC-LS).
//!
//! RRQ: the recovery qualifier of an aborted exchange is at its end, so that its ids are free again. REC: the state of
//! the exchange is requested.

use crate::error::ParseError;
use halftrack_base::Octets;

/// Ids of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ExchangeIds {
    /// Address of the originator, 24 bits.
    pub originator: u32,
    /// OX_ID.
    pub ox_id: u16,
    /// RX_ID.
    pub rx_id: u16,
}

impl ExchangeIds {
    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let originator = octets.address()?;
        let ids = octets.word()?;
        Ok(Self { originator, ox_id: (ids >> 16) as u16, rx_id: ids as u16 })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&(self.originator & 0x00FF_FFFF).to_be_bytes());
        into.extend_from_slice(&self.ox_id.to_be_bytes());
        into.extend_from_slice(&self.rx_id.to_be_bytes());
    }
}
