//! The units of a volume as they are now: what lies in the files, with what was changed since over it.
//!
//! ```text
//! octets(unit) ──► changed units ──► units of the group under way ──► the mapped file ──► units unpacked last
//! commit() ──► redo ──► journal ──► barrier ──► files
//! ```

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use halftrack_base::{Span, Time};

use crate::chain_groups::ChainGroups;
use crate::changed_unit::ChangedUnit;
use crate::journal::Journal;
use crate::layout::{Layout, LayoutError, Place};
use crate::medium::Medium;
use crate::redo::{RedoRecord, apply};
use crate::stamp;
use crate::transaction::Transaction;
use crate::unpacked_units::UnpackedUnits;

/// Guarantee of a volume for its writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// No write.
    ReadOnly,
    /// Writes of a chain are safe when its ending is presented: after a crash every record has the octets of the last
    /// chain that ended, or of one that had not ended yet, whole.
    Sync,
    /// Chains are gathered and become safe in groups. After a crash the volume is as after some of the chains,
    /// from the first up to one that may lie some time back, and no later one; every record is whole. Changes wait for
    /// [`WRITE_BACK_TIME`] at most, as far as [`UnitStore::flush_due`] is called, and until they are more than
    /// [`WRITE_BACK_BYTES`]. A chain that takes longer or changes more becomes safe in parts, at
    /// [`WRITE_BACK_IN_CHAIN`] and [`LONGEST_CHAIN_BYTES`]. A flush or close makes all safe.
    WriteBack,
}

/// Octets of changed units that write-back mode gathers before it makes them safe.
pub const WRITE_BACK_BYTES: usize = 32 << 20;
/// How long write-back mode gathers before it begins to make safe what waits: with a disk that takes as long for it,
/// nothing older than [`WRITE_BACK_IN_CHAIN`] can be lost.
pub const WRITE_BACK_TIME: Span = Span::from_ms(500);
/// How long what waits is kept back for a chain that has not ended: the loss that write-back mode states.
pub const WRITE_BACK_IN_CHAIN: Span = Span::from_s(1);
/// Octets of units changed by one chain beyond which they become safe before it ends, so that no chain fills the memory.
pub const LONGEST_CHAIN_BYTES: usize = 2 * WRITE_BACK_BYTES;
/// Why a volume can be neither read nor written any more: what was acknowledged since it was safe last is not certain.
#[derive(Debug)]
struct Fenced {
    kind: io::ErrorKind,
    reason: String,
}

impl Fenced {
    fn by(error: &LayoutError) -> Self {
        let kind = match error {
            LayoutError::Io(error) => error.kind(),
            LayoutError::Corrupt(_) | LayoutError::Full(_) => io::ErrorKind::Other,
        };
        Self { kind, reason: error.to_string() }
    }

    fn error(&self) -> LayoutError {
        let reason = format!("fenced since it could not be written ({})", self.reason);
        LayoutError::Io(io::Error::new(self.kind, reason))
    }
}

/// The units of a volume.
#[derive(Debug)]
pub struct UnitStore<M: Medium, L: Layout<M>> {
    // Given up before the files: while they are locked nobody else meets the journal.
    journal: Option<Journal<M>>,
    groups: ChainGroups,
    files: Vec<M>,
    layout: L,
    mode: Mode,
    changed: BTreeMap<u32, ChangedUnit>,
    changed_bytes: usize,
    spare: Vec<ChangedUnit>,
    unpacked: UnpackedUnits,
    redo: RedoRecord,
    transaction: Transaction,
    failed: Option<Fenced>,
    /// Whether nothing was written since the files were made safe and the journal emptied.
    is_settled: bool,
    /// A unit that somebody may still write into, and its octets as they are counted.
    counted: Option<(u32, usize)>,
    /// Whether something was changed since a chain ended.
    in_chain: bool,
    /// When what was changed was first seen to wait.
    waiting_since: Option<Time>,
}

impl<M: Medium, L: Layout<M>> UnitStore<M, L> {
    /// Returns the units of files that are whole. Without a journal writes are applied without it, one by one: for files
    /// that are not kept when a write breaks off.
    pub fn new(files: Vec<M>, layout: L, journal: Option<Journal<M>>, mode: Mode) -> Self {
        Self {
            journal,
            groups: ChainGroups::default(),
            files,
            unpacked: UnpackedUnits::new(layout.unit_bytes()),
            layout,
            mode,
            changed: BTreeMap::new(),
            changed_bytes: 0,
            spare: Vec::new(),
            redo: RedoRecord::new(),
            transaction: Transaction::default(),
            failed: None,
            is_settled: false,
            counted: None,
            in_chain: false,
            waiting_since: None,
        }
    }

    /// Returns the guarantee of the volume.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the layout.
    pub fn layout(&self) -> &L {
        &self.layout
    }

    /// Returns the files.
    pub fn files(&self) -> &[M] {
        &self.files
    }

    /// Returns the files and that of the journal, to be changed.
    pub fn media_mut(&mut self) -> impl Iterator<Item = &mut M> {
        self.files.iter_mut().chain(self.journal.as_mut().map(Journal::medium_mut))
    }

    /// Returns the octets of a unit, and what may lie behind them in its place.
    ///
    /// # Errors
    /// The file cannot be read, or is corrupt there.
    #[inline]
    pub fn octets(&mut self, unit: u32) -> Result<&[u8], LayoutError> {
        if let Some(fenced) = &self.failed {
            return Err(fenced.error());
        }
        if !self.changed.is_empty() && self.changed.contains_key(&unit) {
            self.groups.see_open();
            let changed = self.changed.entry(unit).or_default();
            complete(&self.files, &self.layout, unit, changed)?;
            return Ok(changed.octets());
        }
        if self.groups.is_under_way() && self.groups.has_under_way(unit) {
            let Some(changed) = self.groups.see_under_way(unit) else { return Ok(&[]) };
            complete(&self.files, &self.layout, unit, changed)?;
            return Ok(changed.octets());
        }
        // Of the fields, not of `self`: what else is borrowed below differs from them.
        if let Some(octets) = mapped(&self.files, &self.layout, unit) {
            return Ok(octets);
        }
        self.unpacked.octets(unit, |into| self.layout.read(&self.files, unit, into))
    }

    /// Returns the octets of a unit where its file has them in memory, whatever has changed since.
    #[inline]
    pub fn mapped(&self, unit: u32) -> Option<&[u8]> {
        mapped(&self.files, &self.layout, unit)
    }

    /// Returns whether the octets of a unit are in memory, so that nothing has to be read or unpacked for them. What the
    /// operating system keeps of a mapped file counts as memory.
    #[inline]
    pub fn is_in_memory(&self, unit: u32) -> bool {
        is_mapped(&self.files, &self.layout, unit)
            || self.changed.contains_key(&unit)
            || self.groups.has_under_way(unit)
            || self.unpacked.contains(unit)
    }

    /// Returns whether the end of a chain that changes `units` units is as safe as the mode guarantees without waiting for
    /// the disk.
    #[inline]
    pub fn stores_at_once(&self, units: usize) -> bool {
        let more = units * self.layout.unit_bytes() as usize;
        self.mode == Mode::WriteBack && self.changed_bytes + more <= WRITE_BACK_BYTES
    }

    /// Returns a unit to be changed.
    ///
    /// # Errors
    /// As [`UnitStore::octets`]; a unit that has to be read and cannot.
    pub fn change(&mut self, unit: u32, used: usize) -> Result<&mut ChangedUnit, LayoutError> {
        if let Some(fenced) = &self.failed {
            return Err(fenced.error());
        }
        self.count();
        self.in_chain = true;
        if !self.changed.contains_key(&unit) {
            let mut fresh = self.spare.pop().unwrap_or_default();
            let octets = self.octets(unit)?;
            fresh.renew(&octets[..used.min(octets.len())]);
            self.changed_bytes += fresh.length();
            self.changed.insert(unit, fresh);
        }
        let changed = self.changed.entry(unit).or_default();
        complete(&self.files, &self.layout, unit, changed)?;
        self.counted = Some((unit, changed.length()));
        Ok(changed)
    }

    /// Writes over `range` of the first `used` octets of a unit: `octets`, and zeros behind them. A unit that lies in its
    /// place as it is need not be copied for it.
    ///
    /// # Errors
    /// As [`UnitStore::change`].
    pub fn write_over(
        &mut self,
        unit: u32,
        used: usize,
        range: Range<usize>,
        octets: &[u8],
    ) -> Result<(), LayoutError> {
        if let Some(fenced) = &self.failed {
            return Err(fenced.error());
        }
        let is_changed = self.changed.contains_key(&unit);
        let place = self.layout.place(unit).filter(|_| !is_changed && !self.groups.has_under_way(unit));
        let length = place.map_or(0, |place| used.min(place.octets as usize));
        if range.end <= length && in_place(&self.layout, unit, length).is_some() {
            let mut fresh = self.spare.pop().unwrap_or_default();
            fresh.renew_partial(length);
            self.changed_bytes += length;
            self.changed.insert(unit, fresh);
        }
        let changed = match self.changed.get_mut(&unit) {
            Some(changed) if range.end <= changed.length() && !changed.is_full_of_runs() => changed,
            _ => self.change(unit, used)?,
        };
        changed.write_padded(range.start, octets, range.end);
        self.in_chain = true;
        Ok(())
    }

    /// Counts by how much the unit has grown or shrunk that was changed last.
    fn count(&mut self) {
        let Some((unit, counted)) = self.counted.take() else { return };
        let octets = self.changed.get(&unit).map_or(counted, ChangedUnit::length);
        self.changed_bytes = (self.changed_bytes + octets).saturating_sub(counted);
    }

    /// Makes changes as safe as the mode guarantees; `chain_ended` when a chain has ended and not only
    /// changed much.
    ///
    /// # Errors
    /// Journal or files failed: nothing more can be written.
    pub fn commit(&mut self, chain_ended: bool) -> Result<(), LayoutError> {
        self.count();
        self.in_chain &= !chain_ended;
        let limit = match (self.mode, chain_ended) {
            (_, true) if self.groups.gathers() => return self.join_group(),
            (Mode::Sync | Mode::ReadOnly, true) => 0,
            (Mode::WriteBack, true) => WRITE_BACK_BYTES,
            // While a barrier is under way there is no other one; what comes meanwhile is bounded by its time.
            (_, false) if self.groups.is_under_way() => return Ok(()),
            (_, false) => LONGEST_CHAIN_BYTES,
        };
        if self.changed_bytes > limit { self.flush() } else { Ok(()) }
    }

    /// Makes everything safe that was changed.
    ///
    /// # Errors
    /// Journal or files failed: nothing more can be written. [`io::ErrorKind::WouldBlock`] while the barrier of a group is
    /// under way, after which it can be done.
    pub fn flush(&mut self) -> Result<(), LayoutError> {
        if let Some(fenced) = self.failed.as_ref().filter(|_| !self.changed.is_empty()) {
            return Err(fenced.error());
        }
        if self.groups.is_under_way() {
            return Err(LayoutError::Io(io::ErrorKind::WouldBlock.into()));
        }
        if self.changed.is_empty() {
            return Ok(());
        }
        let result = self.write_changed();
        self.failed = result.as_ref().err().map(Fenced::by);
        self.waiting_since = None;
        result
    }

    /// Makes safe what write-back mode has gathered for too long; to be called often, with the time. Returns when it is
    /// to be called at the latest, if something waits.
    ///
    /// # Errors
    /// Journal or files failed: nothing more can be read or written.
    pub fn flush_due(&mut self, now: Time) -> Result<Option<Time>, LayoutError> {
        if self.mode != Mode::WriteBack || self.changed.is_empty() || self.failed.is_some() {
            return Ok(None);
        }
        let since = *self.waiting_since.get_or_insert(now);
        let patience = if self.in_chain { WRITE_BACK_IN_CHAIN } else { WRITE_BACK_TIME };
        let due = since.saturating_add(patience);
        if now < due { Ok(Some(due)) } else { self.flush().map(|()| None) }
    }

    fn write_changed(&mut self) -> Result<(), LayoutError> {
        self.write_record()?;
        if let Some(journal) = &mut self.journal {
            journal.sync()?;
        }
        self.apply_record()?;
        let changed = std::mem::take(&mut self.changed);
        (self.changed_bytes, self.counted) = (0, None);
        self.keep_spare(changed);
        self.groups.pass_open();
        Ok(())
    }

    /// Makes the record of what was changed, and writes it into the journal; a barrier has to follow.
    fn write_record(&mut self) -> Result<(), LayoutError> {
        self.is_settled = false;
        self.redo.clear();
        for (unit, changed) in &mut self.changed {
            match in_place(&self.layout, *unit, changed.length()) {
                Some(place) => {
                    for (begin, octets) in changed.runs() {
                        self.redo.push(place.file, place.offset + begin as u64, octets);
                    }
                }
                None => {
                    complete(&self.files, &self.layout, *unit, changed)?;
                    self.layout.write(&self.files, *unit, changed.octets(), &mut self.redo)?;
                }
            }
            self.unpacked.forget(*unit);
        }
        let Some(journal) = &mut self.journal else { return Ok(()) };
        self.transaction.gather(&self.redo, &self.files)?;
        if !journal.has_room(&self.transaction) {
            for file in &mut self.files {
                file.sync()?;
            }
            journal.restart(&mut self.files, &self.transaction)?;
        }
        journal.write(&self.transaction)?;
        Ok(())
    }

    /// Changes the files as the record has it that is safe in the journal.
    fn apply_record(&mut self) -> Result<(), LayoutError> {
        let redo = if self.journal.is_some() { self.transaction.redo() } else { &self.redo };
        apply(redo, &mut self.files)?;
        self.layout.settled();
        Ok(())
    }

    /// Keeps a few units for the next group.
    fn keep_spare(&mut self, mut changed: BTreeMap<u32, ChangedUnit>) {
        while let Some((_, unit)) = changed.pop_first()
            && self.spare.len() < MOST_SPARE
        {
            self.spare.push(unit);
        }
    }

    /// Makes everything safe in the files themselves and empties the journal: the files are whole for any program. A failure
    /// fences the volume: a second barrier would succeed without the pages that the first one lost.
    ///
    /// # Errors
    /// Journal or files failed, now or before.
    pub fn close(&mut self) -> Result<(), LayoutError> {
        if self.mode == Mode::ReadOnly {
            return Ok(());
        }
        if let Some(fenced) = &self.failed {
            return Err(fenced.error());
        }
        self.flush()?;
        if self.is_settled {
            return Ok(());
        }
        let result = self.settle();
        self.is_settled = result.is_ok();
        self.failed = result.as_ref().err().map(Fenced::by);
        result
    }

    /// Makes the files safe, empties the journal and takes the marks away.
    fn settle(&mut self) -> Result<(), LayoutError> {
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
const MOST_SPARE: usize = 64;

impl<M: Medium, L: Layout<M>> Drop for UnitStore<M, L> {
    fn drop(&mut self) {
        // What cannot be made safe here is still in the journal, or was never promised.
        let _ = self.close();
    }
}

/// Returns the octets of a unit where its file has them in memory.
#[inline]
fn mapped<'a, M: Medium, L: Layout<M>>(files: &'a [M], layout: &L, unit: u32) -> Option<&'a [u8]> {
    let place = layout.place(unit)?;
    let map = files.get(usize::from(place.file))?.mapped()?;
    let from = usize::try_from(place.offset).ok()?;
    map.get(from..from.checked_add(place.octets as usize)?)
}

fn is_mapped<M: Medium, L: Layout<M>>(files: &[M], layout: &L, unit: u32) -> bool {
    layout.place(unit).is_some_and(|place| files.get(usize::from(place.file)).is_some_and(M::is_mapped))
}

/// Returns the place of a unit where it can lie as it is with `length` bytes.
fn in_place<M: Medium, L: Layout<M>>(layout: &L, unit: u32, length: usize) -> Option<Place> {
    layout.place(unit).filter(|place| {
        let octets = place.octets as usize;
        octets == length || place.octets == layout.unit_bytes() && octets >= length
    })
}

/// Copies what the files have of a unit into one that lacks it.
#[inline]
fn complete<M: Medium, L: Layout<M>>(
    files: &[M],
    layout: &L,
    unit: u32,
    changed: &mut ChangedUnit,
) -> Result<(), LayoutError> {
    if !changed.is_partial() {
        return Ok(());
    }
    if let Some(octets) = mapped(files, layout, unit) {
        changed.complete(octets);
        return Ok(());
    }
    let mut octets = Vec::new();
    layout.read(files, unit, &mut octets)?;
    changed.complete(&octets);
    Ok(())
}

mod group_commit;
#[cfg(test)]
mod tests;
