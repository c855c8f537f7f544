//! The other ends of coupling links and of channel-to-channel connections.
//!
//! CPATH names the channel path at the other end, and CSYSTEM the machine that it is in. An end in another machine is a
//! node of its own; one in this deck is an edge between two channel paths.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::Paths;
use halftrack_deck::ctc;
use halftrack_deck::model::{ChannelPath, Deck};

/// A channel path of another machine: the machine, channel subsystem and CHPID as far as the deck has them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FarEnd {
    pub system: String,
    pub chpid: Option<(u8, u8)>,
    pub channel_type: String,
}

impl FarEnd {
    /// Returns a name such as `CPC2 0.A0`.
    pub(super) fn name(&self) -> String {
        match self.chpid {
            Some((css, chpid)) => format!("{} {css}.{chpid:02X}", self.system),
            None => self.system.clone(),
        }
    }
}

/// Where coupling links lead.
#[derive(Debug, Default)]
pub(super) struct FarEnds {
    /// In other machines, with the channel paths of this deck that lead there, as indices.
    pub elsewhere: Vec<(FarEnd, Vec<usize>)>,
    /// Two channel paths of this deck, the first defined first.
    pub here: BTreeSet<(usize, usize)>,
}

impl FarEnds {
    pub(super) fn of(deck: &Deck, paths: &Paths) -> Self {
        let own = deck.id.lsystem.as_ref().map(|name| name.value.as_str());
        let mut elsewhere: BTreeMap<FarEnd, Vec<usize>> = BTreeMap::new();
        let mut here = BTreeSet::new();
        for (index, channel) in deck.channel_paths.iter().enumerate() {
            let system = channel.csystem.as_ref().map(|name| name.value.as_str());
            let end = channel.cpath.as_ref().map(|path| path.value);
            let is_here = system.is_none() || system == own;
            match end.and_then(|(css, chpid)| paths.channel(css, chpid)).filter(|_| is_here) {
                Some(mate) if mate != index => {
                    here.insert((index.min(mate), index.max(mate)));
                }
                _ if is_here => {}
                _ => elsewhere.entry(far_end(channel, system, end)).or_default().push(index),
            }
        }
        Self { elsewhere: elsewhere.into_iter().collect(), here }
    }
}

fn far_end(channel: &ChannelPath, system: Option<&str>, chpid: Option<(u8, u8)>) -> FarEnd {
    let channel_type = channel.channel_type.value.clone();
    FarEnd { system: system.unwrap_or_default().to_owned(), chpid, channel_type }
}

/// Returns control units that are the two ends of a channel-to-channel connection within the deck, as indices.
pub(super) fn ctc_pairs(deck: &Deck) -> BTreeSet<(usize, usize)> {
    let units = deck.control_units.iter().enumerate();
    let by_number: BTreeMap<u16, usize> = units.map(|(index, unit)| (unit.number.value, index)).collect();
    let found = ctc::connections(&[deck], &[]);
    let ends = |at: usize| by_number.get(&found.ends[at].unit).copied();
    let pairs = found.pairs.iter().filter_map(|pair| Some((ends(pair.one)?, ends(pair.other)?)));
    pairs.filter(|(one, other)| one != other).map(|(one, other)| (one.min(other), one.max(other))).collect()
}
