//! Options of the creation of a volume: whether it may replace another one, and the recipient of progress reports.

use std::fmt;

/// Options of the creation of a volume.
pub struct CreateOptions<'a> {
    /// Whether existing files are replaced. One that is in use never is.
    pub replaces: bool,
    /// Recipient of progress: the number of units that are done, and of all.
    pub watch: &'a mut dyn FnMut(u32, u32),
}

impl fmt::Debug for CreateOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreateOptions").field("replaces", &self.replaces).finish_non_exhaustive()
    }
}
