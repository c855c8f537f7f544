//! Group commit: one barrier for all chains that wait.

use std::io;

use super::{Fenced, UnitStore};
use crate::chain_groups::Group;
use crate::journal::Journal;
use crate::layout::{Layout, LayoutError};
use crate::medium::Medium;

impl<M: Medium, L: Layout<M>> UnitStore<M, L> {
    /// Gathers chains from now on: their end makes nothing safe, and their status has to wait for the barrier of their
    /// group. Without a journal nothing is gathered.
    pub fn gather_chains(&mut self) {
        if self.mode == super::Mode::Sync && self.journal.is_some() {
            self.groups.gather();
        }
    }

    /// Adds the chain that has ended to the open group.
    pub(super) fn join_group(&mut self) -> Result<(), LayoutError> {
        // A chain that has written may have done so in the group that was lost.
        if let Some(fenced) = &self.failed {
            return Err(fenced.error());
        }
        if !self.changed.is_empty() {
            self.groups.see_open();
        }
        Ok(())
    }

    /// Returns the newest group of which octets were read or written since the last call, unless it is safe. The status of
    /// whoever saw them has to wait for its barrier.
    #[inline]
    pub fn take_seen(&mut self) -> Option<Group> {
        if self.groups.gathers() { self.groups.take_seen() } else { None }
    }

    /// Adds a chain that waits for the barrier of a group.
    pub fn wait_for(&mut self, group: Group) {
        self.groups.wait(group);
    }

    /// Returns the chains that wait for a barrier which has not begun.
    pub fn waiting_chains(&self) -> u32 {
        self.groups.waiting()
    }

    /// Returns whether a group is safe; nothing while its barrier is to come. False: the volume is fenced, and the group is
    /// lost.
    pub fn is_group_safe(&self, group: Group) -> Option<bool> {
        match &self.failed {
            _ if self.groups.is_safe(group) => Some(true),
            Some(_) => Some(false),
            None => None,
        }
    }

    /// Writes the record of the open group into the journal, whose file it returns. That needs a barrier, the result of which
    /// goes to [`UnitStore::end_barrier`]. Nothing when there is no group to make safe, or a barrier is under way.
    ///
    /// # Errors
    /// Journal or files failed: the volume is fenced.
    pub fn begin_barrier(&mut self) -> Result<Option<&M>, LayoutError> {
        if self.groups.waiting() == 0 || self.groups.is_under_way() || self.failed.is_some() {
            return Ok(None);
        }
        self.count();
        if let Err(error) = self.write_record() {
            self.failed = Some(Fenced::by(&error));
            return Err(error);
        }
        let changed = std::mem::take(&mut self.changed);
        (self.changed_bytes, self.counted) = (0, None);
        self.groups.begin(changed);
        Ok(self.journal.as_ref().map(Journal::medium))
    }

    /// Does the barrier of the journal here, for [`UnitStore::end_barrier`].
    ///
    /// # Errors
    /// Errors of the medium.
    pub fn sync_journal(&mut self) -> io::Result<()> {
        self.journal.as_mut().map_or(Ok(()), Journal::sync)
    }

    /// Ends the barrier under way: its group is safe and goes into the files, or the volume is fenced.
    ///
    /// # Errors
    /// The barrier or the files failed.
    pub fn end_barrier(&mut self, barrier: io::Result<()>) -> Result<(), LayoutError> {
        if !self.groups.is_under_way() {
            return Ok(());
        }
        let result = barrier.map_err(LayoutError::Io).and_then(|()| self.apply_record());
        match &result {
            Ok(()) => {
                let units = self.groups.end();
                self.keep_spare(units);
            }
            Err(error) => self.failed = Some(Fenced::by(error)),
        }
        result
    }
}
