//! IU pacing that outlives the exchange: the window that a control unit granted holds for the next exchange on the same
//! logical path (Fibre Channel reference 6.4, persistent pacing).

use std::collections::BTreeMap;

/// Windows by port, channel image and control-unit image.
#[derive(Debug, Default)]
pub(crate) struct PathPacing(BTreeMap<(u32, u8, u8), u8>);

impl PathPacing {
    /// Returns the window with which an exchange on this path begins.
    pub(crate) fn window(&self, path: (u32, u8, u8), initial: u8) -> u8 {
        self.0.get(&path).map_or(initial, |window| initial.max(*window))
    }

    /// Remembers the window with which an exchange on this path ended, when that is more than the `initial` one.
    pub(crate) fn remember(&mut self, path: (u32, u8, u8), initial: u8, window: u8) {
        if window > initial {
            self.0.insert(path, window);
        }
    }

    /// Forgets the windows of all paths of `port`, which has logged out.
    pub(crate) fn forget(&mut self, port: u32) {
        self.0.retain(|path, _| path.0 != port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_lasts_until_the_path_is_gone() {
        let mut pacing = PathPacing::default();
        pacing.remember((1, 0, 0), 16, 16);
        assert_eq!(pacing.window((1, 0, 0), 8), 8);
        pacing.remember((1, 0, 0), 16, 64);
        assert_eq!((pacing.window((1, 0, 0), 16), pacing.window((1, 0, 1), 16)), (64, 16));
        pacing.forget(1);
        assert_eq!(pacing.window((1, 0, 0), 16), 16);
    }
}
