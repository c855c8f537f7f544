//! Reads, writes and comparisons of blocks (SBC-3, 5).

use crate::command::Comparison;
use crate::limits::CHUNK_BYTES;
use crate::logical_blocks::LogicalBlocks;
use crate::range::BlockRange;
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};

/// Reads at most `room` bytes of a range into a buffer.
pub(crate) fn read<B: LogicalBlocks>(
    blocks: &mut B,
    range: BlockRange,
    room: u32,
    mut octets: Vec<u8>,
) -> Result<Vec<u8>, Refusal> {
    let block_bytes = u64::from(blocks.block_bytes());
    let bytes = range.bytes(blocks.block_bytes()).min(room.into());
    octets.clear();
    octets.resize((bytes.div_ceil(block_bytes) * block_bytes) as usize, 0);
    if !octets.is_empty() {
        blocks.read(range.first, &mut octets)?;
    }
    octets.truncate(bytes as usize);
    Ok(octets)
}

/// Returns the whole blocks at the begin of `octets`.
pub(crate) fn whole_blocks<B: LogicalBlocks>(blocks: &B, octets: &[u8]) -> usize {
    octets.len() - octets.len() % blocks.block_bytes() as usize
}

/// Writes whole blocks.
pub(crate) fn write<B: LogicalBlocks>(blocks: &mut B, first: u64, octets: &[u8]) -> Result<(), Refusal> {
    let octets = &octets[..whole_blocks(blocks, octets)];
    if octets.is_empty() { Ok(()) } else { Ok(blocks.write(first, octets)?) }
}

/// Writes whole blocks, with the bits on that the range has already.
pub(crate) fn or_write<B: LogicalBlocks>(
    blocks: &mut B,
    range: BlockRange,
    data_out: &[u8],
) -> Result<(), Refusal> {
    let octets = &data_out[..whole_blocks(blocks, data_out)];
    let given = BlockRange { blocks: (octets.len() / blocks.block_bytes() as usize) as u64, ..range };
    let mut present = read(blocks, given, u32::MAX, Vec::new())?;
    present.iter_mut().zip(octets).for_each(|(present, octet)| *present |= octet);
    write(blocks, range.first, &present)
}

/// Writes the same block over a range.
pub(crate) fn write_same<B: LogicalBlocks>(
    blocks: &mut B,
    range: BlockRange,
    block: &[u8],
) -> Result<(), Refusal> {
    let at_once = (CHUNK_BYTES / block.len()).max(1) as u64;
    let octets = block.repeat(at_once.min(range.blocks) as usize);
    for (first, count) in chunks(range, at_once) {
        blocks.write(first, &octets[..count as usize * block.len()])?;
    }
    Ok(())
}

/// Reads a range, and compares it with data-out as the comparison has it: of data-out, the whole blocks.
pub(crate) fn verify<B: LogicalBlocks>(
    blocks: &mut B,
    range: BlockRange,
    comparison: Comparison,
    data_out: &[u8],
) -> Result<(), Refusal> {
    let block_bytes = blocks.block_bytes() as usize;
    let given = (whole_blocks(blocks, data_out) / block_bytes) as u64;
    let range = match comparison {
        Comparison::Medium => range,
        Comparison::Bytes => BlockRange { blocks: range.blocks.min(given), ..range },
        Comparison::OneBlock => BlockRange { blocks: if given == 0 { 0 } else { range.blocks }, ..range },
    };
    let mut octets = Vec::new();
    for (first, count) in chunks(range, (CHUNK_BYTES / block_bytes) as u64) {
        octets.resize(count as usize * block_bytes, 0);
        blocks.read(first, &mut octets)?;
        let at = (first - range.first) as usize * block_bytes;
        let difference = match comparison {
            Comparison::Medium => None,
            Comparison::Bytes => first_difference(&octets, data_out[at..].iter()),
            Comparison::OneBlock => first_difference(&octets, data_out[..block_bytes].iter().cycle()),
        };
        if let Some(difference) = difference {
            return Err(miscompare(at + difference));
        }
    }
    Ok(())
}

/// Writes the second half of data-out over a range that has the first half; otherwise writes nothing.
pub(crate) fn compare_and_write<B: LogicalBlocks>(
    blocks: &mut B,
    range: BlockRange,
    data_out: &[u8],
) -> Result<(), Refusal> {
    let (expected, new) = data_out.split_at(data_out.len() / 2);
    let present = read(blocks, range, u32::MAX, Vec::new())?;
    match first_difference(&present, expected.iter()) {
        Some(difference) => Err(miscompare(difference)),
        None => write(blocks, range.first, new),
    }
}

fn miscompare(at: usize) -> Refusal {
    Sense::with_information(SenseCode::MISCOMPARE, at as u64).into()
}

fn first_difference<'a>(octets: &[u8], others: impl Iterator<Item = &'a u8>) -> Option<usize> {
    octets.iter().zip(others).position(|(one, other)| one != other)
}

/// Returns a range in pieces of at most so many blocks.
fn chunks(range: BlockRange, at_once: u64) -> impl Iterator<Item = (u64, u64)> {
    let pieces = range.blocks.div_ceil(at_once);
    (0..pieces).map(move |piece| {
        let before = piece * at_once;
        (range.first + before, at_once.min(range.blocks - before))
    })
}
