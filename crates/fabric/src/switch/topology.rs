//! Topology of the fabric: the link state records of all switches, and the fewest links to each of them (FSPF).

use std::collections::{BTreeMap, BTreeSet};

use halftrack_wire::WorldWideName;
use halftrack_wire::link_state::LinkStateRecord;

use crate::timing::HOPS_MAX;

/// Reach of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Inter-switch links on the way, the fewest.
    pub(crate) hops: u8,
    /// Neighbours over which ways with so few links lead.
    pub(crate) over: BTreeSet<u8>,
}

/// Consequence of a record that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acceptance {
    /// Nothing: it is known.
    Known,
    /// It was entered.
    Newer,
    /// The sender has an older one than this switch.
    Older,
}

/// Records by domain, and the ways that follow from them.
#[derive(Debug, Default)]
pub(crate) struct Topology {
    records: BTreeMap<u8, LinkStateRecord>,
    reached: BTreeMap<u8, Reach>,
}

impl Topology {
    /// Returns the record of a domain.
    pub(crate) fn record(&self, domain: u8) -> Option<&LinkStateRecord> {
        self.records.get(&domain)
    }

    /// Enters a record of this switch.
    pub(crate) fn enter(&mut self, record: LinkStateRecord) {
        self.records.insert(record.domain, record);
    }

    /// Takes a record of another switch. One of a switch that cannot be reached gives way to that of its successor.
    pub(crate) fn accept(&mut self, record: &LinkStateRecord) -> Acceptance {
        if let Some(known) = self.records.get(&record.domain)
            && known.switch_name == record.switch_name
            && known.incarnation >= record.incarnation
        {
            let is_same = known.incarnation == record.incarnation;
            return if is_same { Acceptance::Known } else { Acceptance::Older };
        }
        self.enter(record.clone());
        Acceptance::Newer
    }

    /// Returns the name of the switch that has this domain and can be reached.
    pub(crate) fn holder(&self, domain: u8) -> Option<WorldWideName> {
        let is_reached = self.reached.contains_key(&domain);
        self.record(domain).filter(|_| is_reached).map(|record| record.switch_name)
    }

    /// Returns the domain that the switch of this name has, if it can be reached.
    pub(crate) fn domain_of(&self, name: WorldWideName) -> Option<u8> {
        self.reached.keys().copied().find(|domain| self.holder(*domain) == Some(name))
    }

    /// Returns the domains that can be reached, but for this switch's own.
    pub(crate) fn reached(&self) -> &BTreeMap<u8, Reach> {
        &self.reached
    }

    /// Finds the ways from `own` with the fewest links. A link is one when both of its ends have it.
    pub(crate) fn find_ways(&mut self, own: u8) {
        let mut reached = BTreeMap::new();
        let mut ring = BTreeMap::from([(own, BTreeSet::new())]);
        let mut seen = BTreeSet::from([own]);
        for hops in 1..=HOPS_MAX {
            let mut next: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
            for (&at, over) in &ring {
                for neighbour in self.neighbours(at).filter(|neighbour| !seen.contains(neighbour)) {
                    let first = if at == own { &BTreeSet::from([neighbour]) } else { over };
                    next.entry(neighbour).or_default().extend(first);
                }
            }
            seen.extend(next.keys());
            reached.extend(next.iter().map(|(&domain, over)| (domain, Reach { hops, over: over.clone() })));
            ring = next;
        }
        self.reached = reached;
    }

    fn neighbours(&self, of: u8) -> impl Iterator<Item = u8> {
        let links = self.record(of).into_iter().flat_map(|record| &record.links);
        links.map(|link| link.domain).filter(move |&other| self.lists(other, of))
    }

    fn lists(&self, of: u8, neighbour: u8) -> bool {
        self.record(of).is_some_and(|record| record.links.iter().any(|link| link.domain == neighbour))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_wire::link_state::StateLink;

    fn record(domain: u8, incarnation: u32, neighbours: &[u8]) -> LinkStateRecord {
        let link = |(area, &domain): (usize, &u8)| StateLink { domain, area: area as u8 };
        let links = neighbours.iter().enumerate().map(link).collect();
        LinkStateRecord { domain, switch_name: WorldWideName(u64::from(domain)), incarnation, links }
    }

    fn fabric(links: &[(u8, &[u8])]) -> Topology {
        let mut topology = Topology::default();
        links.iter().for_each(|(domain, neighbours)| topology.enter(record(*domain, 1, neighbours)));
        topology.find_ways(1);
        topology
    }

    #[test]
    fn ways_have_the_fewest_links_and_all_neighbours_over_which_they_lead() {
        let ring = fabric(&[(1, &[2, 4]), (2, &[1, 3]), (3, &[2, 4]), (4, &[3, 1])]);
        let way = |topology: &Topology, to| {
            topology
                .reached()
                .get(&to)
                .map(|reach| (reach.hops, reach.over.iter().copied().collect::<Vec<_>>()))
        };
        assert_eq!((way(&ring, 2), way(&ring, 3)), (Some((1, vec![2])), Some((2, vec![2, 4]))));
        assert_eq!(way(&ring, 1), None, "the switch itself");
        let one_sided = fabric(&[(1, &[2]), (2, &[1, 3]), (3, &[])]);
        assert_eq!((way(&one_sided, 2), way(&one_sided, 3)), (Some((1, vec![2])), None));
    }

    #[test]
    fn no_way_has_more_than_seven_links() {
        let line: Vec<(u8, [u8; 2])> = (1..10).map(|domain| (domain, [domain - 1, domain + 1])).collect();
        let line: Vec<(u8, &[u8])> = line.iter().map(|(domain, links)| (*domain, &links[..])).collect();
        assert_eq!(fabric(&line).reached().keys().copied().collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_newer_record_counts() {
        let mut topology = fabric(&[(1, &[2]), (2, &[1])]);
        assert_eq!(topology.accept(&record(2, 1, &[])), Acceptance::Known);
        assert_eq!(topology.accept(&record(2, 3, &[])), Acceptance::Newer);
        assert_eq!(topology.accept(&record(2, 2, &[1])), Acceptance::Older);
        topology.find_ways(1);
        assert!(topology.reached().is_empty() && topology.holder(2).is_none());
        let successor = LinkStateRecord { switch_name: WorldWideName(99), ..record(2, 1, &[1]) };
        assert_eq!(topology.accept(&successor), Acceptance::Newer);
    }
}
