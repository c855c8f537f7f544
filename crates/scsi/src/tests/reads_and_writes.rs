//! Reads, writes and comparisons of blocks.

use proptest::prelude::*;

use crate::response::Refusal;
use crate::rig::{BLOCKS, Rig, cdb_10, cdb_16, finish, identity, lun_of};
use crate::{BlockFault, LogicalBlocks, Sense, SenseCode};

/// Returns bytes that differ from block to block.
fn pattern(seed: u8, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| seed ^ (at % 251) as u8 ^ (at >> 9) as u8).collect()
}

proptest! {
    /// A read has what the last write of each block left, whichever opcodes they have.
    #[test]
    fn a_read_has_what_was_written(
        writes in prop::collection::vec((0_u32..60, 1_u16..8, any::<u8>(), 0_usize..4), 1..20),
        large: bool,
    ) {
        let block_bytes = if large { 4096 } else { 512 };
        let mut rig = Rig::ready(block_bytes);
        let mut expected = vec![0; 80 * block_bytes as usize];
        for (first, blocks, seed, form) in writes {
            let data = pattern(seed, usize::from(blocks) * block_bytes as usize);
            let at = first as usize * block_bytes as usize;
            expected[at..at + data.len()].copy_from_slice(&data);
            let [high, low] = (first as u16).to_be_bytes();
            let sent = match form {
                0 => rig.send(1, 0, &[0x0A, 0, high, low, blocks as u8, 0], &data),
                1 => rig.send(1, 0, &cdb_10(0x2A, 0x08, first, blocks), &data),
                2 => rig.send(1, 0, &[0xAA, 0, 0, 0, high, low, 0, 0, 0, blocks as u8, 0, 0], &data),
                _ => rig.send(1, 0, &cdb_16(0x8E, 0x02, first.into(), blocks.into()), &data),
            };
            prop_assert_eq!(sent, None);
        }
        let eighth = expected.len() / 8;
        for (at, part) in expected.chunks(eighth).enumerate() {
            prop_assert_eq!(&rig.data(0, &cdb_16(0x88, 0, at as u64 * 10, 10)), part);
            prop_assert_eq!(&rig.data(0, &cdb_10(0x28, 0, at as u32 * 10, 10)), part);
            prop_assert_eq!(&rig.data(0, &[0x08, 0, 0, at as u8 * 10, 10, 0]), part);
            prop_assert_eq!(&rig.data(0, &[0xA8, 0, 0, 0, 0, at as u8 * 10, 0, 0, 0, 10, 0, 0]), part);
            prop_assert_eq!(rig.send(1, 0, &cdb_10(0x2F, 0x02, at as u32 * 10, 10), part), None);
        }
    }

    /// COMPARE AND WRITE writes all blocks or none, and names the first byte that differs.
    #[test]
    fn compare_and_write_is_all_or_nothing(blocks in 1_u8..10, changed in prop::option::of(0_usize..512)) {
        let mut rig = Rig::ready(512);
        let bytes = usize::from(blocks) * 512;
        let (old, new) = (pattern(1, bytes), pattern(2, bytes));
        prop_assert_eq!(rig.send(1, 0, &cdb_10(0x2A, 0, 5, blocks.into()), &old), None);
        let mut expected = old.clone();
        if let Some(at) = changed {
            expected[at] ^= 0x80;
        }
        let mut cdb = cdb_16(0x89, 0, 5, 0);
        cdb[13] = blocks;
        let code = rig.send(1, 0, &cdb, &[expected, new.clone()].concat());
        prop_assert_eq!(code, changed.map(|_| SenseCode::MISCOMPARE));
        let present = rig.data(0, &cdb_10(0x28, 0, 5, blocks.into()));
        prop_assert_eq!(present, if changed.is_some() { old } else { new });
    }
}

#[test]
fn blocks_past_the_last_are_refused_with_any_opcode() {
    let mut rig = Rig::ready(512);
    for opcode in [0x88, 0x8A, 0x8E, 0x8F, 0x90, 0x91, 0x93] {
        for (first, blocks) in
            [(BLOCKS, 1), (BLOCKS - 1, 2), (BLOCKS + 1, 1), (1 << 31, 1), (1 << 63, 1), (u64::MAX, 2)]
        {
            let code = rig.send(1, 0, &cdb_16(opcode, 0, first, blocks), &[0; 1024]);
            assert_eq!(code, Some(SenseCode::LBA_OUT_OF_RANGE), "{opcode:#04x} {first} {blocks}");
        }
    }
    for (first, code) in [(BLOCKS, None), (BLOCKS + 1, Some(SenseCode::LBA_OUT_OF_RANGE))] {
        assert_eq!(rig.code(1, 0, &cdb_16(0x88, 0, first, 0)), code, "no blocks at {first}");
    }
    let too_long = rig.code(1, 0, &cdb_16(0x88, 0, 0, u32::MAX));
    assert_eq!(too_long, Some(SenseCode::INVALID_FIELD_IN_CDB), "the limit comes before the range");
}

#[test]
fn a_difference_is_named_by_its_byte() {
    let mut rig = Rig::ready(512);
    let mut data = vec![0; 1024];
    data[700] = 1;
    assert_eq!(rig.send(1, 0, &cdb_10(0x2F, 0x02, 3, 2), &data), Some(SenseCode::MISCOMPARE));
    let response = rig.run(
        crate::rig::nexus(1),
        lun_of(0),
        &cdb_10(0x2F, 0x02, 3, 2),
        crate::Transfer::Out(1024),
        &data,
    );
    assert_eq!(response.sense[..7], [0xF0, 0, 0x0E, 0, 0, 2, 188]);
    assert_eq!(rig.send(1, 0, &cdb_10(0x2F, 0x06, 3, 100), &[0; 512]), None, "one block, 100 times");
    assert_eq!(rig.send(1, 0, &cdb_10(0x2F, 0x06, 3, 100), &[1; 512]), Some(SenseCode::MISCOMPARE));
    assert_eq!(rig.code(1, 0, &cdb_10(0x2F, 0, 3, 100)), None, "the medium alone");
}

#[test]
fn write_same_repeats_its_block_and_nothing_more() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.send(1, 1, &cdb_10(0x41, 0, 10, 900), &[7; 512]), None);
    let read = rig.data(1, &cdb_10(0x28, 0, 9, 3));
    assert_eq!((read[511], read[512], read[1535]), (0, 7, 7));
    let read = rig.data(1, &cdb_10(0x28, 0, 909, 2));
    assert_eq!((read[511], read[512]), (7, 0));
    assert_eq!(rig.send(1, 1, &cdb_16(0x93, 0x01, 10, 1), &[]), None, "without data-out: zeros");
    assert_eq!(rig.data(1, &cdb_10(0x28, 0, 10, 1)), [0; 512]);
    let invalid = Some(SenseCode::INVALID_FIELD_IN_CDB);
    assert_eq!(rig.send(1, 1, &cdb_10(0x41, 0, 10, 0), &[7; 512]), invalid, "no blocks");
    assert_eq!(rig.send(1, 1, &cdb_10(0x41, 0, 10, 1), &[7; 1024]), invalid, "two blocks of data");
    assert_eq!(rig.send(1, 1, &cdb_10(0x41, 0, 10, 1), &[7; 256]), invalid, "half a block of data");
    assert_eq!(rig.send(1, 1, &cdb_10(0x41, 0x08, 10, 1), &[7; 512]), invalid, "a full unit has no UNMAP");
}

/// Blocks that count flushes and fail on request.
struct Failing(u32, Option<BlockFault>);

impl LogicalBlocks for Failing {
    fn block_bytes(&self) -> u32 {
        512
    }

    fn blocks(&self) -> u64 {
        10
    }

    fn has_write_cache(&self) -> bool {
        true
    }

    fn read(&mut self, _: u64, _: &mut [u8]) -> Result<(), BlockFault> {
        self.1.map_or(Ok(()), Err)
    }

    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), BlockFault> {
        self.1.map_or(Ok(()), Err)
    }

    fn unmap(&mut self, _: u64, _: u64) -> Result<(), BlockFault> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BlockFault> {
        self.0 += 1;
        Ok(())
    }
}

#[test]
fn the_cache_is_flushed_when_a_command_or_its_page_demands_it() {
    let mut unit = crate::LogicalUnit::new(Failing(0, None), identity(0), 1);
    let mut off = vec![0, 0, 0, 0, 8, 0x12];
    off.resize(24, 0);
    let steps: [(&[u8], &[u8], u32, &str); 5] = [
        (&cdb_10(0x2A, 0, 0, 1), &[0; 512], 0, "gathered"),
        (&cdb_10(0x2A, 0x08, 0, 1), &[0; 512], 1, "FUA"),
        (&cdb_10(0x35, 0, 0, 0), &[], 2, "SYNCHRONIZE CACHE"),
        (&[0x15, 0x10, 0, 0, 24, 0], &off, 3, "the cache is switched off"),
        (&cdb_10(0x2A, 0, 0, 1), &[0; 512], 4, "each write is flushed"),
    ];
    for (cdb, data, flushes, why) in steps {
        assert_eq!(finish(&mut unit, cdb, data), Ok(()));
        assert_eq!(unit.blocks().0, flushes, "{why}");
    }
}

#[test]
fn a_fault_of_the_medium_has_its_sense() {
    for (fault, code) in [
        (BlockFault::Unwritable, SenseCode::WRITE_ERROR),
        (BlockFault::NoSpace, SenseCode::SPACE_EXHAUSTED),
        (BlockFault::Internal, SenseCode::INTERNAL_FAILURE),
        (BlockFault::WriteProtected, SenseCode::WRITE_PROTECTED),
    ] {
        let mut unit = crate::LogicalUnit::new(Failing(0, Some(fault)), identity(0), 1);
        assert_eq!(finish(&mut unit, &cdb_10(0x2A, 0, 0, 1), &[0; 512]), Err(Refusal::from(code)));
    }
    let mut unit = crate::LogicalUnit::new(Failing(0, Some(BlockFault::Unreadable(3))), identity(0), 1);
    let expected = Sense::with_information(SenseCode::UNRECOVERED_READ_ERROR, 3);
    assert_eq!(finish(&mut unit, &cdb_10(0x2F, 0, 0, 4), &[]), Err(expected.into()));
}

#[test]
fn a_compare_and_write_of_no_blocks_takes_no_data() {
    let mut rig = Rig::ready(512);
    let none = cdb_16(0x89, 0, 0, 0);
    assert_eq!(rig.send(1, 0, &none, &[]), None);
    assert_eq!(rig.send(1, 0, &none, &[0; 1024]), Some(SenseCode::INVALID_FIELD_IN_CDB));
}

#[test]
fn an_or_write_turns_bits_on_and_none_off() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.send(1, 0, &cdb_10(0x2A, 0, 5, 2), &[0x0F; 1024]), None);
    let data = [vec![0x81; 512], vec![0x40; 512]].concat();
    assert_eq!(rig.send(1, 0, &cdb_16(0x8B, 0x08, 5, 2), &data), None);
    let found = rig.data(0, &cdb_10(0x28, 0, 5, 2));
    assert_eq!(found, [vec![0x8F; 512], vec![0x4F; 512]].concat());
    let end = cdb_16(0x8B, 0, BLOCKS, 1);
    assert_eq!(rig.send(1, 0, &end, &[0; 512]), Some(SenseCode::LBA_OUT_OF_RANGE));
}
