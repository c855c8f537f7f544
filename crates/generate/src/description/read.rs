//! Reading a description.

use std::collections::BTreeSet;

use halftrack_deck::model::channel_types::{CHANNEL_TYPES, ChannelType};
use halftrack_deck::model::machines::Machine;
use halftrack_input::messages::toml_file::{CHOOSE_ONE, UNEXPECTED_VALUE};
use halftrack_input::{Expect, Fields};

use super::Description;
use super::groups::{Channels, Director, Functions, Range, Storage};

/// Most logical control units of a box: images 00-FF.
const IMAGES: u16 = 256;
/// Devices of a logical control unit.
const ADDRESSES: u16 = 256;

/// Returns a hexadecimal number of `digits` digits at most, in quotes.
fn hex(what: &str, digits: usize) -> Expect<'static, u16> {
    let words = format!("{what} of 1-{digits} hexadecimal digits, such as \"{}\"", &"1000"[..digits]);
    Expect::parsed(words, move |text| {
        let fits = (1..=digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| u16::from_str_radix(text, 16).ok()).flatten()
    })
}

fn switch() -> Expect<'static, u8> {
    Expect::parsed("a switch number of two hexadecimal digits, such as \"11\"", |text| {
        Range::parse(text).filter(|range| range.len() == 1).map(|range| range.first)
    })
}

fn range(what: &'static str) -> Expect<'static, Range> {
    Expect::parsed(format!("{what} of two hexadecimal digits, such as \"40\" or \"40-47\""), Range::parse)
}

/// Reads the top-level table.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<Description> {
    let machine = fields.required(
        "machine_type",
        Expect::new("a machine type such as 3931", |value| {
            Machine::of(value.as_integer()?.as_str().parse().ok()?)
        }),
    );
    let level = fields.or("level", Expect::<u8>::integer(0..=99), 1);
    let name = fields.or("name", Expect::text(), "DECK".to_owned());
    let lsystem = fields.optional("lsystem", Expect::text()).map(|name| name.value);
    let partitions = fields.list("css", partitions());
    let css: Vec<u8> = (0..).take(partitions.as_ref().map_or(0, Vec::len)).collect();
    let mut all_read = true;
    let channels = fields.tables("channels", |one| {
        let channels = self::channels(one, &css);
        all_read &= channels.is_some();
        channels
    });
    let directors = fields.tables("director", director);
    let storage = fields.tables("storage", |one| self::storage(one, all_read.then_some(&channels)));
    let functions = fields.tables("function", functions);
    Some(Description {
        machine: machine?.value,
        level,
        name,
        lsystem,
        partitions: partitions?.into_iter().map(|one| one.value).collect(),
        channels,
        directors,
        storage,
        functions,
    })
}

/// Returns the partitions of one channel subsystem.
fn partitions() -> Expect<'static, Vec<String>> {
    Expect::new("the names of partitions, such as [\"LP1\", \"LP2\"]", |value| {
        let names: Option<Vec<String>> =
            value.as_array()?.iter().map(|name| name.get_ref().as_str().map(str::to_owned)).collect();
        names.filter(|names| !names.is_empty())
    })
}

fn channels(fields: &mut Fields<'_>, all_css: &[u8]) -> Option<Channels> {
    let names: Vec<&str> = CHANNEL_TYPES.iter().map(|kind| kind.name).collect();
    let words = format!("a channel type: {}", names.join(", "));
    let kind = fields.required("type", Expect::parsed(words, ChannelType::of));
    let chpids = fields.required("chpids", range("CHPIDs"));
    let css = fields.optional_list("css", Expect::<u8>::integer(0..=5));
    let pchids = fields.optional_list("pchids", hex("a PCHID", 3)).unwrap_or_default();
    let vchid = fields.optional("vchid", hex("a VCHID", 3)).map(|vchid| vchid.value);
    let switch = fields.optional("switch", switch()).map(|switch| switch.value);
    let pnetid = fields.optional("pnetid", Expect::text()).map(|pnetid| pnetid.value);
    let number = fields.optional("number", hex("a device number", 4));
    let devices = fields.optional("devices", Expect::<u16>::integer(1..=ADDRESSES));
    let (kind, chpids) = (kind?, chpids?);
    if !pchids.is_empty() && pchids.len() != chpids.value.len() {
        let words = format!("{} PCHIDs for {} CHPIDs", pchids.len(), chpids.value.len());
        fields.error(
            UNEXPECTED_VALUE,
            chpids.span,
            words,
            "give a PCHID for each, or leave them to `deck map`",
        );
        return None;
    }
    let devices = match (number, devices) {
        (Some(number), Some(devices)) => Some((number.value, devices.value)),
        (None, None) => None,
        _ => {
            fields.error(
                CHOOSE_ONE,
                fields.span(),
                "`number` and `devices` go together",
                "give both or neither",
            );
            return None;
        }
    };
    let css = css.map(|css| css.into_iter().map(|one| one.value).collect());
    let default = if kind.value.may_span { all_css } else { &all_css[..all_css.len().min(1)] };
    Some(Channels {
        kind: kind.value,
        chpids: chpids.value,
        css: css.unwrap_or_else(|| default.to_vec()),
        pchids: pchids.into_iter().map(|pchid| pchid.value).collect(),
        vchid,
        switch,
        pnetid,
        devices,
    })
}

fn director(fields: &mut Fields<'_>) -> Option<Director> {
    let switch = fields.required("switch", switch());
    let number = fields.required("number", hex("a device number", 4));
    Some(Director { switch: switch?.value, number: number?.value })
}

/// Returns a box; its links lead to switches of `channels`, unless not all of those could be read.
fn storage(fields: &mut Fields<'_>, channels: Option<&Vec<Channels>>) -> Option<Storage> {
    let number = fields.required("number", hex("a control unit number", 4));
    let count = fields.or("count", Expect::<u16>::integer(1..=IMAGES), 1);
    let bases = fields.required("bases", Expect::<u16>::integer(1..=ADDRESSES));
    let aliases = fields.or("aliases", Expect::<u16>::integer(0..=ADDRESSES), 0);
    let unit = fields.or("unit", Expect::text(), "2107".to_owned());
    let ports = fields.list("links", links())?;
    if let Some(channels) = channels {
        let switches: BTreeSet<u8> = channels.iter().filter_map(|one| one.switch).collect();
        let known: Vec<String> = switches.iter().map(|switch| format!("{switch:02X}")).collect();
        let fix = match known.as_slice() {
            [] => "no channels have a switch: add `switch` to those that lead to it".to_owned(),
            known => format!("switches of channels are {}", known.join(", ")),
        };
        for link in ports.iter().filter(|link| !switches.contains(&link.value.0)) {
            let words = format!("no channels have switch {:02X}", link.value.0);
            fields.error(UNEXPECTED_VALUE, link.span.clone(), words, fix.clone());
        }
    }
    let (number, bases) = (number?, bases?.value);
    if bases + aliases > ADDRESSES {
        let words = format!("{} devices are more than the {ADDRESSES} of a control unit", bases + aliases);
        fields.error(UNEXPECTED_VALUE, number.span, words, "lower `bases` or `aliases`, and raise `count`");
        return None;
    }
    Some(Storage {
        number: number.value,
        count,
        bases,
        aliases,
        unit,
        ports: ports.into_iter().map(|link| link.value).collect(),
    })
}

/// Returns ports of one director as two-byte links: `1104` or `1104-1107`.
fn links() -> Expect<'static, (u8, Range)> {
    let words = "links of four hexadecimal digits, switch and port, such as \"1104-1107\"";
    Expect::parsed(words, |text| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let four = |text: &str| u16::from_str_radix(text, 16).ok().filter(|_| text.len() == 4);
        let ([switch, first], [same, last]) = (four(first)?.to_be_bytes(), four(last)?.to_be_bytes());
        (switch == same && first <= last).then_some((switch, Range { first, last }))
    })
}

fn functions(fields: &mut Fields<'_>) -> Option<Functions> {
    let fid = fields.required("fid", hex("a function identifier", 4));
    let count = fields.or("count", Expect::<u16>::integer(1..=255), 1);
    let kind = fields.required("type", Expect::text());
    let pchid = fields.optional("pchid", hex("a PCHID", 3)).map(|pchid| pchid.value);
    let vchid = fields.optional("vchid", hex("a VCHID", 3)).map(|vchid| vchid.value);
    let port = fields.optional("port", Expect::<u8>::integer(1..=2)).map(|port| port.value);
    let vf = fields.optional("vf", Expect::<u16>::integer(1..=255)).map(|vf| vf.value);
    let pnetid = fields.optional("pnetid", Expect::text()).map(|pnetid| pnetid.value);
    let lpars = fields.list("lpars", Expect::text());
    let lpars = lpars?.into_iter().map(|name| name.value).collect();
    Some(Functions { fid: fid?.value, count, kind: kind?.value, pchid, vchid, port, vf, pnetid, lpars })
}
