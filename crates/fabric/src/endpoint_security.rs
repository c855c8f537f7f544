//! Fibre Channel Endpoint Security between two N_Ports: what each end can do and wants, and what a login makes of it.
//!
//! ```text
//!  capability, policy ─┐
//!                      ├─► Terms ── login, shared key of the two nodes ──► Connection: open, encrypted or not; refused
//!  capability, policy ─┘
//! ```
//!
//! Keys are of nodes and not of ports: two nodes share one key, whatever the number of paths between them. Where keys are from
//! is for a [`KeySource`]; a connection needs its key at login and not afterwards.

use halftrack_base::Time;

/// Protection of the frames between two ports; of one port the most that it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Protection {
    /// None.
    #[default]
    None,
    /// Each end has proved to the other which node it is of; frames are in clear text.
    Authenticated,
    /// Frames are encrypted too.
    Encrypted,
}

/// Policy of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Policy {
    /// It takes no part.
    #[default]
    Off,
    /// It protects frames where it can, and sends clear text where it cannot.
    Audit,
    /// It sends no clear text.
    Enforced,
}

/// One end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Endpoint {
    /// The most that it can do.
    pub capability: Protection,
    /// Its policy.
    pub policy: Policy,
}

/// The terms that two ends have for a connection between them, keys apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Terms {
    /// The protection that both want and can do.
    pub attainable: Protection,
    /// One of them sends no clear text.
    pub is_enforced: bool,
}

/// Outcome of a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Connection {
    /// It is open, with this protection.
    Open(Protection),
    /// There is none: its frames would be in clear text, and one of the ends sends none.
    Refused,
}

/// Two nodes: a processor complex and a storage box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodePair {
    /// Node of the channel.
    pub initiator: u32,
    /// Node of the host adapter.
    pub responder: u32,
}

/// A source of the keys that nodes share.
pub trait KeySource {
    /// A key, or that which stands for it.
    type Key;

    /// Returns the key that both nodes have at `now`; `None` when one of them has none and cannot get any.
    fn shared_key(&mut self, now: Time, pair: NodePair) -> Option<Self::Key>;
}

impl Terms {
    /// Returns the terms of a connection between `ends`, `passed` by what is between them.
    #[must_use]
    pub fn of(ends: [Endpoint; 2], passed: bool) -> Self {
        let [one, other] = ends;
        let is_wanted = one.policy != Policy::Off && other.policy != Policy::Off;
        let attainable = one.capability.min(other.capability);
        Self {
            attainable: if is_wanted && passed { attainable } else { Protection::None },
            is_enforced: one.policy == Policy::Enforced || other.policy == Policy::Enforced,
        }
    }

    /// Returns what becomes of a login, whose nodes share a key or do not.
    #[must_use]
    pub fn with_key(self, is_shared: bool) -> Connection {
        let protection = if is_shared { self.attainable } else { Protection::None };
        // Authentication alone leaves clear text on the fibre.
        if self.is_enforced && protection != Protection::Encrypted {
            return Connection::Refused;
        }
        Connection::Open(protection)
    }

    /// Logs two ports of the nodes of `pair` in at `now`; keys are of no use to a connection without protection.
    pub fn log_in<K: KeySource>(self, keys: &mut K, now: Time, pair: NodePair) -> Connection {
        let is_shared = self.attainable != Protection::None && keys.shared_key(now, pair).is_some();
        self.with_key(is_shared)
    }
}

impl Connection {
    /// Returns the protection of its frames; none where there is no connection.
    #[must_use]
    pub fn protection(self) -> Protection {
        match self {
            Self::Open(protection) => protection,
            Self::Refused => Protection::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Protection; 3] = [Protection::None, Protection::Authenticated, Protection::Encrypted];
    const POLICIES: [Policy; 3] = [Policy::Off, Policy::Audit, Policy::Enforced];

    /// Holds `law` for every pair of ends, passed and not, with a key and without.
    fn each(mut law: impl FnMut([Endpoint; 2], bool, bool, Connection)) {
        let ends = ALL
            .into_iter()
            .flat_map(|capability| POLICIES.into_iter().map(move |policy| Endpoint { capability, policy }));
        for one in ends.clone() {
            for other in ends.clone() {
                for bits in 0..4 {
                    let (passed, is_shared) = (bits & 1 != 0, bits & 2 != 0);
                    let ends = [one, other];
                    law(ends, passed, is_shared, Terms::of(ends, passed).with_key(is_shared));
                }
            }
        }
    }

    #[test]
    fn frames_are_encrypted_just_where_both_ends_want_it_can_do_it_and_have_a_key() {
        each(|ends, passed, is_shared, found| {
            let can = |one: Endpoint| one.capability == Protection::Encrypted && one.policy != Policy::Off;
            let is_encrypted = ends.into_iter().all(can) && passed && is_shared;
            assert_eq!(found.protection() == Protection::Encrypted, is_encrypted, "{ends:?}");
        });
    }

    #[test]
    fn a_connection_is_refused_just_where_an_end_that_sends_no_clear_text_would_have_to() {
        each(|ends, _, _, found| {
            let is_enforced = ends.into_iter().any(|one| one.policy == Policy::Enforced);
            let is_encrypted = found.protection() == Protection::Encrypted;
            assert_eq!(found == Connection::Refused, is_enforced && !is_encrypted, "{ends:?}");
        });
    }

    #[test]
    fn an_end_that_authenticates_alone_authenticates() {
        let encrypts = Endpoint { capability: Protection::Encrypted, policy: Policy::Audit };
        let authenticates = Endpoint { capability: Protection::Authenticated, ..encrypts };
        let terms = Terms::of([encrypts, authenticates], true);
        assert_eq!(terms.with_key(true), Connection::Open(Protection::Authenticated));
        assert_eq!(terms.with_key(false), Connection::Open(Protection::None));
    }

    #[test]
    fn no_key_is_requested_for_a_connection_without_protection() {
        struct Untouched;
        impl KeySource for Untouched {
            type Key = ();
            fn shared_key(&mut self, _: Time, _: NodePair) -> Option<()> {
                panic!("a key is requested");
            }
        }
        let pair = NodePair { initiator: 0, responder: 0 };
        let open = Terms::default().log_in(&mut Untouched, Time::ZERO, pair);
        assert_eq!(open, Connection::Open(Protection::None));
    }
}
