//! Domains and fanouts of the plant, with what the machine has of them.

use std::collections::BTreeMap;

use halftrack_catalog as catalog;
use halftrack_input::Located;
use halftrack_input::messages::study as numbers;

use crate::assemble::hardware;
use crate::assemble::inputs::Inputs;
use crate::cpc_name::CpcName;
use crate::plant::{self, Domain, Fanout};
use crate::share::Share;

/// The interconnects of the plant: fanouts, then domains, each by name, which is their order among the shares.
pub struct Interconnects<'a> {
    cpcs: BTreeMap<CpcName, &'a catalog::Cpc>,
    fanouts: Vec<&'a Fanout>,
    domains: Vec<&'a Domain>,
}

impl<'a> Interconnects<'a> {
    /// Creates the interconnects of the plant. Names that lead nowhere, and more than the machine has places for, are
    /// reported.
    pub fn new(inputs: &Inputs<'a>) -> Self {
        let mut fanouts: Vec<_> = inputs.plant.fanouts.iter().collect();
        fanouts.sort_by(|a, b| a.name.value.cmp(&b.name.value));
        let mut domains: Vec<_> = inputs.plant.domains.iter().collect();
        domains.sort_by(|a, b| a.name.value.cmp(&b.name.value));
        // An unknown machine has been reported with the processor complex.
        let known = |cpc: &plant::Cpc| Some((cpc.name, inputs.catalog.cpcs.get(&cpc.model.value)?));
        let cpcs = inputs.plant.cpcs.iter().filter_map(known).collect();
        let interconnects = Self { cpcs, fanouts, domains };
        interconnects.check_names(inputs);
        interconnects.check_owners(inputs);
        for machine in inputs.each() {
            interconnects.check_kinds(&machine);
            interconnects.check_places(&machine);
        }
        interconnects
    }

    /// Returns the index of domain `name` among the shares.
    pub fn domain(&self, name: &str) -> Option<u32> {
        let at = self.domains.iter().position(|domain| domain.name.value == name)?;
        Some((self.fanouts.len() + at) as u32)
    }

    /// Returns the index of the standby of domain `name` among the shares.
    pub fn standby(&self, name: &str) -> Option<u32> {
        let domain = self.domains.iter().find(|domain| domain.name.value == name)?;
        self.domain(&domain.standby.as_ref()?.value)
    }

    /// Returns the first of the shares.
    pub fn shares(&self) -> Vec<Share> {
        let fanout = |fanout: &&Fanout| {
            let limits = self.cpc(fanout.cpc).and_then(|cpc| cpc.processor.fanout.as_ref());
            let limits = limits.and_then(|fanout| fanout.limits.as_ref());
            hardware::share(format!("fanout {}", fanout.name.value), limits)
        };
        let domain = |domain: &&Domain| {
            let limits = self
                .cpc(domain.cpc)
                .and_then(|cpc| cpc.processor.domain.as_ref())
                .map(|domain| &domain.limits);
            let mut share = hardware::share(format!("domain {}", domain.name.value), limits);
            share.parent = domain.fanout.as_ref().and_then(|fanout| self.fanout(&fanout.value));
            share
        };
        self.fanouts.iter().map(fanout).chain(self.domains.iter().map(domain)).collect()
    }

    /// Returns the catalog entry of the machine `name`.
    fn cpc(&self, name: CpcName) -> Option<&'a catalog::Cpc> {
        self.cpcs.get(&name).copied()
    }

    fn fanout(&self, name: &str) -> Option<u32> {
        self.fanouts.iter().position(|fanout| fanout.name.value == name).map(|at| at as u32)
    }

    /// Checks that the machine has interconnects of the kinds that are described.
    fn check_kinds(&self, inputs: &Inputs<'_>) {
        let Some(cpc) = self.cpc(inputs.cpc.name) else { return };
        let domain = self.domains.iter().find(|one| one.cpc == inputs.cpc.name);
        let fanout = self.fanouts.iter().find(|one| one.cpc == inputs.cpc.name);
        let domain = domain.filter(|_| cpc.processor.domain.is_none()).map(|one| (&one.name, "domain"));
        let fanout = fanout.filter(|_| cpc.processor.fanout.is_none()).map(|one| (&one.name, "fanout"));
        for (name, table) in domain.into_iter().chain(fanout) {
            let message = format!("the catalog gives {} no `[{table}]`", inputs.cpc.model.value);
            let error = inputs
                .in_plant(numbers::NO_INTERCONNECT, &name.span, message)
                .other(inputs.plant.label(&inputs.cpc.model.span, "model of the plant"))
                .fix(format!("remove the `[[{table}]]` tables and what names them"));
            inputs.report(error);
        }
    }

    /// Checks that every name of a domain or fanout is one that the plant has.
    fn check_names(&self, inputs: &Inputs<'_>) {
        let cards = inputs.plant.cards.iter().filter_map(|card| card.domain.as_ref());
        for name in cards.chain(self.domains.iter().filter_map(|domain| domain.standby.as_ref())) {
            if self.domain(&name.value).is_none() {
                missing(inputs, name, "domain", self.domains.iter().map(|domain| &domain.name.value));
            }
        }
        for name in self.domains.iter().filter_map(|domain| domain.fanout.as_ref()) {
            if self.fanout(&name.value).is_none() {
                missing(inputs, name, "fanout", self.fanouts.iter().map(|fanout| &fanout.name.value));
            }
        }
        for domain in &self.domains {
            if let Some(standby) = domain.standby.as_ref().filter(|one| one.value == domain.name.value) {
                let message = format!("domain {} stands by for itself", standby.value);
                let error = inputs.in_plant(numbers::NO_DOMAIN, &standby.span, message);
                inputs.report(error.fix("name the domain whose interconnect takes over"));
            }
        }
    }

    /// Checks that cards and interconnects name interconnects of their own machine.
    fn check_owners(&self, inputs: &Inputs<'_>) {
        let owner = |name: &Located<String>| {
            self.domains.iter().find(|domain| domain.name.value == name.value).map(|domain| domain.cpc)
        };
        let of_fanout = |name: &Located<String>| {
            self.fanouts.iter().find(|fanout| fanout.name.value == name.value).map(|fanout| fanout.cpc)
        };
        let cards = inputs.plant.cards.iter().map(|card| (card.cpc, card.domain.as_ref()));
        let standbys = self.domains.iter().map(|domain| (domain.cpc, domain.standby.as_ref()));
        let domains = cards.chain(standbys).filter_map(|(cpc, name)| Some((cpc, name?, owner(name?)?)));
        let fanouts = self.domains.iter().map(|domain| (domain.cpc, domain.fanout.as_ref()));
        let fanouts = fanouts.filter_map(|(cpc, name)| Some((cpc, name?, of_fanout(name?)?)));
        for (cpc, name, other) in domains.chain(fanouts).filter(|(cpc, _, other)| cpc != other) {
            let message = format!("{} is in CPC {other}, but what names it is in CPC {cpc}", name.value);
            let error = inputs.in_plant(numbers::WHICH_CPC, &name.span, message);
            inputs.report(error.fix("correct `cpc` of one of them, or name another"));
        }
    }

    /// Checks that cards fit into domains, and domains onto fanouts.
    fn check_places(&self, inputs: &Inputs<'_>) {
        let cards: Vec<_> = inputs.cards().filter_map(|card| card.domain.as_ref()).collect();
        let Some(cpc) = self.cpc(inputs.cpc.name) else { return };
        if let Some(places) = &cpc.processor.domain {
            for domain in self.domains.iter().filter(|domain| domain.cpc == inputs.cpc.name) {
                let inside = cards.iter().filter(|name| name.value == domain.name.value).copied();
                let what = format!("domain {}", domain.name.value);
                full(inputs, &what, "cards", places.cards.value, inside);
            }
        }
        let Some(places) = &cpc.processor.fanout else { return };
        for fanout in self.fanouts.iter().filter(|fanout| fanout.cpc == inputs.cpc.name) {
            let on_it = |name: &&Located<String>| name.value == fanout.name.value;
            let inside = self.domains.iter().filter_map(|domain| domain.fanout.as_ref()).filter(on_it);
            let what = format!("fanout {}", fanout.name.value);
            full(inputs, &what, "domains", places.domains.value, inside);
            let is_on_it = |domain: &&&Domain| domain.fanout.as_ref().is_some_and(|one| on_it(&one));
            let domains: Vec<_> = self.domains.iter().filter(is_on_it).map(|one| &one.name.value).collect();
            let inside = cards.iter().filter(|name| domains.contains(&&name.value)).copied();
            full(inputs, &what, "cards", places.cards.value, inside);
        }
    }
}

/// Reports the first of `inside` that `what` has no place for.
fn full<'b>(
    inputs: &Inputs<'_>,
    what: &str,
    of: &str,
    places: u32,
    inside: impl Iterator<Item = &'b Located<String>> + Clone,
) {
    if let Some(extra) = inside.clone().nth(places as usize) {
        let message = format!("{what} has places for {places} {of}, not {}", inside.count());
        let error = inputs.in_plant(numbers::DOMAIN_FULL, &extra.span, message);
        inputs.report(error.fix(format!("name another for the {of} that are too many")));
    }
}

/// Reports that the plant has no `table` with `name`.
fn missing<'b>(
    inputs: &Inputs<'_>,
    name: &Located<String>,
    table: &str,
    known: impl Iterator<Item = &'b String> + Clone,
) {
    let message = format!("the plant has no {table} {}", name.value);
    let fix = match known.clone().next() {
        Some(_) => {
            let known: Vec<_> = known.map(String::as_str).collect();
            format!("name one of {}, or add a `[[{table}]]`", known.join(", "))
        }
        None => format!("add a `[[{table}]]` with `name = \"{}\"`", name.value),
    };
    inputs.report(inputs.in_plant(numbers::NO_DOMAIN, &name.span, message).fix(fix));
}
