//! A volume of either kind, as the control unit keeps it.

use std::io;
use std::sync::Arc;

use halftrack_base::Time;
use halftrack_volume::layout::LayoutError;
use halftrack_volume::{CkdVolume, Disk, FbaVolume, FileBarrier, FileMedium, Group};

/// A volume of a control unit.
#[derive(Debug)]
pub enum ServedVolume {
    /// Tracks of records with count, key and data.
    Ckd(CkdVolume<FileMedium>),
    /// Blocks of fixed length.
    Fba(FbaVolume<FileMedium>),
}

/// Evaluates `$body` with `$volume` bound to the volume of either kind.
macro_rules! with_volume {
    ($served:expr, $volume:ident => $body:expr) => {
        match $served {
            ServedVolume::Ckd($volume) => $body,
            ServedVolume::Fba($volume) => $body,
        }
    };
}

impl ServedVolume {
    /// Returns the tracks.
    #[inline]
    pub fn tracks(&self) -> Option<&CkdVolume<FileMedium>> {
        if let Self::Ckd(volume) = self { Some(volume) } else { None }
    }

    /// Puts its files on a disk that admits each change.
    pub fn set_disk(&mut self, disk: &Arc<dyn Disk>) {
        with_volume!(self, volume => volume.store_mut().media_mut().for_each(|medium| medium.set_disk(disk)));
    }

    /// Gathers chains from now on, when their writes are to be safe at their end: a barrier for all that wait.
    pub fn gather_chains(&mut self) {
        with_volume!(self, volume => volume.store_mut().gather_chains());
    }

    /// Returns the newest group of which octets were read or written since the last call, unless it is safe.
    #[inline]
    pub fn take_seen(&mut self) -> Option<Group> {
        with_volume!(self, volume => volume.store_mut().take_seen())
    }

    /// Adds a chain that waits for the barrier of a group.
    pub fn wait_for(&mut self, group: Group) {
        with_volume!(self, volume => volume.store_mut().wait_for(group));
    }

    /// Returns the chains that wait for a barrier which has not begun.
    pub fn waiting_chains(&self) -> u32 {
        with_volume!(self, volume => volume.store().waiting_chains())
    }

    /// Returns whether a group is safe; nothing while its barrier is to come.
    pub fn is_group_safe(&self, group: Group) -> Option<bool> {
        with_volume!(self, volume => volume.store().is_group_safe(group))
    }

    /// Begins the barrier of the chains that wait; nothing when there is none to be done, or it is over at once.
    pub fn begin_barrier(&mut self) -> Option<FileBarrier> {
        let begun = with_volume!(self, volume => volume.store_mut().begin_barrier());
        match begun.map(|journal| journal.map(FileMedium::barrier)) {
            Ok(Some(Ok(barrier))) => return Some(barrier),
            // No barrier for another thread can be had.
            Ok(Some(Err(_))) => {
                let result = with_volume!(self, volume => volume.store_mut().sync_journal());
                self.end_barrier(result);
            }
            Ok(None) => {}
            Err(error) => self.keep_failure(error),
        }
        None
    }

    /// Ends the barrier under way: its group is safe, or the volume is fenced.
    pub fn end_barrier(&mut self, result: io::Result<()>) {
        let ended = with_volume!(self, volume => volume.store_mut().end_barrier(result));
        if let Err(error) = ended {
            self.keep_failure(error);
        }
    }

    fn keep_failure(&mut self, error: LayoutError) {
        with_volume!(self, volume => volume.keep_failure(error));
    }

    /// Makes safe what write-back mode has gathered for too long. Returns when it is to be called at the latest, if something
    /// waits.
    pub fn flush_due(&mut self, now: Time) -> Option<Time> {
        with_volume!(self, volume => volume.flush_due(now)).unwrap_or(None)
    }

    /// Returns the cause of the last fault, when it was a failure of the files.
    pub fn take_failure(&mut self) -> Option<LayoutError> {
        with_volume!(self, volume => volume.take_failure())
    }

    /// Makes everything safe in the files themselves and gives the volume up.
    ///
    /// # Errors
    /// Journal or files failed.
    pub fn close(self) -> Result<(), LayoutError> {
        with_volume!(self, volume => volume.close())
    }
}
