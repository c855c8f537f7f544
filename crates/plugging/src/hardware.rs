//! The I/O cards of a machine and where each is plugged.

use std::collections::BTreeMap;
use std::fmt;

use halftrack_catalog::{Catalog, Feature};
use halftrack_deck::model::machines::Machine;
use halftrack_deck::model::placement::{Place, Placement};

/// The cards of a machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hardware {
    /// Machine that the file names; `None` where it names none.
    machine: Option<&'static Machine>,
    cards: Vec<Card>,
    /// Card and port by PCHID.
    by_pchid: BTreeMap<u16, (usize, usize)>,
}

/// One card in its slot.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Frame, such as `Z`.
    pub frame: String,
    /// Drawer, such as `Z22B`: unique in the machine.
    pub drawer: String,
    /// Slot, as the report writes it: `03`.
    pub slot: String,
    /// Feature code, such as `0411`.
    pub code: String,
    /// Entry of the catalog for the feature code; `None` for an unknown code.
    pub feature: Option<Feature>,
    /// Its PCHIDs or adapter ids.
    pub ports: Vec<Port>,
    /// I/O domain, unique in the machine; `None` when not known.
    pub domain: Option<String>,
    /// Where its interconnect comes from: CPC drawer, fanout, port, such as `A19/LG15/J01`.
    pub link: Option<String>,
    /// Resource group from 1, of a native PCIe adapter.
    pub resource_group: Option<u8>,
    /// Remark of the report.
    pub comment: String,
    /// Part number, of the vital product data on its mother card; `None` where it is unknown, as from a report.
    pub part: Option<String>,
    /// Serial number, of the same data.
    pub serial: Option<String>,
}

/// A port of a card for a channel path or function: one PCHID, or one adapter id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its number.
    pub address: Address,
    /// Names of the ports behind it; empty when the card has none.
    pub names: Vec<String>,
}

/// The number of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Address {
    /// Physical channel.
    Pchid(u16),
    /// Adapter id of a coupling link on a fanout.
    Aid(u8),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Pchid(pchid) => write!(f, "{pchid:03X}"),
            Address::Aid(aid) => write!(f, "{aid:02X}"),
        }
    }
}

impl fmt::Display for Port {
    /// Writes `110/D1D2`, `108`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address)?;
        if self.names.is_empty() { Ok(()) } else { write!(f, "/{}", self.names.concat()) }
    }
}

impl Card {
    /// Returns its place for people: `Z22B slot 03`.
    pub fn place_words(&self) -> String {
        format!("{} slot {}", self.drawer, self.slot)
    }

    /// Returns the fanout of its interconnect: `A19/LG15` of `A19/LG15/J01`.
    pub fn fanout(&self) -> Option<&str> {
        self.link.as_deref()?.rsplit_once('/').map(|(fanout, _)| fanout)
    }

    /// Returns the CPC drawer of its interconnect: `A19` of `A19/LG15/J01`.
    pub fn cpc_drawer(&self) -> Option<&str> {
        self.link.as_deref()?.split_once('/').map(|(drawer, _)| drawer)
    }

    /// Returns true for a known native PCIe adapter.
    pub fn is_native(&self) -> bool {
        self.feature.as_ref().is_some_and(|feature| feature.native)
    }
}

impl Hardware {
    /// Builds a machine of `cards`, in the order of a report: by drawer and slot.
    pub fn new(mut cards: Vec<Card>) -> Self {
        cards.sort_by(|one, other| (&one.drawer, &one.slot).cmp(&(&other.drawer, &other.slot)));
        let mut by_pchid = BTreeMap::new();
        for (index, card) in cards.iter().enumerate() {
            for (place, port) in card.ports.iter().enumerate() {
                if let Address::Pchid(pchid) = port.address {
                    by_pchid.insert(pchid, (index, place));
                }
            }
        }
        Self { machine: None, cards, by_pchid }
    }

    /// Sets the machine of the cards.
    #[must_use]
    pub fn of_machine(self, machine: Option<&'static Machine>) -> Self {
        Self { machine, ..self }
    }

    /// Returns the machine; `None` when it is unknown, as from a report.
    pub fn machine(&self) -> Option<&'static Machine> {
        self.machine
    }

    /// Returns all cards, by drawer and slot.
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// Returns the card and port of `pchid`.
    pub fn port(&self, pchid: u16) -> Option<(&Card, &Port)> {
        let &(card, port) = self.by_pchid.get(&pchid)?;
        let card = self.cards.get(card)?;
        Some((card, card.ports.get(port)?))
    }

    /// Returns all PCHIDs, ascending.
    pub fn pchids(&self) -> impl Iterator<Item = u16> + '_ {
        self.by_pchid.keys().copied()
    }
}

impl Placement for Hardware {
    fn place(&self, pchid: u16) -> Option<Place> {
        let (card, port) = self.port(pchid)?;
        Some(Place {
            frame: Some(card.frame.clone()),
            drawer: Some(card.drawer.clone()),
            slot: Some(card.slot.clone()),
            port: (!port.names.is_empty()).then(|| port.names.concat()),
            card: Some(card.place_words()),
            domain: card.domain.clone(),
            fanout: card.fanout().map(str::to_owned),
            cpc_drawer: card.cpc_drawer().map(str::to_owned),
            resource_group: card.resource_group.map(|group| format!("RG{group}")),
        })
    }
}

/// Returns the frame of a drawer: the letters before the digits of its name (`Z22B` is in frame Z).
pub(crate) fn frame_of(drawer: &str) -> String {
    drawer.chars().take_while(|ch| !ch.is_ascii_digit()).collect()
}

/// Returns the feature behind a code, as the catalog has it.
pub(crate) fn feature_of(catalog: &Catalog, code: &str) -> Option<Feature> {
    catalog.feature_of(code).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(slot: &str, pchid: u16) -> Card {
        Card {
            frame: frame_of("Z22B"),
            drawer: "Z22B".into(),
            slot: slot.into(),
            code: "0411".into(),
            feature: None,
            ports: vec![Port { address: Address::Pchid(pchid), names: vec!["D1".into(), "D2".into()] }],
            domain: None,
            link: Some("A19/LG15/J01".into()),
            resource_group: Some(1),
            comment: String::new(),
            part: None,
            serial: None,
        }
    }

    #[test]
    fn a_pchid_leads_to_its_place_and_back() {
        let hardware = Hardware::new(vec![card("07", 0x114), card("06", 0x110)]);
        let place = hardware.place(0x110).expect("a place");
        assert_eq!(place.frame.as_deref(), Some("Z"));
        assert_eq!((place.drawer.as_deref(), place.slot.as_deref()), (Some("Z22B"), Some("06")));
        assert_eq!((place.port.as_deref(), place.card.as_deref()), (Some("D1D2"), Some("Z22B slot 06")));
        assert_eq!((place.fanout.as_deref(), place.cpc_drawer.as_deref()), (Some("A19/LG15"), Some("A19")));
        assert_eq!((place.resource_group.as_deref(), place.domain), (Some("RG1"), None));
        assert_eq!(hardware.place(0x111), None);
        assert_eq!(hardware.pchids().collect::<Vec<_>>(), [0x110, 0x114]);
        assert_eq!(hardware.cards()[0].ports[0].to_string(), "110/D1D2");
    }
}
