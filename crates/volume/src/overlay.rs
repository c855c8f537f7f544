//! Writes to a file that must not be written: kept in memory, page by page.

use std::collections::BTreeMap;
use std::io;

/// Bytes of a page.
const PAGE_BYTES: u64 = 4096;

/// Sectors written over a file, and the file's length with them.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    pages: BTreeMap<u64, Box<[u8]>>,
    length: u64,
    /// Bytes of the file below that count: it may have been cut.
    below: u64,
}

impl Overlay {
    /// Makes an empty overlay of a file of `length` bytes.
    pub(crate) fn new(length: u64) -> Self {
        Self { pages: BTreeMap::new(), length, below: length }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Cuts or extends the file. What lay behind a cut is zeros when the file grows again.
    pub(crate) fn set_length(&mut self, length: u64) {
        if length < self.length {
            let (page, within) = (length / PAGE_BYTES, (length % PAGE_BYTES) as usize);
            self.pages.split_off(&(page + 1));
            if let Some(octets) = self.pages.get_mut(&page) {
                octets[within..].fill(0);
            }
        }
        self.length = length;
        self.below = self.below.min(length);
    }

    /// Reads the file below, as far as it has not been cut.
    fn read_below(
        &self,
        offset: u64,
        into: &mut [u8],
        base: &impl Fn(u64, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let there = self.below.saturating_sub(offset).min(into.len() as u64) as usize;
        let (there, behind) = into.split_at_mut(there);
        behind.fill(0);
        base(offset, there)
    }

    /// Reads through the overlay; `base` reads the file below, zeros where it has ended.
    pub(crate) fn read(
        &self,
        offset: u64,
        into: &mut [u8],
        base: impl Fn(u64, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = offset.checked_add(into.len() as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
        if end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut at = offset;
        while at < end {
            let within = (at % PAGE_BYTES) as usize;
            let length = (PAGE_BYTES - within as u64).min(end - at) as usize;
            let part = &mut into[(at - offset) as usize..][..length];
            match self.pages.get(&(at / PAGE_BYTES)) {
                Some(page) => part.copy_from_slice(&page[within..within + length]),
                None => self.read_below(at, part, &base)?,
            }
            at += length as u64;
        }
        Ok(())
    }

    /// Writes into the overlay; `base` reads the file below, zeros where it has ended.
    pub(crate) fn write(
        &mut self,
        offset: u64,
        octets: &[u8],
        base: impl Fn(u64, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = offset.checked_add(octets.len() as u64).ok_or(io::ErrorKind::StorageFull)?;
        let mut at = offset;
        while at < end {
            let (number, within) = (at / PAGE_BYTES, (at % PAGE_BYTES) as usize);
            let length = (PAGE_BYTES - within as u64).min(end - at) as usize;
            if !self.pages.contains_key(&number) {
                let mut page = vec![0; PAGE_BYTES as usize].into_boxed_slice();
                self.read_below(number * PAGE_BYTES, &mut page, &base)?;
                self.pages.insert(number, page);
            }
            if let Some(page) = self.pages.get_mut(&number) {
                page[within..within + length].copy_from_slice(&octets[(at - offset) as usize..][..length]);
            }
            at += length as u64;
        }
        self.length = self.length.max(end);
        Ok(())
    }

    /// Returns whether nothing was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: [u8; 10_000] = [7; 10_000];

    fn base(offset: u64, into: &mut [u8]) -> io::Result<()> {
        for (at, octet) in (offset as usize..).zip(into) {
            *octet = FILE.get(at).copied().unwrap_or(0);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn an_overlay_reads_as_a_file_that_was_written(
            writes in prop::collection::vec((0u64..14_000, 1usize..5000, any::<u8>()), 0..8),
            cut in 6000u64..12_000,
        ) {
            let (mut overlay, mut plain) = (Overlay::new(FILE.len() as u64), FILE.to_vec());
            for (number, (offset, length, octet)) in writes.into_iter().enumerate() {
                overlay.write(offset, &vec![octet; length], base).unwrap();
                plain.resize(plain.len().max(offset as usize + length), 0);
                plain[offset as usize..][..length].fill(octet);
                if number % 3 == 1 {
                    overlay.set_length(cut);
                    plain.resize(cut as usize, 0);
                }
            }
            let mut read = vec![0; plain.len()];
            prop_assert_eq!(overlay.length(), plain.len() as u64);
            overlay.read(0, &mut read, base).unwrap();
            prop_assert!(read == plain);
            prop_assert!(overlay.read(1, &mut read, base).is_err());
        }
    }
}
