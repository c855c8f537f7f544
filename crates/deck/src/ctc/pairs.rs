//! Which ends belong together.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::{End, Port, ends};
use crate::model::Deck;

/// A channel that is known to be on a port: deck, channel subsystem, CHPID, port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenPort {
    /// Index of the deck.
    pub deck: usize,
    /// Channel subsystem.
    pub css: u8,
    /// CHPID.
    pub chpid: u8,
    /// Director port.
    pub port: Port,
}

/// Two ends that belong together, as indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The end that its deck defines first.
    pub one: usize,
    /// The other.
    pub other: usize,
    /// Both have the same unit addresses, as they must.
    pub same_unit_addresses: bool,
    /// Both have the same device numbers, as is good.
    pub same_devices: bool,
}

/// All ends of some decks and how they belong together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Connections {
    /// The ends.
    pub ends: Vec<End>,
    /// Pairs, in the order of their first ends.
    pub pairs: Vec<Pair>,
    /// Ends whose other end is missing: their link leads to a channel of these decks.
    pub missing: Vec<usize>,
    /// Ends whose link leads to no channel of these decks, as far as is known.
    pub elsewhere: Vec<usize>,
    /// Ports of channels, by deck and CHPID statement.
    pub ports: BTreeMap<(usize, usize), Port>,
}

/// Returns the connections that `decks` define together. `given` are ports of channels that are given from outside.
pub fn connections(decks: &[&Deck], given: &[GivenPort]) -> Connections {
    let ends: Vec<End> = decks.iter().enumerate().flat_map(|(at, deck)| self::ends(deck, at)).collect();
    let mut ports = BTreeMap::new();
    for known in given {
        let channels = decks.get(known.deck).map_or(&[][..], |deck| &deck.channel_paths);
        let at =
            channels.iter().position(|path| path.css.contains(&known.css) && path.chpid.value == known.chpid);
        ports.extend(at.map(|at| ((known.deck, at), known.port)));
    }
    let pairs = paired(&ends, &mut ports);
    let matched: BTreeSet<usize> = pairs.iter().flat_map(|pair| [pair.one, pair.other]).collect();
    let open = (0..ends.len()).filter(|at| !matched.contains(at) && !ends[*at].is_own_image());
    let is_known = |at: &usize| ends[*at].link.is_some_and(|link| ports.values().any(|port| *port == link));
    let (missing, elsewhere) = open.partition(is_known);
    Connections { ends, pairs, missing, elsewhere, ports }
}

/// Returns pairs of `ends`, best first. The best ones have the same devices, then the same unit addresses, then near
/// control unit numbers. Their conclusions about `ports` must not contradict each other.
fn paired(ends: &[End], ports: &mut BTreeMap<(usize, usize), Port>) -> Vec<Pair> {
    let mut by_image: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, end) in ends.iter().enumerate() {
        by_image.entry(end.image.cuadd(end.spanned)).or_default().push(at);
    }
    let mut candidates = Vec::new();
    for (one, end) in ends.iter().enumerate() {
        let reached: Vec<usize> = match end.cuadd {
            Some(cuadd) => by_image.get(&cuadd).cloned().unwrap_or_default(),
            None => (0..ends.len()).collect(),
        };
        for other in reached.into_iter().filter(|&other| other > one && fit(end, &ends[other])) {
            let mate = &ends[other];
            let same_devices = end.devices == mate.devices;
            let same_unit_addresses = end.addresses == mate.addresses;
            let pair = Pair { one, other, same_unit_addresses, same_devices };
            candidates.push((!same_devices, !same_unit_addresses, end.unit.abs_diff(mate.unit), pair));
        }
    }
    candidates.sort_by_key(|(devices, addresses, distance, pair)| {
        (*devices, *addresses, *distance, pair.one, pair.other)
    });
    let mut taken = BTreeSet::new();
    let mut pairs = Vec::new();
    for (.., pair) in candidates {
        let (one, other) = (&ends[pair.one], &ends[pair.other]);
        if taken.contains(&pair.one) || taken.contains(&pair.other) || !settle(one, other, ports) {
            continue;
        }
        taken.extend([pair.one, pair.other]);
        pairs.push(pair);
    }
    pairs.sort_by_key(|pair| (pair.one, pair.other));
    pairs
}

/// Returns true when each leads to the partition of the other, over channels that can be connected.
fn fit(one: &End, other: &End) -> bool {
    let kinds = match (one.channel_type.as_str(), other.channel_type.as_str()) {
        ("FC", "FC") => true,
        ("CTC", mate) | (mate, "CTC") => matches!(mate, "CNC" | "FCV"),
        _ => false,
    };
    let same_image = one.image == other.image && one.channel == other.channel;
    kinds
        && !same_image
        && one.link.is_some() == other.link.is_some()
        && one.leads_to(other)
        && other.leads_to(one)
}

/// Notes the ports that the two ends give each other's channels; false when they contradict what is known.
fn settle(one: &End, other: &End, ports: &mut BTreeMap<(usize, usize), Port>) -> bool {
    let (Some(to_other), Some(to_one)) = (one.link, other.link) else { return true };
    let (mine, its) = ((one.image.deck, one.channel), (other.image.deck, other.channel));
    let free = |channel, port| match ports.get(&channel) {
        Some(known) => *known == port,
        None => !ports.values().any(|taken| *taken == port),
    };
    let fits = free(mine, to_one) && free(its, to_other) && ((mine == its) == (to_one == to_other));
    if fits {
        ports.insert(mine, to_one);
        ports.insert(its, to_other);
    }
    fits
}
