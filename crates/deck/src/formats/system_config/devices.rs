//! Devices that a partition can have in logical links.

use std::collections::BTreeMap;

use crate::ctc::{Connections, End, Image};

/// A device of the partition: its end, and the other one.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkEnd<'a> {
    /// The end of the partition.
    pub own: &'a End,
    /// The other end; `None` when it is in none of the decks, or missing.
    pub other: Option<&'a End>,
}

impl LinkEnd<'_> {
    /// Returns true when both lead to one system, as far as their control units have it.
    pub(super) fn has_partner_of(&self, mate: &LinkEnd<'_>) -> bool {
        match (self.other, mate.other) {
            (Some(one), Some(other)) => one.image == other.image,
            // With or without the CSS before it, the MIF id is the last digit.
            _ => self.own.cuadd.map(|cuadd| cuadd & 0x0F) == mate.own.cuadd.map(|cuadd| cuadd & 0x0F),
        }
    }

    /// Returns true when both lead to one channel.
    pub(super) fn has_channel_of(&self, mate: &LinkEnd<'_>) -> bool {
        match (self.other, mate.other) {
            (Some(one), Some(other)) => one.channel_key() == other.channel_key(),
            _ => self.own.link == mate.own.link,
        }
    }

    /// Returns true when it is on a FICON channel.
    pub(super) fn is_ficon(&self) -> bool {
        self.own.channel_type == "FC"
    }

    /// Formats the system that it leads to.
    pub(super) fn partner(&self) -> String {
        self.other.map_or_else(|| format!("image {}", self.own.target()), |other| other.image.to_string())
    }
}

/// Returns the devices of `system` by number. A device is at the other end where that has its unit address.
pub(super) fn devices<'a>(found: &'a Connections, system: &Image) -> BTreeMap<u16, LinkEnd<'a>> {
    let pairs = found.pairs.iter().flat_map(|pair| [(pair.one, pair.other), (pair.other, pair.one)]);
    let mates: BTreeMap<usize, usize> = pairs.collect();
    let mut devices: BTreeMap<u16, LinkEnd<'a>> = BTreeMap::new();
    let own = found.ends.iter().enumerate().filter(|(_, end)| end.image == *system);
    for (at, end) in own {
        let other = mates.get(&at).map(|&mate| &found.ends[mate]);
        for (number, address) in end.devices.iter().flat_map(|run| run.devices()) {
            let has_address = |other: &&End| {
                other.devices.iter().flat_map(|run| run.devices()).any(|(_, there)| there == address)
            };
            let device = LinkEnd { own: end, other: other.filter(has_address) };
            // A control unit of several partitions has ends without another one beside the end that is meant.
            let known = devices.entry(number).or_insert(device);
            if known.other.is_none() {
                *known = device;
            }
        }
    }
    devices
}
