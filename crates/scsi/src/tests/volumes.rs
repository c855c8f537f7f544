//! Units over volumes in image files.

use halftrack_volume::medium::Medium;
use halftrack_volume::power_cut::{Effort, PowerCut};
use halftrack_volume::{Blocks, FbaVolume, Mode, Volume};

use crate::response::Refusal;
use crate::rig::{cdb_10, finish, identity};
use crate::{BlockFault, LogicalBlocks, LogicalUnit, SenseCode, VolumeBlocks};

/// Blocks of the unit, of 4096 bytes.
const BLOCKS: u8 = 40;
const EFFORT: Effort = Effort { exhaustive_sectors: 3, samples: 4, seed: 7 };

fn open<M: Medium + std::fmt::Debug>(mut files: Vec<M>, mode: Mode) -> FbaVolume<M> {
    let journal = files.pop();
    match Volume::from_media(files, journal, mode) {
        Ok(Volume::Fba(volume)) => volume,
        other => panic!("no FBA volume: {other:?}"),
    }
}

fn files() -> Vec<Vec<u8>> {
    vec![vec![0; usize::from(BLOCKS) * 4096 + 512], vec![]]
}

/// Returns the first octet of each block, all of whose octets must be equal.
fn contents<M: Medium>(blocks: &mut VolumeBlocks<M>) -> Vec<u8> {
    let mut octets = vec![0; 4096];
    let mut first = |block: u8| {
        blocks.read(block.into(), &mut octets).unwrap();
        assert!(octets.iter().all(|octet| *octet == octets[0]), "block {block} in part");
        octets[0]
    };
    (0..BLOCKS).map(&mut first).collect()
}

/// No write that ended with GOOD is lost by a power cut: with a cache, none before the last SYNCHRONIZE CACHE. Every block is
/// old or new.
#[test]
fn a_power_cut_loses_nothing_that_was_promised() {
    for mode in [Mode::Sync, Mode::WriteBack] {
        let power = PowerCut::new(files());
        let mut unit = LogicalUnit::new(VolumeBlocks::new(open(power.media(), mode), 8), identity(0), 1);
        let (mut states, mut promised) = (vec![vec![0; BLOCKS.into()]], vec![(0, 0)]);
        for number in 1..10_u8 {
            let first = number * 3;
            let data = vec![number; 2 * 4096];
            assert_eq!(finish(&mut unit, &cdb_10(0x2A, 0, first.into(), 2), &data), Ok(()));
            let mut state: Vec<u8> = states[states.len() - 1].clone();
            state[usize::from(first)..usize::from(first) + 2].fill(number);
            states.push(state);
            let is_synchronized = number % 4 == 0;
            if is_synchronized {
                assert_eq!(finish(&mut unit, &cdb_10(0x35, 0, 0, 0), &[]), Ok(()));
            }
            if is_synchronized || mode == Mode::Sync {
                promised.push((power.events(), states.len() - 1));
            }
        }
        for cut in 0..=power.events() {
            let least =
                promised.iter().filter(|(events, _)| *events <= cut).map(|one| one.1).max().unwrap_or(0);
            power.states(cut, EFFORT, |files| {
                let found = contents(&mut VolumeBlocks::new(open(files, Mode::Sync), 8));
                assert!(states[least..].contains(&found), "{mode:?}, cut after event {cut}");
            });
        }
    }
}

#[test]
fn the_last_blocks_that_are_no_whole_one_are_left_out() {
    let power = PowerCut::new(files());
    let mut blocks = VolumeBlocks::new(open(power.media(), Mode::Sync), 8);
    assert_eq!((blocks.block_bytes(), blocks.blocks()), (4096, u64::from(BLOCKS)));
    assert_eq!(blocks.write(BLOCKS.into(), &[1; 4096]), Err(BlockFault::Internal));
    assert_eq!(blocks.unmap(1, u64::MAX), Err(BlockFault::Internal));
    assert_eq!(blocks.write(1, &[1; 8192]), Ok(()));
    assert_eq!(blocks.unmap(2, 1), Ok(()));
    assert_eq!(contents(&mut blocks)[..4], [0, 1, 0, 0]);
    assert_eq!(blocks.into_volume().blocks(), u32::from(BLOCKS) * 8 + 1);
}

#[test]
fn a_volume_that_is_open_for_reading_only_is_write_protected() {
    let power = PowerCut::new(files());
    let blocks = VolumeBlocks::new(open(power.media(), Mode::ReadOnly), 1);
    assert!(blocks.is_read_only());
    let mut unit = LogicalUnit::new(blocks, identity(0), 1);
    let written = finish(&mut unit, &cdb_10(0x2A, 0, 0, 1), &[1; 512]);
    assert_eq!(written, Err(Refusal::from(SenseCode::WRITE_PROTECTED)));
}
