//! GET LBA STATUS: which blocks have space (SBC-3, 5.8).

use crate::logical_blocks::LogicalBlocks;
use crate::range::BlockRange;
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};

/// Bytes of the header, and of a descriptor.
const HEADER_BYTES: u32 = 8;
const DESCRIPTOR_BYTES: u32 = 16;
/// Most descriptors of one report. Our choice.
const DESCRIPTORS_MAX: u32 = 256;
/// Provisioning status of blocks without space.
const DEALLOCATED: u8 = 1;

/// Returns the descriptors from a block on, as many as there is room for, but at least one.
pub(crate) fn data<B: LogicalBlocks>(blocks: &B, first: u64, allocation: u32) -> Result<Vec<u8>, Refusal> {
    let capacity = blocks.blocks();
    if (BlockRange { first, blocks: 1 }).check(capacity).is_err() {
        return Err(Sense::with_information(SenseCode::LBA_OUT_OF_RANGE, first).into());
    }
    let room = (allocation.saturating_sub(HEADER_BYTES) / DESCRIPTOR_BYTES).clamp(1, DESCRIPTORS_MAX);
    let mut body = Vec::new();
    let mut at = first;
    for _ in 0..room {
        if at >= capacity {
            break;
        }
        let (is_mapped, run) = blocks.mapped_run(at);
        let run = run.clamp(1, u64::from(u32::MAX)).min(capacity - at);
        body.extend(at.to_be_bytes());
        body.extend((run as u32).to_be_bytes());
        body.extend([if is_mapped { 0 } else { DEALLOCATED }, 0, 0, 0]);
        at += run;
    }
    let mut data = (body.len() as u32 + 4).to_be_bytes().to_vec();
    data.extend([0; 4]);
    data.extend(body);
    Ok(data)
}
