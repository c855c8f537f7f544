//! `[[port]]` and `[[isl]]`: the ports of a director.

use core::net::SocketAddr;
use std::ops::Range;

use halftrack_catalog::{Expect, Fields, numbers as toml_numbers};
use halftrack_deck::model::Located;
use halftrack_wire::WorldWideName;

use super::link_address;
use crate::channel_file::{place, world_wide_name};
use crate::control_unit_file::address;
use crate::numbers;
use crate::plant::km;
use crate::unique::check_unique;

/// Receive buffers when the file does not say: enough that they are not what a link within one host waits for.
const CREDITS_DEFAULT: u16 = 256;
const CREDITS_MAX: u16 = 32_767;

/// Where the fibre of a port comes from or leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectorPlace {
    /// The other end connects to this address.
    Listen(SocketAddr),
    /// The port connects to this host and TCP port.
    Connect(String),
}

/// A port of a director.
#[derive(Debug, Clone)]
pub struct DirectorFilePort {
    /// Link address.
    pub area: u8,
    /// Its fibre.
    pub place: DirectorPlace,
    /// Receive buffers, frames.
    pub credits: u16,
    /// What the port of an inter-switch link has beside; none for a channel or a control unit.
    pub inter_switch: Option<InterSwitch>,
    /// The whole table.
    pub span: Range<usize>,
}

/// What the port of an inter-switch link has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterSwitch {
    /// Distance that is emulated, km one way: of what this end sends.
    pub km: f64,
    /// Name of the switch that must be at the other end; none: any.
    pub neighbour: Option<WorldWideName>,
}

/// Reads `[[port]]` and `[[isl]]`.
pub(super) fn read_ports(fields: &mut Fields<'_>) -> Vec<DirectorFilePort> {
    let beyond = fields.or("listen_beyond_this_host", Expect::flag(), false);
    let (mut areas, mut addresses) = (Vec::new(), Vec::new());
    let mut ports = fields.tables("port", |port| read_port(port, beyond, &mut areas, &mut addresses, false));
    ports.extend(fields.tables("isl", |link| read_port(link, beyond, &mut areas, &mut addresses, true)));
    check_unique(fields, "link address", areas);
    check_unique(fields, "address", addresses);
    ports
}

fn read_port(
    port: &mut Fields<'_>,
    beyond: bool,
    areas: &mut Vec<Located<String>>,
    addresses: &mut Vec<Located<String>>,
    is_link: bool,
) -> Option<DirectorFilePort> {
    let area = port.required("link", link_address());
    areas.extend(area.clone().map(|area| Located::new(format!("{:02X}", area.value), area.span)));
    let place = read_place(port, beyond, addresses);
    let credits = port.or("credits", Expect::integer(1..=CREDITS_MAX), CREDITS_DEFAULT);
    let inter_switch = is_link.then(|| InterSwitch {
        km: port.or("km", km(), 0.0),
        neighbour: port.optional("switch", world_wide_name()).map(|name| name.value),
    });
    Some(DirectorFilePort { area: area?.value, place: place?, credits, inter_switch, span: port.span() })
}

fn read_place(
    port: &mut Fields<'_>,
    beyond: bool,
    addresses: &mut Vec<Located<String>>,
) -> Option<DirectorPlace> {
    let listen = port.optional("listen", address());
    let connect = port.optional("connect", place());
    if port.has("listen") == port.has("connect") {
        let message = "a port of a director needs exactly one of `listen` and `connect`";
        let fix =
            "give `listen = \"127.0.0.1:4104\"`, or `connect` with the place of the other director's port";
        port.error(toml_numbers::CHOOSE_ONE, port.span(), message, fix);
        return None;
    }
    let Some(listen) = listen else { return connect.map(|connect| DirectorPlace::Connect(connect.value)) };
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
    Some(DirectorPlace::Listen(listen.value))
}
