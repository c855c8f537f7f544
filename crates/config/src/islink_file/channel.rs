//! `[[channel]]`: one channel of the system, its fibre and the channel at the other end.

use std::ops::Range;

use halftrack_input::{Expect, Fields, Located};
use halftrack_wire::WorldWideName;

use crate::channel_file::world_wide_name;
use crate::credits::{CREDITS_DEFAULT, credits};
use crate::link_access::{AttachedEntry, AttachedNeed, read_attached};
use crate::link_place::{LinkPlace, LinkPlaces, NeitherOrBoth};
use crate::place::hex;
use crate::unique::check_unique;

const NEITHER_OR_BOTH: NeitherOrBoth = NeitherOrBoth {
    message: "a channel needs exactly one of `listen` and `connect`",
    fix: "give `listen = \"127.0.0.1:4040\"` at one end and `connect` at the other, or `connect` with a director's port at both",
};

/// One channel.
#[derive(Debug, Clone)]
pub struct IslinkChannelEntry {
    /// Channel-path id.
    pub chpid: Located<u8>,
    /// Its fibre.
    pub place: LinkPlace,
    /// World-wide name of its port.
    pub port_name: WorldWideName,
    /// World-wide name of the port of the channel at the other end.
    pub partner: WorldWideName,
    /// Receive buffers, frames.
    pub credits: u16,
    /// The port at the other end of the fibre, as far as its name is to be proven.
    pub attached: Option<AttachedEntry>,
    /// The whole table.
    pub span: Range<usize>,
}

pub(super) fn read_channels(fields: &mut Fields<'_>, has_tls: bool) -> Vec<IslinkChannelEntry> {
    let mut places = LinkPlaces::new(fields, NEITHER_OR_BOTH);
    let (mut chpids, mut names) = (Vec::new(), Vec::new());
    let channels = fields.tables("channel", |channel| {
        let chpid = channel.required(
            "chpid",
            Expect::parsed("a channel-path id of two hexadecimal digits such as \"40\"", |text| {
                hex(text, 2).map(|chpid| chpid as u8)
            }),
        );
        let place = places.read(channel);
        let port_name = channel.required("wwpn", world_wide_name());
        let partner = channel.required("partner", world_wide_name());
        let credits = channel.or("credits", credits(), CREDITS_DEFAULT);
        let attached = read_attached(channel, AttachedNeed::WithTls, has_tls);
        let (chpid, port_name, partner) = (chpid?, port_name?, partner?);
        chpids.push(Located::new(format!("{:02X}", chpid.value), chpid.span.clone()));
        names.extend([port_name.clone(), partner.clone()]);
        Some(IslinkChannelEntry {
            chpid,
            place: place?,
            port_name: port_name.value,
            partner: partner.value,
            credits,
            attached,
            span: channel.span(),
        })
    });
    check_unique(fields, "channel path", chpids);
    check_unique(fields, "port", names);
    places.check_unique(fields);
    channels
}
