//! Properties of the plugged cards of a machine.

use std::collections::BTreeSet;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_input::{Diagnostic, SourceFile};
use halftrack_plugging::{Address, Card, Hardware, Structure, read_hardware, resource_groups};

use crate::dimension::Dimension;

/// A question about a machine whose cards a hardware file lists.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugged {
    /// The hardware file.
    pub hardware: Arc<SourceFile>,
    /// Property of the cards.
    pub of: PlugWord,
}

/// Property of the cards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlugWord {
    /// `pchid Z22B.03`: the PCHID of the card in a slot.
    Pchid(String),
    /// `pchid_step`: by how much the PCHIDs of neighbouring cards differ at least.
    PchidStep,
    /// `cards`, `cards ROCE`: how many cards there are, or serve a type of function.
    Cards(Option<String>),
    /// `cards_in_group`: in the resource group that has the most.
    CardsInGroup,
    /// `group_percent`: the share of the cards that is in that group.
    GroupPercent,
    /// `groups`: how many resource groups the machine has.
    Groups,
    /// `ifps`: how many processors run the firmware of its native adapters.
    Ifps,
    /// `native_kinds`: kinds of native adapters among the cards.
    NativeKinds,
    /// `asics_per_pchid`: channel ASICs for each PCHID of the cards that have any.
    AsicsPerPchid,
    /// `ports ROCE`: how many ports a card has that serves the type.
    Ports(String),
    /// `code ROCE`: the feature code of such a card.
    Code(String),
}

impl PlugWord {
    /// Returns the words of a file.
    pub fn parse(text: &str) -> Option<Self> {
        let (word, about) = text.split_once(' ').map_or((text, None), |(word, about)| (word, Some(about)));
        let about = about.map(|about| about.trim().to_owned());
        Some(match (word, about) {
            ("pchid", Some(slot)) => Self::Pchid(slot),
            ("pchid_step", None) => Self::PchidStep,
            ("cards", about) => Self::Cards(about),
            ("cards_in_group", None) => Self::CardsInGroup,
            ("group_percent", None) => Self::GroupPercent,
            ("groups", None) => Self::Groups,
            ("ifps", None) => Self::Ifps,
            ("native_kinds", None) => Self::NativeKinds,
            ("asics_per_pchid", None) => Self::AsicsPerPchid,
            ("ports", Some(kind)) => Self::Ports(kind),
            ("code", Some(kind)) => Self::Code(kind),
            _ => return None,
        })
    }
}

impl Plugged {
    pub(crate) fn dimension(&self) -> Dimension {
        if self.of == PlugWord::GroupPercent { Dimension::Percent } else { Dimension::Count }
    }

    pub(crate) fn value(&self, catalog: &Catalog) -> Result<f64, String> {
        let (hardware, found) = read_hardware(&self.hardware, catalog);
        let hardware = hardware.ok_or_else(|| found.first().map_or_else(String::new, Diagnostic::line))?;
        self.of_hardware(&hardware, catalog).ok_or_else(|| "the hardware has no such card".to_owned())
    }

    fn of_hardware(&self, hardware: &Hardware, catalog: &Catalog) -> Option<f64> {
        let cards = hardware.cards();
        let serving = |kind: &str| cards.iter().filter(|card| serves(card, kind)).collect::<Vec<_>>();
        Some(match &self.of {
            PlugWord::Pchid(slot) => {
                let (drawer, slot) = slot.split_once('.')?;
                let card = cards.iter().find(|card| card.drawer == drawer && card.slot == slot)?;
                f64::from(pchid(card)?)
            }
            PlugWord::PchidStep => {
                let pchids: BTreeSet<u16> = cards.iter().filter_map(pchid).collect();
                let next = pchids.iter().skip(1);
                f64::from(pchids.iter().zip(next).map(|(low, high)| high - low).min()?)
            }
            PlugWord::Cards(None) => cards.len() as f64,
            PlugWord::Cards(Some(kind)) => serving(kind).len() as f64,
            PlugWord::CardsInGroup => largest_group(cards)? as f64,
            PlugWord::GroupPercent => 100.0 * largest_group(cards)? as f64 / cards.len() as f64,
            PlugWord::Groups => f64::from(resource_groups::count(hardware.machine()?, catalog)?),
            PlugWord::Ifps => f64::from(catalog.native_pcie_of(hardware.machine()?.machine_type)?.ifps.value),
            PlugWord::NativeKinds => {
                let native = cards.iter().filter(|card| card.is_native());
                native.filter_map(|card| Some(&card.feature.as_ref()?.title)).collect::<BTreeSet<_>>().len()
                    as f64
            }
            PlugWord::AsicsPerPchid => {
                let asics: usize = cards.iter().map(asics_of).sum();
                let traditional = cards.iter().filter(|card| asics_of(card) != 0);
                asics as f64 / traditional.map(|card| card.ports.len()).sum::<usize>() as f64
            }
            PlugWord::Ports(kind) => {
                serving(kind).first()?.ports.iter().map(|port| port.names.len()).sum::<usize>() as f64
            }
            PlugWord::Code(kind) => serving(kind).first()?.code.parse().ok()?,
        })
    }
}

/// Returns the number of channel ASICs of a card; none of one that is unknown.
fn asics_of(card: &Card) -> usize {
    card.feature.as_ref().map_or(0, |feature| Structure::of(feature, card.ports.len()).asics)
}

fn serves(card: &Card, kind: &str) -> bool {
    card.feature.as_ref().is_some_and(|feature| feature.types.iter().any(|one| one == kind))
}

fn pchid(card: &Card) -> Option<u16> {
    card.ports.iter().find_map(|port| match port.address {
        Address::Pchid(pchid) => Some(pchid),
        Address::Aid(_) => None,
    })
}

/// Returns the number of cards in the resource group that has the most.
fn largest_group(cards: &[Card]) -> Option<usize> {
    let groups: BTreeSet<u8> = cards.iter().filter_map(|card| card.resource_group).collect();
    let of = |group: u8| cards.iter().filter(|card| card.resource_group == Some(group)).count();
    groups.into_iter().map(of).max()
}
