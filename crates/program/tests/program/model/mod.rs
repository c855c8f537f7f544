//! The interpreter against an independent, slow and obvious model of a channel, over random programs.

mod channel;
mod device;

use channel::{Channel, Ending, Start};
use device::{Action, Listed, ListedDevice};
use halftrack_program::{
    ActivityControl, CcwFormat, ConditionCode, IdawFormat, MainStorage, Midaw, MidawFlags, Orb, OrbFlags,
    OrbProgram, Pmcw, Scsw, StorageKey, Subchannel,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

const STORAGE: usize = 0x1_0000;
const PROGRAM: u32 = 0x1000;
const LISTS: u32 = 0x2000;
/// Bytes of a list.
const LIST: u32 = 0x200;
/// Data lie from here on, so that no program writes over itself or its lists: the model reads a list again for every
/// octet.
const DATA: u64 = 0xA000;

/// A CCW before its list is made.
#[derive(Debug, Clone)]
struct Word {
    command: u8,
    flags: u8,
    count: u16,
    address: u64,
    /// Variable part of its list.
    list: Vec<(u64, u8)>,
}

/// A case: a program in storage, the ORB, and what the device does.
#[derive(Debug, Clone)]
struct Case {
    words: Vec<Word>,
    start: Start,
    idaw_format: IdawFormat,
    keys: Vec<(u8, bool)>,
    actions: Vec<Action>,
}

fn address() -> impl Strategy<Value = u64> {
    prop_oneof![9 => DATA..STORAGE as u64, 1 => DATA..STORAGE as u64 + 0x2000]
}

fn word() -> impl Strategy<Value = Word> {
    let command = prop_oneof![
        12 => prop::sample::select(vec![0x06, 0x05, 0x02, 0x01, 0x04, 0x63]),
        4 => prop::sample::select(vec![0x03, 0x31, 0x08, 0x0C]),
        1 => any::<u8>(),
    ];
    // Chaining is likely, what ends a program by itself is not.
    let flags = (
        prop::sample::select(vec![0x40, 0x60, 0x60, 0x60, 0x60, 0x60, 0x80, 0xA0, 0x20]),
        prop::sample::select(vec![0, 0, 0, 0, 0, 0x04, 0x04, 0x04, 0x01, 0x01, 0x01, 0x10, 0x08, 0x02, 0x05]),
    );
    let count = prop::sample::select(vec![0, 1, 2, 5, 16, 100, 2048, 4096, 5000]);
    let list = prop::collection::vec((address(), any::<u8>()), 8);
    (command, flags, count, address(), list).prop_map(|(command, (chain, area), count, address, list)| Word {
        command,
        flags: chain | area,
        count,
        address,
        list,
    })
}

fn action() -> impl Strategy<Value = Action> {
    let octets = prop::sample::select(vec![0, 1, 2, 5, 16, 100, 2048, 4096, 6000]);
    let status =
        prop::sample::select(vec![0x0C, 0x0C, 0x0C, 0x0C, 0x0C, 0x0C, 0x4C, 0x0E, 0x0D, 0x08, 0x10, 0x1C]);
    (octets, prop::sample::select(vec![1, 7, 512, 8192]), status, prop::bool::weighted(0.1)).prop_map(
        |(octets, at_a_time, status, is_immediate)| Action { octets, at_a_time, status, is_immediate },
    )
}

fn case() -> impl Strategy<Value = Case> {
    let formats = prop::sample::select(vec![
        (IdawFormat::One, (4, 2048)),
        (IdawFormat::TwoWith2K, (8, 2048)),
        (IdawFormat::TwoWith4K, (8, 4096)),
    ]);
    let key = prop_oneof![3 => Just((6, false)), 1 => Just((7, false)), 1 => Just((7, true))];
    (
        prop::collection::vec(word(), 1..8),
        (any::<bool>(), any::<bool>(), prop::bool::weighted(0.8), any::<bool>(), prop::bool::weighted(0.6)),
        formats,
        prop::collection::vec(key, STORAGE / 4096),
        prop::collection::vec(action(), 1..8),
    )
        .prop_map(
            |(words, (format_1, suspend, midaws, suppress_length, keyed), format, mut keys, actions)| {
                // Only a few programs should fail to be fetched.
                keys[1] = (6, false);
                let start = Start {
                    key: if keyed { 6 } else { 0 },
                    format_1,
                    idaw: format.1,
                    suspend,
                    midaws,
                    suppress_length,
                    address: u64::from(PROGRAM),
                };
                Case { words, start, idaw_format: format.0, keys, actions }
            },
        )
}

/// Returns the octets of a list for `word`, most of the time a right one.
fn list(word: &Word, idaw_bytes: u64, block: u64) -> Vec<u8> {
    if word.flags & 1 == 0 {
        let aligned = |index: usize, address: u64, chance: u8| match (index, chance) {
            (0, _) | (_, 0..8) => address,
            _ if word.command & 0x0F == 0x0C => address | (block - 1),
            _ => address & !(block - 1),
        };
        let idaws = word.list.iter().enumerate().map(|(index, (at, chance))| aligned(index, *at, *chance));
        return idaws.flat_map(|idaw| idaw.to_be_bytes()[8 - idaw_bytes as usize..].to_vec()).collect();
    }
    let mut left = word.count;
    let mut octets = Vec::new();
    for (index, (address, chance)) in word.list.iter().enumerate() {
        let room = (4096 - address % 4096) as u16;
        let is_end = index + 1 == word.list.len() || left <= room && chance % 2 == 0;
        let count = if is_end { left } else { left.min(room).min(1 + u16::from(*chance) * 16) };
        left -= count;
        let flags = if left == 0 { 0x80 } else { 0 } | if chance % 8 == 7 { 0x40 } else { 0 };
        let flags = if *chance == 3 { flags ^ 0x80 } else { flags };
        octets.extend_from_slice(&Midaw { flags: MidawFlags(flags), count, address: *address }.emit());
    }
    octets
}

fn storage(case: &Case) -> Vec<u8> {
    let mut bytes = vec![0; STORAGE];
    for (index, word) in case.words.iter().enumerate() {
        let mut address = word.address as u32;
        let (mut flags, mut count) = (word.flags, word.count);
        if word.flags & 5 != 0 {
            address = LISTS + LIST * index as u32 + if word.list[0].1 == 1 { 8 } else { 0 };
            let octets = list(word, case.start.idaw.0, case.start.idaw.1);
            bytes[address as usize..][..octets.len()].copy_from_slice(&octets);
        }
        if word.command & 0x0F == 0x08 {
            // Forward only, so that the program ends.
            address = PROGRAM + 8 * (index as u32 + 1 + u32::from(word.list[0].1 % 3));
            (flags, count) = (0, 0);
        }
        let [a0, a1, a2, a3] = address.to_be_bytes();
        let [c0, c1] = count.to_be_bytes();
        let octets = if case.start.format_1 {
            [word.command, flags, c0, c1, a0, a1, a2, a3]
        } else {
            [word.command, a1, a2, a3, flags, 0, c0, c1]
        };
        bytes[PROGRAM as usize + 8 * index..][..8].copy_from_slice(&octets);
    }
    bytes
}

fn interpreted(case: &Case, bytes: &[u8]) -> (Ending, Vec<u8>, Listed) {
    let mut storage = MainStorage::new(STORAGE);
    storage.bytes_mut().copy_from_slice(bytes);
    for (index, (key, protected)) in case.keys.iter().enumerate() {
        storage.set_key(4096 * index as u64, StorageKey::new(*key, *protected)).unwrap();
    }
    let mut flags = OrbFlags(0);
    for (is_on, flag) in [
        (case.start.suspend, OrbFlags::SUSPEND),
        (case.start.midaws, OrbFlags::MIDAWS),
        (case.start.suppress_length, OrbFlags::SUPPRESS_LENGTH),
    ] {
        flags = if is_on { flags | flag } else { flags };
    }
    let ccw_format = if case.start.format_1 { CcwFormat::One } else { CcwFormat::Zero };
    let program = OrbProgram::Command { flags, ccw_format, idaw_format: case.idaw_format, address: PROGRAM };
    let orb =
        Orb { interruption_parameter: 0, key: case.start.key, path_mask: 0xFF, program, priorities: None };
    let mut device = ListedDevice { actions: &case.actions, log: Listed::default() };
    let mut subchannel = Subchannel::new(Pmcw::ONE_PATH);
    assert_eq!(subchannel.start(&orb, &mut storage, &mut device, &mut ()), ConditionCode::Done);
    let Scsw::Command(scsw) = subchannel.test().1.scsw else { unreachable!("command mode") };
    let ending = Ending {
        device_status: scsw.device_status.0,
        subchannel_status: scsw.subchannel_status.0,
        residual: scsw.residual_count,
        ccw_address: u64::from(scsw.ccw_address),
        is_suspended: scsw.controls.activity.contains(ActivityControl::SUSPENDED),
    };
    (ending, storage.bytes().to_vec(), device.log)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn the_interpreter_does_what_the_model_does(case in case()) {
        let bytes = storage(&case);
        let (ending, after, log) = interpreted(&case, &bytes);
        let mut model_bytes = bytes;
        let mut device = ListedDevice { actions: &case.actions, log: Listed::default() };
        let model_ending = Channel::new(&mut model_bytes, &case.keys, case.start.clone()).run(&mut device);
        prop_assert_eq!(ending, model_ending);
        prop_assert_eq!(log, device.log);
        prop_assert!(after == model_bytes, "storage differs");
    }
}

/// Returns what a case came to, as far as cases should differ.
fn kind(case: &Case) -> (u8, bool, bool) {
    let (ending, _, log) = interpreted(case, &storage(case));
    let has_moved = log.seen.iter().any(|(_, taken, given)| *given > 0 || !taken.is_empty());
    (ending.subchannel_status & 0x70, ending.is_suspended, has_moved && log.seen.len() > 1)
}

#[test]
fn the_cases_come_to_every_ending_early_and_late() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let cases = (0..3000).map(|_| case().new_tree(&mut runner).unwrap().current());
    let kinds: Vec<_> = cases.map(|case| kind(&case)).collect();
    for status in [0, 0x10, 0x20, 0x40] {
        for is_late in [false, true] {
            let count = kinds.iter().filter(|kind| **kind == (status, false, is_late)).count();
            assert!(count >= 10, "{status:#x}, late {is_late}: {count}");
        }
    }
    assert!(kinds.iter().filter(|(_, is_suspended, _)| *is_suspended).count() >= 10);
}
