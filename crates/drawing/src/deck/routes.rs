//! Routes to follow: from the partitions that have access, along channel paths and switches, to control units.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::model::{ControlUnit, Deck};

use super::places::Places;
use crate::topology::Route;

/// Partitions and paths.
type Branch = (Vec<usize>, Vec<Vec<usize>>);

/// Returns the routes. Control units with the same paths from the same partitions share one; channel paths without a
/// control unit have one of their own, and so have both ends of a coupling link within the deck, and PCIe functions.
pub(super) fn routes(deck: &Deck, places: &Places) -> Vec<Route> {
    let mut found: BTreeMap<Branch, Vec<usize>> = BTreeMap::new();
    for (index, unit) in deck.control_units.iter().enumerate() {
        for branch in branches(deck, places, unit) {
            found.entry(branch).or_default().push(places.units + index);
        }
    }
    for (index, channel) in deck.channel_paths.iter().enumerate() {
        if places.paths.units_of(channel).is_empty() {
            let lpars = places.holders(deck, index, None);
            found.entry((lpars, vec![vec![places.channels + index]])).or_default();
        }
    }
    for (index, (_, channels)) in places.far_ends.elsewhere.iter().enumerate() {
        for channel in channels {
            let branch = (places.holders(deck, *channel, None), vec![vec![places.channels + channel]]);
            found.entry(branch).or_default().push(places.elsewhere + index);
        }
    }
    for (one, other) in &places.far_ends.here {
        for (near, far) in [(one, other), (other, one)] {
            let path = vec![places.channels + near, places.channels + far];
            found.entry((places.holders(deck, *near, None), vec![path])).or_default();
        }
    }
    for (index, function) in deck.functions.iter().enumerate() {
        let holder = function.access.as_ref().and_then(|(css, name)| places.lpar(*css, name));
        if let Some(lpar) = holder {
            found.entry((vec![lpar], vec![vec![places.functions + index]])).or_default();
        }
    }
    found.into_iter().map(|((lpars, paths), units)| Route { lpars, units, paths }).collect()
}

/// Returns the paths of each channel subsystem of `unit`, by the partitions that have access to their channels.
fn branches(deck: &Deck, places: &Places, unit: &ControlUnit) -> Vec<Branch> {
    let mut by_lpars: BTreeMap<(u8, Vec<usize>), BTreeSet<Vec<usize>>> = BTreeMap::new();
    for path in &unit.paths {
        let Some(channel) = places.paths.channel(path.css, path.chpid) else { continue };
        let Some(nodes) = places.path(deck, path) else { continue };
        let lpars = places.holders(deck, channel, Some(path.css));
        by_lpars.entry((path.css, lpars)).or_default().insert(nodes);
    }
    by_lpars.into_iter().map(|((_, lpars), paths)| (lpars, paths.into_iter().collect())).collect()
}
