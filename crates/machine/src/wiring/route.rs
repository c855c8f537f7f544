//! The ways of frames over links: what follows each link, and which process sends on it.

use std::collections::BTreeMap;
use std::ops::Range;

use halftrack_base::for_bytes;
use halftrack_config::{Configuration, Link};

use crate::wiring::credit_reach::CreditReach;
use crate::wiring::lanes::Lanes;
use crate::wiring::load::BURST_BYTES_MAX;
use crate::wiring::options::{Fidelity, Options};
use crate::wiring::path_wire::PathWire;

/// One link of a path, where it is from and what is behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop {
    /// The link.
    pub link: u32,
    /// The link before it on the path.
    pub before: Option<u32>,
    /// Its far end.
    pub far_end: FarEnd,
    /// Every frame travels by itself on the path.
    pub frame_by_frame: bool,
    /// Behind it is a bridge, which sends on what it has whole.
    pub stores: bool,
    /// Frames are lost on the link, or on one behind it that needs no event of its own.
    pub is_lossy: bool,
    /// A circuit between channels leads over it, whose ports the storage's process joins.
    pub of_circuit: bool,
}

/// A path's hops in one direction, which lie side by side among the hops of all paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Route {
    /// The first.
    pub first: u32,
    /// How many; at least one.
    pub hops: u32,
}

impl Route {
    /// The route of a path of which is not known yet how its frames travel.
    pub(crate) const UNLAID: Self = Self { first: 0, hops: 0 };

    /// Returns the last hop.
    #[inline]
    pub(crate) fn last(self) -> u32 {
        self.first + self.hops - 1
    }

    /// Returns the range of its hops.
    pub(crate) fn range(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.hops as usize
    }
}

/// A short route: one link or two, each fast enough that the time of a burst is counted in 32 bits of picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShortRoute {
    /// The links, of any route the first; the second is of meaning only where there are just two.
    pub first: u32,
    pub second: u32,
    /// The place between them.
    pub junction: Junction,
}

/// The place between the links of a route, if it is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Junction {
    /// Nothing: it is one link.
    Nothing,
    /// A director where only the first feeds the second.
    Fused,
    /// A director where others feed the second too, so that what comes first goes on first. The storage's process has it.
    Shared,
    /// It is no such route.
    Other,
}

impl ShortRoute {
    /// The route of which is not known yet what is behind its links.
    pub(crate) const UNKNOWN: Self = Self { first: 0, second: 0, junction: Junction::Other };

    /// Finds the short route of `hops`, whose far ends are resolved.
    fn of(hops: &[Hop], host_owns: &[bool], links: &[Link]) -> Self {
        let is_simple = |hop: &Hop| {
            let burst = for_bytes(u64::from(BURST_BYTES_MAX), links[hop.link as usize].bytes_per_s);
            !hop.frame_by_frame
                && hop.far_end != FarEnd::Decryption
                && !hop.stores
                && u32::try_from(burst.as_ps()).is_ok()
        };
        match hops {
            [only] if is_simple(only) => Self { first: only.link, second: 0, junction: Junction::Nothing },
            [first, second] if is_simple(first) && is_simple(second) => {
                let junction = match first.far_end {
                    FarEnd::Fused => Junction::Fused,
                    _ if !host_owns[second.link as usize] => Junction::Shared,
                    _ => Junction::Other,
                };
                Self { first: first.link, second: second.link, junction }
            }
            others => Self { first: others[0].link, second: 0, junction: Junction::Other },
        }
    }
}

/// The routes of all paths. Paths over the same links have one route, so that the hops of a large machine stay near the
/// processor.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    /// Their hops.
    pub hops: Vec<Hop>,
    /// By links and how frames travel.
    laid: BTreeMap<(Vec<u32>, Travel), Route>,
}

/// The manner in which frames travel over a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Travel {
    /// Every frame travels by itself.
    pub frame_by_frame: bool,
    /// The last link leaves a bridge. Slower links before it would hold it up if the bridge sent on what has only begun to
    /// come.
    pub leaves_bridge: bool,
    /// Frames are encrypted.
    pub is_encrypted: bool,
    /// At the end is a channel that is control unit.
    pub leads_to_channel: bool,
    /// It is one of a circuit between channels.
    pub of_circuit: bool,
}

impl Travel {
    /// Makes the manner of frames that meet no bridge.
    pub(crate) fn new(frame_by_frame: bool, is_encrypted: bool) -> Self {
        Self { frame_by_frame, is_encrypted, ..Self::default() }
    }

    /// Makes the manner of units between channels, `of_circuit` or not: in bursts, whatever the fidelity, and without credits.
    pub(crate) fn to_channel(of_circuit: bool) -> Self {
        Self { leads_to_channel: true, of_circuit, ..Self::default() }
    }
}

impl Routes {
    /// Lays the route over `links`, whose owners are still open.
    pub(crate) fn lay(&mut self, links: &[u32], travel: Travel) -> Route {
        let hops = &mut self.hops;
        *self.laid.entry((links.to_vec(), travel)).or_insert_with(|| {
            let far_end = match (travel.leads_to_channel, travel.is_encrypted) {
                (true, _) => FarEnd::Channel,
                (false, true) => FarEnd::Decryption,
                (false, false) => FarEnd::EndPoint,
            };
            let first = hops.len();
            for (index, link) in links.iter().enumerate() {
                let before = index.checked_sub(1).map(|before| links[before]);
                let stores = travel.leaves_bridge && index + 2 == links.len();
                hops.push(Hop {
                    link: *link,
                    before,
                    far_end,
                    frame_by_frame: travel.frame_by_frame,
                    stores,
                    is_lossy: false,
                    of_circuit: travel.of_circuit,
                });
            }
            Route { first: first as u32, hops: links.len() as u32 }
        })
    }
}

/// Returns true when every frame travels by itself over these links, there and back. Either the run is frame by frame, or
/// credits can bind on one.
pub(crate) fn travels_frame_by_frame(
    options: Options,
    reach: &CreditReach,
    outbound: &[u32],
    inbound: &[u32],
) -> bool {
    let binds = |link: &u32| reach.may_bind(*link);
    options.fidelity == Fidelity::Frame || outbound.iter().chain(inbound).any(binds)
}

/// The far end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FarEnd {
    /// The end point: host-adapter port or channel.
    EndPoint,
    /// A channel to which a channel-to-channel device leads.
    Channel,
    /// The end point, whose engine decrypts the frames before they have arrived.
    Decryption,
    /// A director whose next link only this one feeds: frames leave it in the order in which they came, and it
    /// needs no event of its own.
    Fused,
    /// A director whose next link the same process owns.
    Here,
    /// A director whose next link the other process owns.
    There,
}

/// Resolves the far end of every hop that is not a route's last.
pub(crate) fn resolve(hops: &mut [Hop], host_owns: &[bool], configuration: &Configuration) {
    for index in 1..hops.len() {
        let Hop { link, before: Some(before), frame_by_frame, .. } = hops[index] else { continue };
        let (link, before) = (link as usize, before as usize);
        let stores = hops[index - 1].stores;
        hops[index - 1].far_end = match host_owns[before] == host_owns[link] {
            true if !frame_by_frame && !stores && configuration.links[link].fed_by == 1 => FarEnd::Fused,
            true => FarEnd::Here,
            false => FarEnd::There,
        };
    }
}

/// Finds of all paths which of their routes are short and, unless the run is peculiar, which may have the express lane.
pub(crate) fn find_express(
    paths: &mut [PathWire],
    hops: &[Hop],
    host_owns: &[bool],
    configuration: &Configuration,
    is_express_run: bool,
) {
    for path in paths {
        let short = |route: Route| ShortRoute::of(&hops[route.range()], host_owns, &configuration.links);
        (path.short_outbound, path.short_inbound) = (short(path.outbound), short(path.inbound));
        let is_bus_held = configuration.channels[path.channel as usize].hardware.held_bus.is_some();
        let is_encrypted = hops[path.outbound.last() as usize].far_end == FarEnd::Decryption;
        let is_peculiar =
            path.frame_by_frame || path.has_circuit() || is_bus_held || path.is_lossy || is_encrypted;
        path.is_express = is_express_run && !is_peculiar;
    }
}

/// Links whose transmitter the host's process owns. A link fed by one link alone gets its frames in the order
/// in which that one sends them, so its owner is its feeder's and it needs no event of its own.
pub(crate) fn host_owned_links(
    configuration: &Configuration,
    paths: &[PathWire],
    lanes: &Lanes,
    hops: &[Hop],
) -> Vec<bool> {
    let outbound = || paths.iter().map(|path| &hops[path.outbound.range()]).chain(lanes.hops(hops)).flatten();
    let mut owns = vec![false; configuration.links.len()];
    for hop in outbound() {
        owns[hop.link as usize] = true;
    }
    // A link is the storage's if any path has it so, and then so are those behind it.
    loop {
        let mut changed = false;
        for hop in outbound() {
            let Some(feeder) = hop.before else { continue };
            let link = hop.link as usize;
            let has_event = hop.frame_by_frame || hop.of_circuit;
            let follows = owns[feeder as usize] && configuration.links[link].fed_by == 1 && !has_event;
            changed |= owns[link] && !follows;
            owns[link] &= follows;
        }
        if !changed {
            return owns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_over_the_same_links_share_a_route_unless_their_frames_travel_otherwise() {
        let mut routes = Routes::default();
        let (bursts, frames) = (Travel::default(), Travel::new(true, false));
        let first = routes.lay(&[4, 7], bursts);
        assert_eq!((first, routes.lay(&[4, 7], bursts)), (Route { first: 0, hops: 2 }, first));
        assert_eq!(routes.lay(&[4, 7], frames).first, 2);
        assert_eq!(routes.lay(&[4, 7], Travel { leaves_bridge: true, ..frames }).first, 4);
        assert_eq!(routes.lay(&[4], bursts).first, 6);
        assert_eq!(routes.lay(&[4], Travel::new(false, true)).first, 7);
        assert_eq!(
            routes.hops.iter().map(|hop| hop.before).collect::<Vec<_>>(),
            [None, Some(4), None, Some(4), None, Some(4), None, None]
        );
        assert!(routes.hops[4].stores && routes.hops.iter().filter(|hop| hop.stores).count() == 1);
    }
}
