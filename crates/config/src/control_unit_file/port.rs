//! `[[port]]`: one host-adapter port and its fibre.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::Range;

use halftrack_catalog::{Expect, Fields, numbers as toml_numbers};
use halftrack_deck::model::Located;
use halftrack_wire::WorldWideName;

use crate::channel_file::{place, world_wide_name};
use crate::numbers;
use crate::place::{INTERFACE_WORDS, interface_id};
use crate::unique::check_unique;

/// Receive buffers when the file does not say: enough that they are not what a link within one host waits for.
const CREDITS_DEFAULT: u16 = 256;
/// Open exchanges when the file does not say.
const OPEN_EXCHANGES_DEFAULT: u16 = 256;
const CREDITS_MAX: u16 = 32_767;
const OPEN_EXCHANGES_MAX: u16 = 4096;

/// Where the fibre of a port comes from or leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortPlace {
    /// A channel, or a director's port, connects to this address.
    Listen(SocketAddr),
    /// The port connects to this host and TCP port: a director's.
    Connect(String),
}

/// One host-adapter port.
#[derive(Debug, Clone)]
pub struct PortEntry {
    /// Interface id, four hexadecimal digits.
    pub id: String,
    /// Its fibre.
    pub place: PortPlace,
    /// World-wide name of the port.
    pub port_name: WorldWideName,
    /// Receive buffers, frames.
    pub credits: u16,
    /// Exchanges open at once.
    pub open_exchanges: u16,
    /// Ports of channels that may log in; `None` for all.
    pub hosts: Option<Vec<WorldWideName>>,
    /// The whole table.
    pub span: Range<usize>,
}

pub(super) fn read_ports(fields: &mut Fields<'_>) -> Vec<PortEntry> {
    let beyond = fields.or("listen_beyond_this_host", Expect::flag(), false);
    let (mut ids, mut names, mut addresses) = (Vec::new(), Vec::new(), Vec::new());
    let ports = fields.tables("port", |port| {
        let id = port.required("id", Expect::parsed(INTERFACE_WORDS, interface_id));
        ids.extend(id.clone());
        let place = read_place(port, beyond, &mut addresses);
        let port_name = port.required("wwpn", world_wide_name());
        names.extend(port_name.clone());
        let credits = port.or("credits", Expect::integer(1..=CREDITS_MAX), CREDITS_DEFAULT);
        let most = Expect::integer(1..=OPEN_EXCHANGES_MAX);
        let open_exchanges = port.or("open_exchanges", most, OPEN_EXCHANGES_DEFAULT);
        let hosts = port.optional_list("hosts", world_wide_name());
        Some(PortEntry {
            id: id?.value,
            place: place?,
            port_name: port_name?.value,
            credits,
            open_exchanges,
            hosts: hosts.map(|hosts| hosts.into_iter().map(|host| host.value).collect()),
            span: port.span(),
        })
    });
    check_unique(fields, "port", ids);
    check_unique(fields, "port", names);
    check_unique(fields, "address", addresses);
    ports
}

fn read_place(
    port: &mut Fields<'_>,
    beyond: bool,
    addresses: &mut Vec<Located<String>>,
) -> Option<PortPlace> {
    let listen = port.optional("listen", address());
    let connect = port.optional("connect", place());
    if port.has("listen") == port.has("connect") {
        let message = "a port needs exactly one of `listen` and `connect`";
        let fix = "give `listen = \"127.0.0.1:3225\"`, or `connect` with the place of a director's port";
        port.error(toml_numbers::CHOOSE_ONE, port.span(), message, fix);
        return None;
    }
    let Some(listen) = listen else {
        return connect.map(|connect| PortPlace::Connect(connect.value));
    };
    if !listen.value.ip().is_loopback() && !beyond {
        let message = format!("`listen` is {}, which other hosts can reach", listen.value);
        let fix = "listen at 127.0.0.1, or say `listen_beyond_this_host = true` at the head of the file";
        port.error(numbers::BEYOND_THIS_HOST, listen.span.clone(), message, fix);
        return None;
    }
    // Port 0 is another port each time.
    if listen.value.port() > 0 {
        addresses.push(Located::new(listen.value.to_string(), listen.span));
    }
    Some(PortPlace::Listen(listen.value))
}

/// An address to listen at; a TCP port alone is one of this host.
pub(crate) fn address<'e>() -> Expect<'e, SocketAddr> {
    let words = "an IP address and a TCP port such as \"127.0.0.1:3225\", or the TCP port alone";
    Expect::parsed(words, |text| {
        let of_this_host = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        text.parse().ok().or_else(|| text.parse().ok().map(of_this_host))
    })
}
