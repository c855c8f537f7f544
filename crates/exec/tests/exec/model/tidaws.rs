//! The storage of a transport-mode operation: an area, or a list of TIDAWs, walked one byte at a time.

use crate::model::line::Line;
use crate::model::storage::{Check, Memory, number};

/// Purpose of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Data from the device.
    Input,
    /// Data to the device.
    Output,
    /// The TCCB.
    Block,
}

/// A TIDAW in use.
#[derive(Clone, Copy)]
struct Tidaw {
    left: u32,
    address: u64,
    skip: bool,
    /// Bytes of the count that the check word behind it takes, with padding.
    check_bytes: u64,
}

/// Where the next TIDAW lies.
struct List {
    next: u64,
    first: bool,
    /// Bytes of data since the last check word.
    unchecked: u64,
}

/// The data of an operation.
pub struct Pieces<'a> {
    memory: &'a mut Memory,
    key: u8,
    purpose: Purpose,
    list: Option<List>,
    tidaw: Tidaw,
    left: u64,
    /// Check that stopped the transfer.
    pub check: Option<Check>,
    /// Bytes moved.
    pub moved: u32,
}

impl<'a> Pieces<'a> {
    /// Returns the data at an address, or in a list at it: `count` bytes, inserted check words counted.
    pub fn new(
        memory: &'a mut Memory,
        key: u8,
        purpose: Purpose,
        address: u64,
        list: bool,
        count: u64,
    ) -> Self {
        let left = if list { 0 } else { count as u32 };
        let tidaw = Tidaw { left, address, skip: false, check_bytes: 0 };
        let list = list.then_some(List { next: address, first: true, unchecked: 0 });
        Self { memory, key, purpose, list, tidaw, left: count, check: None, moved: 0 }
    }

    /// Returns the check that the channel finds before it sends the command: in the first TIDAW, and the first byte
    /// of output.
    pub fn probe(&mut self) -> Option<Check> {
        match self.ready() {
            Err(check) => Some(check),
            Ok(true) if self.purpose == Purpose::Output => {
                self.memory.fetch(self.tidaw.address, self.key).err()
            }
            Ok(_) => None,
        }
    }

    fn ready(&mut self) -> Result<bool, Check> {
        if self.tidaw.left > 0 {
            return Ok(true);
        }
        self.left -= std::mem::take(&mut self.tidaw.check_bytes);
        let (Some(list), true) = (&mut self.list, self.left > 0) else { return Ok(false) };
        self.tidaw = next(self.memory, self.key, self.purpose, list, self.left)?;
        Ok(true)
    }

    fn moving(&mut self, act: impl FnOnce(&mut Memory, u8, Option<u64>) -> Result<u8, Check>) -> Option<u8> {
        if self.check.is_some() {
            return None;
        }
        let moved = match self.ready() {
            Ok(false) => return None,
            Ok(true) => {
                let place = if self.tidaw.skip { None } else { Some(self.tidaw.address) };
                act(self.memory, self.key, place)
            }
            Err(check) => Err(check),
        };
        match moved {
            Ok(byte) => {
                self.tidaw.left -= 1;
                self.tidaw.address = self.tidaw.address.wrapping_add(1);
                self.left -= 1;
                self.moved += 1;
                Some(byte)
            }
            Err(check) => {
                self.check = Some(check);
                None
            }
        }
    }
}

/// Fetches one entry of a list.
fn entry(memory: &mut Memory, key: u8, list: &mut List) -> Result<[u8; 16], Check> {
    // Behind its first entry, a list on a page boundary has crossed it.
    let wrong = if list.first { !list.next.is_multiple_of(16) } else { list.next.is_multiple_of(4096) };
    if wrong {
        return Err(Check::Program);
    }
    let entry: [u8; 16] = memory.field(list.next, key)?;
    list.next = list.next.wrapping_add(16);
    list.first = false;
    let zeros = entry[1..4] == [0, 0, 0] && entry[0] & 0x07 == 0;
    if zeros { Ok(entry) } else { Err(Check::Program) }
}

/// Returns the next TIDAW of a list that moves data. The count must end with the last TIDAW, and the last TIDAW with the
/// count: a choice, the rule of MIDAWs.
fn next(memory: &mut Memory, key: u8, purpose: Purpose, list: &mut List, left: u64) -> Result<Tidaw, Check> {
    let mut b = entry(memory, key, list)?;
    if b[0] & 0x10 != 0 {
        let target = number(&b[8..]);
        if b[0] != 0x10 || !target.is_multiple_of(16) {
            return Err(Check::Program);
        }
        (list.next, list.first) = (target, true);
        b = entry(memory, key, list)?;
        if b[0] & 0x10 != 0 {
            return Err(Check::Program);
        }
    }
    let (count, address) = (number(&b[4..8]), number(&b[8..]));
    let (last, insert) = (b[0] & 0x80 != 0, b[0] & 0x08 != 0);
    let skip = b[0] & 0x40 != 0 && purpose == Purpose::Input;
    let over = !skip && address % 4096 + count > 4096;
    let interrupts = b[0] & 0x20 != 0;
    if count == 0 || over || interrupts || insert && (last || purpose != Purpose::Output) {
        return Err(Check::Program);
    }
    list.unchecked += count;
    let mut check_bytes = 0;
    if insert {
        check_bytes = list.unchecked.next_multiple_of(4) - list.unchecked + 4;
        list.unchecked = 0;
    }
    if count + check_bytes > left || last != (count + check_bytes == left) {
        return Err(Check::Program);
    }
    Ok(Tidaw { left: count as u32, address, skip, check_bytes })
}

impl Line for Pieces<'_> {
    fn give(&mut self, byte: Option<u8>) -> bool {
        self.moving(|memory, key, address| match address {
            Some(address) => memory.store(address, key, byte).map(|()| 0),
            None => Ok(0),
        })
        .is_some()
    }

    fn take(&mut self) -> Option<u8> {
        self.moving(|memory, key, address| memory.fetch(address.unwrap_or(0), key))
    }
}

/// Fetches a control block from an address, or from a list at it.
pub fn fetch_block(
    memory: &mut Memory,
    key: u8,
    address: u64,
    list: bool,
    bytes: usize,
) -> Result<Vec<u8>, Check> {
    let mut pieces = Pieces::new(memory, key, Purpose::Block, address, list, bytes as u64);
    let mut block = Vec::new();
    while block.len() < bytes {
        match pieces.take() {
            Some(byte) => block.push(byte),
            None => return Err(pieces.check.unwrap_or(Check::Program)),
        }
    }
    Ok(block)
}
