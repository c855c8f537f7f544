//! How a new volume comes about: whether it may take the place of another one, and who is told how far it is.

use std::fmt;

/// How a new volume comes about.
pub struct Making<'a> {
    /// Whether files that are there already are replaced. One that is in use never is.
    pub replaces: bool,
    /// Told how many units are done, and how many there are.
    pub watch: &'a mut dyn FnMut(u32, u32),
}

impl fmt::Debug for Making<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Making").field("replaces", &self.replaces).finish_non_exhaustive()
    }
}
