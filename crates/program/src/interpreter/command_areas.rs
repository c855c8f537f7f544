//! The data areas of one command: a CCW and its data chain, each with an area of its own, IDAWs or MIDAWs
//! (reference 2.2, 3.1 and 3.2).

use crate::ccw::{Ccw, CcwFlags};
use crate::command::CommandClass;
use crate::data_port::{DataPort, Octets};
use crate::idaw::{Idaw, IdawFormat};
use crate::interpreter::ccw_walk::{CcwWalk, Reached};
use crate::interpreter::piece::Piece;
use crate::interpreter::{control_check, data_check};
use crate::midaw::{MIDAW_BYTES, MIDAW_PAGE_BYTES, Midaw, MidawFlags};
use crate::observer::{Direction, Observer};
use crate::status::SubchannelStatus;
use crate::storage::{Storage, StorageFault};

const PROGRAM_CHECK: SubchannelStatus = SubchannelStatus::PROGRAM_CHECK;

/// Where the next piece of the CCW in use comes from.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// The area at this address.
    Area { at: u64 },
    /// An area that is skipped, wherever it is.
    Skipped,
    /// The IDAW at this address.
    Idaw { at: u64, is_first: bool },
    /// The MIDAW at this address.
    Midaw { at: u64, is_first: bool },
    /// Nowhere: the area goes past the last address.
    Past,
}

impl Source {
    fn of(ccw: &Ccw, class: CommandClass) -> Self {
        let at = u64::from(ccw.address);
        if ccw.flags.contains(CcwFlags::SKIP) && is_input(class) {
            Self::Skipped
        } else if ccw.flags.contains(CcwFlags::INDIRECT) {
            Self::Idaw { at, is_first: true }
        } else if ccw.flags.contains(CcwFlags::MODIFIED_INDIRECT) {
            Self::Midaw { at, is_first: true }
        } else {
            Self::Area { at }
        }
    }
}

const fn is_input(class: CommandClass) -> bool {
    matches!(class, CommandClass::Read | CommandClass::ReadBackward | CommandClass::Sense)
}

/// The data areas of one command, as its device sees them.
#[derive(Debug)]
pub(crate) struct CommandAreas<'a, S, O> {
    storage: &'a mut S,
    observer: &'a mut O,
    walk: &'a mut CcwWalk,
    idaw_format: IdawFormat,
    class: CommandClass,
    /// Flags of the CCW in use.
    flags: CcwFlags,
    /// Octets of the CCW in use that have not moved.
    left: u32,
    source: Source,
    piece: Piece,
    moved: u32,
    fault: SubchannelStatus,
}

impl<'a, S: Storage, O: Observer> CommandAreas<'a, S, O> {
    #[inline]
    pub(crate) fn new(
        storage: &'a mut S,
        observer: &'a mut O,
        walk: &'a mut CcwWalk,
        idaw_format: IdawFormat,
        ccw: &Ccw,
    ) -> Self {
        let class = ccw.class();
        Self {
            storage,
            observer,
            walk,
            idaw_format,
            class,
            flags: ccw.flags,
            left: u32::from(ccw.count),
            source: Source::of(ccw, class),
            piece: Piece::EMPTY,
            moved: 0,
            fault: SubchannelStatus(0),
        }
    }

    /// Checks the areas before the command is sent. It finds a wrong first word of a list, and for a write a first octet that
    /// cannot be fetched. The device must not begin an operation that would break off at once.
    #[inline]
    pub(crate) fn prepare(&mut self) -> SubchannelStatus {
        let is_listed = matches!(self.source, Source::Idaw { .. } | Source::Midaw { .. });
        let is_write = self.class == CommandClass::Write;
        if self.left > 0 && (is_listed || is_write) {
            self.prepare_piece(is_write);
        }
        self.fault
    }

    fn prepare_piece(&mut self, is_write: bool) {
        if self.try_piece() && is_write {
            let first = self.storage.fetch(self.piece.address, 1, self.walk.key());
            self.fault = first.map_or_else(data_check, |_| SubchannelStatus(0));
        }
    }

    /// Ends the command. Where its last CCW used is exhausted and chains data, the next one is the one used.
    #[inline]
    pub(crate) fn finish(&mut self) {
        if self.fault.is_empty() && self.left == 0 && self.flags.contains(CcwFlags::CHAIN_DATA) {
            self.fault = self.chain_data().err().unwrap_or_default();
        }
        if self.moved > 0 {
            self.walk.note_data();
        }
    }

    /// Returns the flags of the CCW in use.
    pub(crate) const fn flags(&self) -> CcwFlags {
        self.flags
    }

    /// Returns the octets of the count of the CCW in use that did not move.
    pub(crate) const fn left(&self) -> u32 {
        self.left
    }

    /// Returns the octets that moved.
    pub(crate) const fn moved(&self) -> u32 {
        self.moved
    }

    /// Returns the check that the channel found while data moved.
    pub(crate) const fn fault(&self) -> SubchannelStatus {
        self.fault
    }

    /// Returns the observer.
    pub(crate) const fn observer(&mut self) -> &mut O {
        self.observer
    }

    #[inline]
    fn try_piece(&mut self) -> bool {
        self.piece.bytes > 0 || self.refill()
    }

    fn refill(&mut self) -> bool {
        if !self.fault.is_empty() {
            return false;
        }
        let refilled = match (self.left, self.flags.contains(CcwFlags::CHAIN_DATA)) {
            (0, false) => return false,
            (0, true) => self.chain_data().and_then(|()| self.next_piece()),
            _ => self.next_piece(),
        };
        self.fault = refilled.err().unwrap_or_default();
        self.fault.is_empty()
    }

    fn chain_data(&mut self) -> Result<(), SubchannelStatus> {
        let ccw = self.walk.fetch(self.storage, self.observer, Reached::DataChaining)?;
        self.flags = ccw.flags;
        self.left = u32::from(ccw.count);
        self.source = Source::of(&ccw, self.class);
        Ok(())
    }

    fn next_piece(&mut self) -> Result<(), SubchannelStatus> {
        match self.source {
            Source::Area { at } => self.area(at),
            Source::Skipped => self.piece = Piece { bytes: self.left, is_skipped: true, ..Piece::EMPTY },
            Source::Idaw { at, is_first } => self.piece = self.idaw(at, is_first)?,
            Source::Midaw { at, is_first } => self.piece = self.midaw(at, is_first)?,
            Source::Past => return Err(PROGRAM_CHECK),
        }
        Ok(())
    }

    const fn is_backward(&self) -> bool {
        matches!(self.class, CommandClass::ReadBackward)
    }

    fn area(&mut self, address: u64) {
        self.source = Source::Past;
        let is_backward = self.is_backward();
        let room = if is_backward { address + 1 } else { self.walk.address_limit() - address };
        // A count fits 16 bits, and so does what is cut to it.
        let bytes = room.min(u64::from(self.left)) as u32;
        self.piece = Piece { address, bytes, is_skipped: false, is_backward };
    }

    fn idaw(&mut self, at: u64, is_first: bool) -> Result<Piece, SubchannelStatus> {
        let format = self.idaw_format;
        let entry = format.entry_bytes() as u64;
        if at >= self.walk.address_limit() || is_first && !at.is_multiple_of(entry) {
            return Err(PROGRAM_CHECK);
        }
        self.source = Source::Idaw { at: at + entry, is_first: false };
        let mut octets = [0; 8];
        let octets = &mut octets[..format.entry_bytes()];
        self.storage.fetch_all(at, octets, self.walk.key()).map_err(control_check)?;
        let is_backward = self.is_backward();
        let address =
            Idaw::parse(octets, format, is_first || is_backward).map_err(|_| PROGRAM_CHECK)?.address;
        let block = u64::from(format.block_bytes());
        let before = address % block;
        if is_backward && !is_first && before != block - 1 {
            return Err(PROGRAM_CHECK);
        }
        let room = if is_backward { before + 1 } else { block - before };
        Ok(Piece { address, bytes: self.left.min(room as u32), is_skipped: false, is_backward })
    }

    fn midaw(&mut self, at: u64, is_first: bool) -> Result<Piece, SubchannelStatus> {
        let boundary = if is_first { MIDAW_BYTES as u64 } else { u64::from(MIDAW_PAGE_BYTES) };
        // The first has to lie on a boundary of its own; a later one on a page boundary has crossed it.
        let is_misplaced = at.is_multiple_of(boundary) != is_first;
        if at >= self.walk.address_limit() || is_misplaced || self.is_backward() {
            return Err(PROGRAM_CHECK);
        }
        self.source = Source::Midaw { at: at + MIDAW_BYTES as u64, is_first: false };
        let octets = self.storage.fetch_array::<MIDAW_BYTES>(at, self.walk.key()).map_err(control_check)?;
        let midaw = Midaw::parse(&octets).map_err(|_| PROGRAM_CHECK)?;
        let bytes = u32::from(midaw.count);
        let is_last = midaw.flags.contains(MidawFlags::LAST);
        let is_skipped = midaw.flags.contains(MidawFlags::SKIP) && is_input(self.class);
        let crosses = !is_skipped && Midaw::count(midaw.address, bytes) > 1;
        let interrupts = midaw.flags.contains(MidawFlags::DATA_TRANSFER_INTERRUPTION);
        if bytes > self.left || is_last != (bytes == self.left) || crosses || interrupts {
            return Err(PROGRAM_CHECK);
        }
        Ok(Piece { address: midaw.address, bytes, is_skipped, is_backward: false })
    }
}

impl<S: Storage, O: Observer> DataPort for CommandAreas<'_, S, O> {
    #[inline]
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        let mut given = 0;
        while given < octets.len() && self.try_piece() {
            let key = self.walk.key();
            match self.piece.put(octets.after(given), self.storage, self.observer, key) {
                Ok(bytes) => {
                    self.left -= bytes;
                    self.moved = self.moved.saturating_add(bytes);
                    given += bytes;
                }
                Err(fault) => {
                    self.fault = fault;
                    self.piece = Piece::EMPTY;
                }
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
        let run = match self.storage.fetch(address, limit.min(self.piece.bytes), self.walk.key()) {
            Ok(run) if !run.is_empty() => &run[..run.len().min(self.piece.bytes.min(limit) as usize)],
            empty_or_fault => {
                self.fault = data_check(empty_or_fault.err().unwrap_or(StorageFault::Addressing));
                self.piece = Piece::EMPTY;
                return Octets::NONE;
            }
        };
        let bytes = run.len() as u32;
        self.piece.pass(bytes);
        self.left -= bytes;
        self.moved = self.moved.saturating_add(bytes);
        self.observer.moved(Direction::Output, address, Octets::Bytes(run));
        Octets::Bytes(run)
    }
}

#[cfg(test)]
mod tests;
