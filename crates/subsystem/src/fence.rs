//! The fence of a unit address: which start of a host's subchannel is the newest, so that whatever comes of an older one
//! over whichever path has no effect any more (recovery reference, section 6).
//!
//! ```text
//! start ─► not newer than the newest ─────────────────────► late: nothing is done
//!       └► newer ─► an older one open over the same path ─► active: refused
//!                └► an older one open over another path ──► supersede: the older ends, then the newer begins
//!                └► none open ────────────────────────────► admit
//! ```
//!
//! It belongs to the control unit as a whole, not to one of its ports. The architecture gives a subchannel one start at a
//! time, so that a newer start proves that the host has given the older one up.

use halftrack_base::{Span, Time};
use halftrack_wire::StartNumber;
use halftrack_wire::els::NodeDescriptor;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;

/// How long the numbers of a host are kept after its last path has gone: R_A_TOV, after which no frame of it is on
/// its way any more.
pub const NUMBERS_KEPT: Span = RESOURCE_ALLOCATION_TIMEOUT;
/// Most hosts without a path whose numbers are kept. Our choice; the one that left first is forgotten first.
const LEFT_MAX: usize = 64;

/// Octets of type, manufacturer, plant and sequence number.
const NODE_BYTES: usize = 23;

/// The node of a host, as its node descriptor names it: the same on all paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeIdentity([u8; NODE_BYTES]);

impl NodeIdentity {
    /// Returns the identity in a node descriptor; nothing where the descriptor is not valid or names no machine.
    #[must_use]
    pub fn of(node: &NodeDescriptor) -> Option<Self> {
        // EBCDIC blanks and zeros, or no characters at all.
        let names_none = node.sequence.iter().all(|octet| matches!(octet, 0x00 | 0x40 | 0xF0));
        if node.flags != 0 || names_none {
            return None;
        }
        let parts = [&node.node_type[..], &node.manufacturer, &node.plant, &node.sequence];
        let mut octets = parts.into_iter().flatten();
        Some(Self(std::array::from_fn(|_| octets.next().copied().unwrap_or_default())))
    }
}

/// Owner of the subchannel of a start, as far as a control unit can find it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host<P> {
    /// A path group, by its identifier.
    Group([u8; 11]),
    /// A host without a path group: its node and channel image, which are the same on all its paths.
    Node(NodeIdentity, u8),
    /// A path of which neither is known.
    Path(P),
}

/// Decision about a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict<P> {
    /// It may begin.
    Admit,
    /// It may begin when the start that is open over this other path has been ended.
    Supersede(P),
    /// It is refused: an older start is open over the same path.
    Active,
    /// It comes late and has no effect.
    Late,
}

/// The starts of one host.
#[derive(Debug, Clone)]
struct Starts<P> {
    host: Host<P>,
    newest: StartNumber,
    /// The start that is open, and its path.
    open: Option<(StartNumber, P)>,
    /// Paths over which starts have come since their logical paths were established.
    paths: Vec<P>,
    /// Paths that were among them, and since when they are gone.
    gone: Vec<(P, Time)>,
    /// Since when there is none.
    left: Option<Time>,
}

/// The fence of a unit address. `P` names a logical path.
#[derive(Debug, Clone)]
pub struct Fence<P>(Vec<Starts<P>>);

impl<P> Default for Fence<P> {
    /// Returns the fence of a device to which no start has come.
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P: Copy + Eq> Fence<P> {
    /// Admits or refuses a start of `host` over `path`. One that may begin is open until [`Fence::close`].
    #[inline]
    pub fn admit(&mut self, now: Time, host: Host<P>, path: P, number: StartNumber) -> Verdict<P> {
        match self.0.iter().position(|starts| starts.host == host) {
            Some(index) if self.0[index].paths.contains(&path) => self.0[index].admit(path, number),
            found => self.admit_over_new_path(now, found, host, path, number),
        }
    }

    /// Admits or refuses the first start over a path since it was established, or since the host joined another group.
    #[cold]
    fn admit_over_new_path(
        &mut self,
        now: Time,
        found: Option<usize>,
        host: Host<P>,
        path: P,
        number: StartNumber,
    ) -> Verdict<P> {
        let is_kept = |since: Time| since.saturating_add(NUMBERS_KEPT) > now;
        self.0.retain(|starts| starts.left.is_none_or(is_kept));
        // What came over the path before it began anew may come once more, whoever its host is taken for by now.
        let is_late = |starts: &Starts<P>| !number.is_newer_than(starts.newest);
        let had_path = |starts: &Starts<P>| starts.gone.iter().any(|&(gone, at)| gone == path && is_kept(at));
        if self.0.iter().any(|starts| had_path(starts) && is_late(starts)) {
            return Verdict::Late;
        }
        // The subchannel counts on when its host joins or leaves a group.
        let before = self.0.iter_mut().find(|starts| starts.host != host && starts.paths.contains(&path));
        let mut open = None;
        if let Some(before) = before {
            if !number.is_newer_than(before.newest) {
                return Verdict::Late;
            }
            before.paths.retain(|known| *known != path);
            if before.paths.is_empty() {
                open = before.open;
                let gone = before.host;
                self.0.retain(|starts| starts.host != gone);
            }
        }
        let known = found.and_then(|_| self.0.iter().position(|starts| starts.host == host));
        let index = known.unwrap_or_else(|| {
            // Everything is newer than the number before it.
            let newest = StartNumber::new(number.value().wrapping_sub(1));
            self.0.push(Starts { host, newest, open, paths: Vec::new(), gone: Vec::new(), left: None });
            self.0.len() - 1
        });
        let starts = &mut self.0[index];
        let verdict = starts.admit(path, number);
        if verdict != Verdict::Late {
            starts.paths.push(path);
            starts.left = None;
            self.0.iter_mut().for_each(|starts| starts.gone.retain(|(gone, _)| *gone != path));
        }
        verdict
    }

    /// Ends the start that was admitted over `path`, or did not begin.
    #[inline]
    pub fn close(&mut self, path: P, number: StartNumber) {
        for starts in &mut self.0 {
            if starts.open == Some((number, path)) {
                starts.open = None;
            }
        }
    }

    /// Forgets the exchanges over a logical path that is gone, or begins anew. Its numbers are kept
    /// for a while: a frame may come over a path that began anew without its host, twice or late.
    pub fn path_gone(&mut self, now: Time, path: P) {
        for starts in &mut self.0 {
            let paths = starts.paths.len();
            starts.paths.retain(|known| *known != path);
            if starts.paths.len() < paths {
                starts.gone.retain(|(gone, _)| *gone != path);
                starts.gone.push((path, now));
            }
            if starts.paths.is_empty() && paths > 0 {
                starts.left = Some(now);
            }
        }
        while self.0.iter().filter(|starts| starts.left.is_some()).count() > LEFT_MAX {
            let left = self.0.iter().filter_map(|starts| starts.left).min();
            let first = self.0.iter().position(|starts| starts.left == left);
            first.map(|first| self.0.remove(first));
        }
    }
}

impl<P: Copy + Eq> Starts<P> {
    #[inline]
    fn admit(&mut self, path: P, number: StartNumber) -> Verdict<P> {
        if !number.is_newer_than(self.newest) {
            return Verdict::Late;
        }
        self.newest = number;
        match self.open {
            Some((_, open)) if open == path => Verdict::Active,
            older => {
                self.open = Some((number, path));
                older.map_or(Verdict::Admit, |(_, path)| Verdict::Supersede(path))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Host<u8> = Host::Group([7; 11]);

    fn n(number: u32) -> StartNumber {
        StartNumber::new(number)
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO.saturating_add(Span::from_s(seconds))
    }

    fn node(sequence: u8) -> NodeDescriptor {
        NodeDescriptor { sequence: [sequence; 12], ..NodeDescriptor::default() }
    }

    #[test]
    fn a_newer_start_over_another_path_ends_an_older_one_and_an_older_is_late() {
        let mut fence = Fence::default();
        assert_eq!(fence.admit(at(0), GROUP, 0, n(5)), Verdict::Admit);
        assert_eq!(fence.admit(at(0), GROUP, 1, n(6)), Verdict::Supersede(0));
        for late in [4, 5, 6] {
            assert_eq!(fence.admit(at(0), GROUP, 0, n(late)), Verdict::Late, "{late}");
            assert_eq!(fence.admit(at(0), GROUP, 1, n(late)), Verdict::Late, "{late}");
        }
        fence.close(0, n(5));
        assert_eq!(fence.admit(at(0), GROUP, 0, n(7)), Verdict::Supersede(1), "the older one was not it");
        fence.close(0, n(7));
        assert_eq!(fence.admit(at(0), GROUP, 1, n(8)), Verdict::Admit);
    }

    #[test]
    fn over_the_same_path_a_newer_start_is_refused_while_an_older_is_open() {
        let mut fence = Fence::default();
        assert_eq!(fence.admit(at(0), GROUP, 0, n(5)), Verdict::Admit);
        assert_eq!(fence.admit(at(0), GROUP, 0, n(6)), Verdict::Active);
        assert_eq!(fence.admit(at(0), GROUP, 0, n(6)), Verdict::Late, "it was refused once and comes twice");
        fence.close(0, n(5));
        assert_eq!(fence.admit(at(0), GROUP, 0, n(7)), Verdict::Admit);
    }

    #[test]
    fn numbers_go_round() {
        let mut fence = Fence::default();
        assert_eq!(fence.admit(at(0), GROUP, 0, n(0x00FF_FFFF)), Verdict::Admit);
        assert_eq!(fence.admit(at(0), GROUP, 1, n(0)), Verdict::Supersede(0));
        assert_eq!(fence.admit(at(0), GROUP, 1, n(0x00FF_FFFE)), Verdict::Late);
    }

    #[test]
    fn hosts_count_on_their_own() {
        let mut fence = Fence::default();
        let (one, two) = (NodeIdentity::of(&node(1)).unwrap(), NodeIdentity::of(&node(2)).unwrap());
        assert_ne!(one, two);
        assert_eq!(fence.admit(at(0), Host::Node(one, 1), 0, n(900)), Verdict::Admit);
        assert_eq!(fence.admit(at(0), Host::Node(one, 2), 1, n(5)), Verdict::Admit, "another image");
        assert_eq!(fence.admit(at(0), Host::Node(two, 1), 2, n(5)), Verdict::Admit, "another node");
        assert_eq!(fence.admit(at(0), Host::Path(3), 3, n(5)), Verdict::Admit);
        assert_eq!(fence.admit(at(0), Host::Node(one, 1), 4, n(899)), Verdict::Late, "its other path");
    }

    #[test]
    fn a_descriptor_without_a_machine_names_no_host() {
        for nothing in [0x00, 0x40, 0xF0] {
            assert_eq!(NodeIdentity::of(&node(nothing)), None);
        }
        assert_eq!(NodeIdentity::of(&NodeDescriptor { flags: 0x20, ..node(1) }), None, "not valid");
    }

    #[test]
    fn numbers_of_a_host_outlive_its_paths_for_a_while() {
        let node = NodeIdentity::of(&node(1)).unwrap();
        for host in [GROUP, Host::Node(node, 1), Host::Path(0)] {
            let mut fence = Fence::default();
            assert_eq!(fence.admit(at(0), host, 0, n(50)), Verdict::Admit);
            fence.close(0, n(50));
            fence.path_gone(at(100), 0);
            for after in [GROUP, Host::Node(node, 1), Host::Path(0)] {
                assert_eq!(
                    fence.clone().admit(at(109), after, 0, n(49)),
                    Verdict::Late,
                    "{host:?}, {after:?}"
                );
            }
            assert_eq!(fence.admit(at(110), host, 0, n(49)), Verdict::Admit);
        }
    }

    #[test]
    fn while_one_path_is_there_the_numbers_hold_for_all() {
        let mut fence = Fence::default();
        assert_eq!(fence.admit(at(0), GROUP, 0, n(50)), Verdict::Admit);
        assert_eq!(fence.admit(at(0), GROUP, 1, n(51)), Verdict::Supersede(0));
        fence.path_gone(at(1), 0);
        assert_eq!(fence.admit(at(500), GROUP, 0, n(50)), Verdict::Late, "of the login before");
        assert_eq!(fence.admit(at(500), GROUP, 0, n(52)), Verdict::Supersede(1));
    }

    #[test]
    fn a_path_that_joins_a_group_counts_on() {
        let mut fence = Fence::default();
        assert_eq!(fence.admit(at(0), Host::Path(0), 0, n(50)), Verdict::Admit);
        assert_eq!(fence.admit(at(0), GROUP, 0, n(49)), Verdict::Late);
        assert_eq!(fence.admit(at(0), GROUP, 0, n(51)), Verdict::Active, "the other is still open");
        fence.close(0, n(50));
        assert_eq!(fence.admit(at(0), GROUP, 0, n(52)), Verdict::Admit);
        assert_eq!(fence.0.len(), 1);
    }

    #[test]
    fn groups_that_come_and_go_fill_nothing_up() {
        let mut fence = Fence::default();
        for group in 0..1000_u32 {
            let mut id = [0; 11];
            id[..4].copy_from_slice(&group.to_be_bytes());
            assert_eq!(fence.admit(at(0), Host::Group(id), 0, n(group)), Verdict::Admit);
            fence.close(0, n(group));
            fence.path_gone(at(0), 0);
        }
        assert_eq!(fence.0.len(), LEFT_MAX);
    }
}
