//! ADISC and its LS_ACC: who is at an address, without a login (FC-LS).

use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;
use halftrack_base::Octets;

/// Identity of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Discovery {
    /// Hard address, 24 bits; 0 when it has none.
    pub hard_address: u32,
    /// Name of the port.
    pub port_name: WorldWideName,
    /// Name of the node.
    pub node_name: WorldWideName,
    /// Address of the port, 24 bits.
    pub address: u32,
}

impl Discovery {
    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        Ok(Self {
            hard_address: octets.address()?,
            port_name: WorldWideName(octets.double()?),
            node_name: WorldWideName(octets.double()?),
            address: octets.address()?,
        })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&(self.hard_address & 0x00FF_FFFF).to_be_bytes());
        into.extend_from_slice(&self.port_name.0.to_be_bytes());
        into.extend_from_slice(&self.node_name.0.to_be_bytes());
        into.extend_from_slice(&(self.address & 0x00FF_FFFF).to_be_bytes());
    }
}
