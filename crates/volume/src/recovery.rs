//! Recovery: the changes that a journal still holds for its volume, and their replay into the files.
//!
//! A journal is only replayed into files that are as a crash may have left them: they have the mark of the journal,
//! every sector that it changes is as before one of its transactions or after, and the rest is as it was when the
//! journal began. Replaying leaves them so at every moment, so that it can be broken off and begun again.

use std::collections::BTreeMap;
use std::io;

use crate::fingerprint::Fingerprint;
use crate::foreign_journal::ForeignJournal;
use crate::journal::{Beginning, read_beginning, renew, replay};
use crate::journal_header::{JournalHeader, Lineage};
use crate::medium::Medium;
use crate::open_error::ImageError;
use crate::redo::apply;
use crate::sector::{SECTOR_BYTES, check_word, read_padded};
use crate::stamp;
use crate::transaction::Transaction;
use crate::unit_store::Mode;

/// Brings the files to the state that their journal holds, and empties it. Returns how many transactions were
/// whole. In files for reading only this happens in memory.
///
/// # Errors
/// A file or the journal fails; the journal is not that of these files, which stay as they are.
pub fn recover<M: Medium>(files: &mut [M], journal: &mut M, mode: Mode) -> Result<u64, ImageError> {
    if files.is_empty() {
        return Ok(0);
    }
    let mut transactions = 0;
    if let Some(header) = pending(files, journal)? {
        if mode != Mode::ReadOnly {
            renew(journal, &header).map_err(ImageError::Journal)?;
        }
        transactions = replay(journal, &header, |transaction| {
            apply(transaction.redo(), files).map_err(ImageError::from)
        })?;
    }
    if mode != Mode::ReadOnly {
        if journal.len().map_err(ImageError::Journal)? > 0 {
            for (file, medium) in files.iter_mut().enumerate() {
                medium.sync().map_err(ImageError::io(file))?;
            }
            discard(journal).map_err(ImageError::Journal)?;
        }
        // A discarded journal, or a run that was cut off here, leaves marks beside an empty one.
        for (file, medium) in files.iter_mut().enumerate() {
            stamp::erase(medium).map_err(ImageError::io(file))?;
        }
    }
    Ok(transactions)
}

/// Empties a journal, whatever it holds.
pub(crate) fn discard<M: Medium>(journal: &mut M) -> io::Result<()> {
    journal.set_len(0)?;
    journal.sync()
}

/// Replays a journal into files without a check that it is theirs. A bug of earlier days, for tests of what is to find it:
/// it destroys volumes. Returns how many transactions were whole.
///
/// # Errors
/// A file or the journal fails.
pub fn replay_unchecked<M: Medium>(files: &mut [M], journal: &M) -> Result<u64, ImageError> {
    let Beginning::Header(header) = read_beginning(journal).map_err(ImageError::Journal)? else {
        return Ok(0);
    };
    replay(journal, &header, |transaction| apply(transaction.redo(), files).map_err(ImageError::from))
}

/// Returns the header of a journal that holds something for these files.
fn pending<M: Medium>(files: &[M], journal: &M) -> Result<Option<JournalHeader>, ImageError> {
    let header = match read_beginning(journal)? {
        Beginning::Nothing => return Ok(None),
        Beginning::Unreadable => return Err(ForeignJournal::Unreadable.into()),
        Beginning::Header(header) => header,
    };
    let mut touched = Touched::default();
    let whole = replay(journal, &header, |transaction| {
        touched.add(transaction);
        Ok::<(), ImageError>(())
    })?;
    if whole == 0 {
        return Ok(None);
    }
    let mut marks = Vec::new();
    for (number, file) in files.iter().enumerate() {
        marks.push(stamp::read(file).map_err(ImageError::io(number))?);
    }
    match header.lineage(&marks) {
        Lineage::Settled => return Ok(None),
        Lineage::Foreign(why) => return Err(why.into()),
        Lineage::Own => {}
    }
    touched.check_lengths(files, &header)?;
    touched.check_sectors(files, &header)?;
    Ok(Some(header))
}

/// The sectors that the transactions of a journal change.
#[derive(Debug, Default)]
struct Touched {
    /// Check words of what each held, from before the first transaction to behind the last.
    versions: BTreeMap<(u16, u64), Vec<u32>>,
    /// Where the last octet of each file goes.
    ends: BTreeMap<u16, u64>,
}

impl Touched {
    fn add(&mut self, transaction: &Transaction) {
        for run in transaction.runs() {
            let file = run.piece.file;
            let end = self.ends.entry(file).or_default();
            *end = (*end).max(run.piece.offset + run.piece.octets.len() as u64);
            for (sector, before, octets) in run.sectors() {
                let versions = self.versions.entry((file, sector)).or_insert_with(|| vec![before]);
                versions.push(check_word(octets));
            }
        }
    }

    /// Sets the length of a file: as it was, or as the transactions make it.
    fn check_lengths<M: Medium>(&self, files: &[M], header: &JournalHeader) -> Result<(), ImageError> {
        for (file, (medium, least_bytes)) in files.iter().zip(&header.lengths).enumerate() {
            let bytes = medium.len().map_err(ImageError::io(file))?;
            let most_bytes = self.ends.get(&(file as u16)).copied().unwrap_or(0).max(*least_bytes);
            if !(*least_bytes..=most_bytes).contains(&bytes) {
                return Err(ForeignJournal::Length { file, bytes, least_bytes: *least_bytes }.into());
            }
        }
        Ok(())
    }

    /// Checks that every touched sector is as some transaction found it or left it, and the rest unchanged.
    fn check_sectors<M: Medium>(&self, files: &[M], header: &JournalHeader) -> Result<(), ImageError> {
        let whole = Fingerprint::with_stride(files, header.fingerprint.stride);
        let mut now = whole.map_err(ImageError::io(0))?;
        let (mut wrong, mut sectors) = (None, 0);
        let mut octets = [0; SECTOR_BYTES];
        for ((file, sector), versions) in &self.versions {
            let (number, offset) = (usize::from(*file), *sector * SECTOR_BYTES as u64);
            let Some(medium) = files.get(number).filter(|_| number < header.lengths.len()) else {
                return Err(ForeignJournal::OtherVolume.into());
            };
            read_padded(medium, offset, &mut octets).map_err(ImageError::io(number))?;
            let check = check_word(&octets);
            // A file that grew may have lost its new length and kept octets before it: the octets behind its old end
            // are undefined.
            let is_certain = offset + SECTOR_BYTES as u64 <= header.lengths[number];
            if is_certain && !versions.contains(&check) {
                wrong.get_or_insert((number, offset));
                sectors += 1;
            }
            now.change(*file, *sector, check, versions[0]);
        }
        match wrong {
            Some((file, offset)) => Err(ForeignJournal::Sector { file, offset, sectors }.into()),
            None if now != header.fingerprint => Err(ForeignJournal::Elsewhere.into()),
            None => Ok(()),
        }
    }
}
