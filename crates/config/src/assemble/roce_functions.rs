//! RoCE functions of the decks, on the cards that are plugged.

use halftrack_deck::model::function_types::FunctionType;
use halftrack_deck::model::{Adapter, Function};
use halftrack_plugging::{Card, Hardware};
use halftrack_zedc::ResourceGroup;

use crate::assemble::inputs::Inputs;
use crate::cpc::Lpar;

/// TYPE= of the functions of a card whose ports they share.
const BOTH_PORTS: &str = "ROCE";
/// Values of TYPE= of RoCE functions; the second has one of the ports.
const TYPES: [&str; 2] = [BOTH_PORTS, "ROC2"];

/// Function of a deck.
#[derive(Debug, Clone)]
pub struct PlacedRoce {
    /// Index of its machine.
    pub cpc: u8,
    /// Its identifier (PFID).
    pub pfid: u16,
    /// Physical channel of its card.
    pub pchid: u16,
    /// Resource group of its card; `None` where no card is plugged.
    pub group: Option<ResourceGroup>,
    /// Speed of a port, Gbit/s; `None` where the catalog has none, or no card is plugged.
    pub gbps: Option<f64>,
    /// Partition that has it, as (CSS, name).
    pub owner: Option<(u8, String)>,
    /// Network of each port that it uses.
    pub networks: Vec<Option<String>>,
}

impl PlacedRoce {
    /// Returns true when partition `lpar` has it.
    pub fn is_of(&self, lpar: &Lpar) -> bool {
        let is_owner = |(css, name): &(u8, String)| (*css, name) == (lpar.css, &lpar.name);
        self.cpc == lpar.cpc && self.owner.as_ref().is_some_and(is_owner)
    }

    /// Returns the index of its port on network `name`.
    pub fn port_on(&self, name: &str) -> Option<usize> {
        self.networks.iter().position(|network| network.as_deref() == Some(name))
    }
}

/// Returns the value of TYPE= of a function of a RoCE card. A zEC12 has functions without TYPE, which may be of one.
pub fn roce_type(function: &Function) -> Option<&'static str> {
    match &function.kind {
        Some(kind) => TYPES.into_iter().find(|one| *one == kind.value),
        None => function.pnetids.iter().any(Option::is_some).then_some(BOTH_PORTS),
    }
}

/// Returns true for a function of a RoCE card.
pub fn is_roce(function: &Function) -> bool {
    roce_type(function).is_some()
}

/// Returns the functions of a machine, whose cards are those of `hardware`, by identifier.
pub fn roce_functions(inputs: &Inputs<'_>, hardware: Option<&Hardware>) -> Vec<PlacedRoce> {
    // Before the z13 a function has the whole card, and one of its ports at a time.
    let is_shared = FunctionType::of(BOTH_PORTS).is_some_and(|kind| kind.needs_vf_on(inputs.deck.machine()));
    let mut found = Vec::new();
    for function in inputs.deck.functions.iter().filter(|function| is_roce(function)) {
        let Some(Adapter::Pchid(pchid)) = function.adapter.as_ref().map(|adapter| adapter.value) else {
            continue;
        };
        let before = function.port.map_or(0, |port| usize::from(port.saturating_sub(1)));
        let mut networks = vec![None; before];
        networks.extend_from_slice(&function.pnetids);
        if !is_shared && let Some(first) = networks.iter().position(Option::is_some) {
            networks.truncate(first + 1);
        }
        let card = hardware.and_then(|hardware| roce_card(hardware, pchid));
        let network = card.and_then(|card| card.feature.as_ref()?.network.as_ref());
        found.extend((0..function.count.max(1)).map(|step| PlacedRoce {
            cpc: inputs.machine,
            pfid: function.fid.value.saturating_add(step),
            pchid,
            group: hardware.zip(card).map(|(hardware, card)| group(hardware, card, pchid)),
            gbps: network.map(|network| network.gbps.value),
            owner: function.access.clone(),
            networks: networks.clone(),
        }));
    }
    found.sort_by_key(|one| one.pfid);
    found
}

/// Returns the card at `pchid`, if it has RoCE ports.
fn roce_card(hardware: &Hardware, pchid: u16) -> Option<&Card> {
    let (card, _) = hardware.port(pchid)?;
    card.feature.as_ref()?.types.iter().any(|kind| TYPES.contains(&kind.as_str())).then_some(card)
}

/// Returns the resource group of a card. Cards whose group is not known take the groups in turn.
fn group(hardware: &Hardware, card: &Card, pchid: u16) -> ResourceGroup {
    let before = hardware.pchids().filter(|one| *one < pchid && roce_card(hardware, *one).is_some()).count();
    let is_first = card.resource_group.map_or(before % 2 == 0, |group| group % 2 == 1);
    if is_first { ResourceGroup::One } else { ResourceGroup::Two }
}
