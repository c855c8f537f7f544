//! UNMAP: a list of ranges that give back their space (SBC-3, 5.28).

use halftrack_base::fields::{u16_at, u32_at, u64_at};

use crate::limits::{UNMAP_BLOCKS_MAX, UNMAP_DESCRIPTORS_MAX};
use crate::range::BlockRange;
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};

/// Bytes before the descriptors.
const HEADER_BYTES: usize = 8;
/// Bytes of a descriptor.
const DESCRIPTOR_BYTES: usize = 16;

/// Returns the ranges of a parameter list after all of them are checked; ranges of no blocks are left out.
pub(crate) fn ranges(list: &[u8], capacity: u64) -> Result<Vec<BlockRange>, Refusal> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    if list.len() < HEADER_BYTES {
        return Err(SenseCode::PARAMETER_LIST_LENGTH.into());
    }
    let bytes = usize::from(u16_at(list, 2));
    let descriptors = list[HEADER_BYTES..].get(..bytes).ok_or(SenseCode::PARAMETER_LIST_LENGTH)?;
    if usize::from(u16_at(list, 0)) + 2 > list.len() {
        return Err(SenseCode::PARAMETER_LIST_LENGTH.into());
    }
    if bytes % DESCRIPTOR_BYTES != 0 || bytes / DESCRIPTOR_BYTES > UNMAP_DESCRIPTORS_MAX as usize {
        return Err(Sense::of_list_byte(2).into());
    }
    let mut ranges = Vec::new();
    let mut blocks = 0;
    for (at, descriptor) in descriptors.chunks_exact(DESCRIPTOR_BYTES).enumerate() {
        let range = BlockRange { first: u64_at(descriptor, 0), blocks: u32_at(descriptor, 8).into() };
        range.check(capacity)?;
        blocks += range.blocks;
        if blocks > UNMAP_BLOCKS_MAX.into() {
            return Err(Sense::of_list_byte(HEADER_BYTES + at * DESCRIPTOR_BYTES + 8).into());
        }
        if range.blocks > 0 {
            ranges.push(range);
        }
    }
    Ok(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Builds a list of these ranges.
    fn list(ranges: &[(u64, u32)]) -> Vec<u8> {
        let bytes = (ranges.len() * DESCRIPTOR_BYTES) as u16;
        let mut list = [(bytes + 6).to_be_bytes(), bytes.to_be_bytes(), [0; 2], [0; 2]].concat();
        for (first, blocks) in ranges {
            list.extend(first.to_be_bytes());
            list.extend(blocks.to_be_bytes());
            list.extend([0; 4]);
        }
        list
    }

    #[test]
    fn no_blocks_at_the_end_are_fine_and_one_is_not() {
        assert_eq!(ranges(&list(&[(100, 0), (99, 1)]), 100), Ok(vec![BlockRange { first: 99, blocks: 1 }]));
        assert!(ranges(&list(&[(0, 1), (100, 1)]), 100).is_err());
        assert!(ranges(&list(&[(101, 0)]), 100).is_err());
    }

    #[test]
    fn the_limits_of_page_b0_hold() {
        let many = |count| ranges(&list(&vec![(0, 1); count]), 100).is_ok();
        assert!(many(256) && !many(257));
        assert!(ranges(&list(&[(0, 1 << 20)]), 1 << 30).is_ok());
        assert!(ranges(&list(&[(0, 1 << 20), (0, 1)]), 1 << 30).is_err());
    }

    proptest! {
        /// Any list gives ranges within the unit or is refused.
        #[test]
        fn any_list_stays_inside(list in prop::collection::vec(any::<u8>(), 0..80), capacity: u64) {
            for range in ranges(&list, capacity).unwrap_or_default() {
                prop_assert!(range.check(capacity).is_ok());
            }
        }
    }
}
