//! A slow and obvious model of a command-mode channel: one octet at a time, every word read where it is needed, every
//! rule in the order of the reference. It shares no code with the interpreter.

use halftrack_program::{DataPort, Device, Octets};

const PROGRAM_CHECK: u8 = 0x20;
const PROTECTION_CHECK: u8 = 0x10;
const INCORRECT_LENGTH: u8 = 0x40;

/// Parameters of the ORB.
#[derive(Debug, Clone)]
pub struct Start {
    pub key: u8,
    pub format_1: bool,
    /// Bytes of an IDAW and of its block.
    pub idaw: (u64, u64),
    pub suspend: bool,
    pub midaws: bool,
    pub suppress_length: bool,
    pub address: u64,
}

/// How the program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub device_status: u8,
    pub subchannel_status: u8,
    pub residual: u16,
    pub ccw_address: u64,
    pub is_suspended: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Ccw {
    command: u8,
    flags: u8,
    count: u64,
    address: u64,
}

impl Ccw {
    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The channel: storage, keys (with fetch protection) of its 4 KiB blocks, and the place in the program.
pub struct Channel<'a> {
    pub storage: &'a mut [u8],
    pub keys: &'a [(u8, bool)],
    pub start: Start,
    next: u64,
    current: u64,
    command: u8,
    ccw: Ccw,
    /// Octets of the CCW that have moved.
    used: u64,
    moved: u64,
    interrupts: bool,
    fault: u8,
}

impl<'a> Channel<'a> {
    pub fn new(storage: &'a mut [u8], keys: &'a [(u8, bool)], start: Start) -> Self {
        let next = start.address;
        let ccw = Ccw::default();
        let (current, command, used, moved, interrupts, fault) = (0, 0, 0, 0, false, 0);
        Self { storage, keys, start, next, current, command, ccw, used, moved, interrupts, fault }
    }

    fn access(&self, address: u64, stores: bool) -> Result<usize, u8> {
        if address >= self.storage.len() as u64 {
            return Err(PROGRAM_CHECK);
        }
        let (key, fetch_protected) = self.keys[(address / 4096) as usize];
        let matches = self.start.key == 0 || self.start.key == key;
        if matches || !stores && !fetch_protected { Ok(address as usize) } else { Err(PROTECTION_CHECK) }
    }

    fn word(&self, address: u64, bytes: u64) -> Result<u64, u8> {
        let mut word = 0;
        for at in address..address + bytes {
            word = word << 8 | u64::from(self.storage[self.access(at, false)?]);
        }
        Ok(word)
    }

    fn limit(&self) -> u64 {
        if self.start.format_1 { 1 << 31 } else { 1 << 24 }
    }

    fn fetch(&mut self) -> Result<Ccw, u8> {
        self.current = self.next;
        let word = self.word(self.current, 8)?;
        self.next += 8;
        let octets = word.to_be_bytes();
        let ccw = if self.start.format_1 {
            Ccw {
                command: octets[0],
                flags: octets[1],
                count: word >> 32 & 0xFFFF,
                address: word & 0xFFFF_FFFF,
            }
        } else {
            Ccw {
                command: octets[0],
                flags: octets[4],
                count: word & 0xFFFF,
                address: word >> 32 & 0xFF_FFFF,
            }
        };
        let transfers = ccw.command & 0x0F == 0x08;
        let wrong = if transfers {
            let strict = ccw.command != 0x08 || ccw.flags != 0 || ccw.count != 0;
            ccw.address % 8 != 0 || self.start.format_1 && strict
        } else {
            !self.start.format_1 && ccw.count == 0
        };
        if wrong || ccw.address >= 1 << 31 { Err(PROGRAM_CHECK) } else { Ok(ccw) }
    }

    /// Returns the next CCW that is not a transfer in channel.
    fn next_ccw(&mut self, is_first: bool, chains_data: bool) -> Result<Ccw, u8> {
        let mut ccw = self.fetch()?;
        if ccw.command & 0x0F == 0x08 {
            if is_first {
                return Err(PROGRAM_CHECK);
            }
            self.next = ccw.address;
            ccw = self.fetch()?;
            if ccw.command & 0x0F == 0x08 {
                return Err(PROGRAM_CHECK);
            }
        }
        if !chains_data && ccw.command & 0x0F == 0
            || ccw.count == 0 && (chains_data || ccw.has(0x80))
            || ccw.has(0x02) && (!self.start.suspend || ccw.has(0x80) || chains_data)
            || ccw.has(0x01) && (!self.start.midaws || ccw.has(0x04) || ccw.has(0x10))
        {
            return Err(PROGRAM_CHECK);
        }
        self.interrupts |= ccw.has(0x08) && !ccw.has(0x02);
        Ok(ccw)
    }

    fn is_input(&self) -> bool {
        self.command & 3 == 2 || matches!(self.command & 0x0F, 4 | 0x0C)
    }

    fn is_backward(&self) -> bool {
        self.command & 0x0F == 0x0C
    }

    /// Returns where the octet at `index` of the CCW lies; nowhere when it is skipped.
    fn place(&self, index: u64) -> Result<Option<u64>, u8> {
        let address = self.ccw.address;
        if self.ccw.has(0x10) && self.is_input() {
            Ok(None)
        } else if self.ccw.has(0x04) {
            self.idaw_place(index).map(Some)
        } else if self.ccw.has(0x01) {
            self.midaw_place(index)
        } else if self.is_backward() {
            address.checked_sub(index).map(Some).ok_or(PROGRAM_CHECK)
        } else if address + index < self.limit() {
            Ok(Some(address + index))
        } else {
            Err(PROGRAM_CHECK)
        }
    }

    fn idaw(&self, number: u64) -> Result<u64, u8> {
        let (bytes, block) = self.start.idaw;
        let at = self.ccw.address + number * bytes;
        if !self.ccw.address.is_multiple_of(bytes) || at >= self.limit() {
            return Err(PROGRAM_CHECK);
        }
        let address = self.word(at, bytes)?;
        let misplaced = number > 0 && address % block != if self.is_backward() { block - 1 } else { 0 };
        if misplaced || bytes == 4 && address >= 1 << 31 { Err(PROGRAM_CHECK) } else { Ok(address) }
    }

    fn idaw_place(&self, index: u64) -> Result<u64, u8> {
        let block = self.start.idaw.1;
        let mut left = index;
        for number in 0.. {
            let address = self.idaw(number)?;
            let room = if self.is_backward() { address % block + 1 } else { block - address % block };
            if left < room {
                return Ok(if self.is_backward() { address - left } else { address + left });
            }
            left -= room;
        }
        unreachable!("every block has room")
    }

    fn midaw_place(&self, index: u64) -> Result<Option<u64>, u8> {
        let first = self.ccw.address;
        if !first.is_multiple_of(16) || self.is_backward() {
            return Err(PROGRAM_CHECK);
        }
        let mut before = 0;
        for number in 0.. {
            let at = first + number * 16;
            if at / 4096 != first / 4096 || at >= self.limit() {
                return Err(PROGRAM_CHECK);
            }
            let (head, address) = (self.word(at, 8)?, self.word(at + 8, 8)?);
            let (zeros, flags, count) = (head >> 24, head >> 16 & 0xFF, head & 0xFFFF);
            let skips = flags & 0x40 != 0 && self.is_input();
            let crosses = count > 0 && address % 4096 + count > 4096;
            let is_last = before + count == self.ccw.count;
            if zeros != 0
                || flags & 0x3F != 0
                || count == 0
                || crosses && !skips
                || before + count > self.ccw.count
                || is_last != (flags & 0x80 != 0)
            {
                return Err(PROGRAM_CHECK);
            }
            if index < before + count {
                return Ok(if skips { None } else { Some(address + index - before) });
            }
            before += count;
        }
        unreachable!("a list ends at its page")
    }

    /// Returns where the next octet goes or comes from: its place, or no more.
    fn next_place(&mut self) -> Option<Option<u64>> {
        while self.fault == 0 && self.used == self.ccw.count && self.ccw.has(0x80) {
            self.chain_data();
        }
        if self.fault != 0 || self.used == self.ccw.count {
            return None;
        }
        match self.place(self.used) {
            Ok(place) => Some(place),
            Err(fault) => {
                self.fault = fault;
                None
            }
        }
    }

    fn chain_data(&mut self) {
        match self.next_ccw(false, true) {
            Ok(ccw) => (self.ccw, self.used) = (ccw, 0),
            Err(fault) => self.fault = fault,
        }
    }

    fn ending(&self, device_status: u8, subchannel_status: u8, residual: u64) -> Ending {
        let ccw_address = self.current + 8;
        let interruption = if self.interrupts { 0x80 } else { 0 };
        let (residual, subchannel_status) = (residual as u16, subchannel_status | interruption);
        Ending { device_status, subchannel_status, residual, ccw_address, is_suspended: false }
    }

    pub fn run(&mut self, device: &mut impl Device) -> Ending {
        let mut last_status = 0;
        for number in 0.. {
            let ccw = match self.next_ccw(number == 0, false) {
                Ok(ccw) => ccw,
                Err(fault) => return self.ending(last_status, fault, 0),
            };
            if ccw.has(0x02) {
                return Ending { is_suspended: true, ..self.ending(0, 0, ccw.count) };
            }
            (self.command, self.ccw, self.used, self.moved) = (ccw.command, ccw, 0, 0);
            if ccw.count > 0 && (ccw.has(0x05) || ccw.command & 3 == 1) {
                let place = self.next_place();
                if let (Some(Some(at)), 1) = (place, ccw.command & 3) {
                    self.fault = self.access(at, false).err().unwrap_or(0);
                }
                if self.fault != 0 {
                    return self.ending(last_status, self.fault, ccw.count);
                }
            }
            let end = device.execute(ccw.command, self);
            if self.fault == 0 && self.used == self.ccw.count && self.ccw.has(0x80) {
                self.chain_data();
            }
            let residual = self.ccw.count - self.used;
            if self.fault != 0 {
                return self.ending(0x0C, self.fault, residual);
            }
            let status = end.status.0;
            let of_no_account = end.immediate && (!self.start.format_1 || self.start.suppress_length);
            let suppressed = of_no_account || self.ccw.has(0x20) && !self.ccw.has(0x80);
            let differs = residual > 0 || u64::from(end.device_bytes) > self.moved;
            let incorrect = differs && !suppressed;
            let goes_on = status & 0x1F == 0x0C && self.ccw.has(0x40) && !self.ccw.has(0x80);
            if incorrect || !goes_on {
                let refused = number == 0 && status & 8 == 0;
                let length = if incorrect && !refused { INCORRECT_LENGTH } else { 0 };
                return self.ending(status, length, residual);
            }
            last_status = status & !0x40;
            self.next += if status & 0x40 != 0 { 8 } else { 0 };
        }
        unreachable!("programs end")
    }
}

impl DataPort for Channel<'_> {
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        let mut given = 0;
        for octet in octets.bytes().expect("the device keeps its octets") {
            match self.next_place() {
                None => break,
                Some(None) => {}
                Some(Some(at)) => match self.access(at, true) {
                    Ok(at) => self.storage[at] = *octet,
                    Err(fault) => {
                        self.fault = fault;
                        break;
                    }
                },
            }
            (self.used, self.moved, given) = (self.used + 1, self.moved + 1, given + 1);
        }
        given
    }

    fn take(&mut self, _: u32) -> Octets<'_> {
        let Some(Some(at)) = self.next_place() else {
            return Octets::NONE;
        };
        match self.access(at, false) {
            Ok(at) => {
                (self.used, self.moved) = (self.used + 1, self.moved + 1);
                Octets::Bytes(&self.storage[at..=at])
            }
            Err(fault) => {
                self.fault = fault;
                Octets::NONE
            }
        }
    }
}
