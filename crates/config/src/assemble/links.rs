//! One-way links: each direction of each fibre that a path uses.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_base::Span;
use halftrack_catalog::SINGLE_MODE;
use halftrack_input::Located;

use crate::assemble::fabric::{End, Fabric, Fibre};
use crate::assemble::hardware::duration;
use crate::assemble::inputs::Inputs;
use crate::configuration::{Link, SwitchPort};
use crate::islink::IsLink;
use crate::logical_control_unit::{Lcu, RoutePair};
use crate::place::DirectorPort;

/// A fibre in one direction: its index, and whether it runs from its second end to its first.
pub type Direction = (usize, bool);

/// Both directions of every fibre by name, and which of them paths use.
pub struct Links {
    all: Vec<Link>,
    numbers: BTreeMap<Direction, u32>,
    /// The links in use, each with the links that feed it.
    feeders: BTreeMap<u32, BTreeSet<u32>>,
}

impl Links {
    /// Returns every direction of every fibre, none in use.
    pub fn new(inputs: &Inputs<'_>, fabric: &Fabric<'_>) -> Self {
        let id = Located::new(SINGLE_MODE.to_owned(), 0..0);
        let mut named = BTreeMap::new();
        if let Some(glass) = inputs.find(&inputs.catalog.fibres, &id) {
            for (index, fibre) in fabric.fibres().iter().enumerate() {
                let us = fibre.km * glass.propagation_us_per_km.value;
                let propagation = Span::from_us_f64(us) + fibre.delay;
                for back in [false, true] {
                    let link = one_way(fabric, fibre, back, (propagation, glass.fill_bytes.value));
                    named.insert(link.name.clone(), ((index, back), link));
                }
            }
        }
        let numbers = named.values().map(|(direction, _)| *direction).zip(0..).collect();
        let all = named.into_values().map(|(_, link)| link).collect();
        Self { all, numbers, feeders: BTreeMap::new() }
    }

    /// Returns the links along `hops`, and those back, both in order of travel. They count as used from now on, and
    /// each as fed by the one before it.
    pub fn route(&mut self, hops: &[Direction]) -> RoutePair {
        let back: Vec<_> = hops.iter().rev().map(|(fibre, back)| (*fibre, !back)).collect();
        RoutePair { outbound: self.travel(hops), inbound: self.travel(&back) }
    }

    fn travel(&mut self, hops: &[Direction]) -> Vec<u32> {
        let links: Vec<u32> = hops.iter().filter_map(|hop| self.numbers.get(hop).copied()).collect();
        for (at, link) in links.iter().enumerate() {
            let feeders = self.feeders.entry(*link).or_default();
            feeders.extend(at.checked_sub(1).map(|before| links[before]));
        }
        links
    }

    /// Returns the link of this index in routes that are not numbered yet.
    pub fn link(&self, index: u32) -> &Link {
        &self.all[index as usize]
    }

    /// Returns the links in use, by name, with the links of paths of `lcus` and of devices of `islinks` numbered accordingly.
    pub fn number(self, mut lcus: Vec<Lcu>, mut islinks: Vec<IsLink>) -> (Vec<Link>, Vec<Lcu>, Vec<IsLink>) {
        let places: BTreeMap<u32, u32> = self.feeders.keys().copied().zip(0..).collect();
        let place = |link: &mut u32| *link = places.get(link).copied().unwrap_or_default();
        for path in lcus.iter_mut().flat_map(|lcu| &mut lcu.path_groups).flat_map(|group| &mut group.paths) {
            path.outbound.iter_mut().chain(&mut path.inbound).for_each(place);
            let others = path.alternatives.iter_mut();
            others.flat_map(|way| way.outbound.iter_mut().chain(&mut way.inbound)).for_each(place);
        }
        let devices = islinks.iter_mut().flat_map(|link| &mut link.devices);
        devices.flat_map(|device| &mut device.links).flatten().for_each(place);
        let links = self.feeders.iter().map(|(link, feeders)| {
            let link = self.all[*link as usize].clone();
            Link { fed_by: feeders.len() as u32, ..link }
        });
        (links.collect(), lcus, islinks)
    }
}

/// Returns the link that `fibre` is in one direction, made of glass with this propagation time and fill between frames.
/// A link of another protocol has the rate of its data.
fn one_way(fabric: &Fabric<'_>, fibre: &Fibre, back: bool, (propagation, fill_bytes): (Span, u32)) -> Link {
    let (from, to) = (&fibre.ends[usize::from(back)], &fibre.ends[usize::from(!back)]);
    let director = match to {
        End::Director(port) => fabric.director(port.director),
        End::Channel(_) | End::Adapter(_) => None,
    };
    Link {
        name: format!("{from} > {to}"),
        bytes_per_s: fibre.bytes_per_s,
        fill_bytes: if fibre.speed.gbps == 0 { 0 } else { fill_bytes },
        propagation,
        credits: fibre.credits[usize::from(!back)],
        forward_latency: director.map_or(Span::ZERO, |director| duration(&director.forward_us)),
        fed_by: 0,
        errors: fibre.errors,
        switch_ports: [from, to].map(switch_port),
    }
}

const fn switch_port(end: &End) -> Option<SwitchPort> {
    match end {
        End::Director(DirectorPort { director, port }) => Some(SwitchPort { domain: *director, port: *port }),
        End::Channel(_) | End::Adapter(_) => None,
    }
}
