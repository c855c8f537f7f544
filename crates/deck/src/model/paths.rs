//! The control units of each channel path and the devices of each control unit.

use std::collections::BTreeMap;
use std::fmt;

use crate::model::{ChannelPath, ControlUnit, Deck, DeviceRange, Function, LinkAddress, Path};

/// The ways through a deck, by index in its lists.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    units_of: BTreeMap<(u8, u8), Vec<usize>>,
    devices_of: BTreeMap<u16, Vec<usize>>,
    channels: BTreeMap<(u8, u8), usize>,
}

impl Paths {
    /// Finds the paths of `deck`.
    pub fn of(deck: &Deck) -> Self {
        let mut paths = Self::default();
        for (index, unit) in deck.control_units.iter().enumerate() {
            for path in &unit.paths {
                let units = paths.units_of.entry((path.css, path.chpid)).or_default();
                // A control unit may be reached twice through one channel, by two links.
                if units.last() != Some(&index) {
                    units.push(index);
                }
            }
        }
        for (index, range) in deck.devices.iter().enumerate() {
            for unit in &range.control_units {
                paths.devices_of.entry(unit.value).or_default().push(index);
            }
        }
        for (index, channel) in deck.channel_paths.iter().enumerate() {
            for css in &channel.css {
                paths.channels.entry((*css, channel.chpid.value)).or_insert(index);
            }
        }
        paths
    }

    /// Returns the channel path of (CSS, CHPID), as an index into the deck's.
    pub fn channel(&self, css: u8, chpid: u8) -> Option<usize> {
        self.channels.get(&(css, chpid)).copied()
    }

    /// Returns the control units that `channel` reaches from any of its channel subsystems, as indices, ascending.
    pub fn units_of(&self, channel: &ChannelPath) -> Vec<usize> {
        let all = channel.css.iter().filter_map(|css| self.units_of.get(&(*css, channel.chpid.value)));
        let mut units: Vec<usize> = all.flatten().copied().collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// Returns the device ranges of `unit`, as indices in the order of their statements.
    pub fn devices_of(&self, unit: &ControlUnit) -> &[usize] {
        self.devices_of.get(&unit.number.value).map_or(&[], Vec::as_slice)
    }

    /// Counts the unit addresses of all control units that `channel` reaches.
    pub fn unit_addresses_of(&self, deck: &Deck, channel: &ChannelPath) -> u32 {
        let units = self.units_of(channel);
        let ranges = units.iter().flat_map(|unit| &deck.control_units[*unit].unit_addresses);
        ranges.map(|(_, count)| u32::from(*count)).sum()
    }
}

impl ControlUnit {
    /// Returns the channel subsystems from which it is reached, ascending.
    pub fn css(&self) -> Vec<u8> {
        let mut css: Vec<u8> = self.paths.iter().map(|path| path.css).collect();
        css.sort_unstable();
        css.dedup();
        css
    }
}

impl DeviceRange {
    /// Returns the last device number.
    pub fn last(&self) -> u16 {
        self.number.value.saturating_add(self.count.saturating_sub(1))
    }

    /// Returns the last unit address.
    pub fn last_unit_address(&self) -> u8 {
        let last = u16::from(self.unit_address) + self.count.saturating_sub(1);
        u8::try_from(last).unwrap_or(u8::MAX)
    }
}

impl Function {
    /// Returns the last function identifier.
    pub fn last_fid(&self) -> u16 {
        self.fid.value.saturating_add(self.count.saturating_sub(1))
    }
}

impl fmt::Display for LinkAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.switch {
            Some(switch) => write!(f, "{switch:02X}{:02X}", self.port),
            None => write!(f, "{:02X}", self.port),
        }
    }
}

impl Path {
    /// Returns the link address as coded: `04`, `1104`, `**` where it is missing.
    pub fn link_words(&self) -> String {
        self.link.map_or_else(|| "**".to_owned(), |link| link.to_string())
    }
}
