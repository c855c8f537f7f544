//! `[[zone]]`: ports that may see each other.

use halftrack_input::{Expect, Fields};
use halftrack_wire::WorldWideName;

use crate::place::DirectorPort;
use crate::unique::check_unique;

/// A zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneEntry {
    /// Name, for people.
    pub name: String,
    /// Members.
    pub members: Vec<ZoneMemberEntry>,
}

/// A member of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneMemberEntry {
    /// The port of this name, wherever it is.
    Name(WorldWideName),
    /// Whatever is at this link address.
    LinkAddress {
        /// Domain of the director.
        domain: u8,
        /// Its port.
        area: u8,
    },
}

pub(super) fn read_zones(fields: &mut Fields<'_>) -> Vec<ZoneEntry> {
    let mut names = Vec::new();
    let zones = fields.tables("zone", |zone| {
        let name = zone.required("name", Expect::text());
        names.extend(name.clone());
        let members = zone.list("members", member());
        let members = members?.into_iter().map(|member| member.value).collect();
        Some(ZoneEntry { name: name?.value, members })
    });
    check_unique(fields, "zone", names);
    zones
}

fn member<'e>() -> Expect<'e, ZoneMemberEntry> {
    let words = "a world-wide name, or a domain and a link address such as \"61.04\"";
    Expect::parsed(words, |text| match DirectorPort::parse(text) {
        Some(DirectorPort { director: domain, port: area }) => {
            Some(ZoneMemberEntry::LinkAddress { domain, area })
        }
        None => text.parse().ok().map(ZoneMemberEntry::Name),
    })
}
