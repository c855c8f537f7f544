//! Guest storage as a channel reaches it: absolute addresses, guarded by storage keys.
//!
//! The channel requests runs. A run is a piece that the storage can provide or take at once; it may be shorter than
//! requested, and the channel then requests the rest. So storage may be one allocation, pages scattered over a host,
//! or memory that has to be copied out first, and all data before a fault have moved when it is met.

use thiserror::Error;

/// The key that matches every storage key.
pub const KEY_OF_ALL: u8 = 0;

/// Why storage cannot be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum StorageFault {
    /// There is no storage at the address.
    #[error("no storage at the address")]
    Addressing,
    /// The key of the access does not match the storage key.
    #[error("the storage is protected by its key")]
    Protection,
    /// The storage holds a block that cannot be corrected.
    #[error("the storage cannot be corrected")]
    CheckingBlock,
}

/// Guest storage.
///
/// Every access has the key of the program; 0 matches every storage key. Storing needs a match; fetching needs
/// one where the block is fetch-protected.
pub trait Storage {
    /// Fetches from `address`: the first run of at most `limit` octets, of at least one when `limit` is not 0.
    ///
    /// # Errors
    /// Why the octet at `address` cannot be fetched.
    fn fetch(&mut self, address: u64, limit: u32, key: u8) -> Result<&[u8], StorageFault>;

    /// Stores at `address` as many of `octets` as go in one run, at least one when there is one; returns how many.
    ///
    /// # Errors
    /// Why the octet at `address` cannot be stored.
    fn store(&mut self, address: u64, octets: &[u8], key: u8) -> Result<usize, StorageFault>;

    /// Fetches until `into` is full.
    ///
    /// # Errors
    /// The fault met; `into` then holds what lies before it.
    #[inline]
    fn fetch_all(&mut self, address: u64, into: &mut [u8], key: u8) -> Result<(), StorageFault> {
        let mut filled = 0;
        while filled < into.len() {
            let rest = &mut into[filled..];
            let run = self.fetch(address.wrapping_add(filled as u64), rest.len() as u32, key)?;
            let length = run.len().min(rest.len());
            if length == 0 {
                return Err(StorageFault::Addressing);
            }
            rest[..length].copy_from_slice(&run[..length]);
            filled += length;
        }
        Ok(())
    }

    /// Fetches `N` octets.
    ///
    /// # Errors
    /// The first fault among them.
    #[inline]
    fn fetch_array<const N: usize>(&mut self, address: u64, key: u8) -> Result<[u8; N], StorageFault> {
        if let Some(whole) = self.fetch(address, N as u32, key)?.first_chunk::<N>() {
            return Ok(*whole);
        }
        let mut array = [0; N];
        self.fetch_all(address, &mut array, key)?;
        Ok(array)
    }

    /// Stores all of `octets`.
    ///
    /// # Errors
    /// The first fault among them; what lies before it is stored.
    #[inline]
    fn store_all(&mut self, address: u64, octets: &[u8], key: u8) -> Result<(), StorageFault> {
        let mut stored = 0;
        while stored < octets.len() {
            let rest = &octets[stored..];
            let length = self.store(address.wrapping_add(stored as u64), rest, key)?.min(rest.len());
            if length == 0 {
                return Err(StorageFault::Addressing);
            }
            stored += length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Storage of ten octets in runs of three.
    struct Threes([u8; 10]);

    impl Storage for Threes {
        fn fetch(&mut self, address: u64, limit: u32, _: u8) -> Result<&[u8], StorageFault> {
            let from = usize::try_from(address).map_err(|_| StorageFault::Addressing)?;
            let end = self.0.len().min(from + 3.min(limit as usize));
            self.0.get(from..end).filter(|run| !run.is_empty()).ok_or(StorageFault::Addressing)
        }

        fn store(&mut self, address: u64, octets: &[u8], _: u8) -> Result<usize, StorageFault> {
            let from = usize::try_from(address).map_err(|_| StorageFault::Addressing)?;
            let end = self.0.len().min(from + 3.min(octets.len()));
            let run = self.0.get_mut(from..end).filter(|run| !run.is_empty());
            let run = run.ok_or(StorageFault::Addressing)?;
            run.copy_from_slice(&octets[..run.len()]);
            Ok(run.len())
        }
    }

    /// Storage that hands over nothing.
    struct Empty;

    impl Storage for Empty {
        fn fetch(&mut self, _: u64, _: u32, _: u8) -> Result<&[u8], StorageFault> {
            Ok(&[])
        }

        fn store(&mut self, _: u64, _: &[u8], _: u8) -> Result<usize, StorageFault> {
            Ok(0)
        }
    }

    #[test]
    fn runs_are_put_together_up_to_the_fault() {
        let mut storage = Threes([0; 10]);
        storage.store_all(1, &[1, 2, 3, 4, 5, 6, 7], 0).unwrap();
        assert_eq!(storage.fetch_array::<8>(1, 0).unwrap(), [1, 2, 3, 4, 5, 6, 7, 0]);
        assert_eq!(storage.store_all(8, &[8, 9, 10], 0), Err(StorageFault::Addressing));
        let mut into = [0xFF; 4];
        assert_eq!(storage.fetch_all(7, &mut into, 0), Err(StorageFault::Addressing));
        assert_eq!(into, [7, 8, 9, 0xFF]);
    }

    #[test]
    fn an_empty_run_is_a_fault_and_no_loop() {
        assert_eq!(Empty.fetch_array::<8>(0, 0), Err(StorageFault::Addressing));
        assert_eq!(Empty.store_all(0, &[1], 0), Err(StorageFault::Addressing));
        assert_eq!(Empty.store_all(0, &[], 0), Ok(()));
    }
}
