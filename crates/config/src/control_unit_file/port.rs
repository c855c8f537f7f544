//! `[[port]]`: one host-adapter port and its fibre.

use std::ops::Range;

use halftrack_input::{Expect, Fields};
use halftrack_wire::WorldWideName;

use crate::channel_file::world_wide_name;
use crate::credits::{CREDITS_DEFAULT, credits};
use crate::link_access::{AttachedEntry, AttachedNeed, HostEntry, read_attached, read_hosts};
use crate::link_place::{LinkPlace, LinkPlaces, NeitherOrBoth};
use crate::place::{INTERFACE_WORDS, interface_id};
use crate::unique::check_unique;

/// Open exchanges by default.
const OPEN_EXCHANGES_DEFAULT: u16 = 256;
const OPEN_EXCHANGES_MAX: u16 = 4096;
const NEITHER_OR_BOTH: NeitherOrBoth = NeitherOrBoth {
    message: "a port needs exactly one of `listen` and `connect`",
    fix: "give `listen = \"127.0.0.1:3225\"`, or `connect` with the place of a director's port",
};

/// One host-adapter port.
#[derive(Debug, Clone)]
pub struct PortEntry {
    /// Interface id, four hexadecimal digits.
    pub id: String,
    /// It is a port of FCP, for logical units; otherwise of FICON, for devices.
    pub is_fcp: bool,
    /// Its fibre.
    pub place: LinkPlace,
    /// World-wide name of the port.
    pub port_name: WorldWideName,
    /// Receive buffers, frames.
    pub credits: u16,
    /// Exchanges open at once.
    pub open_exchanges: u16,
    /// Ports of channels that may log in; `None` for all.
    pub hosts: Option<Vec<HostEntry>>,
    /// The director's port at the other end, as far as its name is to be proven.
    pub attached: Option<AttachedEntry>,
    /// The whole table.
    pub span: Range<usize>,
}

pub(super) fn read_ports(fields: &mut Fields<'_>, has_tls: bool) -> Vec<PortEntry> {
    let mut places = LinkPlaces::new(fields, NEITHER_OR_BOTH);
    let (mut ids, mut names) = (Vec::new(), Vec::new());
    let ports = fields.tables("port", |port| {
        let id = port.required("id", Expect::parsed(INTERFACE_WORDS, interface_id));
        ids.extend(id.clone());
        let is_fcp = port.or("protocol", Expect::one_of([("ficon", false), ("fcp", true)]), false);
        let place = places.read(port);
        let port_name = port.required("wwpn", world_wide_name());
        names.extend(port_name.clone());
        let credits = port.or("credits", credits(), CREDITS_DEFAULT);
        let most = Expect::integer(1..=OPEN_EXCHANGES_MAX);
        let open_exchanges = port.or("open_exchanges", most, OPEN_EXCHANGES_DEFAULT);
        let hosts = read_hosts(port);
        let need = if port.has("connect") { AttachedNeed::WithTls } else { AttachedNeed::Never };
        let attached = read_attached(port, need, has_tls);
        Some(PortEntry {
            id: id?.value,
            is_fcp,
            place: place?,
            port_name: port_name?.value,
            credits,
            open_exchanges,
            hosts,
            attached,
            span: port.span(),
        })
    });
    check_unique(fields, "port", ids);
    check_unique(fields, "port", names);
    places.check_unique(fields);
    ports
}
