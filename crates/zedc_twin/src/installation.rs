//! Cards and functions of a deck and its hardware: FUNCTION statements of TYPE=ZEDC on the cards that are plugged.

use std::collections::BTreeMap;

use halftrack_base::Time;
use halftrack_deck::model::{Adapter, Deck};
use halftrack_plugging::Hardware;
use halftrack_zedc::{Cpc, CpcError, DEPTH_DEFAULT, FunctionPlace, ResourceGroup, VfNumber};

/// Value of TYPE= of the functions.
const TYPE: &str = "ZEDC";

/// Place of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On a card.
    Card(FunctionPlace),
    /// Nowhere: it stands by until its card is plugged.
    StandBy,
}

/// Function of the deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFunction {
    /// Its identifier (PFID).
    pub fid: u16,
    /// Physical channel of its card; `None` while none is coded.
    pub pchid: Option<u16>,
    /// Number of the virtual function.
    pub vf: u16,
    /// Partition that has it at the start.
    pub partition: Option<String>,
    /// Place.
    pub place: Place,
}

/// Cards and functions as they are planned, of which an [`Installation`] is made at the start of each run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallationPlan {
    /// Resource group of each card, in the order of their PCHIDs.
    pub groups: Vec<ResourceGroup>,
    /// Functions, by identifier.
    pub functions: Vec<PlacedFunction>,
}

/// Cards of a machine with the functions of a deck.
#[derive(Debug, Default)]
pub struct Installation {
    /// Cards.
    pub cpc: Cpc,
    /// Functions, by identifier.
    pub functions: Vec<PlacedFunction>,
}

impl Installation {
    /// Installs the cards that `hardware` has for TYPE=ZEDC, and the functions of `deck` on them. Cards whose resource group is
    /// not known take the groups in turn.
    ///
    /// # Errors
    /// More cards than a machine takes.
    pub fn new(deck: &Deck, hardware: &Hardware) -> Result<Self, CpcError> {
        let mut cpc = Cpc::default();
        let mut cards = BTreeMap::new();
        let serves = |pchid: u16| {
            let (card, _) = hardware.port(pchid)?;
            card.feature.as_ref()?.types.iter().any(|kind| kind == TYPE).then_some(card)
        };
        for pchid in hardware.pchids() {
            let Some(card) = serves(pchid) else { continue };
            let group = card.resource_group.map_or(cards.len() % 2 == 0, |group| group % 2 == 1);
            let group = if group { ResourceGroup::One } else { ResourceGroup::Two };
            cards.insert(pchid, cpc.install(group, Time::ZERO)?);
        }
        let mut functions = Vec::new();
        for function in
            deck.functions.iter().filter(|one| is_zedc(one.kind.as_ref().map(|kind| &*kind.value)))
        {
            for step in 0..function.count.max(1) {
                let pchid = match function.adapter.as_ref().map(|adapter| adapter.value) {
                    Some(Adapter::Pchid(pchid)) => Some(pchid),
                    _ => None,
                };
                // A zEC12 takes functions without VF, one to a card.
                let vf = function.vf.as_ref().map_or(1, |vf| vf.value).saturating_add(step);
                let number = u8::try_from(vf).ok().and_then(VfNumber::new);
                let card = pchid.and_then(|pchid| cards.get(&pchid).copied());
                let place = card.zip(number).map(|(card, vf)| FunctionPlace { card, vf });
                // The rules of decks refuse two functions of one number; a second one stands by.
                let place = place.filter(|at| cpc.card_mut(at.card).configure(at.vf, DEPTH_DEFAULT).is_ok());
                functions.push(PlacedFunction {
                    fid: function.fid.value.saturating_add(step),
                    pchid,
                    vf,
                    partition: function.access.as_ref().map(|(_, name)| name.clone()),
                    place: place.map_or(Place::StandBy, Place::Card),
                });
            }
        }
        functions.sort_by_key(|function| function.fid);
        Ok(Self { cpc, functions })
    }

    /// Installs the cards and functions of a plan.
    pub fn of(plan: &InstallationPlan) -> Self {
        let mut cpc = Cpc::default();
        for group in &plan.groups {
            cpc.install(*group, Time::ZERO).expect("a plan has no more cards than a machine takes");
        }
        for function in &plan.functions {
            if let Place::Card(at) = function.place {
                let configured = cpc.card_mut(at.card).configure(at.vf, DEPTH_DEFAULT);
                configured.expect("a plan places each function of a card once");
            }
        }
        Self { cpc, functions: plan.functions.clone() }
    }

    /// Returns the plan of it.
    pub fn plan(&self) -> InstallationPlan {
        let groups = self.cpc.cards().map(|id| self.cpc.card(id).group()).collect();
        InstallationPlan { groups, functions: self.functions.clone() }
    }
}

fn is_zedc(kind: Option<&str>) -> bool {
    kind == Some(TYPE)
}
