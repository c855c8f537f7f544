//! zHyperLinks of the picture: adapters, cables, and the ports of boxes that they lead to.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_config::Configuration;
use halftrack_drawing::{Edge, Foldable, Group, Node, Route, fold, number};

use super::Figures;
use super::nodes::busy_words;
use crate::html::links::ends;

/// Nodes of zHyperLinks, by the place of the first.
pub(super) struct ZHyperLinks {
    /// First adapter.
    adapters_from: usize,
    /// Adapters by name, `pchid 180`.
    adapters: Vec<String>,
    /// Of each link of the configuration, its adapter.
    adapter_of: Vec<usize>,
}

impl ZHyperLinks {
    /// Returns the nodes of the links of `configuration`, from number `from` on.
    pub(super) fn of(configuration: &Configuration, from: usize) -> Self {
        let names = configuration.synchronous.links.iter().map(|link| adapter(&link.name));
        let adapters: Vec<String> = names.clone().collect::<BTreeSet<_>>().into_iter().collect();
        let adapter_of = names.map(|name| adapters.partition_point(|one| *one < name)).collect();
        Self { adapters_from: from, adapters, adapter_of }
    }

    /// Returns true where there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.adapters.is_empty()
    }

    /// Returns the number of nodes: adapters, and a port for each link.
    pub(super) fn nodes(&self) -> usize {
        self.adapters.len() + self.adapter_of.len()
    }

    fn adapter(&self, link: u32) -> usize {
        self.adapters_from + self.adapter_of[link as usize]
    }

    fn port(&self, link: u32) -> usize {
        self.adapters_from + self.adapters.len() + link as usize
    }

    /// Fills the nodes: an adapter by its busiest link.
    pub(super) fn fill(&self, configuration: &Configuration, figures: &Figures<'_>, nodes: &mut [Node]) {
        for (index, name) in self.adapters.iter().enumerate() {
            let mut links = (0..).zip(&self.adapter_of).filter(|(_, adapter)| **adapter == index);
            let percents =
                links.clone().filter_map(|(link, _): (usize, _)| figures.zhyperlinks_percent[link]);
            let ports = number::counted(links.by_ref().count(), "link");
            let place = name.trim_start_matches("pchid ").to_owned();
            nodes[self.adapters_from + index] = node(
                format!("zHyperLink {place}"),
                percents.reduce(f64::max),
                &format!("zHyperLink adapter, PCHID {place}, {ports}; its busiest is held"),
                vec![place.to_uppercase(), "ZHYPERLINK".to_owned()],
            );
        }
        for (link, index) in configuration.synchronous.links.iter().zip(0..) {
            let (from, to) = ends(&link.name);
            let place = from.trim_start_matches("pchid ");
            nodes[self.port(index)] = node(
                format!("{to} < {place}"),
                figures.zhyperlinks_percent[index as usize],
                &format!("zHyperLink {}; it is held", link.name),
                vec![place.to_uppercase(), to.to_uppercase()],
            );
        }
    }

    /// Returns cables by the share of the time that requests hold them, and what is before and behind them.
    pub(super) fn edges(
        &self,
        configuration: &Configuration,
        (lpars, lcus): (usize, usize),
        percents: &[Option<f64>],
    ) -> Vec<Edge> {
        let mut found: BTreeMap<(usize, usize), Option<f64>> = BTreeMap::new();
        for (index, percent) in (0..).zip(percents) {
            found.insert((self.adapter(index), self.port(index)), *percent);
        }
        for ((lpar, control_unit), links) in &configuration.synchronous.reachable {
            for link in links {
                found.insert((lpars + *lpar as usize, self.adapter(*link)), None);
                for lcu in lcus_of(configuration, *control_unit) {
                    found.insert((self.port(*link), lcus + lcu), None);
                }
            }
        }
        found.into_iter().map(|((from, to), percent)| Edge { from, to, percent }).collect()
    }

    /// Returns the ways from partitions to the logical control units of boxes.
    pub(super) fn routes(&self, configuration: &Configuration, (lpars, lcus): (usize, usize)) -> Vec<Route> {
        let mut found: BTreeMap<(u32, &[u32]), Vec<usize>> = BTreeMap::new();
        for ((lpar, control_unit), links) in &configuration.synchronous.reachable {
            found.entry((*control_unit, links)).or_default().push(lpars + *lpar as usize);
        }
        let route = |((control_unit, links), lpars): ((u32, &[u32]), _)| Route {
            lpars,
            units: lcus_of(configuration, control_unit).map(|lcu| lcus + lcu).collect(),
            paths: links.iter().map(|link| vec![self.adapter(*link), self.port(*link)]).collect(),
        };
        found.into_iter().map(route).collect()
    }

    /// Returns the groups: adapters in the column of the channels, ports in that of the host adapters.
    pub(super) fn groups(&self, configuration: &Configuration, adapters: usize, ports: usize) -> Vec<Group> {
        let boxes_of = |adapter: usize| {
            let links = configuration.synchronous.links.iter().zip(&self.adapter_of);
            links
                .filter(|(_, of)| **of == adapter)
                .map(|(link, _)| ends(&link.name).1)
                .collect::<BTreeSet<_>>()
        };
        let foldable = |adapter| Foldable {
            node: self.adapters_from + adapter,
            keys: vec![format!("{:?}", boxes_of(adapter)), String::new()],
        };
        let of_adapters: Vec<_> = (0..self.adapters.len()).map(foldable).collect();
        let mut groups = fold(adapters, &of_adapters, |_, members| format!("{} × zHyperLink", members.len()));
        let of_ports: Vec<_> = (configuration.synchronous.links.iter().zip(0..))
            .map(|(link, index)| Foldable {
                node: self.port(index),
                keys: vec![ends(&link.name).1.to_owned()],
            })
            .collect();
        groups.extend(fold(ports, &of_ports, |name, members| {
            format!("{name}, {}", number::counted(members.len(), "zHyperLink"))
        }));
        groups
    }
}

/// Returns the adapter of a link: `pchid 180` of `pchid 180.1 > BOXA`.
fn adapter(link: &str) -> String {
    let (from, _) = ends(link);
    from.rsplit_once('.').map_or(from, |(adapter, _)| adapter).to_owned()
}

/// Returns the logical control units of a box.
fn lcus_of(configuration: &Configuration, control_unit: u32) -> impl Iterator<Item = usize> {
    let lcus = configuration.lcus.iter().enumerate();
    lcus.filter(move |(_, lcu)| lcu.control_unit == control_unit).map(|(index, _)| index)
}

fn node(label: String, percent: Option<f64>, words: &str, keys: Vec<String>) -> Node {
    let held = percent.map_or_else(|| "0".to_owned(), number::percent);
    Node {
        label,
        figure: busy_words(percent),
        weight: percent.unwrap_or(0.0),
        percent,
        title: format!("{words} {held} % of the time"),
        keys,
        ..Node::default()
    }
}
