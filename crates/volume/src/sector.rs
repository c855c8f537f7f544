//! Sectors: what a disk writes whole or not at all.

use std::io;

use crate::medium::Medium;

/// Bytes that a disk writes whole or not at all.
pub const SECTOR_BYTES: usize = 512;

/// The check word of a sector of zeros.
pub(crate) const ZEROS_CHECK: u32 = 0xB2AA_7578;

/// Returns the check word of a sector, padded with zeros. So that of the last sector of a file is the same before and
/// after the file has grown over it.
pub(crate) fn check_word(octets: &[u8]) -> u32 {
    let mut check = crc32fast::Hasher::new();
    check.update(octets);
    check.update(&[0; SECTOR_BYTES][octets.len().min(SECTOR_BYTES)..]);
    check.finalize()
}

/// Reads `into` at `offset`, zeros where the file has ended.
pub(crate) fn read_padded<M: Medium>(file: &M, offset: u64, into: &mut [u8]) -> io::Result<()> {
    let there = file.len()?.saturating_sub(offset).min(into.len() as u64) as usize;
    let (there, behind) = into.split_at_mut(there);
    behind.fill(0);
    if there.is_empty() { Ok(()) } else { file.read_at(offset, there) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_medium::MemoryMedium;

    #[test]
    fn a_short_sector_has_the_check_word_of_one_with_zeros() {
        assert_eq!(check_word(&[]), ZEROS_CHECK);
        assert_eq!(check_word(&[0; SECTOR_BYTES]), ZEROS_CHECK);
        let mut sector = [0; SECTOR_BYTES];
        sector[..3].copy_from_slice(&[1, 2, 3]);
        assert_eq!(check_word(&[1, 2, 3]), check_word(&sector));
        assert_ne!(check_word(&[1, 2]), check_word(&sector));
    }

    #[test]
    fn behind_the_end_are_zeros() {
        let file = MemoryMedium::new(vec![7; 5]);
        for (offset, expected) in [(3, [7, 7, 0, 0]), (5, [0; 4]), (99, [0; 4])] {
            let mut octets = [9; 4];
            read_padded(&file, offset, &mut octets).unwrap();
            assert_eq!(octets, expected);
        }
    }
}
