//! Link state records: the inter-switch links of a switch, as all switches of a fabric get them (FSPF, FC-SW).

use halftrack_base::Octets;

use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;

/// Most links of one record, so that it fits a frame.
pub const STATE_LINKS_MAX: usize = 120;
/// Most octets of the records of one update.
pub const LINK_STATES_BYTES_MAX: usize = 2048;

const SWITCH_LINK_RECORD: u8 = 1;
const HEADER_BYTES: usize = 24;
const LINK_BYTES: usize = 16;
const NAME_BYTES: usize = 8;
const POINT_TO_POINT: u8 = 1;
const COST: u16 = 500;

/// An inter-switch link as one of its ends has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct StateLink {
    /// Domain at the other end.
    pub domain: u8,
    /// Link address of this end.
    pub area: u8,
}

/// The links of a switch over which frames pass. All have the same cost: routes have the fewest links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkStateRecord {
    /// The switch's domain.
    pub domain: u8,
    /// Its name. FSPF has none: our choice is to put it behind the links.
    pub switch_name: WorldWideName,
    /// Incarnation: the higher one of two records is the newer.
    pub incarnation: u32,
    /// Its links, at most [`STATE_LINKS_MAX`].
    pub links: Vec<StateLink>,
}

impl LinkStateRecord {
    /// Returns its octets in an update.
    #[must_use]
    pub fn bytes(&self) -> usize {
        HEADER_BYTES + 4 + LINK_BYTES * self.links.len().min(STATE_LINKS_MAX) + NAME_BYTES
    }

    pub(crate) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let kind = octets.byte()?;
        if kind != SWITCH_LINK_RECORD {
            return Err(ParseError::Field { field: "link state record", value: u32::from(kind) });
        }
        octets.take(1 + 2 + 4)?;
        let domain = octets.word()? as u8;
        octets.take(4)?;
        let incarnation = octets.word()?;
        octets.take(2)?;
        let length = octets.half()?;
        octets.take(2)?;
        let count = octets.half()?;
        let wanted = HEADER_BYTES + 4 + LINK_BYTES * usize::from(count) + NAME_BYTES;
        if usize::from(count) > STATE_LINKS_MAX || usize::from(length) != wanted {
            return Err(ParseError::Field { field: "links of a record", value: u32::from(count) });
        }
        let mut links = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let (neighbour, area) = (octets.word()? as u8, octets.word()? as u8);
            octets.take(8)?;
            links.push(StateLink { domain: neighbour, area });
        }
        let switch_name = WorldWideName(octets.double()?);
        Ok(Self { domain, switch_name, incarnation, links })
    }

    pub(crate) fn emit(&self, into: &mut Vec<u8>) {
        let links = &self.links[..self.links.len().min(STATE_LINKS_MAX)];
        into.extend_from_slice(&[SWITCH_LINK_RECORD, 0, 0, 0, 0, 0, 0, 0]);
        into.extend_from_slice(&u32::from(self.domain).to_be_bytes());
        into.extend_from_slice(&u32::from(self.domain).to_be_bytes());
        into.extend_from_slice(&self.incarnation.to_be_bytes());
        into.extend_from_slice(&[0; 2]);
        into.extend_from_slice(&(self.bytes() as u16).to_be_bytes());
        into.extend_from_slice(&[0; 2]);
        into.extend_from_slice(&(links.len() as u16).to_be_bytes());
        for link in links {
            into.extend_from_slice(&u32::from(link.domain).to_be_bytes());
            into.extend_from_slice(&u32::from(link.area).to_be_bytes());
            into.extend_from_slice(&[0, 0, 0, 0, POINT_TO_POINT, 0]);
            into.extend_from_slice(&COST.to_be_bytes());
        }
        into.extend_from_slice(&self.switch_name.0.to_be_bytes());
    }
}
