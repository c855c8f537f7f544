//! Definitions of decks and plant beside the [`Configuration`](crate::Configuration): parts that are defined and not
//! simulated, and details that only displays show.
//!
//! The machine never sees it. Everything in it is in canonical order, so that what is shown of a study does not depend
//! on the order of its statements and tables.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::model::{ChannelPath, ControlUnit, Deck, DeviceRange, Partition};
use halftrack_fabric::endpoint_security::Protection;

use crate::cpc_name::CpcName;
use crate::place::DirectorPort;
use crate::plant::BoxIdentity;

/// The definitions of a study.
#[derive(Debug, Clone)]
pub struct Site {
    /// The machines, in the order of the configuration's.
    pub machines: Vec<MachineSite>,
    /// The channels of the configuration, in its order.
    pub channels: Vec<ChannelSite>,
    /// The boxes, by name: `control_unit` of a logical control unit is an index of them.
    pub boxes: Vec<StorageSite>,
    /// Directors of the plant by switch number, with their node descriptors.
    pub directors: BTreeMap<u8, Option<String>>,
    /// Outcome for the paths of CNTLUNIT statements of disks.
    pub paths: BTreeMap<DeckPath, PathPlace>,
}

/// Definitions of one deck.
#[derive(Debug, Clone)]
pub struct MachineSite {
    /// Name of the machine, where the plant gives it one.
    pub name: CpcName,
    /// Its deck: partitions by (CSS, MIF), channel paths by (CSS, CHPID), control units, devices and functions by number.
    pub deck: Deck,
    /// Name of the one system in BASIC mode.
    pub system: Option<String>,
    /// PCHIDs of the cards of its hardware file; `None` where the plant names none.
    pub plugged: Option<BTreeSet<u16>>,
}

/// Details of a channel that only displays show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelSite {
    /// The director port that its fibre leads to.
    pub entry: Option<DirectorPort>,
    /// Capability of its card in endpoint security.
    pub capability: Protection,
}

/// Details of a storage box that only displays show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageSite {
    /// Name.
    pub name: String,
    /// Identity that it reports.
    pub identity: BoxIdentity,
}

/// A path of a CNTLUNIT statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeckPath {
    /// Index of the machine.
    pub cpc: u8,
    /// Channel subsystem.
    pub css: u8,
    /// Control-unit number.
    pub control_unit: u16,
    /// CHPID.
    pub chpid: u8,
}

/// Where a path is among those of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathPlace {
    /// Index of the logical control unit.
    pub lcu: u32,
    /// Position in the path group of its channel subsystem.
    pub position: u8,
}

impl MachineSite {
    /// Creates the definitions of `deck`, in canonical order.
    #[must_use]
    pub(crate) fn new(
        name: CpcName,
        mut deck: Deck,
        system: Option<String>,
        plugged: Option<BTreeSet<u16>>,
    ) -> Self {
        deck.partitions.sort_by_key(|one| (one.css, one.mif));
        for channel in &mut deck.channel_paths {
            channel.css.sort_unstable();
            channel.access.sort();
        }
        deck.channel_paths.sort_by_key(|one| (one.css.first().copied(), one.chpid.value));
        deck.control_units.sort_by_key(|one| one.number.value);
        deck.devices.sort_by_key(|one| {
            let units: Vec<u16> = one.control_units.iter().map(|unit| unit.value).collect();
            (one.subchannel_set.all, one.number.value, units)
        });
        deck.functions.sort_by_key(|one| one.fid.value);
        Self { name, deck, system, plugged }
    }

    /// Returns the name of a partition: the plant names the one image of BASIC mode.
    #[must_use]
    pub fn image_name<'a>(&'a self, partition: &'a Partition) -> Option<&'a str> {
        if partition.mif == 0 { self.system.as_deref() } else { partition.name.as_deref() }
    }

    /// Returns CHPID `chpid` of `css`.
    #[must_use]
    pub fn channel_path(&self, css: u8, chpid: u8) -> Option<&ChannelPath> {
        self.deck.channel_paths.iter().find(|one| one.chpid.value == chpid && one.css.contains(&css))
    }

    /// Returns the control unit with `number`.
    #[must_use]
    pub fn control_unit(&self, number: u16) -> Option<&ControlUnit> {
        let at = self.deck.control_units.binary_search_by_key(&number, |one| one.number.value);
        at.ok().map(|at| &self.deck.control_units[at])
    }

    /// Returns the IODEVICE statements with devices that have a control unit in reach of `css`, by number.
    pub fn devices_of(&self, css: u8) -> impl Iterator<Item = &DeviceRange> {
        let reached = move |number: u16| {
            let unit = self.control_unit(number);
            unit.is_some_and(|unit| unit.paths.iter().any(|path| path.css == css))
        };
        let of_css =
            move |range: &&DeviceRange| range.control_units.iter().any(|number| reached(number.value));
        self.deck.devices.iter().filter(of_css)
    }

    /// Returns the subchannel sets in which `css` has devices or device slots: 0, and those that the deck names.
    #[must_use]
    pub fn subchannel_sets(&self, css: u8) -> Vec<u8> {
        let slots = self.deck.device_slots.iter().find(|(of, _)| *of == css);
        let coded = slots.map_or(0, |(_, slots)| slots.len().saturating_sub(1)) as u8;
        let used = self.devices_of(css).map(|range| range.subchannel_set.of(css)).max();
        (0..=coded.max(used.unwrap_or(0))).collect()
    }
}
