//! The state of paths and channels at an instant.

use halftrack_record::{Moment, PathState};

use super::Subchannels;
use crate::channels::channel::ChannelState;
use crate::wiring::Wiring;

impl Subchannels {
    /// Returns the state of paths and channels now, `at_ps` from the start of the run.
    pub(in crate::channels) fn moment(&self, w: &Wiring, channels: &[ChannelState], at_ps: u64) -> Moment {
        let mut paths = Vec::new();
        for (lpar, image) in (0..).zip(&w.configuration.lpars) {
            let own = w.groups.iter().filter(|((subsystem, _), _)| *subsystem == image.subsystem());
            for ((_, lcu), group) in own {
                for path in group.first_path..group.first_path + group.paths {
                    let wire = &w.paths[path as usize];
                    let state = PathState {
                        lpar,
                        lcu: *lcu,
                        position: wire.position,
                        online: self.is_online(w, channels, lpar, path),
                        physically_online: !self.taken_off.is_configured_off(lpar, wire.channel),
                        operational: self.is_operational(w, channels, path),
                    };
                    paths.extend((!state.is_whole()).then_some(state));
                }
            }
        }
        paths.sort_unstable();
        Moment {
            at_ps,
            dark: channels.iter().map(ChannelState::is_dark).collect(),
            configured_off: self.taken_off.configured().collect(),
            paths,
            connections: Vec::new(),
            refused: self.taken_off.refused().collect(),
        }
    }
}
