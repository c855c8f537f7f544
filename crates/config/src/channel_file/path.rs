//! `[[path]]`: one channel path, its link and its port.

use std::ops::Range;

use halftrack_input::{Expect, Fields, Located};
use halftrack_wire::WorldWideName;

use super::world_wide_name;
use crate::credits::credits;
use crate::link_access::{AttachedEntry, AttachedNeed, read_attached};
use crate::link_place::place;
use crate::place::hex;
use crate::unique::check_unique;

/// Receive buffers by default: those of a port of a FICON Express32S, from its paper.
const CREDITS_DEFAULT: u16 = 90;
/// Open exchanges by default.
const OPEN_EXCHANGES_DEFAULT: u16 = 128;
/// Most open exchanges of a channel path.
const OPEN_EXCHANGES_MAX: u16 = 4096;

/// A virtual port of a path (NPIV): a guest of the host.
#[derive(Debug, Clone)]
pub struct VirtualPortEntry {
    /// Its name, the same on every path.
    pub name: String,
    /// Its world-wide name, another one on every path.
    pub port_name: WorldWideName,
}

/// One channel path.
#[derive(Debug, Clone)]
pub struct ChannelPathEntry {
    /// Channel-path id.
    pub chpid: u8,
    /// Host and TCP port that the link leads to.
    pub connect: String,
    /// World-wide name of the channel's port.
    pub port_name: WorldWideName,
    /// Receive buffers, which the other side may fill without an answer, frames.
    pub credits: u16,
    /// Exchanges open at once.
    pub open_exchanges: u16,
    /// Port of the control unit; needed behind a director, where several may answer.
    pub control_unit_port: Option<WorldWideName>,
    /// Its virtual ports.
    pub virtual_ports: Vec<VirtualPortEntry>,
    /// The port at the other end of the link, as far as its name is to be proven.
    pub attached: Option<AttachedEntry>,
    /// The whole table.
    pub span: Range<usize>,
}

pub(super) fn read_paths(fields: &mut Fields<'_>, has_tls: bool) -> Vec<ChannelPathEntry> {
    let (mut chpids, mut names) = (Vec::new(), Vec::new());
    let paths = fields.tables("path", |path| {
        let chpid = path.required(
            "chpid",
            Expect::parsed("a channel-path id of two hexadecimal digits such as \"40\"", |text| {
                hex(text, 2).map(|chpid| chpid as u8)
            }),
        );
        let connect = path.required("connect", place());
        let port_name = path.required("wwpn", world_wide_name());
        let credits = path.or("credits", credits(), CREDITS_DEFAULT);
        let most = Expect::integer(1..=OPEN_EXCHANGES_MAX);
        let open_exchanges = path.or("open_exchanges", most, OPEN_EXCHANGES_DEFAULT);
        let control_unit_port = path.optional("control_unit_port", world_wide_name());
        let attached = read_attached(path, AttachedNeed::WithTls, has_tls);
        let virtual_ports = read_virtual_ports(path, &mut names);
        let (chpid, port_name) = (chpid?, port_name?);
        chpids.push(Located::new(format!("{:02X}", chpid.value), chpid.span));
        names.push(port_name.clone());
        Some(ChannelPathEntry {
            chpid: chpid.value,
            connect: connect?.value,
            port_name: port_name.value,
            credits,
            open_exchanges,
            control_unit_port: control_unit_port.map(|name| name.value),
            virtual_ports,
            attached,
            span: path.span(),
        })
    });
    check_unique(fields, "channel path", chpids);
    check_unique(fields, "port", names);
    paths
}

/// Reads `[[path.virtual_port]]`; their world-wide names join `names`.
fn read_virtual_ports(
    path: &mut Fields<'_>,
    names: &mut Vec<Located<WorldWideName>>,
) -> Vec<VirtualPortEntry> {
    let mut known = Vec::new();
    let virtual_ports = path.tables("virtual_port", |port| {
        let name = port.required("name", Expect::text());
        let port_name = port.required("wwpn", world_wide_name());
        known.extend(name.clone());
        names.extend(port_name.clone());
        Some(VirtualPortEntry { name: name?.value, port_name: port_name?.value })
    });
    check_unique(path, "virtual port", known);
    virtual_ports
}
