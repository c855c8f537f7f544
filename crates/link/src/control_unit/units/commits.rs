//! Barriers of the volumes, by which chains that wait become safe together.

use std::io;
use std::os::fd::BorrowedFd;

use halftrack_base::Time;

use super::{UnitTable, home_in};

impl UnitTable {
    /// Does barriers in threads from now on, so that nothing waits for the disk but the endings of chains. Otherwise
    /// [`UnitTable::end_batch`] does them.
    ///
    /// # Errors
    /// An error of the operating system; they are done in line then.
    pub fn begin_barrier_threads(&mut self) -> io::Result<()> {
        self.barriers.begin_threads()
    }

    /// Does the barriers in line that are wanted, unless there are threads for them.
    #[inline]
    pub fn end_batch(&mut self) {
        self.barriers.end_batch(home_in(&self.volumes));
    }

    /// Begins the barriers that are due.
    #[inline]
    pub fn begin_barriers(&mut self, now: Time) {
        self.barriers.begin(now, home_in(&self.volumes));
    }

    /// Ends the barriers that are over; true when there was one.
    #[inline]
    pub fn collect_barriers(&mut self, now: Time) -> bool {
        self.barriers.collect(now, home_in(&self.volumes))
    }

    /// Returns whether threads do barriers, of which there has been one.
    #[inline]
    pub fn does_barriers(&self) -> bool {
        self.barriers.fd().is_some() && self.barriers.ended() > 0
    }

    /// Returns the barriers that have ended: after another one, endings may be withheld no longer.
    #[inline]
    pub fn barriers_ended(&self) -> u64 {
        self.barriers.ended()
    }

    /// Returns when [`UnitTable::begin_barriers`] is to be called at the latest.
    pub fn barriers_due(&self) -> Option<Time> {
        self.barriers.due()
    }

    /// Returns what becomes readable when a barrier is over.
    pub fn barrier_fd(&self) -> Option<BorrowedFd<'_>> {
        self.barriers.fd()
    }
}
