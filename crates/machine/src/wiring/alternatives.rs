//! Paths with several routes of one length: inter-switch links that share the load.
//!
//! A director chooses the link of an exchange when its first frame comes and keeps to it, so that frames of one exchange
//! stay in order (exchange-based routing, by OX_ID). Real directors choose by a hash, which is as good as by turns.

use std::ops::Range;

use halftrack_config::Configuration;

use crate::wiring::path_wire::PathWire;
use crate::wiring::route::Routes;

/// The routes of all paths. A path's own is its first; the others lie among the paths behind those of all groups.
#[derive(Debug, Default)]
pub(crate) struct Alternatives {
    /// By path of a group: its other routes.
    others: Vec<Range<u32>>,
    /// By other route: the path that it is of.
    path_of: Vec<u32>,
}

impl Alternatives {
    /// Lays the other routes behind the `paths` of all groups, which are in the order of the configuration. Frames travel
    /// over the links there and back as `travels_frame_by_frame` has it.
    pub(crate) fn lay(
        configuration: &Configuration,
        travels_frame_by_frame: impl Fn(&[u32], &[u32]) -> bool,
        paths: &mut Vec<PathWire>,
        routes: &mut Routes,
    ) -> Self {
        let mut alternatives = Self::default();
        let groups = configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups);
        for (path, of) in groups.flat_map(|group| &group.paths).zip(0_u32..) {
            let first = paths.len() as u32;
            for way in &path.alternatives {
                let mut wire = paths[of as usize];
                let frame_by_frame = travels_frame_by_frame(&way.outbound, &way.inbound);
                wire.lay(&way.outbound, &way.inbound, frame_by_frame, routes);
                paths.push(wire);
                alternatives.path_of.push(of);
            }
            alternatives.others.push(first..paths.len() as u32);
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

    /// Iterates over all routes of `path`.
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
