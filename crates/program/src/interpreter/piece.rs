//! One contiguous piece of a data area, and moving octets between it and a device.

use crate::data_port::Octets;
use crate::interpreter::data_check;
use crate::observer::{Direction, Observer};
use crate::status::SubchannelStatus;
use crate::storage::{Storage, StorageFault};

/// Source of octets without contents.
static ZEROS: [u8; 4096] = [0; 4096];

/// Rest of a contiguous piece of a data area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Address of the next octet.
    pub(crate) address: u64,
    /// Octets left.
    pub(crate) bytes: u32,
    /// Input is not stored.
    pub(crate) is_skipped: bool,
    /// Input is stored from high to low addresses.
    pub(crate) is_backward: bool,
}

impl Piece {
    /// Nothing left.
    pub(crate) const EMPTY: Self = Self { address: 0, bytes: 0, is_skipped: false, is_backward: false };

    /// Puts as many of `octets` into the piece as fit in one run, at least one if there is one and room for it.
    /// Returns their number.
    ///
    /// # Errors
    /// The check of a fault.
    #[inline]
    pub(crate) fn put(
        &mut self,
        octets: Octets<'_>,
        storage: &mut impl Storage,
        observer: &mut impl Observer,
        key: u8,
    ) -> Result<u32, SubchannelStatus> {
        let run = octets.first(self.bytes);
        if self.is_skipped {
            observer.moved(Direction::Skipped, self.address, run);
            self.pass(run.len());
            return Ok(run.len());
        }
        let bytes = match run {
            Octets::Bytes(bytes) => bytes,
            Octets::Count(count) => &ZEROS[..ZEROS.len().min(count as usize)],
        };
        if self.is_backward {
            return self.put_backward(bytes, storage, observer, key);
        }
        let stored = storage.store(self.address, bytes, key).map_err(data_check)?.min(bytes.len());
        if stored == 0 {
            return Err(data_check(StorageFault::Addressing));
        }
        observer.moved(Direction::Input, self.address, Octets::Bytes(&bytes[..stored]));
        self.pass(stored as u32);
        Ok(stored as u32)
    }

    /// Returns the octet by octet: no device of ours reads backward, and a fault must come after the octet before it.
    fn put_backward(
        &mut self,
        bytes: &[u8],
        storage: &mut impl Storage,
        observer: &mut impl Observer,
        key: u8,
    ) -> Result<u32, SubchannelStatus> {
        let mut fault = None;
        let mut stored = 0;
        for byte in bytes {
            if let Err(found) = storage.store_all(self.address, &[*byte], key) {
                fault = Some(data_check(found));
                break;
            }
            self.pass(1);
            stored += 1;
        }
        match fault {
            Some(fault) if stored == 0 => Err(fault),
            _ => {
                let lowest = self.address.wrapping_add(1);
                observer.moved(Direction::Input, lowest, Octets::Bytes(&bytes[..stored]));
                Ok(stored as u32)
            }
        }
    }

    /// Passes over octets that have moved.
    #[inline]
    pub(crate) const fn pass(&mut self, bytes: u32) {
        self.bytes -= bytes;
        self.address = if self.is_backward {
            self.address.wrapping_sub(bytes as u64)
        } else {
            self.address.wrapping_add(bytes as u64)
        };
    }
}
