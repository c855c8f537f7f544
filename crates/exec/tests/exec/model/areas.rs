//! The storage of one command: its CCW, the CCWs chained to it for data, and their indirect words, walked
//! one byte at a time.

use crate::model::ccw::{self, Bounds, Ccw, Orb, Reached};
use crate::model::line::Line;
use crate::model::storage::{Check, Memory, number};

/// Where the bytes of a CCW lie.
enum Cursor {
    /// The CCW's own address.
    Direct,
    /// In the blocks of IDAWs: the address of the next byte, whether it is that of an IDAW not used yet, and where
    /// the next IDAW lies.
    Idaws { at: u64, fresh: bool, list: u64 },
    /// In the pieces of MIDAWs.
    Midaws { at: u64, left: u32, skip: bool, list: u64 },
}

/// The storage of one command.
pub struct Areas<'a> {
    memory: &'a mut Memory,
    orb: &'a Orb,
    /// Bounds of the program.
    pub bounds: &'a mut Bounds,
    /// The CCW in use.
    pub ccw: Ccw,
    /// Bytes that the CCW in use has left.
    pub left: u32,
    cursor: Option<Cursor>,
    /// The command reads or senses: skipping has a meaning.
    input: bool,
    /// Check that stopped the transfer.
    pub check: Option<Check>,
    /// A CCW used had the program-controlled-interruption flag.
    pub interrupted: bool,
    /// Bytes moved by the whole command.
    pub moved: u32,
}

/// Goes to the first byte of a CCW, for which its first indirect word is fetched.
fn cursor(memory: &mut Memory, orb: &Orb, ccw: &Ccw, input: bool) -> Result<Cursor, Check> {
    let mut list = u64::from(ccw.data);
    let word = match (ccw.flags & ccw::IDA != 0, orb.format_2_idaws) {
        (true, false) => 4,
        (true, true) => 8,
        _ => 16,
    };
    if ccw.flags & (ccw::IDA | ccw::MIDA) != 0 && list % word != 0 {
        return Err(Check::Program);
    }
    if ccw.flags & ccw::IDA != 0 {
        let at = fetch_idaw(memory, orb, &mut list)?;
        return Ok(Cursor::Idaws { at, fresh: true, list });
    }
    if ccw.flags & ccw::MIDA != 0 {
        let (at, left, skip) = fetch_midaw(memory, orb, &mut list, (ccw.count, input), true)?;
        return Ok(Cursor::Midaws { at, left, skip, list });
    }
    Ok(Cursor::Direct)
}

impl<'a> Areas<'a> {
    /// Returns the areas that begin with this CCW.
    pub fn new(memory: &'a mut Memory, orb: &'a Orb, bounds: &'a mut Bounds, ccw: Ccw) -> Self {
        let interrupted = ccw.flags & ccw::PCI != 0;
        let left = ccw.count;
        let input = ccw.command & 0x03 == 0x02 || ccw.command & 0x03 == 0;
        Self { memory, orb, bounds, ccw, left, cursor: None, check: None, input, interrupted, moved: 0 }
    }

    /// Returns the check that the channel finds before it sends the command: in the first indirect word, and for a
    /// write the first byte. A choice; the architecture lets a channel fetch ahead.
    pub fn probe(&mut self) -> Option<Check> {
        let write = self.ccw.command & 0x03 == 0x01;
        let listed = self.ccw.flags & (ccw::IDA | ccw::MIDA) != 0;
        let skipped = self.input && self.ccw.flags & ccw::SKIP != 0;
        if self.left == 0 || skipped || !write && !listed {
            return None;
        }
        if self.ccw.command & 0x0F == 0x0C && self.ccw.flags & ccw::MIDA != 0 {
            return Some(Check::Program);
        }
        let cursor = match cursor(self.memory, self.orb, &self.ccw, self.input) {
            Ok(cursor) => cursor,
            Err(check) => return Some(check),
        };
        let at = match cursor {
            Cursor::Direct => u64::from(self.ccw.data),
            Cursor::Idaws { at, .. } | Cursor::Midaws { at, .. } => at,
        };
        self.cursor = Some(cursor);
        if write { self.memory.fetch(at, self.orb.key).err() } else { None }
    }

    /// Makes sure that the CCW in use has a byte left: chains data where it has none.
    pub fn ready(&mut self) -> bool {
        while self.check.is_none() && self.left == 0 && self.ccw.flags & ccw::CD != 0 {
            let next = ccw::fetch(
                self.memory,
                self.orb,
                self.bounds,
                self.ccw.address.wrapping_add(8),
                Reached::Data,
            );
            self.ccw = next.0;
            match next.1 {
                Some(check) => self.check = Some(check),
                None => {
                    self.left = self.ccw.count;
                    self.interrupted |= self.ccw.flags & ccw::PCI != 0;
                    self.cursor = None;
                }
            }
        }
        self.check.is_none() && self.left > 0
    }

    /// Returns the address of the next byte; nothing when the byte is to be skipped.
    fn address(&mut self) -> Result<Option<u64>, Check> {
        let used = self.ccw.count - self.left;
        let skipped = self.input && self.ccw.flags & ccw::SKIP != 0;
        if skipped {
            return Ok(None);
        }
        let cursor = match self.cursor.take() {
            Some(cursor) => cursor,
            None => cursor(self.memory, self.orb, &self.ccw, self.input)?,
        };
        match self.cursor.insert(cursor) {
            Cursor::Direct => Ok(Some(u64::from(self.ccw.data) + u64::from(used))),
            Cursor::Idaws { at, fresh, list } => {
                let block = self.orb.idaw_block();
                if *at % block == 0 && !*fresh {
                    *at = fetch_idaw(self.memory, self.orb, list)?;
                    if *at % block != 0 {
                        return Err(Check::Program);
                    }
                }
                *fresh = false;
                *at = at.wrapping_add(1);
                Ok(Some(at.wrapping_sub(1)))
            }
            Cursor::Midaws { at, left, skip, list } => {
                if *left == 0 {
                    (*at, *left, *skip) =
                        fetch_midaw(self.memory, self.orb, list, (self.left, self.input), false)?;
                }
                *left -= 1;
                *at = at.wrapping_add(1);
                Ok(if *skip { None } else { Some(at.wrapping_sub(1)) })
            }
        }
    }
}

fn fetch_idaw(memory: &mut Memory, orb: &Orb, list: &mut u64) -> Result<u64, Check> {
    let address = *list;
    if orb.format_2_idaws {
        *list += 8;
        return Ok(number(&memory.field::<8>(address, orb.key)?));
    }
    *list += 4;
    let word = number(&memory.field::<4>(address, orb.key)?);
    if word & 0x8000_0000 != 0 { Err(Check::Program) } else { Ok(word) }
}

/// Returns the next MIDAW: address, count, and whether it is skipped. Output is never skipped.
fn fetch_midaw(
    memory: &mut Memory,
    orb: &Orb,
    list: &mut u64,
    (ccw_left, input): (u32, bool),
    first: bool,
) -> Result<(u64, u32, bool), Check> {
    if !first && (*list).is_multiple_of(4096) {
        return Err(Check::Program);
    }
    let midaw = memory.field::<16>(*list, orb.key)?;
    *list += 16;
    let count = u32::from(midaw[6]) << 8 | u32::from(midaw[7]);
    let (last, skip) = (midaw[5] & 0x80 != 0, input && midaw[5] & 0x40 != 0);
    let address = number(&midaw[8..]);
    let reserved = midaw[..5].iter().any(|&byte| byte != 0) || midaw[5] & 0x3F != 0;
    let over_page = !skip && address % 4096 + u64::from(count) > 4096;
    if reserved || count == 0 || over_page || count > ccw_left || last != (count == ccw_left) {
        return Err(Check::Program);
    }
    Ok((address, count, skip))
}

impl Line for Areas<'_> {
    fn give(&mut self, byte: Option<u8>) -> bool {
        if !self.ready() {
            return false;
        }
        let stored = self.address().and_then(|address| match address {
            Some(address) => self.memory.store(address, self.orb.key, byte),
            None => Ok(()),
        });
        self.check = stored.err();
        if self.check.is_none() {
            self.left -= 1;
            self.moved += 1;
        }
        self.check.is_none()
    }

    fn take(&mut self) -> Option<u8> {
        if !self.ready() {
            return None;
        }
        let address = self.address();
        match address.and_then(|address| self.memory.fetch(address.unwrap_or(0), self.orb.key)) {
            Ok(byte) => {
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
