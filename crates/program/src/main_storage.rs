//! Main storage: one allocation from absolute address 0 on, and a storage key for each block of 4 KiB.

use crate::storage::{KEY_OF_ALL, Storage, StorageFault};

/// Bytes of a block, which has one storage key.
pub const STORAGE_BLOCK_BYTES: usize = 4096;

const BLOCK_SHIFT: u32 = STORAGE_BLOCK_BYTES.trailing_zeros();
const FETCH_PROTECTION: u8 = 0x08;
const ACCESS_SHIFT: u32 = 4;

/// The key of a block of storage. Reference and change bits are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StorageKey(u8);

impl StorageKey {
    /// Creates a key with the access-control bits `access` (0-15); with `fetch_protected`, fetching needs a match too.
    pub const fn new(access: u8, fetch_protected: bool) -> Self {
        let protection = if fetch_protected { FETCH_PROTECTION } else { 0 };
        Self((access & 0x0F) << ACCESS_SHIFT | protection)
    }

    /// Returns the access-control bits, 0-15.
    pub const fn access(self) -> u8 {
        self.0 >> ACCESS_SHIFT
    }

    /// Returns whether fetching needs a match too.
    pub const fn is_fetch_protected(self) -> bool {
        self.0 & FETCH_PROTECTION != 0
    }

    const fn allows_fetch(self, key: u8) -> bool {
        key == KEY_OF_ALL || self.access() == key || !self.is_fetch_protected()
    }

    const fn allows_store(self, key: u8) -> bool {
        key == KEY_OF_ALL || self.access() == key
    }
}

/// Main storage in whole blocks, zero at first and with keys of zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainStorage {
    bytes: Vec<u8>,
    keys: Vec<StorageKey>,
}

impl MainStorage {
    /// Returns the storage of at least `size_bytes`, in whole blocks.
    pub fn new(size_bytes: usize) -> Self {
        let blocks = size_bytes.div_ceil(STORAGE_BLOCK_BYTES);
        Self { bytes: vec![0; blocks * STORAGE_BLOCK_BYTES], keys: vec![StorageKey::default(); blocks] }
    }

    /// Returns all of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns all of it, to be loaded.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Returns the key of the block at `address`; none where there is no storage.
    pub fn key(&self, address: u64) -> Option<StorageKey> {
        self.keys.get(usize::try_from(address >> BLOCK_SHIFT).ok()?).copied()
    }

    /// Sets the key of the block at `address`.
    ///
    /// # Errors
    /// [`StorageFault::Addressing`] where there is no storage.
    pub fn set_key(&mut self, address: u64, key: StorageKey) -> Result<(), StorageFault> {
        let index = usize::try_from(address >> BLOCK_SHIFT).map_err(|_| StorageFault::Addressing)?;
        *self.keys.get_mut(index).ok_or(StorageFault::Addressing)? = key;
        Ok(())
    }

    /// Returns where the longest run of at most `limit` octets at `address` lies whose blocks are all allowed.
    #[inline]
    fn run(
        &self,
        address: u64,
        limit: usize,
        key: u8,
        is_allowed: impl Fn(StorageKey) -> bool,
    ) -> Result<std::ops::Range<usize>, StorageFault> {
        let size = self.bytes.len();
        if address >= size as u64 {
            return Err(StorageFault::Addressing);
        }
        let from = address as usize;
        let end = from + limit.min(size - from);
        if key == KEY_OF_ALL {
            return Ok(from..end);
        }
        let mut block = from >> BLOCK_SHIFT;
        if !is_allowed(self.keys[block]) {
            return Err(StorageFault::Protection);
        }
        loop {
            block += 1;
            let boundary = block << BLOCK_SHIFT;
            if boundary >= end {
                return Ok(from..end);
            }
            if !is_allowed(self.keys[block]) {
                return Ok(from..boundary);
            }
        }
    }
}

impl Storage for MainStorage {
    #[inline]
    fn fetch(&mut self, address: u64, limit: u32, key: u8) -> Result<&[u8], StorageFault> {
        let run = self.run(address, limit as usize, key, |block| block.allows_fetch(key))?;
        Ok(&self.bytes[run])
    }

    #[inline]
    fn store(&mut self, address: u64, octets: &[u8], key: u8) -> Result<usize, StorageFault> {
        let run = self.run(address, octets.len(), key, |block| block.allows_store(key))?;
        let length = run.len();
        self.bytes[run].copy_from_slice(&octets[..length]);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded() -> MainStorage {
        let mut storage = MainStorage::new(3 * STORAGE_BLOCK_BYTES - 1);
        storage.set_key(0x1000, StorageKey::new(6, false)).unwrap();
        storage.set_key(0x2FFF, StorageKey::new(7, true)).unwrap();
        storage
    }

    #[test]
    fn storing_needs_the_key_and_fetching_only_where_protected() {
        let mut storage = guarded();
        assert_eq!(storage.store(0x1000, &[1], 7), Err(StorageFault::Protection));
        assert_eq!(storage.store(0x1000, &[1], 6), Ok(1));
        assert_eq!(storage.fetch(0x1000, 1, 7), Ok(&[1][..]));
        assert_eq!(storage.fetch(0x2000, 1, 6), Err(StorageFault::Protection));
        assert_eq!(storage.fetch(0x2000, 1, 7), Ok(&[0][..]));
        assert_eq!(storage.fetch(0x2000, 1, KEY_OF_ALL), Ok(&[0][..]));
    }

    #[test]
    fn a_run_ends_where_the_next_block_is_not_allowed() {
        let mut storage = guarded();
        assert_eq!(storage.fetch(0x0FF0, 0x2000, 6).map(<[u8]>::len), Ok(0x1010));
        assert_eq!(storage.fetch(0x0FF0, 0x10, 6).map(<[u8]>::len), Ok(0x10));
        assert_eq!(storage.store(0x1FFE, &[5; 4], 6), Ok(2));
        assert_eq!(storage.fetch(0x0FF0, 0x4000, KEY_OF_ALL).map(<[u8]>::len), Ok(0x2010));
        assert_eq!(storage.store(0x2FFF, &[5; 4], 7), Ok(1));
    }

    #[test]
    fn there_is_no_storage_past_the_last_block() {
        let mut storage = guarded();
        for address in [0x3000, u64::MAX] {
            assert_eq!(storage.fetch(address, 1, 0), Err(StorageFault::Addressing));
            assert_eq!(storage.store(address, &[1], 0), Err(StorageFault::Addressing));
            assert_eq!(storage.set_key(address, StorageKey::default()), Err(StorageFault::Addressing));
            assert_eq!(storage.key(address), None);
        }
        assert_eq!(storage.key(0x2000), Some(StorageKey::new(7, true)));
        assert_eq!(storage.bytes().len(), 0x3000);
    }
}
