//! `[[islink]]`: a logical link of ISFC between two systems, and its work.

use std::ops::Range;

use halftrack_input::{Expect, Fields, Located};
use halftrack_isfc::Wiring;

use crate::device_range::DeviceRange;
use crate::unique::check_unique;
use crate::workload_file::islink_work::{Relocate, Requests, WorkNames, read_relocations, read_requests};

/// Most channels of a logical link that a file may name: as many as devices.
const CHANNELS_MAX: u32 = 16;

/// How many devices of each channel a logical link uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerChannel {
    /// The first so many.
    Count(u32),
    /// As many as it may have, the same number of each channel.
    Most,
}

/// One logical link.
#[derive(Debug, Clone)]
pub struct IsLink {
    /// Name, unique in the file.
    pub name: Located<String>,
    /// The partitions of its two ends.
    pub systems: [Located<String>; 2],
    /// Devices of the first system; empty for all that lead to the second.
    pub devices: Vec<Located<DeviceRange>>,
    /// How many channels of each system it uses, the first ones.
    pub channels: Option<u32>,
    /// How many devices of each channel of the first system it uses, the first ones.
    pub devices_per_channel: Option<PerChannel>,
    /// Channels of the second system to which its devices lead.
    pub wiring: Option<Wiring>,
    /// Systems that send as fast as the link takes it.
    pub bulks: Vec<Located<String>>,
    /// Requests of one system to the other.
    pub requests: Vec<Requests>,
    /// Guests that move from one system to the other.
    pub relocations: Vec<Relocate>,
    /// The whole table.
    pub span: Range<usize>,
}

pub(super) fn read_islinks(fields: &mut Fields<'_>) -> Vec<IsLink> {
    let (mut names, mut work) = (Vec::new(), WorkNames::default());
    let links = fields.tables("islink", |link| {
        let name = link.required("name", Expect::text());
        names.extend(name.clone());
        let systems = link.list("systems", Expect::text());
        let ranges = Expect::parsed(DeviceRange::WORDS, DeviceRange::parse);
        let devices = if link.has("devices") { link.one_or_list("devices", ranges) } else { None };
        let count = || Expect::integer(1..=CHANNELS_MAX);
        let channels = link.optional("channels", count());
        let devices_per_channel = link.optional("devices_per_channel", per_channel());
        let words = [("straight", Wiring::Straight), ("crossed", Wiring::Crossed)];
        let wiring = link.optional("wiring", Expect::one_of(words));
        let bulks = link.tables("bulk", |bulk| bulk.required("from", Expect::text()));
        let requests = read_requests(link, &mut work.requests);
        let relocations = read_relocations(link, &mut work.guests);
        Some(IsLink {
            name: name?,
            systems: two(link, systems?)?,
            devices: devices.unwrap_or_default(),
            channels: channels.map(|count| count.value),
            devices_per_channel: devices_per_channel.map(|count| count.value),
            wiring: wiring.map(|wiring| wiring.value),
            bulks,
            requests,
            relocations,
            span: link.span(),
        })
    });
    check_unique(fields, "islink", names);
    work.check(fields);
    links
}

/// Returns the expectation of a number of devices of each channel.
fn per_channel<'e>() -> Expect<'e, PerChannel> {
    let count = Expect::<u32>::integer(1..=CHANNELS_MAX);
    let words = format!("{}, or \"most\"", count.words());
    Expect::new(words, move |value| match value {
        toml::de::DeValue::String(text) => (text == "most").then_some(PerChannel::Most),
        _ => count.take(value).map(PerChannel::Count),
    })
}

/// Returns the two systems of a link, which must be two.
fn two(link: &Fields<'_>, systems: Vec<Located<String>>) -> Option<[Located<String>; 2]> {
    let count = systems.len();
    let found = <[Located<String>; 2]>::try_from(systems).ok();
    if found.is_none() {
        let message = format!("`systems` has {count} elements: expected the two systems of the link");
        let number = halftrack_input::messages::toml_file::UNEXPECTED_VALUE;
        link.error(number, link.span(), message, "name both, such as `systems = [\"VMA\", \"VMB\"]`");
    }
    found
}
