//! Paths that are lost with a part between channel and control unit, and how often each was lost; and paths whose login is
//! refused.

use halftrack_config::Part;

use crate::wiring::Wiring;

/// The losses of all paths. The routes of a path over several inter-switch links count by themselves.
#[derive(Debug)]
pub(in crate::channels) struct LostPaths {
    /// By route: losses so far, those of its channel too.
    losses: Vec<u32>,
    /// By route: parts that are lost now, its channel apart.
    lost: Vec<u32>,
    /// By path: its login is refused. Empty until one is.
    refused: Vec<bool>,
    /// Parts that are lost now, and paths that are refused.
    parts: u32,
}

impl LostPaths {
    /// Makes the losses before any.
    pub(super) fn new(w: &Wiring) -> Self {
        Self { losses: vec![0; w.paths.len()], lost: vec![0; w.paths.len()], refused: Vec::new(), parts: 0 }
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

    /// Notes that the login over `path` is refused or not.
    pub(in crate::channels) fn set_refused(&mut self, path: u32, refused: bool) {
        let index = path as usize;
        if self.refused.len() <= index {
            self.refused.resize(index + 1, false);
        }
        let was = std::mem::replace(&mut self.refused[index], refused);
        self.parts = self.parts + u32::from(refused) - u32::from(was);
    }

    /// Returns true when every route of `path` is lost, or its login is refused.
    #[inline(always)]
    pub(in crate::channels) fn is_gone(&self, w: &Wiring, path: u32) -> bool {
        self.parts > 0 && (self.is_refused(path) || self.is_unlit(w, path))
    }

    fn is_refused(&self, path: u32) -> bool {
        self.refused.get(path as usize).copied().unwrap_or_default()
    }

    /// Returns true when every route of `path` is lost.
    pub(in crate::channels) fn is_unlit(&self, w: &Wiring, path: u32) -> bool {
        w.alternatives.ways(path).all(|route| self.is_lost(route))
    }
}
