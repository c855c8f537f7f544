//! Paths of a run: which of them are online, how often each was lost, and why.

use super::PathChange;

/// States of the paths of a run, by place.
#[derive(Debug)]
pub(super) struct PathStates {
    /// It is online.
    pub online: Vec<bool>,
    /// Times that it was lost.
    pub losses: Vec<u32>,
    /// Why it was offline the last time.
    pub troubles: Vec<String>,
}

impl PathStates {
    /// Returns the states of so many paths, of which none is online.
    pub fn new(paths: usize) -> Self {
        Self { online: vec![false; paths], losses: vec![0; paths], troubles: vec![String::new(); paths] }
    }

    /// Returns whether any path is online.
    pub fn has_path(&self) -> bool {
        self.online.contains(&true)
    }

    /// Takes what became of a path; returns whether it is online when that has changed.
    pub fn take(&mut self, path: usize, change: PathChange) -> Option<bool> {
        match change {
            PathChange::Online => {
                self.online[path] = true;
                Some(true)
            }
            PathChange::Offline { why } => {
                self.troubles[path] = why;
                let was_online = std::mem::replace(&mut self.online[path], false);
                self.losses[path] += u32::from(was_online);
                was_online.then_some(false)
            }
        }
    }
}
