//! Streams of I/O to disks beside a logical link, over the same channels.

use halftrack_base::Time;

use super::Service;
use crate::driver::DiskRun;
use crate::plug::Plug;

impl<P: Plug> Service<P> {
    /// Runs streams of I/O to disks beside the link; the service ends no earlier than they do.
    pub fn set_disks(&mut self, disks: DiskRun) {
        self.disks = Some(disks);
    }

    /// Returns the streams of I/O to disks.
    pub fn disks(&self) -> Option<&DiskRun> {
        self.disks.as_ref()
    }

    /// Drives the disks; true when there was something to do.
    pub(super) fn turn_disks(&mut self, now: Time) -> bool {
        let Some(disks) = &mut self.disks else { return false };
        disks.turn(now, &mut self.link.disk_paths())
    }

    /// Ends the streams of I/O to disks, unless they are over.
    pub(super) fn end_disks(&mut self, now: Time, why: &str) {
        if let Some(disks) = &mut self.disks {
            disks.break_off(now, why);
        }
    }
}
