//! The data area of a transport-mode operation: contiguous, a list of TIDAWs, or the status area of the
//! transport-status block for an interrogation.

use crate::data_port::{DataPort, Octets};
use crate::interpreter::data_check;
use crate::interpreter::piece::Piece;
use crate::interpreter::tidaw_list::{TidawList, TidawUse};
use crate::observer::{Direction, Observer};
use crate::status::SubchannelStatus;
use crate::storage::{Storage, StorageFault};
use crate::tcw::{Tcw, TcwFlags, Transfer};

/// Where the octets of the operation are.
#[derive(Debug, Clone)]
enum Source {
    /// All in the piece in use.
    Area,
    /// In the pieces of a list.
    List(TidawList),
}

/// The data area of an operation, as its device sees it.
#[derive(Debug)]
pub(crate) struct TransportAreas<'a, S, O> {
    storage: &'a mut S,
    observer: &'a mut O,
    key: u8,
    source: Source,
    piece: Piece,
    /// Octets of the count that go with the check word after the piece.
    check_bytes: u32,
    /// Octets of the TCW's count that have not moved.
    left: u32,
    fault: SubchannelStatus,
}

impl<'a, S: Storage, O: Observer> TransportAreas<'a, S, O> {
    /// Returns the area that `tcw` describes. Its first TIDAW is fetched at once, and the first octet of output: the
    /// device must not begin what would break off at once.
    #[inline]
    pub(crate) fn new(storage: &'a mut S, observer: &'a mut O, key: u8, tcw: &Tcw) -> Self {
        let (address, count, listed, purpose) = match tcw.transfer {
            Transfer::Write => {
                (tcw.output_address, tcw.output_count, TcwFlags::OUTPUT_TIDAWS, TidawUse::Output)
            }
            Transfer::Read => (tcw.input_address, tcw.input_count, TcwFlags::INPUT_TIDAWS, TidawUse::Input),
            Transfer::None | Transfer::Bidirectional => (0, 0, TcwFlags(0), TidawUse::Input),
        };
        let is_listed = tcw.flags.contains(listed) && count > 0;
        // Without a list the area is one piece.
        let whole_bytes = if is_listed { 0 } else { count };
        let mut areas = Self {
            storage,
            observer,
            key,
            source: if is_listed { Source::List(TidawList::new(purpose, address)) } else { Source::Area },
            piece: Piece { address, bytes: whole_bytes, ..Piece::EMPTY },
            check_bytes: 0,
            left: count,
            fault: SubchannelStatus(0),
        };
        if areas.try_piece() && tcw.transfer == Transfer::Write {
            let first = areas.storage.fetch(areas.piece.address, 1, key);
            areas.fault = first.map_or_else(data_check, |_| SubchannelStatus(0));
        }
        areas
    }

    /// Returns the check that the channel found.
    pub(crate) const fn fault(&self) -> SubchannelStatus {
        self.fault
    }

    #[inline]
    fn try_piece(&mut self) -> bool {
        self.piece.bytes > 0 || self.refill()
    }

    fn refill(&mut self) -> bool {
        self.left -= self.check_bytes;
        self.check_bytes = 0;
        let Source::List(list) = &mut self.source else {
            return false;
        };
        if !self.fault.is_empty() || self.left == 0 {
            return false;
        }
        match list.next(self.left, self.storage, self.observer, self.key) {
            Ok(next) => (self.piece, self.check_bytes) = (next.piece, next.check_bytes),
            Err(fault) => self.fault = fault,
        }
        self.fault.is_empty()
    }

    fn break_off(&mut self, fault: SubchannelStatus) {
        self.fault = fault;
        self.piece = Piece::EMPTY;
    }
}

impl<S: Storage, O: Observer> DataPort for TransportAreas<'_, S, O> {
    #[inline]
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        let mut given = 0;
        while given < octets.len() && self.try_piece() {
            match self.piece.put(octets.after(given), self.storage, self.observer, self.key) {
                Ok(bytes) => {
                    self.left -= bytes;
                    given += bytes;
                }
                Err(fault) => self.break_off(fault),
            }
        }
        given
    }

    #[inline]
    fn take(&mut self, limit: u32) -> Octets<'_> {
        if limit == 0 || !self.try_piece() {
            return Octets::NONE;
        }
        let address = self.piece.address;
        let limit = limit.min(self.piece.bytes);
        let run = match self.storage.fetch(address, limit, self.key) {
            Ok(run) if !run.is_empty() => &run[..run.len().min(limit as usize)],
            empty_or_fault => {
                self.fault = data_check(empty_or_fault.err().unwrap_or(StorageFault::Addressing));
                self.piece = Piece::EMPTY;
                return Octets::NONE;
            }
        };
        let bytes = run.len() as u32;
        self.piece.pass(bytes);
        self.left -= bytes;
        self.observer.moved(Direction::Output, address, Octets::Bytes(run));
        Octets::Bytes(run)
    }
}
