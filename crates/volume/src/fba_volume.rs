//! An FBA volume in an image file, as the blocks that a control unit reads and writes.

use halftrack_base::Time;

use crate::blocks::{BLOCK_BYTES, Blocks};
use crate::fba_layout::GROUP_BLOCKS;
use crate::format::FbaFormat;
use crate::layout::LayoutError;
use crate::medium::Medium;
use crate::tracks::TrackFault;
use crate::unit_store::{Mode, UnitStore};

/// An FBA volume.
#[derive(Debug)]
pub struct FbaVolume<M: Medium> {
    store: UnitStore<M, FbaFormat>,
    blocks: u32,
    trouble: Option<LayoutError>,
}

impl<M: Medium> FbaVolume<M> {
    /// Returns the volume of these units, which are the groups of so many blocks.
    pub fn new(store: UnitStore<M, FbaFormat>, blocks: u32) -> Self {
        Self { store, blocks, trouble: None }
    }

    /// Returns the guarantee of the volume for writes.
    pub fn mode(&self) -> Mode {
        self.store.mode()
    }

    /// Returns how blocks lie in the file.
    pub fn format(&self) -> &FbaFormat {
        self.store.layout()
    }

    /// Returns the files, of which there is one.
    pub fn files(&self) -> &[M] {
        self.store.files()
    }

    /// Returns why the last fault came about, when it was a failure of the file.
    pub fn take_failure(&mut self) -> Option<LayoutError> {
        self.trouble.take()
    }

    /// Makes everything safe, in write-back mode what was gathered as well.
    ///
    /// # Errors
    /// [`TrackFault::Medium`].
    pub fn flush(&mut self) -> Result<(), TrackFault> {
        let result = self.store.flush();
        self.without_trouble(result)
    }

    /// Makes safe what write-back mode has gathered for too long; to be called often, with the time. Returns when it is
    /// to be called at the latest, if something waits.
    ///
    /// # Errors
    /// [`TrackFault::Medium`].
    pub fn flush_due(&mut self, now: Time) -> Result<Option<Time>, TrackFault> {
        let result = self.store.flush_due(now);
        self.without_trouble(result)
    }

    /// Returns the units, for group commit.
    #[inline]
    pub fn store(&self) -> &UnitStore<M, FbaFormat> {
        &self.store
    }

    /// Returns the units, for group commit.
    #[inline]
    pub fn store_mut(&mut self) -> &mut UnitStore<M, FbaFormat> {
        &mut self.store
    }

    /// Keeps the failure of a barrier, as the reason of the faults that follow.
    pub fn keep_failure(&mut self, error: LayoutError) {
        self.trouble = Some(error);
    }

    /// Makes everything safe in the file itself and gives the volume up: other programs may use it.
    ///
    /// # Errors
    /// Journal or file failed; the journal still has what was safe.
    pub fn close(mut self) -> Result<(), LayoutError> {
        self.store.close()
    }

    /// Reads the blocks from `first` on that fill `into`.
    ///
    /// # Errors
    /// The first block that cannot be read, and why.
    pub fn read_run(&mut self, first: u32, into: &mut [u8]) -> Result<(), (u32, TrackFault)> {
        let (mut block, mut rest) = (first, into);
        while !rest.is_empty() {
            let (group, offset) = self.place(block).map_err(|fault| (block, fault))?;
            let in_group = (GROUP_BLOCKS - block % GROUP_BLOCKS) as usize * BLOCK_BYTES;
            let (now, behind) = rest.split_at_mut(in_group.min(rest.len()));
            match self.store.octets(group) {
                Ok(octets) => match octets.get(offset..offset + now.len()) {
                    Some(octets) => now.copy_from_slice(octets),
                    None => return Err((block, TrackFault::Unreadable)),
                },
                Err(error) => return Err((block, keep_trouble(&mut self.trouble, error))),
            }
            block += (now.len() / BLOCK_BYTES) as u32;
            rest = behind;
        }
        Ok(())
    }

    fn without_trouble<T>(&mut self, result: Result<T, LayoutError>) -> Result<T, TrackFault> {
        result.map_err(|error| keep_trouble(&mut self.trouble, error))
    }

    /// Returns the group of a block, and where the block lies in it.
    fn place(&self, block: u32) -> Result<(u32, usize), TrackFault> {
        if block >= self.blocks {
            return Err(TrackFault::NoTrack);
        }
        Ok((block / GROUP_BLOCKS, (block % GROUP_BLOCKS) as usize * BLOCK_BYTES))
    }
}

fn keep_trouble(trouble: &mut Option<LayoutError>, error: LayoutError) -> TrackFault {
    let fault = TrackFault::of(&error);
    *trouble = Some(error);
    fault
}

impl<M: Medium> Blocks for FbaVolume<M> {
    fn blocks(&self) -> u32 {
        self.blocks
    }

    fn write_inhibited(&self) -> bool {
        self.store.mode() == Mode::ReadOnly
    }

    fn read(&mut self, block: u32) -> Result<&[u8], TrackFault> {
        let (group, offset) = self.place(block)?;
        match self.store.octets(group) {
            Ok(octets) => octets.get(offset..offset + BLOCK_BYTES).ok_or(TrackFault::Unreadable),
            Err(error) => Err(keep_trouble(&mut self.trouble, error)),
        }
    }

    fn write(&mut self, block: u32, octets: &[u8]) -> Result<(), TrackFault> {
        let (group, offset) = self.place(block)?;
        if self.write_inhibited() {
            return Err(TrackFault::WriteInhibited);
        }
        if octets.len() > BLOCK_BYTES {
            return Err(TrackFault::TooLong);
        }
        let range = offset..offset + BLOCK_BYTES;
        let written = self.store.write_over(group, usize::MAX, range, octets);
        written.map_err(|error| keep_trouble(&mut self.trouble, error))?;
        let result = self.store.commit(false);
        self.without_trouble(result)
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        let result = self.store.commit(true);
        self.without_trouble(result)
    }
}
