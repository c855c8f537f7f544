//! The problem of the assignment: items, sites, and sets of items that stand in for each other.

use std::collections::BTreeMap;

use halftrack_deck::may_share_card;
use halftrack_deck::model::channel_types::ChannelType;
use halftrack_deck::model::function_types::FunctionType;
use halftrack_deck::model::{Adapter, ChannelPath, Deck, Function};

use crate::hardware::{Card, Hardware};
use crate::map::{MapOptions, Subject, Unplaced};

/// Parts that ports may have in common: card, resource group, domain, fanout, CPC drawer, I/O drawer.
pub(super) const PART_COUNT: usize = 6;
/// The resource group among them; only functions are taken away with one.
pub(super) const RESOURCE_GROUP: usize = 1;

/// Definitions that are placed as one: a channel path, or the functions of one adapter, or both of a hybrid adapter.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) channel: Option<usize>,
    pub(super) functions: Vec<usize>,
    /// Value of TYPE=.
    pub(super) kind: String,
    /// Site that it keeps.
    pub(super) fixed: Option<usize>,
}

/// One PCHID of the hardware.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) pchid: u16,
    /// Its card, as an index into those of the hardware.
    pub(super) card: usize,
    /// The parts that it is in, by number; the resource group by its own. `None` when not known.
    pub(super) parts: [Option<u16>; PART_COUNT],
}

/// Items that stand in for each other.
#[derive(Debug)]
pub(super) struct Group {
    /// Their names, in words.
    pub(super) name: String,
    /// `paths`, `functions`.
    pub(super) noun: &'static str,
    pub(super) items: Vec<usize>,
    /// Resource groups matter.
    pub(super) in_resource_groups: bool,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    pub(super) deck: &'a Deck,
    pub(super) hardware: &'a Hardware,
    pub(super) options: MapOptions,
    pub(super) items: Vec<Item>,
    pub(super) sites: Vec<Site>,
    pub(super) groups: Vec<Group>,
    /// Groups of each item.
    pub(super) groups_of: Vec<Vec<usize>>,
    /// Channel paths and functions that keep a PCHID that the hardware does not have.
    pub(super) strays: Vec<Unplaced>,
}

impl Item {
    pub(super) fn subjects(&self) -> impl Iterator<Item = Subject> + '_ {
        let channel = self.channel.iter().map(|&index| Subject::Channel(index));
        channel.chain(self.functions.iter().map(|&index| Subject::Function(index)))
    }
}

impl<'a> Problem<'a> {
    pub(super) fn of(deck: &'a Deck, hardware: &'a Hardware, options: MapOptions) -> Self {
        let mut problem = Self {
            deck,
            hardware,
            options,
            items: Vec::new(),
            sites: sites(hardware),
            groups: Vec::new(),
            groups_of: Vec::new(),
            strays: Vec::new(),
        };
        problem.add_items();
        problem.groups = super::groups::of(&problem);
        problem.groups_of = vec![Vec::new(); problem.items.len()];
        for (index, group) in problem.groups.iter().enumerate() {
            group.items.iter().for_each(|&item| problem.groups_of[item].push(index));
        }
        problem
    }

    /// Adds channel paths that take a PCHID, then functions; those that share a coded PCHID are moved together.
    fn add_items(&mut self) {
        let machine = self.deck.machine();
        if !machine.has_pchids() {
            let channels = 0..self.deck.channel_paths.len();
            let reason = format!("a {} ({}) has no PCHIDs", machine.machine_type, machine.name);
            let stray =
                |index| Unplaced { subject: Subject::Channel(index), old: None, reason: reason.clone() };
            self.strays.extend(channels.map(stray));
            return;
        }
        let mut items: Vec<(Item, Option<u16>)> = Vec::new();
        let mut by_pchid: BTreeMap<u16, usize> = BTreeMap::new();
        for (index, path) in self.deck.channel_paths.iter().enumerate().filter(|(_, path)| takes_pchid(path))
        {
            let coded = path.pchid.as_ref().map(|pchid| pchid.value);
            let kind = path.channel_type.value.clone();
            coded.map(|pchid| by_pchid.entry(pchid).or_insert(items.len()));
            items.push((Item { channel: Some(index), functions: Vec::new(), kind, fixed: None }, coded));
        }
        for (index, function) in self.deck.functions.iter().enumerate() {
            let Some(coded) = pchid_of(function) else { continue };
            let joined = coded.and_then(|pchid| by_pchid.get(&pchid).copied());
            if let Some(item) = joined {
                items[item].0.functions.push(index);
                continue;
            }
            coded.map(|pchid| by_pchid.insert(pchid, items.len()));
            let kind = kind_of(function);
            items.push((Item { channel: None, functions: vec![index], kind, fixed: None }, coded));
        }
        for (mut item, coded) in items {
            let site = coded.and_then(|pchid| self.sites.iter().position(|site| site.pchid == pchid));
            // A PCHID with several ports is shared by its links, as their deck has it.
            let has_port = item.channel.is_some_and(|index| self.deck.channel_paths[index].port.is_some());
            if let (true, Some(pchid)) = (coded.is_some() && (!self.options.all || has_port), coded) {
                let Some(site) = site else {
                    let reason = format!("PCHID {pchid:03X} is in no slot of the hardware");
                    let stray = |subject| Unplaced { subject, old: coded, reason: reason.clone() };
                    self.strays.extend(item.subjects().map(stray));
                    continue;
                };
                item.fixed = Some(site);
            }
            self.items.push(item);
        }
    }

    /// Returns the PCHID that is coded.
    pub(super) fn coded(&self, subject: Subject) -> Option<u16> {
        match subject {
            Subject::Channel(index) => self.deck.channel_paths[index].pchid.as_ref().map(|pchid| pchid.value),
            Subject::Function(index) => pchid_of(&self.deck.functions[index]).flatten(),
        }
    }

    pub(super) fn card(&self, site: usize) -> &Card {
        &self.hardware.cards()[self.sites[site].card]
    }

    /// Returns true when the card of `site` serves the type of `item`, and the machine has the PCHID.
    pub(super) fn serves(&self, item: usize, site: usize) -> bool {
        let kind = &self.items[item].kind;
        let pchid = self.sites[site].pchid;
        let exists = |kind: &ChannelType| self.deck.machine().may_have_pchid(pchid, kind);
        self.card(site).feature.as_ref().is_some_and(|feature| feature.types.contains(kind))
            && ChannelType::of(kind).is_none_or(exists)
    }

    /// Returns true when `item` may be on `site` beside `others` (items with their sites).
    pub(super) fn fits(&self, item: usize, site: usize, others: &[Option<usize>]) -> bool {
        self.serves(item, site)
            && others.iter().enumerate().all(|(other, at)| match at {
                Some(at) if other != item && self.sites[*at].card == self.sites[site].card => {
                    self.may_meet(item, other, *at == site)
                }
                _ => true,
            })
    }

    /// Returns true when two items may be on one card, or on one PCHID.
    fn may_meet(&self, one: usize, other: usize, on_one_pchid: bool) -> bool {
        let (one, other) = (&self.items[one], &self.items[other]);
        match (one.channel, other.channel) {
            (Some(one), Some(other)) => {
                let (one, other) = (&self.deck.channel_paths[one], &self.deck.channel_paths[other]);
                let kinds =
                    (ChannelType::of(&one.channel_type.value), ChannelType::of(&other.channel_type.value));
                let (Some(kind), Some(other_kind)) = kinds else { return true };
                let mixtype = one.mixtype && other.mixtype;
                !on_one_pchid && may_share_card(kind, other_kind, mixtype, self.deck.machine())
            }
            (None, None) if on_one_pchid => one.functions.iter().all(|&one| {
                let clash = |&other: &usize| self.clash(one, other);
                !other.functions.iter().any(clash)
            }),
            _ => !on_one_pchid,
        }
    }

    /// Returns true when two functions cannot be on one adapter.
    fn clash(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.deck.functions[one], &self.deck.functions[other]);
        let same_type = kind_of(one) == kind_of(other);
        let (Some(vf), Some(other_vf), true) = (&one.vf, &other.vf, same_type) else { return true };
        let range = |vf: u16, count: u16| u32::from(vf)..u32::from(vf) + u32::from(count);
        let (vfs, other_vfs) = (range(vf.value, one.count), range(other_vf.value, other.count));
        let overlap = vfs.start < other_vfs.end && other_vfs.start < vfs.end;
        one.port == other.port && (overlap || one.pnetids != other.pnetids)
    }

    /// Returns the reason that `item` has no site.
    pub(super) fn why_unplaced(&self, item: &Item) -> String {
        let serves = |site: &&Site| {
            let feature = self.hardware.cards()[site.card].feature.as_ref();
            feature.is_some_and(|feature| feature.types.contains(&item.kind))
        };
        match self.sites.iter().filter(serves).count() {
            0 => format!("the hardware has no feature for TYPE={}", item.kind),
            count => format!(
                "all {count} PCHIDs for TYPE={} are taken, or next to types that do not mix",
                item.kind
            ),
        }
    }
}

fn sites(hardware: &Hardware) -> Vec<Site> {
    let mut numbers: BTreeMap<(usize, String), u16> = BTreeMap::new();
    let mut count = [0u16; PART_COUNT];
    let mut number = |part: usize, name: Option<String>| {
        name.map(|name| {
            *numbers.entry((part, name)).or_insert_with(|| {
                count[part] += 1;
                count[part]
            })
        })
    };
    let mut sites = Vec::new();
    for (index, card) in hardware.cards().iter().enumerate() {
        let parts = [
            number(0, Some(card.place_words())),
            card.resource_group.map(u16::from),
            number(2, card.domain.clone()),
            number(3, card.fanout().map(str::to_owned)),
            number(4, card.cpc_drawer().map(str::to_owned)),
            number(5, Some(card.drawer.clone())),
        ];
        let pchids = hardware
            .pchids()
            .filter(|&pchid| hardware.port(pchid).is_some_and(|(other, _)| std::ptr::eq(other, card)));
        sites.extend(pchids.map(|pchid| Site { pchid, card: index, parts }));
    }
    sites.sort_by_key(|site| site.pchid);
    sites
}

/// Returns true for a channel path that is on a PCHID, coded or to be assigned.
fn takes_pchid(path: &ChannelPath) -> bool {
    let kind = ChannelType::of(&path.channel_type.value);
    path.pchid.is_some()
        || (kind.is_some_and(|kind| kind.needs_pchid) && path.vchid.is_none() && path.aid.is_none())
}

/// Returns the PCHID of a function that lives on one; `Some(None)` when none is coded yet.
fn pchid_of(function: &Function) -> Option<Option<u16>> {
    match function.adapter.as_ref().map(|adapter| adapter.value) {
        Some(Adapter::Pchid(pchid)) => Some(Some(pchid)),
        Some(Adapter::Vchid(_)) => None,
        None => {
            let kind = function.kind.as_ref().and_then(|kind| FunctionType::of(&kind.value));
            kind.is_none_or(|kind| !kind.is_virtual).then_some(None)
        }
    }
}

/// Returns the type of a function. Machines before the z13 need none: with networks it is a RoCE, else a zEDC.
pub(super) fn kind_of(function: &Function) -> String {
    match &function.kind {
        Some(kind) => kind.value.clone(),
        None if function.pnetids.is_empty() => "ZEDC".to_owned(),
        None => "ROCE".to_owned(),
    }
}
