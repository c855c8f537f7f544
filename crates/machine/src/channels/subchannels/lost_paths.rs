//! Paths that are lost with a part between channel and control unit, and how often each was lost.

use halftrack_config::Part;

use crate::wiring::Wiring;

/// The losses of all paths. The routes of a path over several inter-switch links count by themselves.
#[derive(Debug)]
pub(in crate::channels) struct LostPaths {
    /// By route: losses so far, those of its channel too.
    losses: Vec<u32>,
    /// By route: parts that are lost now, its channel apart.
    lost: Vec<u32>,
    /// Parts that are lost now.
    parts: u32,
}

impl LostPaths {
    /// Makes the losses before any.
    pub(super) fn new(w: &Wiring) -> Self {
        Self { losses: vec![0; w.paths.len()], lost: vec![0; w.paths.len()], parts: 0 }
    }

    /// Counts the losses of `route` so far.
    #[inline(always)]
    pub(in crate::channels) fn losses(&self, route: u32) -> u32 {
        self.losses[route as usize]
    }

    /// Counts a loss of every route over `part`.
    pub(in crate::channels) fn count(&mut self, w: &Wiring, part: Part) {
        w.paths_over(part).for_each(|route| self.losses[route as usize] += 1);
    }

    /// Notes that `part` is lost or is there again.
    pub(in crate::channels) fn set(&mut self, w: &Wiring, part: Part, lost: bool) {
        let change = |count: &mut u32| *count = if lost { *count + 1 } else { *count - 1 };
        change(&mut self.parts);
        w.paths_over(part).for_each(|route| change(&mut self.lost[route as usize]));
    }

    /// Returns true when `route` is lost with a part of it.
    pub(in crate::channels) fn is_lost(&self, route: u32) -> bool {
        self.lost[route as usize] > 0
    }

    /// Returns true when every route of `path` is lost.
    #[inline(always)]
    pub(in crate::channels) fn is_gone(&self, w: &Wiring, path: u32) -> bool {
        self.parts > 0 && w.alternatives.ways(path).all(|route| self.is_lost(route))
    }
}
