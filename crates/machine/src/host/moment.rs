//! What is true of paths and channels at an instant.

use halftrack_interval::Moment;

use super::HostState;
use crate::wiring::Wiring;

impl HostState {
    /// What is true of paths and channels now, `at_ps` from the start of the run.
    pub(crate) fn moment(&self, _w: &Wiring, at_ps: u64) -> Moment {
        let dark = self.channels.iter().map(|channel| channel.dark > 0).collect();
        Moment { at_ps, dark, configured_off: Vec::new(), paths: Vec::new() }
    }
}
