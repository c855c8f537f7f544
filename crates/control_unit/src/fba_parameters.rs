//! Parameters of a fixed-block device, and its self-description, as Linux' driver has them.

use crate::chain::INVALID_PARAMETER;
use crate::sense::UnitCheck;

/// Bytes of Define Extent: mask, zero, block size, location, first and last block.
pub(crate) const BLOCK_DEFINE_EXTENT_BYTES: usize = 16;
/// Bytes of Locate: operation, auxiliary byte, block count, first block.
pub(crate) const LOCATE_BYTES: usize = 8;

/// Mask: write control; all writes inhibited.
const WRITE_CONTROL: u8 = 0xC0;
const INHIBIT_WRITES: u8 = 0x40;
/// Mask: bits that must be zero.
const MASK_RESERVED: u8 = 0x33;
/// Operations of Locate. Those that read replicated data or format defective blocks are not here.
const WRITE_DATA: u8 = 0x01;
const WRITE_AND_CHECK: u8 = 0x05;
const READ_DATA: u8 = 0x06;
/// The operation in its byte.
const OPERATION: u8 = 0x0F;

/// Control unit 6310 model 80, device 9336 model 10: the identification by which drivers detect fixed blocks. An
/// image does not contain the type of its device.
const SENSE_ID: [u8; 7] = [0xFF, 0x63, 0x10, 0x80, 0x93, 0x36, 0x10];
/// Bytes of Read Device Characteristics.
const CHARACTERISTICS_BYTES: usize = 32;
/// Operation modes (burst, data chaining) and features (movable access mechanism).
const MODES_AND_FEATURES: [u8; 2] = [0x30, 0x08];
/// Device class and unit type of a 9336.
const CLASS_AND_UNIT: [u8; 2] = [0x21, 0x11];
/// Blocks of a cyclical group and of an access position of a 9336-10.
const GROUP_BLOCKS: u32 = 63;
const POSITION_BLOCKS: u32 = 315;

/// Returns the big-endian word of parameters whose length is known.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |word| word.iter().fold(0, |value, &byte| value << 8 | u32::from(byte)))
}

/// The extent of a chain, in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockExtent {
    mask: u8,
    /// Where on the device its first block lies.
    location: u32,
    /// Numbers of its first and last block, as Locate names them.
    first: u32,
    last: u32,
}

impl BlockExtent {
    /// Returns the extent of Define Extent parameters for a device of so many blocks. The result is none when the
    /// extent lies outside the device, ends before it begins, has another block size or bits that must be zero.
    pub(crate) fn parse(
        parameters: &[u8; BLOCK_DEFINE_EXTENT_BYTES],
        block_bytes: u16,
        blocks: u32,
    ) -> Option<Self> {
        let [mask, zero, high, low, ..] = *parameters;
        let size = u16::from_be_bytes([high, low]);
        let extent = Self {
            mask,
            location: word(parameters, 4),
            first: word(parameters, 8),
            last: word(parameters, 12),
        };
        let valid = mask & MASK_RESERVED == 0 && zero == 0 && (size == 0 || size == block_bytes);
        let length = extent.last.checked_sub(extent.first)?;
        let end = extent.location.checked_add(length)?;
        (valid && end < blocks).then_some(extent)
    }

    /// Returns the whole device, unless it has no block.
    pub(crate) fn whole_device(blocks: u32) -> Option<Self> {
        Some(Self { mask: 0, location: 0, first: 0, last: blocks.checked_sub(1)? })
    }

    pub(crate) fn inhibits_writes(&self) -> bool {
        self.mask & WRITE_CONTROL == INHIBIT_WRITES
    }

    /// Returns the blocks of Locate parameters.
    pub(crate) fn locate(&self, parameters: &[u8; LOCATE_BYTES]) -> Result<Located, UnitCheck> {
        let [operation, _, high, low, ..] = *parameters;
        let writes = match operation & OPERATION {
            WRITE_DATA | WRITE_AND_CHECK => true,
            READ_DATA => false,
            _ => return Err(INVALID_PARAMETER),
        };
        let blocks = u32::from(u16::from_be_bytes([high, low]));
        let from = word(parameters, 4);
        let last = from.checked_add(blocks.checked_sub(1).ok_or(INVALID_PARAMETER)?);
        match last {
            Some(last) if from >= self.first && last <= self.last => {
                Ok(Located { block: self.location + (from - self.first), blocks_left: blocks, writes })
            }
            _ => Err(UnitCheck::FileProtected),
        }
    }
}

/// Blocks that were located and not yet moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Located {
    /// Number of the next on the device.
    pub block: u32,
    pub blocks_left: u32,
    /// They are to be written.
    pub writes: bool,
}

impl Located {
    /// Advances by one block that has moved.
    pub(crate) fn pass_one(&mut self) {
        self.block = self.block.saturating_add(1);
        self.blocks_left = self.blocks_left.saturating_sub(1);
    }
}

/// Returns the sense ID.
pub(crate) fn block_sense_id() -> [u8; SENSE_ID.len()] {
    SENSE_ID
}

/// Returns the read Device Characteristics.
pub(crate) fn block_characteristics(block_bytes: u16, blocks: u32) -> [u8; CHARACTERISTICS_BYTES] {
    let mut bytes = [0; CHARACTERISTICS_BYTES];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, &MODES_AND_FEATURES);
    put(2, &CLASS_AND_UNIT);
    put(4, &block_bytes.to_be_bytes());
    put(6, &GROUP_BLOCKS.to_be_bytes());
    put(10, &POSITION_BLOCKS.to_be_bytes());
    put(14, &blocks.to_be_bytes());
    bytes
}
