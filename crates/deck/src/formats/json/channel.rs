//! CHPID in JSON.

use halftrack_input::Located;
use serde::Serialize;

use super::{At, Holder, holders};
use crate::model::ChannelPath;
use crate::model::selection::Selection;
use crate::syntax::annotations::Annotations;

#[derive(Debug, Serialize)]
struct OtherEnd {
    css: u8,
    chpid: String,
}

/// One channel path.
#[derive(Debug, Serialize)]
pub(super) struct ChannelRecord<'a> {
    css: &'a [u8],
    chpid: String,
    r#type: &'a str,
    pchid: Option<String>,
    vchid: Option<String>,
    aid: Option<String>,
    port: Option<u8>,
    switch: Option<String>,
    chparm: Option<String>,
    os: Option<String>,
    iocluster: Option<&'a str>,
    cpath: Option<OtherEnd>,
    csystem: Option<&'a str>,
    mixtype: bool,
    access_class: &'static str,
    access: Vec<Holder<'a>>,
    candidates: Vec<Holder<'a>>,
    pnetids: &'a [Option<String>],
    /// Of all control units that it reaches.
    unit_addresses: u32,
    annotations: Vec<&'a str>,
    at: At,
}

impl<'a> ChannelRecord<'a> {
    /// Builds the record of `channel` in `css`, of those that stay.
    pub(super) fn of(
        selection: &Selection<'_>,
        annotations: &'a Annotations,
        channel: &'a ChannelPath,
        css: &'a [u8],
    ) -> Self {
        let word = |value: &Option<Located<u16>>, width: usize| {
            value.as_ref().map(|one| format!("{:0width$X}", one.value))
        };
        let byte = |value: &Option<Located<u8>>| value.as_ref().map(|one| format!("{:02X}", one.value));
        let here = |list: &'a [(u8, String)]| holders(list.iter().filter(|(of, _)| css.contains(of)));
        let other_end = |&(css, chpid): &(u8, u8)| OtherEnd { css, chpid: format!("{chpid:02X}") };
        Self {
            css,
            chpid: format!("{:02X}", channel.chpid.value),
            r#type: &channel.channel_type.value,
            pchid: word(&channel.pchid, 3),
            vchid: word(&channel.vchid, 3),
            aid: word(&channel.aid, 2),
            port: channel.port.as_ref().map(|port| port.value),
            switch: byte(&channel.switch),
            chparm: byte(&channel.chparm),
            os: byte(&channel.os),
            iocluster: channel.iocluster.as_ref().map(|name| name.value.as_str()),
            cpath: channel.cpath.as_ref().map(|path| other_end(&path.value)),
            csystem: channel.csystem.as_ref().map(|name| name.value.as_str()),
            mixtype: channel.mixtype,
            access_class: channel.access_class.name(),
            access: here(&channel.access),
            candidates: here(&channel.candidates),
            pnetids: &channel.pnetids,
            unit_addresses: selection.paths.unit_addresses_of(selection.deck, channel),
            annotations: annotations.of_statement(channel.span.start),
            at: At::of(&selection.deck.source, channel.span.start),
        }
    }
}
