//! Areas of every kind, and every fault that moving data can meet.

use super::*;
use crate::main_storage::StorageKey;
use crate::orb::OrbFlags;
use crate::rig::{Answer, PROGRAM, Rig, ccw, pattern, status_of};
use crate::storage::StorageFault;

const CD: u8 = 0x80;
const SLI: u8 = 0x20;
const SKIP: u8 = 0x10;
const IDA: u8 = 0x04;
const MIDA: u8 = 0x01;
const WRITE: u8 = 0x05;
const READ: u8 = 0x06;
const READ_BACKWARD: u8 = 0x0C;
const LIST: u32 = 0x8000;
const END: u32 = PROGRAM + 8;

fn put_idaws(rig: &mut Rig, addresses: &[u64]) {
    let octets: Vec<u8> = match rig.idaw_format {
        IdawFormat::One => addresses.iter().flat_map(|address| (*address as u32).to_be_bytes()).collect(),
        _ => addresses.iter().flat_map(|address| address.to_be_bytes()).collect(),
    };
    rig.put(u64::from(LIST), &octets);
}

fn put_midaws(rig: &mut Rig, at: u64, midaws: &[(u8, u16, u64)]) {
    for (index, (flags, count, address)) in midaws.iter().enumerate() {
        let midaw = Midaw { flags: MidawFlags(*flags), count: *count, address: *address };
        rig.put(at + 16 * index as u64, &midaw.emit());
    }
    rig.flags = OrbFlags::MIDAWS;
}

#[test]
fn idaws_of_every_format_scatter_and_gather() {
    for (format, block) in
        [(IdawFormat::One, 2048), (IdawFormat::TwoWith2K, 2048), (IdawFormat::TwoWith4K, 4096)]
    {
        let mut rig = Rig::with([Answer::Gives(pattern(2 * block)), Answer::Takes(u32::MAX)]);
        rig.idaw_format = format;
        // From 100 bytes before the end of a block, over a whole one, to what is left.
        put_idaws(&mut rig, &[0x1_2000 - 100, 0x2_4000, 0x1_5000]);
        let count = 2 * block as u16;
        let scsw = rig.run(&[ccw(READ, 0x40 | IDA, count, LIST), ccw(WRITE, IDA, count, LIST)]);
        assert_eq!(status_of(&scsw), (0x0C, 0, 0, PROGRAM + 16), "{format:?}");
        let octets = pattern(2 * block);
        assert_eq!(rig.at(0x1_2000 - 100, 100), &octets[..100]);
        assert_eq!(rig.at(0x2_4000, block), &octets[100..100 + block]);
        assert_eq!(rig.at(0x1_5000, block - 100), &octets[100 + block..]);
        assert_eq!(rig.at(0x1_5000 + block as u64 - 100, 1), [0]);
        assert_eq!(rig.device.commands[1].1, octets);
    }
}

#[test]
fn a_wrong_first_idaw_keeps_the_command_from_the_device() {
    for (address, what) in [(LIST + 4, "list off its boundary"), (0x10_0000, "no storage")] {
        let mut rig = Rig::new();
        let scsw = rig.run(&[ccw(READ, IDA, 4096, address)]);
        assert_eq!((status_of(&scsw), rig.device.commands.len()), ((0, 0x20, 4096, END), 0), "{what}");
    }
    let mut rig = Rig::new();
    rig.idaw_format = IdawFormat::One;
    rig.put(u64::from(LIST), &[0x80, 0, 0, 0]);
    assert_eq!(status_of(&rig.run(&[ccw(READ, IDA, 80, LIST)])), (0, 0x20, 80, END), "bit 0 on");
}

#[test]
fn a_wrong_later_idaw_ends_the_command_where_it_is_met() {
    let mut rig = Rig::with([Answer::Gives(pattern(8192))]);
    put_idaws(&mut rig, &[0x1_0000, 0x1_1800]);
    let scsw = rig.run(&[ccw(READ, IDA, 8192, LIST)]);
    assert_eq!(status_of(&scsw), (0x0C, 0x20, 4096, END));
    assert_eq!(rig.at(0x1_0000, 4096), &pattern(4096)[..]);
}

#[test]
fn midaws_scatter_and_skip() {
    let mut rig = Rig::with([Answer::Gives(pattern(4096 + 9000 + 32))]);
    let list = [(0, 4096, 0x1_0000), (0x40, 9000, 0xFFFF_FFFF_FFFF), (0x80, 32, 0x1_2FE0)];
    put_midaws(&mut rig, u64::from(LIST), &list);
    let scsw = rig.run(&[ccw(READ, MIDA, 13_128, LIST)]);
    assert_eq!(status_of(&scsw), (0x0C, 0, 0, END));
    let octets = pattern(13_128);
    assert_eq!(rig.at(0x1_0000, 4096), &octets[..4096]);
    assert_eq!(rig.at(0x1_2FE0, 33), [&octets[13_096..], &[0]].concat());
}

#[test]
fn midaws_gather() {
    let mut rig = Rig::new();
    put_midaws(&mut rig, u64::from(LIST), &[(0, 3, 0x2000), (0x80, 2, 0x3000)]);
    rig.put(0x2000, &[1, 2, 3, 4]);
    rig.put(0x3000, &[5, 6, 7]);
    assert_eq!(status_of(&rig.run(&[ccw(WRITE, MIDA, 5, LIST)])), (0x0C, 0, 0, END));
    assert_eq!(rig.device.commands[0].1, [1, 2, 3, 5, 6]);
}

/// Returns the status word and the commands executed of a read of 4100 bytes by the MIDAWs.
fn midaw_ending(at: u32, midaws: &[(u8, u16, u64)]) -> ((u8, u8, u16, u32), usize) {
    let mut rig = Rig::with([Answer::Gives(pattern(4100))]);
    put_midaws(&mut rig, u64::from(at), midaws);
    (status_of(&rig.run(&[ccw(READ, MIDA, 4100, at)])), rig.device.commands.len())
}

#[test]
fn midaws_keep_their_rules() {
    let good = [(0, 4096, 0x1_0000), (0x80, 4, 0x1_1000)];
    assert_eq!(midaw_ending(LIST, &good), ((0x0C, 0, 0, END), 1));
    assert_eq!(midaw_ending(LIST + 8, &good), ((0, 0x20, 4100, END), 0), "off its boundary");
    assert_eq!(midaw_ending(LIST + 4080, &good), ((0x0C, 0x20, 4, END), 1), "the list crosses a page");
    for (what, first) in [
        ("no count", (0, 0, 0x1_0000)),
        ("a page crossed", (0, 4096, 0x1_0001)),
        ("last too early", (0x80, 4096, 0x1_0000)),
        ("data-transfer interruption", (0x20, 4096, 0x1_0000)),
        ("reserved flags", (0x01, 4096, 0x1_0000)),
    ] {
        assert_eq!(midaw_ending(LIST, &[first, good[1]]), ((0, 0x20, 4100, END), 0), "{what}");
    }
    for (what, last) in [
        ("not marked as the last", (0, 4, 0x1_1000)),
        ("longer than the count", (0x80, 5, 0x1_1000)),
        ("last before the count", (0x80, 3, 0x1_1000)),
    ] {
        assert_eq!(midaw_ending(LIST, &[good[0], last]), ((0x0C, 0x20, 4, END), 1), "{what}");
    }
}

#[test]
fn a_midaw_of_output_skips_nothing() {
    let mut rig = Rig::new();
    put_midaws(&mut rig, u64::from(LIST), &[(0xC0, 3, 0x2000)]);
    rig.put(0x2000, &[1, 2, 3]);
    assert_eq!(status_of(&rig.run(&[ccw(WRITE, MIDA, 3, LIST)])), (0x0C, 0, 0, END));
    assert_eq!(rig.device.commands[0].1, [1, 2, 3]);
    put_midaws(&mut rig, u64::from(LIST), &[(0xC0, 4097, 0x2000)]);
    assert_eq!(status_of(&rig.run(&[ccw(WRITE, MIDA, 4097, LIST)])), (0, 0x20, 4097, END), "over a page");
}

#[test]
fn a_data_chain_is_one_area_and_skips_parts_of_it() {
    let mut rig = Rig::with([Answer::Gives(pattern(12))]);
    let chain = [ccw(READ, CD, 4, 0x2000), ccw(0, CD | SKIP, 5, u32::MAX >> 1), ccw(0, 0, 3, 0x3000)];
    assert_eq!(status_of(&rig.run(&chain)), (0x0C, 0, 0, PROGRAM + 24));
    assert_eq!((rig.at(0x2000, 5), rig.at(0x3000, 4)), (&[1, 2, 3, 4, 0][..], &[10, 11, 12, 0][..]));
}

#[test]
fn a_data_chain_that_ends_early_is_incorrect_length_whatever_suppresses_it() {
    let chain = [ccw(READ, CD | SLI, 4, 0x2000), ccw(0, SLI, 5, 0x3000)];
    let mut rig = Rig::with([Answer::Gives(pattern(3))]);
    assert_eq!(status_of(&rig.run(&chain)), (0x0C, 0x40, 1, PROGRAM + 8), "within the first");
    let mut rig = Rig::with([Answer::Gives(pattern(4))]);
    assert_eq!(
        status_of(&rig.run(&chain)),
        (0x0C, 0, 5, PROGRAM + 16),
        "the last one used has its own flags"
    );
    let mut rig = Rig::with([Answer::Gives(pattern(4))]);
    let strict = [chain[0], ccw(0, 0, 5, 0x3000)];
    assert_eq!(status_of(&rig.run(&strict)), (0x0C, 0x40, 5, PROGRAM + 16));
}

#[test]
fn a_transfer_in_channel_joins_a_data_chain() {
    let mut rig = Rig::with([Answer::Gives(pattern(6))]);
    rig.put_ccws(0x1800, &[ccw(0x02, 0, 2, 0x3000)]);
    let scsw = rig.run(&[ccw(READ, CD, 4, 0x2000), ccw(0x08, 0, 0, 0x1800)]);
    assert_eq!(status_of(&scsw), (0x0C, 0, 0, 0x1808));
    assert_eq!((rig.at(0x2000, 4), rig.at(0x3000, 2)), (&[1, 2, 3, 4][..], &[5, 6][..]));
}

#[test]
fn octets_before_a_fault_have_moved() {
    let mut rig = Rig::with([Answer::Gives(pattern(4096))]);
    rig.key = 6;
    rig.storage.set_key(0x2000, StorageKey::new(6, false)).unwrap();
    rig.storage.set_key(0x3000, StorageKey::new(7, false)).unwrap();
    let scsw = rig.run(&[ccw(READ, 0x40 | SLI, 4096, 0x2800), ccw(READ, 0, 1, 0)]);
    assert_eq!(status_of(&scsw), (0x0C, 0x10, 2048, END));
    assert_eq!(rig.at(0x2800, 2048), &pattern(2048)[..]);
    assert_eq!(rig.at(0x3000, 1), [0]);
    assert_eq!(rig.device.commands.len(), 1, "the chain is broken");
}

#[test]
fn an_area_outside_storage_is_a_program_check() {
    let mut rig = Rig::new();
    assert_eq!(status_of(&rig.run(&[ccw(READ, 0, 4096, 0x3_F800)])), (0x0C, 0x20, 2048, END));
    assert_eq!(status_of(&rig.run(&[ccw(READ, 0, 4096, 0x7FFF_FFFF)])), (0x0C, 0x20, 4096, END));
}

#[test]
fn an_area_does_not_go_past_24_bits_in_format_0() {
    let (mut storage, mut observer) = (Wide, ());
    let mut walk = CcwWalk::new(crate::ccw::CcwFormat::Zero, 0, OrbFlags(0), PROGRAM, 9);
    let read = ccw(READ, 0, 16, 0x00FF_FFF8);
    let mut areas = CommandAreas::new(&mut storage, &mut observer, &mut walk, IdawFormat::One, &read);
    assert_eq!(areas.give(Octets::Bytes(&[1; 16])), 8);
    assert_eq!((areas.fault(), areas.left()), (PROGRAM_CHECK, 8));
}

#[test]
fn a_write_whose_first_octet_cannot_be_fetched_does_not_begin() {
    let mut rig = Rig::new();
    rig.key = 6;
    rig.storage.set_key(0x2000, StorageKey::new(7, true)).unwrap();
    assert_eq!(status_of(&rig.run(&[ccw(WRITE, 0, 80, 0x2000)])), (0, 0x10, 80, END));
    assert_eq!(rig.device.commands.len(), 0);
    assert_eq!(
        status_of(&rig.run(&[ccw(WRITE, 0, 4096, 0x1800)])),
        (0x0C, 0x10, 2048, END),
        "a later one ends it"
    );
    assert_eq!(rig.device.commands[0].1.len(), 2048);
}

#[test]
fn what_a_device_says_of_data_that_broke_off_is_not_presented() {
    let mut rig = Rig::new();
    rig.key = 6;
    rig.storage.set_key(0x2000, StorageKey::new(7, true)).unwrap();
    rig.device.answers.push_back(Answer::Takes(16));
    let irb = rig.run_irb(&[ccw(0x63, 0x40, 16, 0x2000), ccw(READ, 0, 80, 0x3000)]);
    assert_eq!(status_of(&crate::rig::command_scsw(&irb)), (0x0C, 0x10, 16, END));
    assert_eq!(irb.sense, None);
}

#[test]
fn reading_backward_stores_from_high_to_low() {
    let mut rig = Rig::with([Answer::Gives(vec![1, 2, 3])]);
    assert_eq!(status_of(&rig.run(&[ccw(READ_BACKWARD, 0, 3, 0x2002)])), (0x0C, 0, 0, END));
    assert_eq!(rig.at(0x1FFF, 5), [0, 3, 2, 1, 0]);
    let mut rig = Rig::with([Answer::Gives(vec![1, 2, 3])]);
    put_idaws(&mut rig, &[0x2_1001, 0x2_3FFF]);
    assert_eq!(status_of(&rig.run(&[ccw(READ_BACKWARD, IDA, 3, LIST)])), (0x0C, 0, 0, END));
    assert_eq!((rig.at(0x2_1000, 2), rig.at(0x2_3FFF, 1)), (&[2, 1][..], &[3][..]));
    let mut rig = Rig::with([Answer::Gives(vec![1, 2, 3])]);
    put_idaws(&mut rig, &[0x2_1001, 0x2_3000]);
    assert_eq!(
        status_of(&rig.run(&[ccw(READ_BACKWARD, IDA, 3, LIST)])),
        (0x0C, 0x20, 1, END),
        "not at the end"
    );
    let mut rig = Rig::with([Answer::Gives(vec![1, 2, 3])]);
    assert_eq!(status_of(&rig.run(&[ccw(READ_BACKWARD, 0, 3, 1)])), (0x0C, 0x20, 1, END), "below 0");
    let mut rig = Rig::new();
    put_midaws(&mut rig, u64::from(LIST), &[(0x80, 3, 0x2000)]);
    assert_eq!(status_of(&rig.run(&[ccw(READ_BACKWARD, MIDA, 3, LIST)])), (0, 0x20, 3, END), "MIDAWs");
}

#[test]
fn octets_that_nobody_keeps_are_zeros() {
    let mut rig = Rig::with([Answer::GivesCount(9000)]);
    rig.storage.bytes_mut()[0x8000..0xC000].fill(0xEE);
    assert_eq!(status_of(&rig.run(&[ccw(READ, 0, 9000, 0x9000)])), (0x0C, 0, 0, END));
    assert_eq!(rig.at(0x8FFF, 2), [0xEE, 0]);
    assert!(rig.at(0x9000, 9000).iter().all(|byte| *byte == 0));
    assert_eq!(rig.at(0x9000 + 9000, 1), [0xEE]);
}

/// Storage without end that cannot correct the page at 0x5000.
struct Wide;

impl Wide {
    const DAMAGED: std::ops::Range<u64> = 0x5000..0x6000;

    fn run(address: u64, limit: usize) -> Result<usize, StorageFault> {
        if Self::DAMAGED.contains(&address) {
            return Err(StorageFault::CheckingBlock);
        }
        Ok(limit.min(64).min((address | 63).abs_diff(address) as usize + 1))
    }
}

impl Storage for Wide {
    fn fetch(&mut self, address: u64, limit: u32, _: u8) -> Result<&[u8], StorageFault> {
        static OCTETS: [u8; 64] = [0; 64];
        Self::run(address, limit as usize).map(|run| &OCTETS[..run])
    }

    fn store(&mut self, address: u64, octets: &[u8], _: u8) -> Result<usize, StorageFault> {
        Self::run(address, octets.len())
    }
}

#[test]
fn storage_that_cannot_be_corrected_is_a_data_or_a_control_check() {
    let (mut storage, mut observer) = (Wide, ());
    let mut walk = CcwWalk::new(crate::ccw::CcwFormat::One, 0, OrbFlags(0), 0x5000, 9);
    let read = ccw(READ, 0, 0x200, 0x4F00);
    let mut areas = CommandAreas::new(&mut storage, &mut observer, &mut walk, IdawFormat::One, &read);
    assert_eq!(areas.give(Octets::Bytes(&[1; 0x200])), 0x100);
    assert_eq!(areas.fault(), SubchannelStatus::CHANNEL_DATA_CHECK);
    let listed = ccw(READ, IDA, 0x200, 0x5000);
    let mut areas = CommandAreas::new(&mut storage, &mut observer, &mut walk, IdawFormat::One, &listed);
    assert_eq!(areas.prepare(), SubchannelStatus::CHANNEL_CONTROL_CHECK);
    let fetched = walk.fetch(&mut Wide, &mut (), Reached::Start);
    assert_eq!(fetched, Err(SubchannelStatus::CHANNEL_CONTROL_CHECK));
}
