//! The commands of the target in one table: opcode, service action, bits of the CDB that may be on, and what a command
//! needs of the state of its unit.

use halftrack_base::bit_set;

use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};

bit_set! {
    /// Needs and effects of a command.
    Traits: u16 {
        /// Carried out before a unit attention is reported, and under the RESERVE(6) of another nexus.
        UNCHECKED = 0x01;
        /// Carried out in every state of the port group.
        ANY_STATE = 0x02;
        /// Carried out in standby too.
        STANDBY = 0x04;
        /// Needs a unit that is not stopped.
        READY = 0x08;
        /// Writes to the medium.
        WRITES = 0x10;
        /// Only thin units have it.
        THIN = 0x20;
        /// Persistent reservations of exclusive access forbid it.
        READS = 0x40;
        /// All persistent reservations of others forbid it.
        CHANGES = 0x80;
        /// All registrations forbid it.
        LEGACY = 0x100;
    }
}

/// A command of the target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation {
    /// Opcode.
    pub opcode: u8,
    /// Service action, for opcodes that have several.
    pub action: Option<u8>,
    /// Bits that may be on, for each byte behind the opcode; those of the service action left out.
    pub usage: &'static [u8],
    /// Needs and effects.
    pub traits: Traits,
}

const fn row(opcode: u8, usage: &'static [u8], traits: u16) -> Operation {
    Operation { opcode, action: None, usage, traits: Traits(traits) }
}

const fn action(opcode: u8, action: u8, usage: &'static [u8], traits: u16) -> Operation {
    Operation { opcode, action: Some(action), usage, traits: Traits(traits) }
}

const UNCHECKED: u16 = Traits::UNCHECKED.0 | Traits::ANY_STATE.0;
const STANDBY: u16 = Traits::STANDBY.0;
const READS: u16 = Traits::READS.0 | Traits::READY.0;
const WRITES: u16 = Traits::CHANGES.0 | Traits::READY.0 | Traits::WRITES.0;
const CHANGES: u16 = Traits::CHANGES.0;

const RESERVE_IN: &[u8] = &[0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0];
const RESERVE_OUT: &[u8] = &[0, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0];

/// Returns the usage of block address and length behind these options, by the length of the CDB.
const fn range_of_10(options: u8) -> [u8; 9] {
    [options, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0xFF, 0xFF, 0]
}

const fn range_of_12(options: u8) -> [u8; 11] {
    [options, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0]
}

const fn range_of_16(options: u8) -> [u8; 15] {
    let mut usage = [0xFF; 15];
    (usage[0], usage[13], usage[14]) = (options, 0x1F, 0);
    usage
}

/// Every command, by opcode and service action. Bits: DPO 10, FUA 08, BYTCHK 06, UNMAP 08, NDOB 01, IMMED 02.
pub(crate) const OPERATIONS: &[Operation] = &[
    row(0x00, &[0, 0, 0, 0, 0], Traits::READY.0),
    row(0x03, &[0x01, 0, 0, 0xFF, 0], UNCHECKED),
    row(0x08, &[0x1F, 0xFF, 0xFF, 0xFF, 0], READS),
    row(0x0A, &[0x1F, 0xFF, 0xFF, 0xFF, 0], WRITES),
    row(0x12, &[0x01, 0xFF, 0xFF, 0xFF, 0], UNCHECKED),
    row(0x15, &[0x11, 0, 0, 0xFF, 0], CHANGES | STANDBY),
    row(0x16, &[0, 0, 0, 0, 0], Traits::LEGACY.0),
    row(0x17, &[0, 0, 0, 0, 0], Traits::LEGACY.0),
    row(0x1A, &[0x08, 0xFF, 0xFF, 0xFF, 0], CHANGES | STANDBY),
    row(0x1B, &[0x01, 0, 0x0F, 0xF7, 0], 0),
    row(0x25, &[0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0x01, 0], 0),
    row(0x28, &range_of_10(0x18), READS),
    row(0x2A, &range_of_10(0x18), WRITES),
    row(0x2E, &range_of_10(0x12), WRITES),
    row(0x2F, &range_of_10(0x16), READS),
    row(0x34, &range_of_10(0x02), READS),
    row(0x35, &range_of_10(0x06), CHANGES | Traits::READY.0),
    row(0x41, &range_of_10(0x08), WRITES),
    row(0x42, &[0, 0, 0, 0, 0, 0x1F, 0xFF, 0xFF, 0], WRITES | Traits::THIN.0),
    row(0x4D, &[0, 0xFF, 0xFF, 0, 0, 0, 0xFF, 0xFF, 0], STANDBY),
    row(0x55, &[0x11, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0], CHANGES | STANDBY),
    row(0x5A, &[0x18, 0xFF, 0xFF, 0, 0, 0, 0xFF, 0xFF, 0], CHANGES | STANDBY),
    action(0x5E, 0, RESERVE_IN, STANDBY),
    action(0x5E, 1, RESERVE_IN, STANDBY),
    action(0x5E, 2, RESERVE_IN, STANDBY),
    action(0x5E, 3, RESERVE_IN, STANDBY),
    action(0x5F, 0, RESERVE_OUT, STANDBY),
    action(0x5F, 1, RESERVE_OUT, STANDBY),
    action(0x5F, 2, RESERVE_OUT, STANDBY),
    action(0x5F, 3, RESERVE_OUT, STANDBY),
    action(0x5F, 4, RESERVE_OUT, STANDBY),
    action(0x5F, 5, RESERVE_OUT, STANDBY),
    action(0x5F, 6, RESERVE_OUT, STANDBY),
    row(0x88, &range_of_16(0x18), READS),
    row(0x89, &[0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0xFF, 0x1F, 0], WRITES),
    row(0x8A, &range_of_16(0x18), WRITES),
    row(0x8B, &range_of_16(0x18), WRITES),
    row(0x8E, &range_of_16(0x12), WRITES),
    row(0x8F, &range_of_16(0x16), READS),
    row(0x90, &range_of_16(0x02), READS),
    row(0x91, &range_of_16(0x06), CHANGES | Traits::READY.0),
    row(0x93, &range_of_16(0x09), WRITES),
    action(
        0x9E,
        0x10,
        &[0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0],
        0,
    ),
    action(
        0x9E,
        0x12,
        &[0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0],
        READS,
    ),
    row(0xA0, &[0, 0xFF, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0], UNCHECKED),
    action(0xA3, 0x0A, &[0xE0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0], Traits::ANY_STATE.0),
    action(0xA3, 0x0C, &[0, 0x87, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0], CHANGES),
    action(0xA4, 0x0A, &[0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0], CHANGES | Traits::ANY_STATE.0),
    row(0xA8, &range_of_12(0x18), READS),
    row(0xAA, &range_of_12(0x18), WRITES),
    row(0xAE, &range_of_12(0x12), WRITES),
    row(0xAF, &range_of_12(0x16), READS),
];

/// Bits of a service action.
pub(crate) const ACTION: u8 = 0x1F;

impl Operation {
    /// Returns the needs and effects of an opcode before the rest of the CDB is checked.
    pub fn is_unchecked(opcode: u8) -> bool {
        OPERATIONS.iter().any(|one| one.opcode == opcode && one.traits.contains(Traits::UNCHECKED))
    }

    /// Returns whether a CDB is REPORT LUNS.
    pub fn is_report_luns(cdb: &[u8]) -> bool {
        cdb.first() == Some(&0xA0)
    }

    /// Finds the command of a CDB and checks its length and the bits that must be off.
    pub fn of_cdb(cdb: &[u8], is_thin: bool) -> Result<&'static Self, Refusal> {
        let opcode = *cdb.first().ok_or(SenseCode::INVALID_OPCODE)?;
        let is_there = |one: &&Self| one.opcode == opcode && (is_thin || !one.traits.contains(Traits::THIN));
        let mut named = OPERATIONS.iter().filter(is_there).peekable();
        named.peek().ok_or(SenseCode::INVALID_OPCODE)?;
        let action = cdb.get(1).map(|byte| byte & ACTION);
        let found = named.find(|one| one.action.is_none() || one.action == action);
        let operation = found.ok_or_else(|| Sense::of_cdb_byte(1))?;
        for (byte, &may) in (1..).zip(operation.usage) {
            let mask = if byte == 1 && operation.action.is_some() { may | ACTION } else { may };
            let value = cdb.get(usize::from(byte)).ok_or_else(|| Sense::of_cdb_byte(byte))?;
            if value & !mask != 0 {
                return Err(Sense::of_cdb_byte(byte).into());
            }
        }
        Ok(operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opcode_gives_the_length_of_the_cdb() {
        for operation in OPERATIONS {
            let bytes = match operation.opcode >> 5 {
                0 => 6,
                1 | 2 => 10,
                4 => 16,
                _ => 12,
            };
            assert_eq!(operation.usage.len() + 1, bytes, "{:#04x}", operation.opcode);
        }
    }

    #[test]
    fn the_table_is_in_order_and_names_nothing_twice() {
        let keys: Vec<_> = OPERATIONS.iter().map(|one| (one.opcode, one.action)).collect();
        assert!(keys.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn a_short_cdb_a_reserved_bit_and_an_unknown_opcode_are_refused() {
        let refusal = |cdb: &[u8]| Operation::of_cdb(cdb, true).err();
        let field = |byte| Some(Refusal::from(Sense::of_cdb_byte(byte)));
        assert_eq!(refusal(&[]), Some(SenseCode::INVALID_OPCODE.into()));
        assert_eq!(refusal(&[0xFF; 16]), Some(SenseCode::INVALID_OPCODE.into()));
        assert_eq!(refusal(&[0; 5]), field(5));
        assert_eq!(refusal(&[0, 0, 0, 0, 0, 4]), field(5), "NACA");
        assert_eq!(refusal(&[0x28, 0x20, 0, 0, 0, 0, 0, 0, 0, 0]), field(1), "RDPROTECT");
        assert_eq!(refusal(&[0x9E, 0x1F]), field(1), "service action");
        assert_eq!(refusal(&[0; 16]), None, "octets behind the CDB are ignored");
    }
}
