//! A check sum of the files of a volume that can be kept up while they change.
//!
//! Every sector has a weight, of its place and its octets; the fingerprint is their sum. Of files with more than
//! [`WHOLE_BYTES`] it takes parts that lie evenly, so that it costs a bounded time whatever the size of the volume.

use std::io;

use crate::medium::Medium;
use crate::sector::{SECTOR_BYTES, ZEROS_CHECK, check_word, read_padded};
use crate::transaction::Transaction;

/// Bytes of a part that is taken or left out.
const PART_BYTES: u64 = 1 << 20;
/// Bytes of files of which every part is taken; as many are read of larger ones.
pub const WHOLE_BYTES: u64 = 128 << 20;

/// The fingerprint of the files of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    /// The sum of the weights.
    pub(crate) sum: u64,
    /// Every so many parts of a file one is taken, from the first.
    pub(crate) stride: u32,
}

/// Returns the weight of a sector: 0 of zeros, so that a file may end before them.
fn weight(file: u16, sector: u64, check: u32) -> u64 {
    if check == ZEROS_CHECK {
        return 0;
    }
    // The finalizer of SplitMix64 over place and check word.
    let mut mixed =
        (u64::from(file) << 48 ^ sector).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(check) << 17;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

impl Fingerprint {
    /// Returns the fingerprint of these files, with the stride that suits their lengths.
    pub(crate) fn new<M: Medium>(files: &[M]) -> io::Result<Self> {
        let mut parts = 0u64;
        for file in files {
            parts += file.len()?.div_ceil(PART_BYTES);
        }
        let stride = parts.div_ceil(WHOLE_BYTES / PART_BYTES).max(1);
        Self::with_stride(files, u32::try_from(stride).unwrap_or(u32::MAX))
    }

    /// Returns the fingerprint of these files with a stride.
    pub(crate) fn with_stride<M: Medium>(files: &[M], stride: u32) -> io::Result<Self> {
        let stride = stride.max(1);
        let (mut sum, mut octets) = (0u64, vec![0; PART_BYTES as usize]);
        for (number, file) in files.iter().enumerate() {
            let parts = file.len()?.div_ceil(PART_BYTES);
            for part in (0..parts).step_by(stride as usize) {
                read_padded(file, part * PART_BYTES, &mut octets)?;
                let first = part * (PART_BYTES / SECTOR_BYTES as u64);
                for (sector, octets) in (first..).zip(octets.chunks(SECTOR_BYTES)) {
                    sum = sum.wrapping_add(weight(number as u16, sector, check_word(octets)));
                }
            }
        }
        Ok(Self { sum, stride })
    }

    /// Returns whether the fingerprint depends on a sector.
    fn covers(&self, sector: u64) -> bool {
        (sector / (PART_BYTES / SECTOR_BYTES as u64)).is_multiple_of(u64::from(self.stride))
    }

    /// Replaces the check word `before` of a sector by `after`.
    pub(crate) fn change(&mut self, file: u16, sector: u64, before: u32, after: u32) {
        if self.covers(sector) {
            let less = self.sum.wrapping_sub(weight(file, sector, before));
            self.sum = less.wrapping_add(weight(file, sector, after));
        }
    }

    /// Applies the changes of the transaction.
    pub(crate) fn follow(&mut self, transaction: &Transaction) {
        for run in transaction.runs() {
            for (sector, before, octets) in run.sectors() {
                if self.covers(sector) {
                    self.change(run.piece.file, sector, before, check_word(octets));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_medium::MemoryMedium;
    use crate::redo::{RedoRecord, apply};

    #[test]
    fn a_fingerprint_follows_its_files() {
        let octets: Vec<u8> = (0..5000u32).map(|at| (at * at / 7) as u8).collect();
        let mut files = [MemoryMedium::new(octets.clone()), MemoryMedium::new(octets)];
        let mut kept = Fingerprint::new(&files).unwrap();
        let mut redo = RedoRecord::new();
        redo.push(0, 900, &[1; 700]);
        redo.push(1, 4990, &[2; 6000]);
        let mut transaction = Transaction::default();
        transaction.gather(&redo, &files).unwrap();
        kept.follow(&transaction);
        assert_ne!(kept, Fingerprint::new(&files).unwrap());
        apply(transaction.redo(), &mut files).unwrap();
        assert_eq!(kept, Fingerprint::new(&files).unwrap());
        files[0].set_len(200_000).unwrap();
        assert_eq!(kept, Fingerprint::new(&files).unwrap(), "zeros behind the end are none");
        let swapped = [files[1].clone(), files[0].clone()];
        assert_ne!(kept, Fingerprint::new(&swapped).unwrap());
    }

    #[test]
    fn large_files_are_read_in_part_from_their_beginning() {
        let mut file = MemoryMedium::default();
        file.set_len(3 * WHOLE_BYTES).unwrap();
        let empty = Fingerprint::new(std::slice::from_ref(&file)).unwrap();
        assert_eq!(empty, Fingerprint { sum: 0, stride: 3 });
        for (offset, seen) in [(7, true), (PART_BYTES, false), (3 * PART_BYTES, true)] {
            let mut changed = file.clone();
            changed.write_at(offset, &[1]).unwrap();
            assert_eq!(Fingerprint::with_stride(&[changed], 3).unwrap() != empty, seen, "{offset}");
        }
    }
}
