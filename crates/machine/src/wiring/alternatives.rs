//! Paths with several routes of one length: inter-switch links that share the load.
//!
//! A director chooses the link of an exchange when its first frame comes and keeps to it, so that frames of one exchange
//! stay in order (exchange-based routing, by OX_ID). Real directors choose by a hash, which is as good as by turns.

use std::ops::Range;

use halftrack_config::Configuration;

use crate::wiring::encryption::PathEncryption;
use crate::wiring::path_wire::PathWire;
use crate::wiring::route::{Routes, Travel};

/// The routes of all paths. A path's own is its first; the others lie among the paths behind those of all groups.
#[derive(Debug, Default)]
pub(crate) struct Alternatives {
    /// By path of a group: its other routes, and those whose frames are encrypted where those of its own are not, or the
    /// reverse. The latter are none where connections do not change.
    others: Vec<Range<u32>>,
    reversed: Vec<Range<u32>>,
    /// By other route: the path that it is of.
    path_of: Vec<u32>,
}

impl Alternatives {
    /// Lays the other routes behind the `paths` of all groups, which are in the order of the configuration. Frames travel
    /// over the links there and back as `travels_frame_by_frame` has it.
    pub(crate) fn lay(
        configuration: &Configuration,
        encryptions: &[PathEncryption],
        travels_frame_by_frame: impl Fn(&[u32], &[u32]) -> bool,
        paths: &mut Vec<PathWire>,
        routes: &mut Routes,
    ) -> Self {
        let mut alternatives = Self::default();
        let groups = configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups);
        let each = groups.flat_map(|group| &group.paths).zip(encryptions).zip(0_u32..);
        for ((path, encryption), of) in each {
            let mut lay = |wire: &PathWire, outbound: &[u32], inbound: &[u32], is_encrypted| {
                let mut wire = *wire;
                let travel = Travel::new(travels_frame_by_frame(outbound, inbound), is_encrypted);
                wire.lay((outbound, inbound), travel, routes);
                alternatives.path_of.push(of);
                wire
            };
            let (own, first) = (paths[of as usize], paths.len() as u32);
            for way in &path.alternatives {
                paths.push(lay(&own, &way.outbound, &way.inbound, encryption.at_start));
            }
            let reversed = paths.len() as u32;
            if let Some(class) = encryption.other_class {
                let own = PathWire { class, ..own };
                for way in path.ways() {
                    paths.push(lay(&own, &way.outbound, &way.inbound, !encryption.at_start));
                }
            }
            alternatives.others.push(first..reversed);
            alternatives.reversed.push(reversed..paths.len() as u32);
        }
        alternatives
    }

    /// Returns true when some path has more than one route.
    #[inline]
    pub(crate) fn are_several(&self) -> bool {
        !self.path_of.is_empty()
    }

    /// Returns the number of paths that belong to groups.
    pub(crate) fn paths(&self) -> usize {
        self.others.len()
    }

    /// Returns the number of routes that `path` has.
    pub(crate) fn count(&self, path: u32) -> u32 {
        self.others[path as usize].len() as u32 + 1
    }

    /// Returns the route of `path` whose turn is number `turn`.
    pub(crate) fn at_turn(&self, path: u32, turn: u32) -> u32 {
        let others = &self.others[path as usize];
        match turn % (others.len() as u32 + 1) {
            0 => path,
            other => others.start + other - 1,
        }
    }

    /// Returns the route whose turn is number `turn` of those of `path` whose frames are encrypted where its own are not, or
    /// the reverse. There are as many as its own.
    pub(crate) fn reversed_at_turn(&self, path: u32, turn: u32) -> u32 {
        let reversed = &self.reversed[path as usize];
        reversed.start + turn % (reversed.len() as u32).max(1)
    }

    /// Iterates over the routes of `path`, without those that are encrypted where its own are not, or the reverse: they
    /// lead over the same links.
    pub(crate) fn ways(&self, path: u32) -> impl Iterator<Item = u32> {
        [path].into_iter().chain(self.others[path as usize].clone())
    }

    /// Returns the path that `way` is an alternative of.
    #[inline]
    pub(crate) fn path_of(&self, way: u32) -> u32 {
        match (way as usize).checked_sub(self.others.len()) {
            None => way,
            Some(other) => self.path_of[other],
        }
    }
}
