//! A transaction in whole sectors, with the check word of the earlier contents of each sector.
//!
//! A sector in work is on the disk as some transaction found it or left it, never in between. Any other contents are
//! those of another file than that for which the transaction was made.

use std::io;

use crate::medium::Medium;
use crate::redo::{Piece, RedoRecord};
use crate::sector::{SECTOR_BYTES, check_word, read_padded};

/// Runs of sectors that change together. The storage is kept when it is gathered anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transaction {
    redo: RedoRecord,
    before: Vec<u32>,
    /// Storage for the run that is gathered.
    sectors: Vec<u8>,
}

/// A run of sectors: what it becomes, and the check words of what was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run<'a> {
    /// Where it begins, at a sector, and the octets; the last sector is short where the file ends in it.
    pub piece: Piece<'a>,
    /// The check word of every sector before.
    pub before: &'a [u32],
}

/// Returns the sectors that so many octets take.
pub(crate) fn sectors_of(octets: usize) -> usize {
    octets.div_ceil(SECTOR_BYTES)
}

impl<'a> Run<'a> {
    /// Returns the sectors, each with its number in the file, check word before, octets after.
    pub fn sectors(self) -> impl Iterator<Item = (u64, u32, &'a [u8])> {
        let first = self.piece.offset / SECTOR_BYTES as u64;
        let octets = self.piece.octets.chunks(SECTOR_BYTES);
        (first..).zip(self.before).zip(octets).map(|((sector, before), octets)| (sector, *before, octets))
    }
}

/// Sectors of a file that pieces touch, without a gap.
struct Cluster {
    file: u16,
    first: u64,
    end: u64,
}

impl Transaction {
    /// Returns the sectors of `files` after `redo`, which they do not have yet.
    ///
    /// # Errors
    /// A file cannot be read, or there is none of a number.
    pub fn gather<M: Medium>(&mut self, redo: &RedoRecord, files: &[M]) -> io::Result<()> {
        self.clear();
        let pieces: Vec<Piece<'_>> = redo.pieces().filter(|piece| !piece.octets.is_empty()).collect();
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|at| (pieces[*at].file, pieces[*at].offset));
        let mut rest = &order[..];
        while let Some((cluster, length)) = Cluster::first_of(rest, &pieces) {
            let (of_cluster, behind) = rest.split_at(length);
            let mut of_cluster = of_cluster.to_vec();
            // Pieces over the same octets: the later one stays.
            of_cluster.sort_unstable();
            self.add(&cluster, of_cluster.iter().map(|at| pieces[*at]), files)?;
            rest = behind;
        }
        self.sectors.clear();
        Ok(())
    }

    fn add<'a, M: Medium>(
        &mut self,
        cluster: &Cluster,
        pieces: impl Iterator<Item = Piece<'a>> + Clone,
        files: &[M],
    ) -> io::Result<()> {
        let file = files.get(usize::from(cluster.file)).ok_or(io::ErrorKind::NotFound)?;
        let begin = cluster.first * SECTOR_BYTES as u64;
        let written = pieces.clone().map(|piece| piece.offset + piece.octets.len() as u64).max().unwrap_or(0);
        let end = (cluster.end * SECTOR_BYTES as u64).min(written.max(file.len()?));
        self.sectors.clear();
        self.sectors.resize(end.saturating_sub(begin) as usize, 0);
        read_padded(file, begin, &mut self.sectors)?;
        self.before.extend(self.sectors.chunks(SECTOR_BYTES).map(check_word));
        for piece in pieces {
            let from = (piece.offset - begin) as usize;
            self.sectors[from..from + piece.octets.len()].copy_from_slice(piece.octets);
        }
        self.redo.push(cluster.file, begin, &self.sectors);
        Ok(())
    }

    /// Adds a run that was read from a journal.
    pub(crate) fn push(&mut self, piece: Piece<'_>, before: impl Iterator<Item = u32>) {
        self.redo.push(piece.file, piece.offset, piece.octets);
        self.before.extend(before);
    }

    /// Forgets the runs.
    pub(crate) fn clear(&mut self) {
        self.redo.clear();
        self.before.clear();
    }

    /// Returns the runs; no two share a sector.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let mut before = &self.before[..];
        self.redo.pieces().map(move |piece| {
            let (of_run, rest) = before.split_at(sectors_of(piece.octets.len()).min(before.len()));
            before = rest;
            Run { piece, before: of_run }
        })
    }

    /// Returns the octets and where they go, without the check words.
    pub fn redo(&self) -> &RedoRecord {
        &self.redo
    }

    /// Returns the sectors of all runs.
    pub fn sectors(&self) -> usize {
        self.before.len()
    }
}

impl Cluster {
    /// Returns the sectors that the first of the pieces touches, and those that follow without a gap; how many pieces they are
    /// of.
    fn first_of(order: &[usize], pieces: &[Piece<'_>]) -> Option<(Self, usize)> {
        let sectors = |at: usize| {
            let (offset, sector) = (pieces[at].offset, SECTOR_BYTES as u64);
            (offset / sector, offset.saturating_add(pieces[at].octets.len() as u64).div_ceil(sector))
        };
        let file = pieces[*order.first()?].file;
        let (first, mut end) = sectors(order[0]);
        let of_cluster = order.iter().take_while(|at| {
            let (begin, behind) = sectors(**at);
            let touches = pieces[**at].file == file && begin <= end;
            if touches {
                end = end.max(behind);
            }
            touches
        });
        let length = of_cluster.count();
        Some((Self { file, first, end }, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_medium::MemoryMedium;
    use crate::redo::apply;
    use proptest::prelude::*;

    fn gathered(redo: &RedoRecord, files: &[MemoryMedium]) -> Transaction {
        let mut transaction = Transaction::default();
        transaction.gather(redo, files).unwrap();
        transaction
    }

    #[test]
    fn pieces_of_a_sector_become_one_run_and_the_later_wins() {
        let files = [MemoryMedium::new(vec![1; 700]), MemoryMedium::new(vec![2; 600])];
        let mut redo = RedoRecord::new();
        for (file, offset, octets) in
            [(1, 590, &[9; 20][..]), (0, 600, &[3; 4]), (0, 10, &[4; 4]), (0, 602, &[5; 4])]
        {
            redo.push(file, offset, octets);
        }
        let transaction = gathered(&redo, &files);
        let runs: Vec<_> = transaction
            .runs()
            .map(|run| (run.piece.file, run.piece.offset, run.piece.octets.len()))
            .collect();
        assert_eq!(runs, [(0, 0, 700), (1, 512, 98)]);
        let first = transaction.runs().next().unwrap();
        assert_eq!(first.before, [check_word(&[1; 512]), check_word(&[1; 188])]);
        assert_eq!(first.piece.octets[600..607], [3, 3, 5, 5, 5, 5, 1]);
        let second = transaction.runs().nth(1).unwrap();
        assert_eq!((second.before, transaction.sectors()), (&[check_word(&[2; 88])][..], 3));
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        let mut redo = RedoRecord::new();
        redo.push(1, 0, &[1]);
        assert!(Transaction::default().gather(&redo, &[MemoryMedium::default()]).is_err());
    }

    proptest! {
        #[test]
        fn whole_sectors_change_a_file_as_the_pieces_do(
            length in 0usize..3000,
            pieces in prop::collection::vec((0u64..4000, 0usize..900, any::<u8>()), 0..12),
        ) {
            let file = MemoryMedium::new((0..length).map(|at| at as u8).collect());
            let mut redo = RedoRecord::new();
            for (offset, octets, octet) in pieces {
                redo.push(0, offset, &vec![octet; octets]);
            }
            let transaction = gathered(&redo, std::slice::from_ref(&file));
            let (mut by_pieces, mut by_sectors) = ([file.clone()], [file]);
            let written: Vec<_> = redo.pieces().filter(|piece| !piece.octets.is_empty()).collect();
            for piece in written {
                by_pieces[0].write_at(piece.offset, piece.octets).unwrap();
            }
            apply(transaction.redo(), &mut by_sectors).unwrap();
            prop_assert_eq!(by_pieces, by_sectors);
            let mut last = 0;
            for run in transaction.runs() {
                prop_assert!(run.piece.offset % SECTOR_BYTES as u64 == 0 && run.piece.offset >= last);
                last = run.piece.offset + run.piece.octets.len() as u64;
            }
        }
    }
}
