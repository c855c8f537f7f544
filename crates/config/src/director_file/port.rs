//! `[[port]]` and `[[isl]]`: the ports of a director.

use std::ops::Range;

use halftrack_input::{Fields, Located};
use halftrack_wire::WorldWideName;

use super::link_address;
use crate::channel_file::world_wide_name;
use crate::credits::{CREDITS_DEFAULT, credits};
use crate::link_access::{AttachedEntry, AttachedNeed, HostEntry, read_attached, read_hosts};
use crate::link_place::{LinkPlace, LinkPlaces, NeitherOrBoth};
use crate::plant::km;
use crate::unique::check_unique;

const NEITHER_OR_BOTH: NeitherOrBoth = NeitherOrBoth {
    message: "a port of a director needs exactly one of `listen` and `connect`",
    fix: "give `listen = \"127.0.0.1:4104\"`, or `connect` with the place of the other director's port",
};

/// A port of a director.
#[derive(Debug, Clone)]
pub struct DirectorFilePort {
    /// Link address.
    pub area: u8,
    /// Its fibre.
    pub place: LinkPlace,
    /// Receive buffers, frames.
    pub credits: u16,
    /// Ports that may log in; `None` for all.
    pub hosts: Option<Vec<HostEntry>>,
    /// The port at the other end of an inter-switch link, as far as its name is to be proven.
    pub attached: Option<AttachedEntry>,
    /// Settings of the port of an inter-switch link; none for a channel or a control unit.
    pub inter_switch: Option<InterSwitch>,
    /// The whole table.
    pub span: Range<usize>,
}

/// Settings of the port of an inter-switch link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterSwitch {
    /// Distance that is emulated, km one way: of what this end sends.
    pub km: f64,
    /// Name of the switch that must be at the other end; none: any.
    pub neighbour: Option<WorldWideName>,
}

/// Reads `[[port]]` and `[[isl]]`.
pub(super) fn read_ports(fields: &mut Fields<'_>, has_tls: bool) -> Vec<DirectorFilePort> {
    let mut places = LinkPlaces::new(fields, NEITHER_OR_BOTH);
    let mut areas = Vec::new();
    let mut ports = fields.tables("port", |port| {
        let hosts = read_hosts(port);
        let read = read_port(port, &mut places, &mut areas, None)?;
        Some(DirectorFilePort { hosts, ..read })
    });
    ports.extend(fields.tables("isl", |link| {
        let inter_switch = InterSwitch {
            km: link.or("km", km(), 0.0),
            neighbour: link.optional("switch", world_wide_name()).map(|name| name.value),
        };
        let attached = read_attached(link, AttachedNeed::WithTls, has_tls);
        let read = read_port(link, &mut places, &mut areas, Some(inter_switch))?;
        Some(DirectorFilePort { attached, ..read })
    }));
    check_unique(fields, "link address", areas);
    places.check_unique(fields);
    ports
}

fn read_port(
    port: &mut Fields<'_>,
    places: &mut LinkPlaces,
    areas: &mut Vec<Located<String>>,
    inter_switch: Option<InterSwitch>,
) -> Option<DirectorFilePort> {
    let area = port.required("link", link_address());
    areas.extend(area.clone().map(|area| Located::new(format!("{:02X}", area.value), area.span)));
    let place = places.read(port);
    let credits = port.or("credits", credits(), CREDITS_DEFAULT);
    Some(DirectorFilePort {
        area: area?.value,
        place: place?,
        credits,
        hosts: None,
        attached: None,
        inter_switch,
        span: port.span(),
    })
}
