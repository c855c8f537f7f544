//! The units of a volume as they are now: what lies in the files, with what was changed since over it.
//!
//! ```text
//! octets(unit) ──► changed units ──► the mapped file ──► units unpacked last
//! commit() ──► redo ──► journal ──► files
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use crate::journal::Journal;
use crate::layout::{Layout, LayoutError};
use crate::medium::Medium;
use crate::redo::{Redo, apply};
use crate::stamp;
use crate::transaction::Transaction;
use crate::unpacked_units::UnpackedUnits;

/// What a volume promises of its writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// No write.
    ReadOnly,
    /// What a chain wrote is safe when its ending is presented: after a crash every record has the octets of the
    /// last chain that ended, or of one that had not ended yet, whole.
    Sync,
    /// Chains are gathered and become safe in groups. After a crash the volume is as after some of the chains,
    /// from the first up to one that may lie some time back, and no later one; every record is whole. At most
    /// [`WRITE_BACK_BYTES`] of changes, and the chain that exceeds them, wait; a flush or close makes all safe.
    WriteBack,
}

/// Octets of changed units that write-back mode gathers before it makes them safe.
pub const WRITE_BACK_BYTES: usize = 32 << 20;
/// Octets of units changed by one chain beyond which they become safe before it ends, so that no chain fills the memory.
const LONGEST_CHAIN_BYTES: usize = 2 * WRITE_BACK_BYTES;
/// Runs of a unit that are kept apart; more become one.
const MOST_RUNS: usize = 64;

/// A unit that was changed, and is not safe yet.
#[derive(Debug, Default)]
pub struct ChangedUnit {
    octets: Vec<u8>,
    runs: Vec<Range<usize>>,
}

impl ChangedUnit {
    /// The octets, from home address to end marker of a track, or all of a block group.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Writes over the octets at `offset`; the unit becomes longer as needed.
    pub fn write(&mut self, offset: usize, octets: &[u8]) {
        let end = offset + octets.len();
        if end > self.octets.len() {
            self.octets.resize(end, 0);
        }
        self.octets[offset..end].copy_from_slice(octets);
        self.changed(offset..end);
    }

    /// Writes `octets` at `offset`, and zeros behind them up to `end`.
    pub fn write_padded(&mut self, offset: usize, octets: &[u8], end: usize) {
        self.write(offset, octets);
        let from = offset + octets.len();
        if end > from {
            self.octets.resize(self.octets.len().max(end), 0);
            self.octets[from..end].fill(0);
            self.changed(from..end);
        }
    }

    /// Cuts the unit.
    pub fn truncate(&mut self, octets: usize) {
        self.octets.truncate(octets);
        for run in &mut self.runs {
            run.end = run.end.min(octets);
        }
        self.runs.retain(|run| run.start < run.end);
    }

    fn changed(&mut self, mut run: Range<usize>) {
        self.runs.retain(|other| {
            let apart = other.end < run.start || run.end < other.start;
            if !apart {
                run = run.start.min(other.start)..run.end.max(other.end);
            }
            apart
        });
        self.runs.push(run);
        if self.runs.len() > MOST_RUNS {
            let start = self.runs.iter().map(|run| run.start).min().unwrap_or(0);
            let end = self.runs.iter().map(|run| run.end).max().unwrap_or(0);
            self.runs.clear();
            self.runs.push(start..end);
        }
    }
}

/// The units of a volume.
#[derive(Debug)]
pub struct UnitStore<M: Medium, L: Layout<M>> {
    // Given up before the files: while they are locked nobody else meets the journal.
    journal: Option<Journal<M>>,
    files: Vec<M>,
    layout: L,
    mode: Mode,
    changed: BTreeMap<u32, ChangedUnit>,
    changed_bytes: usize,
    spare: Vec<ChangedUnit>,
    unpacked: UnpackedUnits,
    redo: Redo,
    transaction: Transaction,
    failed: bool,
}

impl<M: Medium, L: Layout<M>> UnitStore<M, L> {
    /// The units of files that are whole. Without a journal writes are applied without it, one by one: for files
    /// that nobody keeps when a write breaks off.
    pub fn new(files: Vec<M>, layout: L, journal: Option<Journal<M>>, mode: Mode) -> Self {
        Self {
            journal,
            files,
            unpacked: UnpackedUnits::new(layout.unit_bytes()),
            layout,
            mode,
            changed: BTreeMap::new(),
            changed_bytes: 0,
            spare: Vec::new(),
            redo: Redo::new(),
            transaction: Transaction::default(),
            failed: false,
        }
    }

    /// What the volume promises.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The layout.
    pub fn layout(&self) -> &L {
        &self.layout
    }

    /// The files.
    pub fn files(&self) -> &[M] {
        &self.files
    }

    /// The octets of a unit, and what may lie behind them in its place.
    ///
    /// # Errors
    /// The file cannot be read, or is corrupt there.
    #[inline]
    pub fn octets(&mut self, unit: u32) -> Result<&[u8], LayoutError> {
        if !self.changed.is_empty() && self.changed.contains_key(&unit) {
            return Ok(self.changed.get(&unit).map_or(&[], ChangedUnit::octets));
        }
        // Of the fields, not of `self`: what else is borrowed below differs from them.
        if let Some(octets) = mapped(&self.files, &self.layout, unit) {
            return Ok(octets);
        }
        self.unpacked.octets(unit, |into| self.layout.read(&self.files, unit, into))
    }

    /// The octets of a unit where its file has them in memory, whatever has changed since.
    #[inline]
    pub fn mapped(&self, unit: u32) -> Option<&[u8]> {
        mapped(&self.files, &self.layout, unit)
    }

    /// A unit to be changed.
    ///
    /// # Errors
    /// As [`UnitStore::octets`]; a unit that has to be read and cannot.
    pub fn change(&mut self, unit: u32, used: usize) -> Result<&mut ChangedUnit, LayoutError> {
        if self.failed {
            return Err(LayoutError::Io(std::io::Error::other("an earlier write of the volume failed")));
        }
        if !self.changed.contains_key(&unit) {
            let mut fresh = self.spare.pop().unwrap_or_default();
            fresh.octets.clear();
            fresh.runs.clear();
            let octets = self.octets(unit)?;
            fresh.octets.extend_from_slice(&octets[..used.min(octets.len())]);
            self.changed_bytes += fresh.octets.len();
            self.changed.insert(unit, fresh);
        }
        Ok(self.changed.entry(unit).or_default())
    }

    /// Makes what was changed as safe as the mode promises; `chain_ended` when a chain has ended and not only
    /// changed much.
    ///
    /// # Errors
    /// Journal or files failed: nothing more can be written.
    pub fn commit(&mut self, chain_ended: bool) -> Result<(), LayoutError> {
        let limit = match (self.mode, chain_ended) {
            (Mode::Sync | Mode::ReadOnly, true) => 0,
            (Mode::WriteBack, true) => WRITE_BACK_BYTES,
            (_, false) => LONGEST_CHAIN_BYTES,
        };
        if self.changed_bytes > limit { self.flush() } else { Ok(()) }
    }

    /// Makes everything safe that was changed.
    ///
    /// # Errors
    /// Journal or files failed: nothing more can be written.
    pub fn flush(&mut self) -> Result<(), LayoutError> {
        if self.changed.is_empty() {
            return Ok(());
        }
        if self.failed {
            return Err(LayoutError::Io(std::io::Error::other("an earlier write of the volume failed")));
        }
        let result = self.write_changed();
        self.failed = result.is_err();
        result
    }

    fn write_changed(&mut self) -> Result<(), LayoutError> {
        self.redo.clear();
        for (unit, changed) in &self.changed {
            let place = self.layout.place(*unit).filter(|place| {
                let length = changed.octets.len();
                place.octets as usize == length
                    || place.octets == self.layout.unit_bytes() && place.octets as usize >= length
            });
            match place {
                Some(place) => {
                    for run in &changed.runs {
                        let octets = &changed.octets[run.clone()];
                        self.redo.push(place.file, place.offset + run.start as u64, octets);
                    }
                }
                None => self.layout.write(&self.files, *unit, &changed.octets, &mut self.redo)?,
            }
            self.unpacked.forget(*unit);
        }
        match &mut self.journal {
            Some(journal) => {
                self.transaction.gather(&self.redo, &self.files)?;
                if !journal.has_room(&self.transaction) {
                    for file in &mut self.files {
                        file.sync()?;
                    }
                    journal.restart(&mut self.files, &self.transaction)?;
                }
                journal.append(&self.transaction)?;
                apply(self.transaction.redo(), &mut self.files)?;
            }
            None => apply(&self.redo, &mut self.files)?,
        }
        self.layout.settled();
        let mut changed = std::mem::take(&mut self.changed);
        self.changed_bytes = 0;
        while let Some((_, unit)) = changed.pop_first()
            && self.spare.len() < MOST_SPARE
        {
            self.spare.push(unit);
        }
        Ok(())
    }

    /// Makes everything safe in the files themselves and empties the journal: the files are whole for any program.
    ///
    /// # Errors
    /// Journal or files failed.
    pub fn close(&mut self) -> Result<(), LayoutError> {
        if self.mode == Mode::ReadOnly || self.failed {
            return Ok(());
        }
        self.flush()?;
        for file in &mut self.files {
            file.sync()?;
        }
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal.empty()?;
        for file in &mut self.files {
            stamp::erase(file)?;
        }
        Ok(())
    }
}

/// Units kept for the next transaction, so that it need not allocate.
const MOST_SPARE: usize = 16;

impl<M: Medium, L: Layout<M>> Drop for UnitStore<M, L> {
    fn drop(&mut self) {
        // What cannot be made safe here is still in the journal, or was never promised.
        let _ = self.close();
    }
}

/// The octets of a unit where its file has them in memory.
#[inline]
fn mapped<'a, M: Medium, L: Layout<M>>(files: &'a [M], layout: &L, unit: u32) -> Option<&'a [u8]> {
    let place = layout.place(unit)?;
    let map = files.get(usize::from(place.file))?.mapped()?;
    let from = usize::try_from(place.offset).ok()?;
    map.get(from..from.checked_add(place.octets as usize)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(start: usize, end: usize) -> Vec<Range<usize>> {
        std::iter::once(start..end).collect()
    }

    #[test]
    fn runs_that_touch_become_one() {
        let mut unit = ChangedUnit { octets: vec![0; 100], runs: Vec::new() };
        unit.write(10, &[1; 5]);
        unit.write(30, &[2; 5]);
        unit.write(14, &[3; 4]);
        assert_eq!(unit.runs, [30..35, 10..18]);
        unit.write_padded(18, &[4], 31);
        assert_eq!(unit.runs, runs(10, 35));
        unit.write(98, &[9; 4]);
        assert_eq!(unit.octets().len(), 102);
        unit.truncate(20);
        assert_eq!(unit.runs, runs(10, 20));
    }

    #[test]
    fn many_runs_become_one() {
        let mut unit = ChangedUnit { octets: vec![0; 1000], runs: Vec::new() };
        for run in 0..=MOST_RUNS {
            unit.write(run * 3, &[1]);
        }
        assert_eq!(unit.runs, runs(0, MOST_RUNS * 3 + 1));
    }
}
