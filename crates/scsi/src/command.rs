//! Commands, decoded.

use halftrack_base::fields::{u16_at, u32_at, u64_at};

use crate::operation::{ACTION, Operation, Traits};
use crate::range::BlockRange;
use crate::reservations::{LIST_BYTES, ReserveOut};
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};
use crate::supported_operations::OperationSelection;

/// FUA.
const FORCE_UNIT_ACCESS: u8 = 0x08;
/// UNMAP of WRITE SAME.
const UNMAP: u8 = 0x08;
/// NDOB of WRITE SAME(16).
const NO_DATA_OUT: u8 = 0x01;

/// Comparison of a verification (BYTCHK).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// The medium alone.
    Medium,
    /// Each byte of data-out.
    Bytes,
    /// One block of data-out with each block.
    OneBlock,
}

/// Page of mode or log parameters that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageSelection {
    /// PC: which values.
    pub control: u8,
    /// Page code.
    pub page: u8,
    /// Subpage code.
    pub subpage: u8,
}

/// A decoded command. `allocation` is the room for data-in, `list` the length of the parameter list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    TestUnitReady,
    RequestSense { descriptor: bool, allocation: u32 },
    Inquiry { page: Option<u8>, allocation: u32 },
    ReadCapacity10,
    ReadCapacity16 { allocation: u32 },
    ReportLuns { select: u8, allocation: u32 },
    Read { range: BlockRange },
    Write { range: BlockRange, force_unit_access: bool, verify: Option<Comparison> },
    OrWrite { range: BlockRange, force_unit_access: bool },
    Verify { range: BlockRange, comparison: Comparison },
    PreFetch { range: BlockRange },
    SynchronizeCache { range: BlockRange },
    WriteSame { range: BlockRange, unmap: bool, data_out: bool },
    Unmap { list: u32 },
    CompareAndWrite { range: BlockRange, force_unit_access: bool },
    StartStop { start: bool, flush: bool },
    ModeSense { long: bool, block_descriptor: bool, selection: PageSelection, allocation: u32 },
    ModeSelect { long: bool, list: u32 },
    Reserve6,
    Release6,
    ReserveIn { action: u8, allocation: u32 },
    ReserveOut(ReserveOut),
    GetLbaStatus { first: u64, allocation: u32 },
    LogSense { selection: PageSelection, allocation: u32 },
    ReportTargetPortGroups { extended: bool, allocation: u32 },
    SetTargetPortGroups { list: u32 },
    ReportSupportedOperations { selection: OperationSelection, allocation: u32 },
}

impl Command {
    /// Decodes a CDB; the operation is the row of its table.
    pub fn decode(cdb: &[u8], is_thin: bool) -> Result<(Self, &'static Operation), Refusal> {
        let operation = Operation::of_cdb(cdb, is_thin)?;
        let command = match cdb[0] {
            0x00 => Self::TestUnitReady,
            0x03 => Self::RequestSense { descriptor: cdb[1] & 1 != 0, allocation: cdb[4].into() },
            0x12 => Self::inquiry(cdb)?,
            0x15 | 0x1A | 0x55 | 0x5A => Self::mode(cdb)?,
            0x16 => Self::Reserve6,
            0x17 => Self::Release6,
            0x5E => Self::ReserveIn { action: cdb[1] & ACTION, allocation: u16_at(cdb, 7).into() },
            0x5F => Self::reserve_out(cdb)?,
            0x1B => Self::start_stop(cdb)?,
            0x25 => Self::read_capacity(cdb)?,
            0x4D => Self::LogSense { selection: selection(cdb), allocation: u16_at(cdb, 7).into() },
            0xA3 => Self::maintenance_in(cdb)?,
            0xA4 => Self::SetTargetPortGroups { list: u32_at(cdb, 6) },
            0x9E if cdb[1] & ACTION == 0x12 => {
                Self::GetLbaStatus { first: u64_at(cdb, 2), allocation: u32_at(cdb, 10) }
            }
            0x9E => Self::ReadCapacity16 { allocation: u32_at(cdb, 10) },
            0x42 => Self::Unmap { list: u16_at(cdb, 7).into() },
            0xA0 => Self::report_luns(cdb)?,
            _ => Self::medium(cdb)?,
        };
        Ok((command, operation))
    }

    /// Decodes the commands that name a range of blocks.
    fn medium(cdb: &[u8]) -> Result<Self, Refusal> {
        let range = BlockRange::of_cdb(cdb);
        // The six-byte forms have the high bits of the address where others have options.
        let options = if cdb[0] >> 5 == 0 { 0 } else { cdb[1] };
        let force_unit_access = options & FORCE_UNIT_ACCESS != 0;
        Ok(match cdb[0] {
            0x08 | 0x28 | 0xA8 | 0x88 => Self::Read { range },
            0x0A | 0x2A | 0xAA | 0x8A => Self::Write { range, force_unit_access, verify: None },
            0x8B => Self::OrWrite { range, force_unit_access },
            0x2E | 0xAE | 0x8E => {
                Self::Write { range, force_unit_access: false, verify: Some(comparison(options)?) }
            }
            0x2F | 0xAF | 0x8F => Self::Verify { range, comparison: comparison(options)? },
            0x34 | 0x90 => Self::PreFetch { range },
            0x35 | 0x91 => Self::SynchronizeCache { range },
            0x41 | 0x93 => Self::WriteSame {
                range,
                unmap: options & UNMAP != 0,
                data_out: cdb[0] == 0x41 || options & NO_DATA_OUT == 0,
            },
            _ => Self::CompareAndWrite {
                range: BlockRange { first: u64_at(cdb, 2), blocks: cdb[13].into() },
                force_unit_access,
            },
        })
    }

    fn inquiry(cdb: &[u8]) -> Result<Self, Refusal> {
        let is_vital = cdb[1] & 1 != 0;
        if !is_vital && cdb[2] != 0 {
            return Err(Sense::of_cdb_byte(2).into());
        }
        Ok(Self::Inquiry { page: is_vital.then_some(cdb[2]), allocation: u16_at(cdb, 3).into() })
    }

    fn mode(cdb: &[u8]) -> Result<Self, Refusal> {
        let long = cdb[0] & 0x40 != 0;
        let bytes = if long { u16_at(cdb, 7).into() } else { cdb[4].into() };
        if cdb[0] & 0x0F == 0x0A {
            let selection = selection(cdb);
            return Ok(Self::ModeSense {
                long,
                block_descriptor: cdb[1] & 0x08 == 0,
                selection,
                allocation: bytes,
            });
        }
        // PF must be on; SP is off since nothing is saved.
        if cdb[1] != 0x10 {
            return Err(Sense::of_cdb_byte(1).into());
        }
        Ok(Self::ModeSelect { long, list: bytes })
    }

    fn start_stop(cdb: &[u8]) -> Result<Self, Refusal> {
        // Neither power conditions nor a medium that can be loaded or ejected.
        if cdb[3] != 0 || cdb[4] & 0xF2 != 0 {
            return Err(Sense::of_cdb_byte(if cdb[3] != 0 { 3 } else { 4 }).into());
        }
        Ok(Self::StartStop { start: cdb[4] & 1 != 0, flush: cdb[4] & 4 == 0 })
    }

    fn read_capacity(cdb: &[u8]) -> Result<Self, Refusal> {
        if u32_at(cdb, 2) != 0 && cdb[8] & 1 == 0 {
            return Err(Sense::of_cdb_byte(2).into());
        }
        Ok(Self::ReadCapacity10)
    }

    fn report_luns(cdb: &[u8]) -> Result<Self, Refusal> {
        let allocation = u32_at(cdb, 6);
        if cdb[2] > 2 {
            return Err(Sense::of_cdb_byte(2).into());
        }
        if allocation < 16 {
            return Err(Sense::of_cdb_byte(6).into());
        }
        Ok(Self::ReportLuns { select: cdb[2], allocation })
    }

    fn maintenance_in(cdb: &[u8]) -> Result<Self, Refusal> {
        let allocation = u32_at(cdb, 6);
        if cdb[1] & ACTION == 0x0A {
            // Without the extended header, or with it.
            return match cdb[1] >> 5 {
                format @ (0 | 1) => Ok(Self::ReportTargetPortGroups { extended: format == 1, allocation }),
                _ => Err(Sense::of_cdb_byte(1).into()),
            };
        }
        let options = cdb[2] & 7;
        if options > 2 {
            return Err(Sense::of_cdb_byte(2).into());
        }
        let (opcode, action, with_time_limits) = (cdb[3], u16_at(cdb, 4), cdb[2] & 0x80 != 0);
        let selection = OperationSelection { options, opcode, action, with_time_limits };
        Ok(Self::ReportSupportedOperations { selection, allocation })
    }

    fn reserve_out(cdb: &[u8]) -> Result<Self, Refusal> {
        if u32_at(cdb, 5) as usize != LIST_BYTES {
            return Err(SenseCode::PARAMETER_LIST_LENGTH.into());
        }
        Ok(Self::ReserveOut(ReserveOut { action: cdb[1] & ACTION, scope_and_type: cdb[2] }))
    }

    /// Returns the blocks that the command reads or writes, if it names any.
    pub fn range(&self) -> Option<BlockRange> {
        match *self {
            Self::Read { range }
            | Self::Write { range, .. }
            | Self::OrWrite { range, .. }
            | Self::Verify { range, .. }
            | Self::PreFetch { range }
            | Self::SynchronizeCache { range }
            | Self::WriteSame { range, .. }
            | Self::CompareAndWrite { range, .. } => Some(range),
            _ => None,
        }
    }

    /// Returns the bytes of data-out that the command calls for.
    pub fn data_out_bytes(&self, block_bytes: u32) -> u64 {
        match *self {
            Self::Write { range, .. }
            | Self::OrWrite { range, .. }
            | Self::Verify { range, comparison: Comparison::Bytes } => range.bytes(block_bytes),
            Self::Verify { range, comparison: Comparison::OneBlock } if range.blocks > 0 => {
                block_bytes.into()
            }
            Self::WriteSame { data_out: true, .. } => block_bytes.into(),
            Self::CompareAndWrite { range, .. } => 2 * range.bytes(block_bytes),
            Self::ReserveOut(_) => LIST_BYTES as u64,
            Self::Unmap { list } | Self::SetTargetPortGroups { list } | Self::ModeSelect { list, .. } => {
                list.into()
            }
            _ => 0,
        }
    }

    /// Returns whether data-out of another length than the command calls for is refused.
    pub const fn is_of_exact_length(&self) -> bool {
        matches!(self, Self::WriteSame { data_out: true, .. } | Self::CompareAndWrite { .. })
    }

    /// Returns the needs and effects, those of START STOP UNIT by its options.
    pub const fn traits(&self, operation: &Operation) -> Traits {
        match self {
            Self::StartStop { start: false, .. } => operation.traits.with(Traits::CHANGES),
            _ => operation.traits,
        }
    }
}

/// Returns the page of MODE SENSE or LOG SENSE.
fn selection(cdb: &[u8]) -> PageSelection {
    PageSelection { control: cdb[2] >> 6, page: cdb[2] & 0x3F, subpage: cdb[3] }
}

fn comparison(options: u8) -> Result<Comparison, Refusal> {
    match options >> 1 & 3 {
        0 => Ok(Comparison::Medium),
        1 => Ok(Comparison::Bytes),
        3 => Ok(Comparison::OneBlock),
        _ => Err(Sense::of_cdb_byte(1).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any octets are a command or are refused.
        #[test]
        fn any_octets_decode(cdb in prop::collection::vec(any::<u8>(), 0..40), thin: bool) {
            if let Ok((command, operation)) = Command::decode(&cdb, thin) {
                prop_assert_eq!(operation.opcode, cdb[0]);
                prop_assert!(command.data_out_bytes(4096) <= u64::from(u32::MAX) * 4096);
            }
        }
    }

    #[test]
    fn every_row_of_the_table_has_a_command_of_its_own() {
        for operation in crate::operation::OPERATIONS {
            let mut cdb = [0; 16];
            cdb[0] = operation.opcode;
            cdb[1] =
                operation.action.unwrap_or(if matches!(operation.opcode, 0x15 | 0x55) { 0x10 } else { 0 });
            match operation.opcode {
                0xA0 => cdb[9] = 16,
                0x5F => cdb[8] = 24,
                _ => {}
            }
            let (command, _) = Command::decode(&cdb, true).unwrap();
            let is_compare = matches!(command, Command::CompareAndWrite { .. });
            assert_eq!(is_compare, operation.opcode == 0x89, "{:#04x}", operation.opcode);
        }
    }

    #[test]
    fn a_comparison_that_does_not_exist_is_refused() {
        let verify =
            |options| Command::decode(&[0x2F, options, 0, 0, 0, 0, 0, 0, 1, 0], false).map(|one| one.0);
        let range = BlockRange { first: 0, blocks: 1 };
        assert_eq!(verify(2), Ok(Command::Verify { range, comparison: Comparison::Bytes }));
        assert_eq!(verify(6), Ok(Command::Verify { range, comparison: Comparison::OneBlock }));
        assert_eq!(verify(4), Err(Sense::of_cdb_byte(1).into()));
    }
}
