//! Links that lose frames, and the paths over them.

use halftrack_config::{Configuration, DisturbanceKind};

use crate::wiring::lanes::Lanes;
use crate::wiring::parts::links_at;
use crate::wiring::path_wire::PathWire;
use crate::wiring::route::{FarEnd, Hop};

/// Finds which links lose frames, by their bit errors or by a disturbance. Circuits lose none.
pub(super) fn find(configuration: &Configuration, paths: &[PathWire], hops: &[Hop]) -> Vec<bool> {
    let mut is_lossy: Vec<bool> = configuration.links.iter().map(|link| link.errors.is_some()).collect();
    for disturbance in &configuration.disturbances {
        if let DisturbanceKind::FramesDropped { part, .. } = disturbance.kind {
            links_at(configuration, part).into_iter().for_each(|link| is_lossy[link as usize] = true);
        }
    }
    for path in paths.iter().filter(|path| path.has_circuit()) {
        for hop in [path.outbound, path.inbound].into_iter().flat_map(|route| &hops[route.range()]) {
            is_lossy[hop.link as usize] = false;
        }
    }
    is_lossy
}

/// Marks the hops that lead over such links, each with those behind it that need no event of their own, and the paths.
pub(super) fn mark(is_lossy: &[bool], paths: &mut [PathWire], lanes: &Lanes, hops: &mut [Hop]) {
    for index in (0..hops.len()).rev() {
        let hop = hops[index];
        let behind = hop.far_end == FarEnd::Fused && hops[index + 1].is_lossy;
        hops[index].is_lossy = is_lossy[hop.link as usize] || behind;
    }
    // Units between channels are not lost one by one.
    for hop in lanes.lanes.iter().flat_map(|lane| lane.route.range()) {
        hops[hop].is_lossy = false;
    }
    for path in paths {
        let mut both = [path.outbound, path.inbound].into_iter().flat_map(|route| &hops[route.range()]);
        path.is_lossy = both.any(|hop| hop.is_lossy);
    }
}
