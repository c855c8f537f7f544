//! The control units of a deck with their channels and devices, as advice needs them.

use std::collections::BTreeMap;

use crate::model::channel_types::ChannelType;
use crate::model::unit::is_channel_to_channel;
use crate::model::{ChannelPath, ControlUnit, Deck, DeviceRange, Path};

/// Unit types of the control port of a director: FICON (reference, IOCP, section 4.7) and, as domain knowledge, ESCON.
const DIRECTOR_UNITS: [&str; 4] = ["2032", "9032", "9033", "9032-5"];

/// A deck, indexed.
pub(crate) struct Site<'a> {
    pub(crate) deck: &'a Deck,
    channels: BTreeMap<(u8, u8), &'a ChannelPath>,
    devices: BTreeMap<u16, Vec<&'a DeviceRange>>,
}

impl<'a> Site<'a> {
    pub(crate) fn of(deck: &'a Deck) -> Self {
        let mut channels = BTreeMap::new();
        for path in &deck.channel_paths {
            channels.extend(path.css.iter().map(|&css| ((css, path.chpid.value), path)));
        }
        let mut devices: BTreeMap<u16, Vec<&DeviceRange>> = BTreeMap::new();
        for device in &deck.devices {
            device.control_units.iter().for_each(|unit| devices.entry(unit.value).or_default().push(device));
        }
        Self { deck, channels, devices }
    }

    /// Returns the channel of `path`.
    pub(crate) fn channel(&self, path: &Path) -> Option<&'a ChannelPath> {
        self.channels.get(&(path.css, path.chpid)).copied()
    }

    /// Returns the devices of `unit`.
    pub(crate) fn devices(&self, unit: &ControlUnit) -> &[&'a DeviceRange] {
        self.devices.get(&unit.number.value).map_or(&[], Vec::as_slice)
    }

    /// Returns the control units behind FICON or ESCON channels that advice about paths applies to. Directors and
    /// ends of channel-to-channel connections are none of them: those lead to one place by their nature.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = &'a ControlUnit> {
        let behind_links = |unit: &&ControlUnit| {
            let mut kinds = unit.paths.iter().filter_map(|path| self.channel(path)).map(kind);
            kinds.any(|kind| kind.is_some_and(|kind| kind.has_links))
        };
        let deck: &'a Deck = self.deck;
        let other =
            |unit: &&ControlUnit| !is_director(&unit.unit.value) && !is_channel_to_channel(&unit.unit.value);
        deck.control_units.iter().filter(other).filter(behind_links)
    }
}

/// Returns the properties of the type of `path`.
pub(crate) fn kind(path: &ChannelPath) -> Option<&'static ChannelType> {
    ChannelType::of(&path.channel_type.value)
}

/// Returns true for the control unit in a director.
pub(crate) fn is_director(unit: &str) -> bool {
    DIRECTOR_UNITS.contains(&unit)
}

/// Returns true for devices on disk control units.
pub(crate) fn is_disk(device: &DeviceRange) -> bool {
    device.unit.value.starts_with("3390") || device.unit.value.starts_with("3380")
}

/// Returns the paths of `unit` by channel subsystem.
pub(crate) fn by_css(unit: &ControlUnit) -> BTreeMap<u8, Vec<&Path>> {
    let mut all: BTreeMap<u8, Vec<&Path>> = BTreeMap::new();
    unit.paths.iter().for_each(|path| all.entry(path.css).or_default().push(path));
    all
}

/// Control units under the words that hold for them, in the order in which the words first occur.
#[derive(Default)]
pub(crate) struct UnitsByWords<'a>(Vec<(String, Vec<&'a ControlUnit>)>);

impl<'a> UnitsByWords<'a> {
    pub(crate) fn add(&mut self, words: String, unit: &'a ControlUnit) {
        match self.0.iter_mut().find(|(other, _)| *other == words) {
            Some((_, units)) => units.push(unit),
            None => self.0.push((words, vec![unit])),
        }
    }

    pub(crate) fn into_list(self) -> Vec<(String, Vec<&'a ControlUnit>)> {
        self.0
    }
}
