//! Zoning: which ports may see each other.

use halftrack_wire::WorldWideName;
use thiserror::Error;

use crate::address;

/// Most zones of a switch.
pub const ZONES_MAX: usize = 256;

/// A member of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneMember {
    /// The port of this name, wherever it is plugged in.
    Name(WorldWideName),
    /// Whatever port is plugged in at this link address of this switch.
    LinkAddress {
        /// The switch.
        domain: u8,
        /// Its port.
        area: u8,
    },
}

/// Ports that may see each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Name, for people.
    pub name: String,
    /// Members.
    pub members: Vec<ZoneMember>,
}

/// More zones than a switch keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0} zones where a switch keeps at most {ZONES_MAX}")]
pub struct TooManyZones(pub usize);

/// The zones of a switch. Without any, everybody may see everybody; with one, only members of a common zone may.
#[derive(Debug, Clone, Default)]
pub struct Zoning {
    zones: Vec<Zone>,
}

/// The zones that a port is a member of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Membership([u64; ZONES_MAX / 64]);

impl Zoning {
    /// Returns the zoning of these zones.
    ///
    /// # Errors
    /// More than [`ZONES_MAX`].
    pub fn new(zones: Vec<Zone>) -> Result<Self, TooManyZones> {
        if zones.len() > ZONES_MAX { Err(TooManyZones(zones.len())) } else { Ok(Self { zones }) }
    }

    /// Returns the zones of the port with this name and address. Without zoning the first bit stands for the whole fabric.
    #[must_use]
    pub fn membership(&self, name: WorldWideName, port_address: u32) -> Membership {
        let mut membership = Membership::default();
        if self.zones.is_empty() {
            membership.0[0] = 1;
        }
        let is_member = |member: &ZoneMember| match *member {
            ZoneMember::Name(member) => member == name,
            ZoneMember::LinkAddress { domain, area } => {
                (domain, area) == (address::domain(port_address), address::area(port_address))
            }
        };
        for (index, zone) in self.zones.iter().enumerate() {
            if zone.members.iter().any(is_member) {
                membership.0[index / 64] |= 1 << (index % 64);
            }
        }
        membership
    }
}

impl Membership {
    /// Returns whether both are in a common zone.
    #[inline]
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).any(|(own, other)| own & other != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANNEL: WorldWideName = WorldWideName(1);
    const CONTROL_UNIT: WorldWideName = WorldWideName(2);
    const STRANGER: WorldWideName = WorldWideName(3);

    fn zone(members: &[ZoneMember]) -> Zone {
        Zone { name: "PROD".to_owned(), members: members.to_vec() }
    }

    #[test]
    fn without_zones_everybody_meets() {
        let open = Zoning::default();
        assert!(open.membership(CHANNEL, 0x61_0100).meets(&open.membership(STRANGER, 0x62_0100)));
    }

    #[test]
    fn with_zones_only_members_of_a_common_zone_meet() {
        let address = ZoneMember::LinkAddress { domain: 0x61, area: 5 };
        let mut zones = vec![zone(&[]); 70];
        zones.push(zone(&[ZoneMember::Name(CHANNEL), address]));
        let zoning = Zoning::new(zones).unwrap();
        let channel = zoning.membership(CHANNEL, 0x61_0100);
        assert!(channel.meets(&zoning.membership(CONTROL_UNIT, 0x61_0500)));
        assert!(!channel.meets(&zoning.membership(CONTROL_UNIT, 0x62_0500)));
        let stranger = zoning.membership(STRANGER, 0x61_0200);
        assert!(!stranger.meets(&stranger), "a port in no zone sees nobody");
    }

    #[test]
    fn there_is_a_most_of_zones() {
        assert!(Zoning::new(vec![zone(&[]); ZONES_MAX]).is_ok());
        assert!(matches!(Zoning::new(vec![zone(&[]); 257]), Err(TooManyZones(257))));
    }
}
