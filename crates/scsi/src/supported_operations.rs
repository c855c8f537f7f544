//! REPORT SUPPORTED OPERATION CODES: the table of commands, as initiators read it (SPC-4, 6.35).

use crate::operation::{OPERATIONS, Operation, Traits};
use crate::response::Refusal;
use crate::sense::Sense;

/// Descriptor of the time limits of a command, which has none.
const NO_TIME_LIMITS: [u8; 12] = [0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// A command descriptor has a service action, and time limits.
const HAS_ACTION: u8 = 0x01;
const HAS_TIME_LIMITS: u8 = 0x02;

/// Selection of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperationSelection {
    /// Reporting options: all, an opcode, an opcode with its service action.
    pub options: u8,
    pub opcode: u8,
    pub action: u16,
    /// RCTD: with time limits.
    pub with_time_limits: bool,
}

impl OperationSelection {
    /// Returns the data for a thin unit or a full one.
    pub fn report(self, is_thin: bool) -> Result<Vec<u8>, Refusal> {
        let mut all = OPERATIONS.iter().filter(|one| is_thin || !one.traits.contains(Traits::THIN));
        if self.options == 0 {
            return Ok(self.list(all));
        }
        let has_actions = all.clone().any(|one| one.opcode == self.opcode && one.action.is_some());
        let is_known = all.clone().any(|one| one.opcode == self.opcode);
        if is_known && has_actions != (self.options == 2) {
            return Err(Sense::of_cdb_byte(2).into());
        }
        let is_meant = |one: &&Operation| {
            one.opcode == self.opcode && one.action.is_none_or(|own| u16::from(own) == self.action)
        };
        Ok(self.one(all.find(is_meant)))
    }

    fn list<'a>(self, operations: impl Iterator<Item = &'a Operation>) -> Vec<u8> {
        let mut body = Vec::new();
        for one in operations {
            let flags = one.action.map_or(0, |_| HAS_ACTION)
                | if self.with_time_limits { HAS_TIME_LIMITS } else { 0 };
            body.extend([one.opcode, 0, 0, one.action.unwrap_or(0), 0, flags, 0, 1 + one.usage.len() as u8]);
            if self.with_time_limits {
                body.extend(NO_TIME_LIMITS);
            }
        }
        let mut data = (body.len() as u32).to_be_bytes().to_vec();
        data.extend(body);
        data
    }

    fn one(self, operation: Option<&Operation>) -> Vec<u8> {
        let Some(operation) = operation else { return vec![0, 0x01, 0, 0] };
        let support = if self.with_time_limits { 0x83 } else { 0x03 };
        let mut data = vec![0, support, 0, 1 + operation.usage.len() as u8, operation.opcode];
        data.extend(operation.usage);
        data[5] |= operation.action.unwrap_or(0);
        if self.with_time_limits {
            data.extend(NO_TIME_LIMITS);
        }
        data
    }
}
