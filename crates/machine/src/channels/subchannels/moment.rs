//! The state of paths and channels at an instant.

use halftrack_record::{Moment, PathConnection, PathState};

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
            connections: self.path_connections(w),
            refused: self.taken_off.refused().collect(),
            islinks: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// Returns the connections of all paths, where parts of the site take part in endpoint security.
    fn path_connections(&self, w: &Wiring) -> Vec<PathConnection> {
        let Some(connections) = &self.connections else { return Vec::new() };
        let mut found = Vec::new();
        for ((subsystem, lcu), group) in &w.groups {
            for path in group.first_path..group.first_path + group.paths {
                let (cpc, css, position) = (subsystem.cpc, subsystem.css, w.paths[path as usize].position);
                found.push(PathConnection {
                    lcu: *lcu,
                    cpc,
                    css,
                    position,
                    connection: connections.of(path),
                });
            }
        }
        found.sort_unstable();
        found
    }
}
