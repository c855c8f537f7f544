//! The operation-request block and the CCWs of command mode, decoded from their bytes.

use crate::model::storage::{Check, Memory, number};

/// Chain data.
pub const CD: u8 = 0x80;
/// Chain command.
pub const CC: u8 = 0x40;
/// Suppress the incorrect-length indication.
pub const SLI: u8 = 0x20;
/// Skip.
pub const SKIP: u8 = 0x10;
/// Program-controlled interruption.
pub const PCI: u8 = 0x08;
/// Indirect data addresses.
pub const IDA: u8 = 0x04;
/// Suspend.
pub const SUSPEND: u8 = 0x02;
/// Modified indirect data addresses.
pub const MIDA: u8 = 0x01;

/// Part of an operation-request block that the model uses.
pub struct Orb {
    /// Storage key.
    pub key: u8,
    /// Byte 4.
    pub byte_4: u8,
    /// Byte 5.
    pub byte_5: u8,
    /// Byte 7.
    pub byte_7: u8,
    /// CCWs are of format 1.
    pub format_1: bool,
    /// IDAWs are of format 2.
    pub format_2_idaws: bool,
    /// Channel-program address.
    pub program: u32,
}

impl Orb {
    /// Decodes the first 12 bytes.
    pub fn decode(bytes: &[u8]) -> Self {
        Self {
            key: bytes[4] >> 4,
            byte_4: bytes[4],
            byte_5: bytes[5],
            byte_7: bytes[7],
            format_1: bytes[5] & 0x80 != 0,
            format_2_idaws: bytes[5] & 0x02 != 0,
            program: number(&bytes[8..12]) as u32,
        }
    }

    /// Returns true when the suspend flag is allowed.
    pub fn suspend_control(&self) -> bool {
        self.byte_4 & 0x08 != 0
    }

    /// Returns true when MIDAWs are allowed.
    pub fn midaws(&self) -> bool {
        self.byte_7 & 0x40 != 0
    }

    /// Returns the incorrect length of immediate commands of format 1 is suppressed.
    pub fn length_suppressed(&self) -> bool {
        self.byte_7 & 0x80 != 0
    }

    /// Returns the bytes that one IDAW covers at most.
    pub fn idaw_block(&self) -> u64 {
        if self.format_2_idaws && self.byte_5 & 0x01 == 0 { 4096 } else { 2048 }
    }
}

/// A CCW.
#[derive(Debug, Clone, Copy)]
pub struct Ccw {
    /// Where it lies.
    pub address: u32,
    /// Command.
    pub command: u8,
    /// Flags.
    pub flags: u8,
    /// Count.
    pub count: u32,
    /// Data address.
    pub data: u32,
}

/// Transfers in channel to lower addresses that may follow each other without data: reference 2.2 [C].
const BACKWARD: u32 = 255;

/// Bounds of a program.
#[derive(Default)]
pub struct Bounds {
    /// CCWs fetched.
    pub fetched: u32,
    /// Transfers in channel to lower addresses since data moved last.
    pub backward: u32,
}

fn decode(orb: &Orb, address: u32, b: [u8; 8]) -> Ccw {
    if orb.format_1 {
        let count = u32::from(b[2]) << 8 | u32::from(b[3]);
        return Ccw { address, command: b[0], flags: b[1], count, data: number(&b[4..]) as u32 };
    }
    let count = u32::from(b[6]) << 8 | u32::from(b[7]);
    Ccw { address, command: b[0], flags: b[4], count, data: number(&b[1..4]) as u32 }
}

/// How a CCW was come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// By the start function.
    Start,
    /// By command chaining, or resumption.
    Command,
    /// By data chaining.
    Data,
}

/// Returns whether a CCW that is no transfer in channel is valid where it stands.
fn valid(orb: &Orb, ccw: &Ccw, reached: Reached) -> bool {
    let chained_data = reached == Reached::Data;
    let flag = |bit: u8| ccw.flags & bit != 0;
    if orb.format_1 && ccw.data & 0x8000_0000 != 0 {
        return false;
    }
    if !chained_data && ccw.command & 0x0F == 0 {
        return false;
    }
    if ccw.count == 0 && (!orb.format_1 || chained_data || flag(CD)) {
        return false;
    }
    if flag(SUSPEND) && (flag(CD) || chained_data || !orb.suspend_control()) {
        return false;
    }
    !(flag(MIDA) && (!orb.midaws() || flag(IDA) || flag(SKIP)))
}

/// Fetches the CCW at an address, through transfers in channel. The CCW returned with a check is the one
/// at fault.
pub fn fetch(
    memory: &mut Memory,
    orb: &Orb,
    bounds: &mut Bounds,
    address: u32,
    reached: Reached,
) -> (Ccw, Option<Check>) {
    let mut address = address;
    let mut transferred = false;
    loop {
        let nothing = Ccw { address, command: 0, flags: 0, count: 0, data: 0 };
        let limit = if orb.format_1 { 0x8000_0000 } else { 0x0100_0000 };
        if !address.is_multiple_of(8) || address >= limit {
            return (nothing, Some(Check::Program));
        }
        if bounds.fetched == crate::model::product::CCWS {
            return (nothing, Some(Check::Control));
        }
        bounds.fetched += 1;
        let ccw = match memory.field::<8>(u64::from(address), orb.key) {
            Ok(bytes) => decode(orb, address, bytes),
            Err(check) => return (nothing, Some(check)),
        };
        if ccw.command & 0x0F != 0x08 {
            let check = if valid(orb, &ccw, reached) { None } else { Some(Check::Program) };
            return (ccw, check);
        }
        let exact = !orb.format_1
            || ccw.command == 0x08 && ccw.flags == 0 && ccw.count == 0 && ccw.data & 0x8000_0000 == 0;
        if reached == Reached::Start || transferred || !exact || ccw.data % 8 != 0 {
            return (ccw, Some(Check::Program));
        }
        if ccw.data <= address {
            bounds.backward += 1;
            if bounds.backward > BACKWARD {
                return (ccw, Some(Check::Program));
            }
        }
        transferred = true;
        address = ccw.data;
    }
}
