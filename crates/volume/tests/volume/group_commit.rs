//! Group commit: chains that wait become safe with one barrier, and no chain that was acknowledged is lost by a power cut
//! or a barrier that fails.

use std::collections::VecDeque;
use std::io;

use halftrack_volume::medium::Medium;
use halftrack_volume::power_cut::{Effort, LoggedMedium, PowerCut};
use halftrack_volume::{Blocks, FbaVolume, Group, MemoryMedium, Mode, TrackFault, Volume};

/// Blocks of the volume: two groups of an FBA image.
const BLOCKS: u32 = 240;
const EFFORT: Effort = Effort { exhaustive_sectors: 4, samples: 4, seed: 22 };
/// Chains of a run.
const CHAINS: u8 = 24;

type LoggedVolume = FbaVolume<LoggedMedium>;

fn open<M: Medium + std::fmt::Debug>(mut files: Vec<M>) -> FbaVolume<M> {
    let journal = files.pop();
    match Volume::from_media(files, journal, Mode::Sync) {
        Ok(Volume::Fba(volume)) => volume,
        other => panic!("no FBA volume: {other:?}"),
    }
}

/// Returns the blocks that chain `number` writes; chains of a group share some.
fn blocks_of(number: u8) -> [u32; 2] {
    [u32::from(number) % 5, 120 + u32::from(number) % 7]
}

/// Runs a chain, and returns the group that it waits for.
fn chain(volume: &mut LoggedVolume, number: u8) -> Group {
    for block in blocks_of(number) {
        volume.write(block, &[number; 512]).unwrap();
    }
    volume.commit().unwrap();
    let group = volume.store_mut().take_seen().expect("its blocks are not safe");
    volume.store_mut().wait_for(group);
    group
}

/// Returns what the blocks hold after chains up to `last`.
fn contents(last: u8) -> Vec<u8> {
    let mut contents = vec![0; BLOCKS as usize];
    for number in 1..=last {
        for block in blocks_of(number) {
            contents[block as usize] = number;
        }
    }
    contents
}

/// A run: how many chains were acknowledged when, in events, and the first chain behind each group's last.
struct Run {
    power: PowerCut,
    acknowledged: Vec<(usize, u8)>,
    ends: Vec<u8>,
}

/// Runs groups of `size` chains, of which the next ones come while the barrier of a group is under way.
fn run(size: u8) -> Run {
    let power = PowerCut::new(vec![vec![0; BLOCKS as usize * 512], vec![]]);
    let mut volume = open(power.media());
    volume.store_mut().gather_chains();
    let (mut acknowledged, mut ends) = (vec![(0, 0)], vec![0]);
    let mut waiting: VecDeque<(u8, Group)> = VecDeque::new();
    let mut number = 0;
    while number < CHAINS || !waiting.is_empty() {
        let begun = volume.store_mut().begin_barrier().unwrap().is_some();
        if begun {
            ends.push(number);
        }
        for _ in 0..size.min(CHAINS - number) {
            number += 1;
            let group = chain(&mut volume, number);
            waiting.push_back((number, group));
        }
        if begun {
            // The volume has the file of its journal, and logs the barrier of it.
            let synced = volume.store_mut().sync_journal();
            volume.store_mut().end_barrier(synced).unwrap();
        }
        while let Some((number, group)) = waiting.front().copied()
            && volume.store().is_group_safe(group) == Some(true)
        {
            waiting.pop_front();
            acknowledged.push((power.events(), number));
        }
    }
    assert_eq!(acknowledged.last().map(|(_, number)| *number), Some(CHAINS));
    volume.close().unwrap();
    ends.push(CHAINS);
    Run { power, acknowledged, ends }
}

/// The blocks are after every cut those after whole groups, none of them older than the last chain that was acknowledged.
#[test]
fn a_power_cut_loses_no_chain_whose_group_was_acknowledged() {
    for size in [1, 3, 8] {
        let run = run(size);
        let mut tried = 0;
        for cut in 0..=run.power.events() {
            let at_cut = run.acknowledged.iter().take_while(|(events, _)| *events <= cut);
            let least = at_cut.map(|(_, number)| *number).max().unwrap_or(0);
            let legal: Vec<_> =
                run.ends.iter().filter(|end| **end >= least).map(|end| contents(*end)).collect();
            run.power.states(cut, EFFORT, |files| {
                let mut volume = open(files);
                let found: Vec<u8> = (0..BLOCKS)
                    .map(|block| {
                        let octets = volume.read(block).unwrap();
                        assert!(octets.iter().all(|octet| *octet == octets[0]), "block {block} in part");
                        octets[0]
                    })
                    .collect();
                assert!(legal.contains(&found), "groups of {size}, cut after event {cut}");
                tried += 1;
            });
        }
        assert!(tried > 50, "{tried} states");
    }
}

/// A barrier for every group and none for a chain: the run above has as many as it has groups.
#[test]
fn a_group_costs_one_barrier_however_many_its_chains() {
    let media = || vec![MemoryMedium::new(vec![0; BLOCKS as usize * 512]), MemoryMedium::default()];
    let mut volume = open(media());
    volume.store_mut().gather_chains();
    for number in 1..=8 {
        for block in blocks_of(number) {
            volume.write(block, &[number; 512]).unwrap();
        }
        volume.commit().unwrap();
        let group = volume.store_mut().take_seen().unwrap();
        volume.store_mut().wait_for(group);
        assert_eq!(group, 1);
    }
    assert_eq!(volume.store().waiting_chains(), 8);
    assert!(volume.store_mut().begin_barrier().unwrap().is_some());
    assert!(volume.store_mut().begin_barrier().unwrap().is_none(), "one at a time");
    assert_eq!(volume.store().is_group_safe(1), None);
    volume.store_mut().end_barrier(Ok(())).unwrap();
    assert_eq!(volume.store().is_group_safe(1), Some(true));
}

/// Whoever reads what is not safe waits for its barrier; whoever reads something else does not.
#[test]
fn a_read_of_what_is_not_safe_waits_and_another_does_not() {
    let mut volume = open(vec![MemoryMedium::new(vec![0; BLOCKS as usize * 512]), MemoryMedium::default()]);
    volume.store_mut().gather_chains();
    volume.write(5, &[1; 512]).unwrap();
    volume.commit().unwrap();
    assert_eq!(volume.store_mut().take_seen(), Some(1));
    volume.store_mut().wait_for(1);
    assert_eq!(volume.read(130).unwrap()[0], 0);
    assert_eq!(volume.store_mut().take_seen(), None);
    assert_eq!(volume.read(5).unwrap()[0], 1);
    assert_eq!(volume.store_mut().take_seen(), Some(1));
    volume.store_mut().begin_barrier().unwrap();
    assert_eq!(volume.read(5).unwrap()[0], 1, "as before, from the group under way");
    assert_eq!(volume.store_mut().take_seen(), Some(1));
    volume.write(5, &[2; 512]).unwrap();
    volume.commit().unwrap();
    assert_eq!(volume.store_mut().take_seen(), Some(2));
    volume.store_mut().end_barrier(Ok(())).unwrap();
    assert_eq!(volume.read(5).unwrap()[0], 2, "the open group lies over what became safe");
    assert_eq!(volume.store_mut().take_seen(), Some(2));
}

/// A barrier that fails loses its group and the chains that came meanwhile, and fences the volume for all that follow.
#[test]
fn a_failed_barrier_fails_every_chain_that_waits() {
    let mut volume = open(vec![MemoryMedium::new(vec![0; BLOCKS as usize * 512]), MemoryMedium::default()]);
    volume.store_mut().gather_chains();
    volume.write(5, &[1; 512]).unwrap();
    volume.commit().unwrap();
    let first = volume.store_mut().take_seen().unwrap();
    volume.store_mut().wait_for(first);
    volume.store_mut().begin_barrier().unwrap();
    volume.write(6, &[2; 512]).unwrap();
    volume.commit().unwrap();
    let second = volume.store_mut().take_seen().unwrap();
    // A chain that has written into the group under way, and has not ended.
    volume.store_mut().end_barrier(Err(io::Error::from_raw_os_error(5))).unwrap_err();
    assert_eq!([first, second].map(|group| volume.store().is_group_safe(group)), [Some(false); 2]);
    assert_eq!(volume.commit(), Err(TrackFault::Medium));
    assert_eq!(volume.read(130).map(<[u8]>::to_vec), Err(TrackFault::Medium));
    assert!(volume.store_mut().begin_barrier().unwrap().is_none());
    assert!(volume.close().is_err());
}
