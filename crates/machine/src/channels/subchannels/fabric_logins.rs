//! Logins of FCP that are under way: over paths whose links have come up in a run.

use std::collections::BTreeMap;

use crate::wiring::Wiring;

/// The login over a path.
#[derive(Debug, Clone, Copy)]
struct FabricLogin {
    is_lit: bool,
    /// How often its link has come up; wraps.
    count: u16,
    is_under_way: bool,
}

/// The logins over all paths of FCP, which are complete when a run begins.
#[derive(Debug, Default)]
pub(in crate::channels) struct FabricLogins(BTreeMap<u32, FabricLogin>);

impl FabricLogins {
    /// Makes the logins, all complete.
    pub(super) fn new(w: &Wiring) -> Self {
        let complete = FabricLogin { is_lit: true, count: 0, is_under_way: false };
        Self(w.logins.paths().map(|path| (path, complete)).collect())
    }

    /// Iterates over the paths, each with whether its login is under way.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.0.iter().map(|(path, login)| (*path, login.is_under_way))
    }

    /// Returns whether the login over `path` is under way.
    pub(super) fn is_under_way(&self, path: u32) -> bool {
        self.0.get(&path).is_some_and(|login| login.is_under_way)
    }

    /// Follows the light of all paths. Returns the logins that begin: the path, and how often its link has come up.
    pub(super) fn follow(&mut self, is_lit: impl Fn(u32) -> bool) -> Vec<(u32, u16)> {
        let mut begun = Vec::new();
        for (path, login) in &mut self.0 {
            let was_lit = std::mem::replace(&mut login.is_lit, is_lit(*path));
            login.is_under_way &= login.is_lit;
            if login.is_lit && !was_lit {
                (login.count, login.is_under_way) = (login.count.wrapping_add(1), true);
                begun.push((*path, login.count));
            }
        }
        begun
    }

    /// Completes a login, unless its light was lost meanwhile. Returns whether it did.
    pub(super) fn complete(&mut self, path: u32, count: u16) -> bool {
        let login = self.0.get_mut(&path).filter(|login| login.is_under_way && login.count == count);
        login.map(|login| login.is_under_way = false).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_whose_light_was_lost_is_not_completed() {
        let complete = FabricLogin { is_lit: true, count: 0, is_under_way: false };
        let mut logins = FabricLogins([(7, complete)].into());
        assert!(logins.follow(|_| true).is_empty());
        assert!(logins.follow(|_| false).is_empty());
        assert_eq!(logins.follow(|_| true), [(7, 1)]);
        assert!(logins.is_under_way(7));
        logins.follow(|_| false);
        assert_eq!(logins.follow(|_| true), [(7, 2)]);
        assert!(!logins.complete(7, 1) && logins.is_under_way(7), "of the light before");
        assert!(logins.complete(7, 2) && !logins.is_under_way(7));
        assert!(!logins.complete(7, 2), "once");
    }
}
