//! A list of TIDAWs, piece by piece (reference 3.3).

use crate::interpreter::control_check;
use crate::interpreter::piece::Piece;
use crate::observer::Observer;
use crate::status::SubchannelStatus;
use crate::storage::Storage;
use crate::tccb::with_check_word;
use crate::tidaw::{TIDAW_BYTES, TIDAW_PAGE_BYTES, Tidaw, TidawFlags};

const PROGRAM_CHECK: SubchannelStatus = SubchannelStatus::PROGRAM_CHECK;

/// Purpose of the pieces of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TidawUse {
    /// Data to the device: check words may go in.
    Output,
    /// Data from the device: pieces may be skipped.
    Input,
    /// The TCCB.
    Tccb,
}

/// A piece, and what the check word after it takes of the count: its octets and the padding before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TidawPiece {
    pub(crate) piece: Piece,
    pub(crate) check_bytes: u32,
}

/// The place in a list.
#[derive(Debug, Clone)]
pub(crate) struct TidawList {
    purpose: TidawUse,
    next: u64,
    is_first: bool,
    /// Octets since the last check word.
    unchecked: u32,
}

impl TidawList {
    pub(crate) const fn new(purpose: TidawUse, address: u64) -> Self {
        Self { purpose, next: address, is_first: true, unchecked: 0 }
    }

    /// Returns the next piece, when `left` octets of the count are left.
    ///
    /// The count has to end with the last TIDAW and the last TIDAW with the count, as with MIDAWs: not in the
    /// reference for TIDAWs; our choice. A transfer in channel to another one is wrong, so that no list can hang
    /// the channel; our choice too.
    ///
    /// # Errors
    /// The subchannel status of the ending.
    pub(crate) fn next(
        &mut self,
        left: u32,
        storage: &mut impl Storage,
        observer: &mut impl Observer,
        key: u8,
    ) -> Result<TidawPiece, SubchannelStatus> {
        let mut tidaw = self.fetch(storage, observer, key)?;
        let jumps = TidawFlags::TRANSFER_IN_CHANNEL;
        if tidaw.flags.contains(jumps) {
            if tidaw.flags != jumps {
                return Err(PROGRAM_CHECK);
            }
            (self.next, self.is_first) = (tidaw.address, true);
            tidaw = self.fetch(storage, observer, key)?;
            if tidaw.flags.contains(jumps) {
                return Err(PROGRAM_CHECK);
            }
        }
        self.piece(&tidaw, left)
    }

    fn fetch(
        &mut self,
        storage: &mut impl Storage,
        observer: &mut impl Observer,
        key: u8,
    ) -> Result<Tidaw, SubchannelStatus> {
        let at = self.next;
        let boundary = if self.is_first { TIDAW_BYTES as u64 } else { u64::from(TIDAW_PAGE_BYTES) };
        // The first has to lie on a boundary of its own; a later one on a page boundary has crossed it.
        if at.is_multiple_of(boundary) != self.is_first {
            return Err(PROGRAM_CHECK);
        }
        let octets = storage.fetch_array::<TIDAW_BYTES>(at, key).map_err(control_check)?;
        let tidaw = Tidaw::parse(&octets).map_err(|_| PROGRAM_CHECK)?;
        observer.tidaw(at, &tidaw);
        (self.next, self.is_first) = (at.wrapping_add(TIDAW_BYTES as u64), false);
        Ok(tidaw)
    }

    fn piece(&mut self, tidaw: &Tidaw, left: u32) -> Result<TidawPiece, SubchannelStatus> {
        let has = |flag| tidaw.flags.contains(flag);
        let is_output = self.purpose == TidawUse::Output;
        let is_skipped = has(TidawFlags::SKIP) && self.purpose == TidawUse::Input;
        let crosses = !is_skipped && Tidaw::count(tidaw.address, tidaw.count) > 1;
        let inserts = has(TidawFlags::INSERT_CHECK_WORD);
        if crosses || inserts && !is_output || has(TidawFlags::DATA_TRANSFER_INTERRUPTION) {
            return Err(PROGRAM_CHECK);
        }
        self.unchecked = self.unchecked.saturating_add(tidaw.count);
        let mut check_bytes = 0;
        if inserts {
            check_bytes = with_check_word(self.unchecked) - self.unchecked;
            self.unchecked = 0;
        }
        let after = left.checked_sub(tidaw.count).and_then(|rest| rest.checked_sub(check_bytes));
        let after = after.ok_or(PROGRAM_CHECK)?;
        if has(TidawFlags::LAST) != (after == 0) {
            return Err(PROGRAM_CHECK);
        }
        let piece = Piece { address: tidaw.address, bytes: tidaw.count, is_skipped, is_backward: false };
        Ok(TidawPiece { piece, check_bytes })
    }
}
