//! Chains of a volume in synchronous mode that become safe together, with one barrier for all of them.
//!
//! ```text
//! open group ── record in the journal ──► group under way ── barrier ──► applied to the files: safe
//!     ▲ chains that end meanwhile
//! ```
//!
//! At most one group is under way. Its units are read from memory until they are in the files, and those of the open group
//! lie over them.

use std::collections::BTreeMap;

use crate::changed_unit::ChangedUnit;

/// Number of a group; they count from 1.
pub type Group = u64;

/// The open group, and the one whose barrier is under way.
#[derive(Debug, Default)]
pub(crate) struct ChainGroups {
    /// Chains are gathered: their ending is not the end of their group.
    gathers: bool,
    /// Groups that are safe; the next one is under way or open.
    safe: Group,
    /// Units of the group under way.
    under_way: Option<BTreeMap<u32, ChangedUnit>>,
    /// Chains that wait for the barrier of the open group.
    waiting: u32,
    /// The newest group of which octets were seen since the last call of [`ChainGroups::take_seen`].
    seen: Group,
}

impl ChainGroups {
    /// Gathers chains from now on.
    pub fn gather(&mut self) {
        self.gathers = true;
    }

    /// Returns whether chains are gathered.
    #[inline]
    pub fn gathers(&self) -> bool {
        self.gathers
    }

    /// Returns the number of the open group.
    #[inline]
    fn open(&self) -> Group {
        self.safe + 1 + Group::from(self.under_way.is_some())
    }

    /// Notes that octets of the open group were seen or written.
    #[inline]
    pub fn see_open(&mut self) {
        self.seen = self.open();
    }

    /// Returns whether the group under way has changed a unit.
    pub fn has_under_way(&self, unit: u32) -> bool {
        self.under_way.as_ref().is_some_and(|units| units.contains_key(&unit))
    }

    /// Returns a unit of the group under way, and notes that it was seen.
    #[inline]
    pub fn see_under_way(&mut self, unit: u32) -> Option<&mut ChangedUnit> {
        let changed = self.under_way.as_mut()?.get_mut(&unit)?;
        self.seen = self.seen.max(self.safe + 1);
        Some(changed)
    }

    /// Returns the newest group of which octets were seen since the last call, unless it is safe.
    #[inline]
    pub fn take_seen(&mut self) -> Option<Group> {
        if self.seen == 0 {
            return None;
        }
        Some(std::mem::take(&mut self.seen)).filter(|group| *group > self.safe)
    }

    /// Adds a chain that waits for the barrier of a group.
    pub fn wait(&mut self, group: Group) {
        if group == self.open() {
            self.waiting += 1;
        }
    }

    /// Returns the chains that wait for the barrier of the open group.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Returns whether a group is safe.
    pub fn is_safe(&self, group: Group) -> bool {
        group <= self.safe
    }

    /// Returns whether a barrier is under way.
    #[inline]
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// Puts the open group under way, whose changed units these are, and opens the next.
    pub fn begin(&mut self, units: BTreeMap<u32, ChangedUnit>) {
        self.under_way = Some(units);
        self.waiting = 0;
    }

    /// Ends the barrier under way; returns the units of its group, which are in the files.
    pub fn end(&mut self) -> BTreeMap<u32, ChangedUnit> {
        let units = self.under_way.take();
        self.safe += Group::from(units.is_some());
        units.unwrap_or_default()
    }

    /// Notes that the open group is in the files, without a barrier of its own.
    pub fn pass_open(&mut self) {
        self.safe = self.open();
        self.waiting = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_open_then_under_way_then_safe() {
        let mut groups = ChainGroups::default();
        groups.see_open();
        assert_eq!(groups.take_seen(), Some(1));
        assert_eq!(groups.take_seen(), None);
        groups.wait(1);
        assert_eq!((groups.waiting(), groups.is_safe(1)), (1, false));
        groups.begin(BTreeMap::from([(7, ChangedUnit::default())]));
        assert!(groups.see_under_way(8).is_none() && groups.take_seen().is_none());
        assert!(groups.see_under_way(7).is_some());
        assert_eq!((groups.take_seen(), groups.waiting()), (Some(1), 0));
        groups.see_open();
        assert!(groups.see_under_way(7).is_some());
        assert_eq!(groups.take_seen(), Some(2), "the newest of both");
        groups.wait(1);
        assert_eq!(groups.waiting(), 0, "it waits for the barrier that is under way");
        assert_eq!(groups.end().len(), 1);
        assert!(groups.is_safe(1) && !groups.is_safe(2));
        groups.pass_open();
        assert!(groups.is_safe(2));
    }
}
