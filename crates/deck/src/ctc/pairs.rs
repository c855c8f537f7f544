//! Which ends belong together.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::{End, Image, Port, ends};
use super::misfits::{Misfit, misfits};
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
    /// Both have the same device numbers at the same unit addresses, as is good.
    pub same_devices: bool,
    /// Both are on unswitched channels of which other ends conclude that they are cabled to others.
    pub other_cable: bool,
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
    /// Ends that seem to belong together and cannot: they are among the missing ones and those elsewhere.
    pub misfits: Vec<Misfit>,
    /// Ports of channels, by deck and CHPID statement.
    pub ports: BTreeMap<(usize, usize), Port>,
}

impl Connections {
    /// Returns true when nothing is wrong with them. No end is missing, no two ends that are known to belong together
    /// cannot, unit addresses are equal, and cables are as other ends conclude.
    pub fn are_fine(&self) -> bool {
        self.missing.is_empty()
            && self.misfits.iter().all(|misfit| !misfit.is_known)
            && self.pairs.iter().all(|pair| pair.same_unit_addresses && !pair.other_cable)
    }
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
    let mut wiring = Wiring { ports, cables: BTreeMap::new() };
    let pairs = paired(&ends, &mut wiring);
    let matched: BTreeSet<usize> = pairs.iter().flat_map(|pair| [pair.one, pair.other]).collect();
    let mut users: BTreeMap<(usize, u16), BTreeSet<&Image>> = BTreeMap::new();
    for end in &ends {
        users.entry((end.image.deck, end.unit)).or_default().insert(&end.image);
    }
    // A control unit of several partitions leads one of them to itself; it is there for the others.
    let is_spare = |end: &End| {
        end.is_own_image() && users.get(&(end.image.deck, end.unit)).is_some_and(|all| all.len() > 1)
    };
    let open: Vec<usize> =
        (0..ends.len()).filter(|at| !matched.contains(at) && !is_spare(&ends[*at])).collect();
    let misfits = misfits(&ends, &open, &wiring);
    let ports = wiring.ports;
    let taken: BTreeSet<Port> = ports.values().copied().collect();
    let is_known = |at: &usize| ends[*at].link.is_some_and(|link| taken.contains(&link));
    let (missing, elsewhere) = open.into_iter().partition(is_known);
    Connections { ends, pairs, missing, elsewhere, misfits, ports }
}

/// Returns pairs of `ends`, best first. The best ones have the same devices, then the same unit addresses, then near
/// control unit numbers. Their conclusions about `ports` must not contradict each other.
///
/// An unswitched channel has one cable. Ends that have the same devices and would need another are pairs all the same,
/// once all others are found, because no deck describes the cable.
fn paired(ends: &[End], wiring: &mut Wiring) -> Vec<Pair> {
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
            let pair = Pair { one, other, same_unit_addresses, same_devices, other_cable: false };
            candidates.push((!same_devices, !same_unit_addresses, end.unit.abs_diff(mate.unit), pair));
        }
    }
    candidates.sort_by_key(|(devices, addresses, distance, pair)| {
        (*devices, *addresses, *distance, pair.one, pair.other)
    });
    let mut taken = BTreeSet::new();
    let mut pairs = Vec::new();
    let mut against_cables = Vec::new();
    for (.., pair) in candidates {
        let (one, other) = (&ends[pair.one], &ends[pair.other]);
        if taken.contains(&pair.one) || taken.contains(&pair.other) {
            continue;
        }
        if wiring.settle(one, other) {
            taken.extend([pair.one, pair.other]);
            pairs.push(pair);
        } else if one.link.is_none() && pair.same_devices && !one.devices.is_empty() {
            against_cables.push(Pair { other_cable: true, ..pair });
        }
    }
    for pair in against_cables {
        if !taken.contains(&pair.one) && !taken.contains(&pair.other) {
            taken.extend([pair.one, pair.other]);
            pairs.push(pair);
        }
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
    kinds && can_meet(one, other) && one.leads_to(other) && other.leads_to(one)
}

/// Returns true when a link can lead from the channel of one to that of the other. It is through a director, where one
/// channel may be both, or over a cable, which has two ends.
pub(super) fn can_meet(one: &End, other: &End) -> bool {
    let same_channel = one.channel_key() == other.channel_key();
    one.link.is_some() == other.link.is_some()
        && !(same_channel && (one.image == other.image || one.link.is_none()))
}

/// Where channels are known to lead.
#[derive(Debug)]
pub(super) struct Wiring {
    /// Ports of channels behind directors.
    pub(super) ports: BTreeMap<(usize, usize), Port>,
    /// The channel at the other end of the cable of an unswitched one.
    pub(super) cables: BTreeMap<(usize, usize), (usize, usize)>,
}

impl Wiring {
    /// Enters the ports, or the cable, that the two ends give each other's channels. Returns false when they contradict
    /// what is known.
    ///
    /// A partition that leads to itself concludes nothing: more likely its ends lead to an image of the same id in
    /// another machine. Such ends belong together where the ports of both channels are known.
    fn settle(&mut self, one: &End, other: &End) -> bool {
        let (mine, its) = (one.channel_key(), other.channel_key());
        if one.image == other.image {
            let is_at =
                |channel, port: Option<Port>| port.is_some() && self.ports.get(&channel).copied() == port;
            return is_at(mine, other.link) && is_at(its, one.link);
        }
        let (Some(to_other), Some(to_one)) = (one.link, other.link) else {
            let free = |channel, far| self.cables.get(&channel).is_none_or(|known| *known == far);
            let fits = free(mine, its) && free(its, mine);
            if fits {
                self.cables.extend([(mine, its), (its, mine)]);
            }
            return fits;
        };
        let fits = self.may_be_at(mine, to_one)
            && self.may_be_at(its, to_other)
            && ((mine == its) == (to_one == to_other));
        if fits {
            self.ports.extend([(mine, to_one), (its, to_other)]);
        }
        fits
    }

    /// Returns true when `channel` is at `port`, or both are free.
    pub(super) fn may_be_at(&self, channel: (usize, usize), port: Port) -> bool {
        match self.ports.get(&channel) {
            Some(known) => *known == port,
            None => !self.ports.values().any(|taken| *taken == port),
        }
    }
}
