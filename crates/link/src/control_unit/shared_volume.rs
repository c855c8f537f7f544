//! A volume that its base device and its aliases use by turns.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use halftrack_program::Geometry;
use halftrack_volume::{CkdVolume, FbaVolume, FileMedium, Group, TrackFault};

use super::barrier_board::BarrierBoard;
use super::served_volume::ServedVolume;

/// Where a volume is while no device uses it.
#[derive(Clone)]
pub struct VolumeHome {
    volume: Rc<Cell<Option<Box<ServedVolume>>>>,
    number: usize,
    board: Rc<BarrierBoard>,
}

impl fmt::Debug for VolumeHome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("VolumeHome")
    }
}

impl VolumeHome {
    /// Returns the home of `volume`, which is volume `number` and notes on `board` that it wants a barrier.
    pub fn new(volume: ServedVolume, number: usize, board: Rc<BarrierBoard>) -> Self {
        Self { volume: Rc::new(Cell::new(Some(Box::new(volume)))), number, board }
    }

    /// Returns the volume, unless it is away.
    #[inline]
    pub fn take(&self) -> Option<Box<ServedVolume>> {
        self.volume.take()
    }

    /// Brings the volume home.
    #[inline]
    pub fn set(&self, volume: Option<Box<ServedVolume>>) {
        self.volume.set(volume);
    }
}

/// A chain that has ended and waits for a barrier: its place in the order of waits, and its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupWait {
    /// Place in the order of all waits of the control unit.
    pub order: u64,
    /// The group that has to be safe.
    pub group: Group,
}

/// A volume as one of its devices has it: there between [`SharedVolume::fetch`] and
/// [`SharedVolume::put_back`], which surround every command. Commands are executed one after the other, so that a volume
/// is always at home when one begins.
#[derive(Debug)]
pub struct SharedVolume {
    home: VolumeHome,
    here: Option<Box<ServedVolume>>,
    /// The newest group that is not safe of which the chain has seen octets.
    seen: Option<Group>,
}

/// Kind and size of a volume, for a device that does not have it at the moment.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Tracks of this geometry.
    Tracks(Geometry),
    /// So many blocks.
    Blocks(u32),
}

impl SharedVolume {
    /// Returns the volume at `home`.
    pub fn new(home: VolumeHome) -> Self {
        Self { home, here: None, seen: None }
    }

    /// Fetches the volume from home.
    #[inline]
    pub fn fetch(&mut self) {
        self.here = self.home.take();
    }

    /// Puts the volume back.
    #[inline]
    pub fn put_back(&mut self) {
        if let Some(volume) = &mut self.here
            && let Some(group) = volume.take_seen()
        {
            self.seen = self.seen.max(Some(group));
        }
        self.home.set(self.here.take());
    }

    /// Puts the volume back after a chain. Returns the wait of the chain, when it has written or read what is not safe.
    #[inline]
    pub fn end_chain(&mut self) -> Option<GroupWait> {
        let seen = match &mut self.here {
            Some(volume) => volume.take_seen().max(self.seen.take()),
            None => None,
        };
        let wait = seen.and_then(|group| self.begin_wait(group));
        self.home.set(self.here.take());
        wait
    }

    /// Puts the volume back after something that was done at once. Returns whether all that it has read or written is as safe as
    /// promised.
    #[inline]
    pub fn end_at_once(&mut self) -> bool {
        let is_safe = self.here.as_mut().is_some_and(|volume| {
            volume.take_seen().is_none_or(|group| volume.is_group_safe(group) == Some(true))
        });
        self.home.set(self.here.take());
        is_safe
    }

    #[cold]
    fn begin_wait(&mut self, group: Group) -> Option<GroupWait> {
        let volume = self.here.as_deref_mut()?;
        // What was seen of a group that is lost is lost too: the wait ends with that.
        if volume.is_group_safe(group) == Some(true) {
            return None;
        }
        volume.wait_for(group);
        Some(GroupWait { order: self.home.board.want(self.home.number), group })
    }

    /// Returns whether a group is safe; nothing while its barrier is to come.
    pub fn is_group_safe(&self, group: Group) -> Option<bool> {
        self.here.as_ref().map_or(Some(false), |volume| volume.is_group_safe(group))
    }

    /// Returns the volume, while it is here.
    #[inline]
    pub fn here(&self) -> Option<&ServedVolume> {
        self.here.as_deref()
    }

    /// Returns the tracks; a device that has none reads and writes nothing.
    #[inline]
    pub fn tracks(&mut self) -> Result<&mut CkdVolume<FileMedium>, TrackFault> {
        match self.here.as_deref_mut() {
            Some(ServedVolume::Ckd(volume)) => Ok(volume),
            _ => Err(TrackFault::Medium),
        }
    }

    /// Returns the blocks; a device that has none reads and writes nothing.
    #[inline]
    pub fn blocks(&mut self) -> Result<&mut FbaVolume<FileMedium>, TrackFault> {
        match self.here.as_deref_mut() {
            Some(ServedVolume::Fba(volume)) => Ok(volume),
            _ => Err(TrackFault::Medium),
        }
    }
}
