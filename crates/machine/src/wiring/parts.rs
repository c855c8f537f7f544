//! Parts that fail or halt: the paths that lead over each of them, and the links at it.

use std::collections::BTreeSet;

use halftrack_base::{Span, Time};
use halftrack_config::{Configuration, DisturbanceKind, IsLinkDevice, Link, Part, Path, SwitchPort};

use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl Wiring {
    /// Iterates over the paths that lead over `part`; the routes of a path count by themselves.
    pub(crate) fn paths_over(&self, part: Part) -> impl Iterator<Item = u32> {
        (0..).zip(&self.paths).filter(move |(_, path)| self.leads_over(path, part)).map(|(index, _)| index)
    }

    /// Returns true when a channel-to-channel device leads over `part`.
    pub(crate) fn device_leads_over(&self, device: &IsLinkDevice, part: Part) -> bool {
        let mut links = device.links.iter().flatten().map(|link| &self.configuration.links[*link as usize]);
        match part {
            Part::Channel(channel) => device.channels.contains(&channel),
            Part::Isl(port) => links.any(|link| is_isl(link, port)),
            Part::Director(domain) => links.any(|link| is_at_director(link, domain)),
            Part::Power => links.any(|link| link.switch_ports.iter().any(Option::is_some)),
            Part::Port(_) | Part::ControlUnit(_) => false,
        }
    }

    /// Returns true when `path` leads over `part`.
    pub(crate) fn leads_over(&self, path: &PathWire, part: Part) -> bool {
        let c = &self.configuration;
        let hops = || path.outbound.range().chain(path.inbound.range()).map(|hop| &self.hops[hop]);
        let has_link =
            |of_part: &dyn Fn(&Link) -> bool| hops().any(|hop| of_part(&c.links[hop.link as usize]));
        match part {
            Part::Channel(channel) => path.channel == channel,
            Part::Port(port) => path.port == port,
            Part::Isl(port) => has_link(&|link| is_isl(link, port)),
            Part::Director(domain) => has_link(&|link| is_at_director(link, domain)),
            Part::ControlUnit(index) => c.lcus[path.lcu as usize].control_unit == index,
            Part::Power => true,
        }
    }
}

/// Returns true for either direction of the inter-switch link with an end at `port`.
fn is_isl(link: &Link, port: SwitchPort) -> bool {
    link.switch_ports.iter().all(Option::is_some) && link.switch_ports.contains(&Some(port))
}

/// Returns true for a link with an end at the director of `domain`.
fn is_at_director(link: &Link, domain: u8) -> bool {
    link.switch_ports.iter().flatten().any(|port| port.domain == domain)
}

/// Returns the links that begin or end at `part`.
pub(crate) fn links_at(configuration: &Configuration, part: Part) -> BTreeSet<u32> {
    let mut found = device_links_at(configuration, part);
    found.extend(path_links_at(configuration, part));
    found
}

/// Returns the links of channel-to-channel devices that begin or end at `part`.
fn device_links_at(configuration: &Configuration, part: Part) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for device in configuration.islinks.iter().flat_map(|link| &link.devices) {
        for (from, links) in device.links.iter().enumerate() {
            let begin = links.first().filter(|_| part == Part::Channel(device.channels[from]));
            let end = links.last().filter(|_| part == Part::Channel(device.channels[1 - from]));
            let between = links.iter().filter(|link| {
                let link = &configuration.links[**link as usize];
                match part {
                    Part::Isl(port) => is_isl(link, port),
                    Part::Director(domain) => is_at_director(link, domain),
                    Part::Power => link.switch_ports.iter().any(Option::is_some),
                    Part::Channel(_) | Part::Port(_) | Part::ControlUnit(_) => false,
                }
            });
            found.extend(begin.into_iter().chain(end).chain(between));
        }
    }
    found
}

/// Returns the links of paths to control units that begin or end at `part`.
fn path_links_at(configuration: &Configuration, part: Part) -> BTreeSet<u32> {
    links(configuration, |path, control_unit| match part {
        Part::Channel(channel) if path.channel == channel => ends(path.outbound.first(), path.inbound.last()),
        Part::Port(port) if path.port == port => ends(path.outbound.last(), path.inbound.first()),
        Part::ControlUnit(index) if control_unit == index => ends(path.outbound.last(), path.inbound.first()),
        Part::Channel(_) | Part::Port(_) | Part::ControlUnit(_) => Vec::new(),
        Part::Isl(port) => those(configuration, path, |link| is_isl(link, port)),
        Part::Director(domain) => those(configuration, path, |link| is_at_director(link, domain)),
        Part::Power => those(configuration, path, |_| true),
    })
}

/// Returns the links whose receiver is `part`; of an inter-switch link both directions.
fn links_into(configuration: &Configuration, part: Part) -> BTreeSet<u32> {
    links(configuration, |path, _| match part {
        Part::Channel(channel) if path.channel == channel => ends(None, path.inbound.last()),
        Part::Port(port) if path.port == port => ends(path.outbound.last(), None),
        Part::Isl(port) => those(configuration, path, |link| is_isl(link, port)),
        _ => Vec::new(),
    })
}

fn ends(one: Option<&u32>, other: Option<&u32>) -> Vec<u32> {
    one.into_iter().chain(other).copied().collect()
}

fn those(configuration: &Configuration, path: &Path, is_one: impl Fn(&Link) -> bool) -> Vec<u32> {
    let all = path.outbound.iter().chain(&path.inbound).copied();
    all.filter(|link| is_one(&configuration.links[*link as usize])).collect()
}

/// Collects links of all routes of all paths; `of_path` gets the storage box of each too.
fn links(configuration: &Configuration, of_path: impl Fn(&Path, u32) -> Vec<u32>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for lcu in &configuration.lcus {
        let paths = lcu.path_groups.iter().flat_map(|group| &group.paths).flat_map(Path::ways);
        paths.for_each(|path| found.extend(of_path(&path, lcu.control_unit)));
    }
    found
}

/// The links whose receiver gives credits back late, and when, with the time of a credit on the way.
#[derive(Debug, Default)]
pub(crate) struct SlowDrains {
    /// By link.
    propagations: Vec<Span>,
    drains: Vec<Drain>,
}

#[derive(Debug)]
struct Drain {
    links: BTreeSet<u32>,
    from: Time,
    until: Time,
    late: Span,
}

impl SlowDrains {
    /// Finds the slow drains among the disturbances.
    pub(crate) fn new(configuration: &Configuration) -> Self {
        let drains = configuration.disturbances.iter().filter_map(|one| {
            let DisturbanceKind::SlowDrain { part, late } = one.kind else { return None };
            let from = Time::ZERO + one.at;
            Some(Drain { links: links_into(configuration, part), from, until: from + one.lasts, late })
        });
        let propagations = configuration.links.iter().map(|link| link.propagation).collect();
        Self { propagations, drains: drains.collect() }
    }

    /// Returns true when credits of `link` are late at some time.
    pub(crate) fn are_of(&self, link: u32) -> bool {
        self.drains.iter().any(|drain| drain.links.contains(&link))
    }

    /// Returns the propagation of `link`.
    #[inline(always)]
    pub(crate) fn propagation(&self, link: u32) -> Span {
        self.propagations[link as usize]
    }

    /// Returns when the credit of a buffer of `link` is given back that is free at `freed`.
    #[inline(always)]
    pub(crate) fn given_back(&self, link: u32, freed: Time) -> Time {
        if self.drains.is_empty() { freed } else { self.given_back_late(link, freed) }
    }

    #[cold]
    fn given_back_late(&self, link: u32, freed: Time) -> Time {
        let is_now =
            |drain: &&Drain| drain.links.contains(&link) && drain.from <= freed && freed < drain.until;
        self.drains.iter().filter(is_now).fold(freed, |at, drain| at + drain.late)
    }
}
