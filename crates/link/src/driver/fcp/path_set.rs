//! The paths of an FCP channel to its units.

use halftrack_base::{Decision, Time};
use halftrack_config::ChannelFile;
use halftrack_config::channel_file::FcpChannel;

use super::finding::LunSize;
use super::nexus::Initiator;
use super::path::FcpPath;
use crate::clock::HostClock;
use crate::connector::Connector;

/// The paths of a channel.
pub struct FcpPathSet<C: Connector> {
    /// By their place in the channel file.
    pub paths: Vec<FcpPath<C>>,
}

impl<C: Connector> FcpPathSet<C> {
    /// Returns the paths of `file` to the units of the streams of `channel`; `clock` is the host's.
    pub fn new(
        file: &ChannelFile,
        channel: &FcpChannel,
        connectors: Vec<C>,
        clock: Option<HostClock>,
    ) -> Self {
        let initiators = Initiator::all(channel);
        let entries = file.paths.iter().zip(connectors);
        let paths = entries.map(|(entry, connector)| {
            FcpPath::new(file, entry, channel.timeouts, &initiators, connector, clock)
        });
        Self { paths: paths.collect() }
    }

    /// Returns the units as the first path that is online found them; none where no path is.
    pub fn sizes(&self) -> &[(u8, LunSize)] {
        self.paths.iter().find(|path| path.is_online()).map_or(&[], FcpPath::sizes)
    }

    /// Gives up paths over which nothing comes though they were tested, as long as another has answered since.
    pub fn lose_stalled(&mut self, now: Time) {
        for index in 0..self.paths.len() {
            let Some(since) = self.paths[index].take_stall() else { continue };
            Decision::PathStalled.count();
            let mut others = self.paths.iter().enumerate().filter(|(other, _)| *other != index);
            if others.any(|(_, path)| path.has_answered_since(since)) {
                Decision::StalledPathLost.count();
                self.paths[index]
                    .lose(now, "nothing comes over it, and its test was not answered".to_owned());
            } else {
                Decision::StalledPathKept.count();
            }
        }
    }

    /// Gives up a path that has come online with other units than those of the first; true when it stays.
    pub fn keep_if_same(&mut self, now: Time, index: usize) -> bool {
        let is_same = self.sizes() == self.paths[index].sizes();
        if !is_same {
            self.paths[index].lose(now, "its units are not those of the other paths".to_owned());
        }
        is_same
    }
}
