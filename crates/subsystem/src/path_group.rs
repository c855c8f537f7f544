//! A path group: the up to eight channel paths from one image to one logical control unit.

/// Paths as the architecture masks them: path 0 is the leftmost bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathMask(pub u8);

impl PathMask {
    /// Returns the paths `0..count`, `count` at most 8.
    pub fn first(count: usize) -> Self {
        debug_assert!(count <= 8, "a path group has at most eight paths");
        Self((0xFF00_u16 >> count) as u8)
    }

    /// Returns the mask of path `path` alone.
    #[inline]
    pub fn of(path: u8) -> Self {
        Self(0x80 >> path)
    }

    /// Returns true when `path` is in the mask.
    #[inline]
    pub fn contains(self, path: u8) -> bool {
        self.0 & (0x80 >> path) != 0
    }

    /// Returns both masks together.
    #[inline]
    #[must_use]
    pub fn with(self, other: PathMask) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns this mask without the paths of `other`.
    #[inline]
    #[must_use]
    pub fn without(self, other: PathMask) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns true when no path is left.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The paths of a group, and the one whose turn it is.
///
/// Paths are taken in rotation whatever their speed, so that channels of one group get nearly equal rates
/// (visible in the published channel reports, where 8 and 16 Gbit/s links of one group run the same rate).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathGroup {
    installed: PathMask,
    online: PathMask,
    next: u8,
}

impl PathGroup {
    /// Creates a group of `paths` paths, 1 to 8, all online.
    pub fn new(paths: usize) -> Self {
        let installed = PathMask::first(paths);
        Self { installed, online: installed, next: 0 }
    }

    /// Returns the paths that may be used now.
    #[inline]
    pub fn online(&self) -> PathMask {
        self.online
    }

    /// Takes `path` from the group, or gives it back.
    pub fn set_online(&mut self, path: u8, online: bool) {
        let bit = PathMask::of(path);
        self.online = if online { self.online.with(bit) } else { self.online.without(bit) };
        debug_assert_eq!(self.online.0 & !self.installed.0, 0, "path {path} is not installed");
    }

    /// Returns the path whose turn it is, which stays as it is.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.first_of(self.online)
    }

    /// Returns the next path in rotation that is online and not in `tried`; `None` when there is none.
    #[inline]
    pub fn select(&mut self, tried: PathMask) -> Option<u8> {
        let path = self.first_of(self.online.without(tried))?;
        self.next = (path + 1) & 7;
        Some(path)
    }

    /// Returns the next of `candidates` in rotation.
    #[inline]
    fn first_of(&self, candidates: PathMask) -> Option<u8> {
        if candidates.is_empty() {
            return None;
        }
        // Rotate so that the path whose turn it is stands leftmost; the first bit set is the choice.
        let turned = candidates.0.rotate_left(u32::from(self.next));
        Some((self.next + turned.leading_zeros() as u8) & 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_gives_every_path_its_turn() {
        let mut group = PathGroup::new(3);
        let taken: Vec<_> = (0..7).filter_map(|_| group.select(PathMask::default())).collect();
        assert_eq!(taken, [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!((group.peek(), group.peek(), group.select(PathMask::of(1))), (Some(1), Some(1), Some(2)));
    }

    #[test]
    fn offline_and_tried_paths_are_passed_over() {
        let mut group = PathGroup::new(4);
        group.set_online(1, false);
        assert_eq!(group.select(PathMask::of(0)), Some(2));
        assert_eq!(group.select(PathMask::default()), Some(3));
        assert_eq!(group.select(PathMask::default()), Some(0));
        assert_eq!(group.select(PathMask::first(4)), None);
        group.set_online(1, true);
        assert_eq!(group.select(PathMask::default()), Some(1));
    }

    #[test]
    fn eight_paths_fill_the_mask() {
        assert_eq!(PathMask::first(8).0, 0xFF);
        assert_eq!(PathMask::first(0).0, 0);
        assert_eq!(PathMask::of(7).0, 0x01);
    }
}
