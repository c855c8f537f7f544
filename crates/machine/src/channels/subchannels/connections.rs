//! Connections of paths under endpoint security: logins, and the keys that nodes share.
//!
//! ```text
//!  link up ──► login ──► key of the two nodes: cached, else from the server ──► Terms ──► open or refused
//!  link down ──► no connection; the key stays with its nodes
//! ```
//!
//! A connection needs its key at login and not afterwards: when the server is lost, or a key is too old and cannot be renewed,
//! paths that run go on. A path that was refused is tried again when the server is back; one that is open in clear text stays
//! so until its link comes up again.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_config::{Configuration, KeyServer, Part, Path};
use halftrack_fabric::endpoint_security::{Connection, KeySource, NodePair, Protection, Terms};

use halftrack_record::ConnectionState;

use crate::wiring::Wiring;

/// Connections of all paths of a site of which parts take part in endpoint security.
#[derive(Debug)]
pub(in crate::channels) struct Connections {
    paths: Vec<PathLogin>,
    keys: SharedKeys,
    changes: Vec<Change>,
}

/// Ends of a connection: channel and host-adapter port.
type Ends = (u32, u32);

/// A change of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub at: Time,
    pub ends: Ends,
    pub before: ConnectionState,
    pub after: ConnectionState,
}

/// The login over one path.
#[derive(Debug, Clone, Copy)]
struct PathLogin {
    ends: Ends,
    terms: Terms,
    pair: NodePair,
    is_up: bool,
    connection: Connection,
}

impl PathLogin {
    fn state(&self) -> ConnectionState {
        match self.connection {
            _ if !self.is_up => ConnectionState::Down,
            Connection::Open(Protection::Encrypted) => ConnectionState::Encrypted,
            Connection::Open(Protection::Authenticated) => ConnectionState::Authenticated,
            Connection::Open(Protection::None) => ConnectionState::Clear,
            Connection::Refused => ConnectionState::Refused,
        }
    }
}

/// The keys that pairs of nodes share, and the server that they are from.
#[derive(Debug, Default)]
struct SharedKeys {
    /// Events that keep nodes from the server now; it may be out of reach besides.
    lost: u32,
    is_reachable: bool,
    lifetime: Option<Span>,
    /// The keys that both nodes of a pair have.
    cached: BTreeMap<NodePair, SharedKey>,
}

/// A key of two nodes, of which the twin has nothing but its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SharedKey {
    issued: Time,
}

impl SharedKeys {
    fn new(server: Option<KeyServer>) -> Self {
        let Some(server) = server else { return Self::default() };
        Self { is_reachable: server.is_reachable, lifetime: server.key_lifetime, ..Self::default() }
    }

    fn is_server_there(&self) -> bool {
        self.is_reachable && self.lost == 0
    }

    /// Renews the keys that have become too old until `now`, or drops them where the server has not been there since.
    fn renew(&mut self, now: Time) {
        let Some(lifetime) = self.lifetime else { return };
        let is_server_there = self.is_server_there();
        self.cached.retain(|_, key| {
            let lifetimes = now.since(key.issued).as_ps() / lifetime.as_ps();
            key.issued += lifetime * lifetimes;
            lifetimes == 0 || is_server_there
        });
    }

    /// Drops the keys of `responder`, or of all.
    fn drop_of(&mut self, responder: Option<u32>) {
        self.cached.retain(|pair, _| responder.is_some_and(|responder| responder != pair.responder));
    }
}

impl KeySource for SharedKeys {
    type Key = SharedKey;

    fn shared_key(&mut self, now: Time, pair: NodePair) -> Option<SharedKey> {
        self.renew(now);
        if !self.cached.contains_key(&pair) && self.is_server_there() {
            self.cached.insert(pair, SharedKey { issued: now });
        }
        self.cached.get(&pair).copied()
    }
}

impl Connections {
    /// Logs all paths in at the start of the run; `None` for a site without endpoint security.
    pub(super) fn new(w: &Wiring) -> Option<Box<Self>> {
        let configuration = &w.configuration;
        let server = configuration.endpoint_security?.key_server;
        let mut keys = SharedKeys::new(server);
        // A server that is lost at once comes back with the event that took it.
        let is_reachable = std::mem::replace(&mut keys.is_reachable, configuration.has_keys_at_start());
        let paths = configuration.lcus.iter().flat_map(|lcu| {
            let of_path = move |path| (path, nodes(configuration, path, lcu.control_unit));
            lcu.path_groups.iter().flat_map(|group| &group.paths).map(of_path)
        });
        let logged_in = paths.map(|(path, pair)| {
            let (ends, terms) = ((path.channel, path.port), path.security);
            let connection = terms.log_in(&mut keys, Time::ZERO, pair);
            PathLogin { ends, terms, pair, is_up: true, connection }
        });
        let paths = logged_in.collect();
        keys.is_reachable = is_reachable;
        Some(Box::new(Self { paths, keys, changes: Vec::new() }))
    }

    /// Returns the connection over `path`.
    pub(super) fn of(&self, path: u32) -> Connection {
        self.paths[path as usize].connection
    }

    /// Iterates over the connections of all paths.
    pub(super) fn all(&self) -> impl Iterator<Item = Connection> {
        self.paths.iter().map(|path| path.connection)
    }

    /// Returns the state of each connection, whatever the number of paths over it.
    pub(super) fn states(&self) -> BTreeMap<Ends, ConnectionState> {
        self.paths.iter().map(|path| (path.ends, path.state())).collect()
    }

    /// Returns the changes so far.
    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Notes what has changed at `now` from `before`.
    fn note_changes(&mut self, at: Time, before: &BTreeMap<Ends, ConnectionState>) {
        for (ends, after) in self.states() {
            let before = before[&ends];
            if before != after {
                self.changes.push(Change { at, ends, before, after });
            }
        }
    }

    /// Follows links that have gone down and come up, by path, until `now`.
    pub(super) fn follow(&mut self, now: Time, is_up: impl Fn(u32) -> bool) {
        let before = self.states();
        for (path, index) in self.paths.iter_mut().zip(0..) {
            let was_up = std::mem::replace(&mut path.is_up, is_up(index));
            if path.is_up && !was_up {
                path.connection = path.terms.log_in(&mut self.keys, now, path.pair);
            } else if !path.is_up {
                path.connection = Connection::Open(Protection::None);
            }
        }
        self.note_changes(now, &before);
    }

    /// Notes at `now` that nodes reach the server no more, or again: then paths that were refused are logged in.
    pub(super) fn set_server_lost(&mut self, now: Time, lost: bool) {
        let before = self.states();
        self.keys.renew(now);
        self.keys.lost = if lost { self.keys.lost + 1 } else { self.keys.lost - 1 };
        let refused = self.paths.iter_mut().filter(|path| path.connection == Connection::Refused);
        for path in refused {
            path.connection = path.terms.log_in(&mut self.keys, now, path.pair);
        }
        self.note_changes(now, &before);
    }

    /// Drops the keys of nodes that lose their power with `part`.
    pub(super) fn lose_power(&mut self, now: Time, part: Part) {
        self.keys.renew(now);
        match part {
            Part::ControlUnit(control_unit) => self.keys.drop_of(Some(control_unit)),
            Part::Power => self.keys.drop_of(None),
            Part::Channel(_) | Part::Port(_) | Part::Isl(_) | Part::Director(_) => {}
        }
    }
}

/// Returns the nodes between which `path` leads to box `control_unit`.
fn nodes(configuration: &Configuration, path: &Path, control_unit: u32) -> NodePair {
    let cpc = configuration.channels[path.channel as usize].cpc;
    NodePair { initiator: cpc.into(), responder: control_unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: NodePair = NodePair { initiator: 0, responder: 0 };
    const OTHER: NodePair = NodePair { initiator: 0, responder: 1 };

    fn at_s(s: u64) -> Time {
        Time::ZERO + Span::from_s(s)
    }

    fn keys(lifetime_s: Option<u64>) -> SharedKeys {
        SharedKeys::new(Some(KeyServer { is_reachable: true, key_lifetime: lifetime_s.map(Span::from_s) }))
    }

    #[test]
    fn a_key_outlasts_the_loss_of_its_server_and_no_new_one_is_to_be_had_meanwhile() {
        let mut keys = keys(None);
        assert!(keys.shared_key(at_s(0), PAIR).is_some());
        keys.lost += 1;
        assert!(keys.shared_key(at_s(1), PAIR).is_some() && keys.shared_key(at_s(1), OTHER).is_none());
        keys.drop_of(Some(1));
        assert!(keys.shared_key(at_s(2), PAIR).is_some(), "another box has lost its power");
        keys.drop_of(None);
        assert_eq!(keys.shared_key(at_s(3), PAIR), None);
        keys.lost -= 1;
        assert_eq!(keys.shared_key(at_s(4), PAIR), Some(SharedKey { issued: at_s(4) }));
    }

    #[test]
    fn a_key_that_is_too_old_is_renewed_by_the_server_and_else_dropped() {
        let mut keys = keys(Some(10));
        keys.shared_key(at_s(0), PAIR);
        assert_eq!(keys.shared_key(at_s(25), PAIR), Some(SharedKey { issued: at_s(20) }));
        keys.renew(at_s(26));
        keys.lost += 1;
        assert!(keys.shared_key(at_s(29), PAIR).is_some(), "it is good until 30 s");
        assert_eq!(keys.shared_key(at_s(30), PAIR), None);
    }
}
