//! Logins over paths whose links come up, and the groups that paths leave or come back to.

use std::collections::BTreeMap;

use halftrack_base::Time;
use halftrack_config::Part;
use halftrack_fabric::endpoint_security::{Connection, Protection};

use halftrack_record::{ConnectionChange, ConnectionCounts};

use super::Subchannels;
use super::connections::Change;
use crate::channels::channel::ChannelState;
use crate::wiring::Wiring;

impl Subchannels {
    /// Logs paths in whose links have come up at `now`, and sets in every path group which paths are online. Returns the logins
    /// of FCP that begin: the path, and how often its link has come up.
    pub(in crate::channels) fn follow_links(
        &mut self,
        w: &Wiring,
        channels: &[ChannelState],
        now: Time,
    ) -> Vec<(u32, u16)> {
        if let Some(mut connections) = self.connections.take() {
            connections.follow(now, |path| self.is_lit(w, channels, path));
            self.connections = Some(connections);
        }
        let mut logins = std::mem::take(&mut self.fabric_logins);
        let begun = logins.follow(|path| self.is_lit(w, channels, path));
        self.fabric_logins = logins;
        self.apply_logins(w, channels);
        begun
    }

    /// Completes a login of FCP, unless its light was lost meanwhile. Returns whether it did.
    pub(in crate::channels) fn complete_login(
        &mut self,
        w: &Wiring,
        channels: &[ChannelState],
        (path, login): (u32, u16),
    ) -> bool {
        let is_complete = self.fabric_logins.complete(path, login);
        if is_complete {
            self.apply_logins(w, channels);
        }
        is_complete
    }

    /// Drops the keys of nodes that lose their power with `part`.
    pub(in crate::channels) fn lose_power(&mut self, now: Time, part: Part) {
        if let Some(connections) = &mut self.connections {
            connections.lose_power(now, part);
        }
    }

    /// Notes that nodes reach the key server no more, or again.
    pub(in crate::channels) fn set_key_server_lost(
        &mut self,
        w: &Wiring,
        channels: &[ChannelState],
        now: Time,
        lost: bool,
    ) {
        if let Some(connections) = &mut self.connections {
            connections.set_server_lost(now, lost);
        }
        self.apply_logins(w, channels);
    }

    /// Sets in every path group which paths are online: those with light and a login that is complete and not refused.
    pub(in crate::channels) fn apply_logins(&mut self, w: &Wiring, channels: &[ChannelState]) {
        if let Some(connections) = &self.connections {
            for (path, connection) in (0..).zip(connections.all()) {
                let is_out = connection == Connection::Refused || self.fabric_logins.is_under_way(path);
                self.lost_paths.set_refused(path, is_out);
            }
        } else {
            for (path, is_under_way) in self.fabric_logins.all() {
                self.lost_paths.set_refused(path, is_under_way);
            }
        }
        self.set_paths_online(w, channels);
    }

    /// Returns true when frames over `path` are encrypted now and were not at the start of the run, or the reverse.
    pub(in crate::channels) fn is_reversed(&self, w: &Wiring, path: u32) -> bool {
        let encryption = w.encryptions[path as usize];
        let Some(connections) = self.connections.as_ref().filter(|_| encryption.other_class.is_some()) else {
            return false;
        };
        (connections.of(path).protection() == Protection::Encrypted) != encryption.at_start
    }

    /// Counts the connections of each channel by state, where parts of the site take part in endpoint security.
    pub(in crate::channels) fn connection_counts(&self) -> Option<BTreeMap<u32, ConnectionCounts>> {
        let connections = self.connections.as_ref()?;
        let mut counts = BTreeMap::<u32, ConnectionCounts>::new();
        for ((channel, _), state) in connections.states() {
            counts.entry(channel).or_default().add(state, 1);
        }
        Some(counts)
    }

    /// Returns the changes of connections so far.
    pub(in crate::channels) fn connection_changes(&self, w: &Wiring) -> Vec<ConnectionChange> {
        let (c, changes) =
            (&w.configuration, self.connections.as_ref().map(|connections| connections.changes()));
        let change = |one: &Change| ConnectionChange {
            at_ps: one.at.since(Time::ZERO).as_ps(),
            channel: c.channels[one.ends.0 as usize].name.clone(),
            port: c.ports[one.ends.1 as usize].name.clone(),
            before: one.before,
            after: one.after,
        };
        changes.unwrap_or_default().iter().map(change).collect()
    }
}
