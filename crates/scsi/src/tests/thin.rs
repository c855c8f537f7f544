//! Thin units.

use crate::rig::{Rig, cdb_10, cdb_16};
use crate::{LogicalBlocks, MemoryBlocks, SenseCode};

/// Returns the list of UNMAP for one range.
fn list(first: u64, blocks: u32) -> Vec<u8> {
    let mut list = vec![0, 22, 0, 16, 0, 0, 0, 0];
    list.extend(first.to_be_bytes());
    list.extend(blocks.to_be_bytes());
    list.extend([0; 4]);
    list
}

const UNMAP: [u8; 10] = [0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0];

#[test]
fn unmapped_blocks_read_as_zeros_and_give_their_space_back() {
    let mut rig = Rig::new([MemoryBlocks::thin(512, 100, 4)]);
    rig.admit(1);
    assert_eq!(rig.send(1, 0, &cdb_10(0x2A, 0, 0, 4), &[5; 2048]), None);
    assert_eq!(rig.send(1, 0, &cdb_10(0x2A, 0, 4, 1), &[5; 512]), Some(SenseCode::SPACE_EXHAUSTED));
    assert_eq!(rig.send(1, 0, &UNMAP, &list(1, 2)), None);
    let read = rig.data(0, &cdb_10(0x28, 0, 0, 4));
    assert_eq!([0, 512, 1535, 1536].map(|at| read[at]), [5, 0, 0, 5]);
    assert_eq!(rig.send(1, 0, &cdb_16(0x93, 0x09, 3, 1), &[]), None);
    assert_eq!(rig.target.units()[0].blocks().space().unwrap().used, 1);
    assert_eq!(rig.send(1, 0, &cdb_16(0x93, 0x08, 3, 2), &[6; 512]), None, "not zeros: written");
    assert_eq!(rig.data(0, &cdb_10(0x28, 0, 4, 1)), [6; 512]);
}

#[test]
fn a_list_is_checked_before_anything_is_unmapped() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.send(1, 0, &cdb_10(0x2A, 0, 0, 1), &[5; 512]), None);
    let mut two = list(0, 1);
    two[1] += 16;
    two[3] += 16;
    two.extend(&list(1000, 1)[8..]);
    let mut cdb = UNMAP;
    cdb[8] = 40;
    assert_eq!(rig.send(1, 0, &cdb, &two), Some(SenseCode::LBA_OUT_OF_RANGE));
    assert_eq!(rig.data(0, &cdb_10(0x28, 0, 0, 1)), [5; 512]);
    assert_eq!(rig.send(1, 0, &UNMAP, &list(1000, 0)), None, "no blocks at the end");
    assert_eq!(rig.send(1, 0, &UNMAP, &list(0, 1)[..8]), Some(SenseCode::PARAMETER_LIST_LENGTH));
}

#[test]
fn a_full_unit_has_no_unmap_and_its_pages_show_none() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.send(1, 1, &UNMAP, &list(0, 1)), Some(SenseCode::INVALID_OPCODE));
    let (thin, full) = (rig.data(0, &[0x12, 1, 0xB2, 1, 0, 0]), rig.data(1, &[0x12, 1, 0xB2, 1, 0, 0]));
    assert_eq!((&thin[4..], &full[4..]), (&[0, 0xE4, 2, 0][..], &[0; 4][..]));
    let (thin, full) = (rig.data(0, &[0x12, 1, 0xB0, 1, 0, 0]), rig.data(1, &[0x12, 1, 0xB0, 1, 0, 0]));
    assert_eq!((thin[22], full[22]), (0, 0));
    assert_eq!((&thin[20..24], &full[20..24]), (&[0, 0x10, 0, 0][..], &[0; 4][..]));
}

#[test]
fn the_status_of_blocks_begins_at_the_block_of_the_command() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.send(1, 0, &cdb_10(0x2A, 0, 10, 2), &[5; 1024]), None);
    let status = |first, allocation| cdb_16(0x9E, 0x12, first, allocation);
    let run = |first: u64, blocks: u32, status| {
        [&first.to_be_bytes()[..], &blocks.to_be_bytes(), &[status, 0, 0, 0]].concat()
    };
    let data = rig.data(0, &status(3, 1000));
    assert_eq!(data[8..], [run(3, 7, 1), run(10, 2, 0), run(12, 988, 1)].concat());
    assert_eq!(data[..4], [0, 0, 0, 52]);
    assert_eq!(rig.data(0, &status(11, 24))[8..], run(11, 1, 0));
    assert_eq!(rig.data(1, &status(11, 1000))[8..], run(11, 989, 0), "a full unit");
    assert_eq!(rig.code(1, 0, &status(1000, 24)), Some(SenseCode::LBA_OUT_OF_RANGE));
}
