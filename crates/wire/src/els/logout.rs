//! LOGO: the sender logs out of the receiver (FC-LS).

use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;
use halftrack_base::Octets;

/// Port that logs out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Logout {
    /// Address of the port that logs out, 24 bits.
    pub address: u32,
    /// Its name.
    pub port_name: WorldWideName,
}

impl Logout {
    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        Ok(Self { address: octets.address()?, port_name: WorldWideName(octets.double()?) })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&(self.address & 0x00FF_FFFF).to_be_bytes());
        into.extend_from_slice(&self.port_name.0.to_be_bytes());
    }
}
