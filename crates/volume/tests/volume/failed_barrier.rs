//! A barrier that fails once: the operating system forgets the pages that it could not write, and the next barrier succeeds
//! without them (fsync(2) of Linux).

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use halftrack_volume::medium::Medium;
use halftrack_volume::{Blocks, FbaVolume, MemoryMedium, Mode, Volume};

/// Bytes of a block group of an FBA image.
const GROUP_BYTES: usize = 120 * 512;
/// Block that every chain writes, and another one.
const BLOCKS: [u32; 2] = [5, 130];
/// Chains that a run writes.
const CHAINS: u8 = 5;
/// More barriers and writes than a run has.
const CALLS_MAX: u32 = 30;

/// Calls of a disk, the barrier that fails, and the call from which on power is off.
#[derive(Debug, Default)]
struct Disk {
    barriers: u32,
    failing_barrier: u32,
    calls_left: Option<u32>,
}

/// A file as the operating system has it: pages in memory, of which some are on the disk.
#[derive(Debug, Clone, Default)]
struct Pages {
    memory: MemoryMedium,
    disk: MemoryMedium,
    /// Writes since the last barrier; nothing in place of a change of length.
    dirty: Vec<(u64, Option<Vec<u8>>)>,
}

impl Pages {
    /// Returns the file after a power cut: with or without the pages in doubt.
    fn after_cut(&self, with_dirty: bool) -> MemoryMedium {
        let mut disk = self.disk.clone();
        for (place, bytes) in self.dirty.iter().filter(|_| with_dirty) {
            match bytes {
                Some(bytes) => disk.write_at(*place, bytes),
                None => disk.set_len(*place),
            }
            .unwrap();
        }
        disk
    }
}

#[derive(Debug, Clone, Default)]
struct CachedMedium {
    pages: Rc<RefCell<Pages>>,
    disk: Rc<RefCell<Disk>>,
}

impl CachedMedium {
    fn new(file: MemoryMedium, disk: &Rc<RefCell<Disk>>) -> Self {
        let pages = Pages { memory: file.clone(), disk: file, dirty: Vec::new() };
        Self { pages: Rc::new(RefCell::new(pages)), disk: Rc::clone(disk) }
    }

    /// Counts a call that changes the disk.
    ///
    /// # Errors
    /// Power is off.
    fn call(&self) -> io::Result<()> {
        match &mut self.disk.borrow_mut().calls_left {
            Some(0) => Err(io::Error::other("no power")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Medium for CachedMedium {
    fn len(&self) -> io::Result<u64> {
        self.pages.borrow().memory.len()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.pages.borrow().memory.read_at(offset, into)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.call()?;
        let mut pages = self.pages.borrow_mut();
        pages.dirty.push((offset, Some(bytes.to_vec())));
        pages.memory.write_at(offset, bytes)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.call()?;
        let mut pages = self.pages.borrow_mut();
        pages.dirty.push((bytes, None));
        pages.memory.set_len(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.call()?;
        let mut disk = self.disk.borrow_mut();
        disk.barriers += 1;
        let mut pages = self.pages.borrow_mut();
        if disk.barriers == disk.failing_barrier {
            pages.dirty.clear();
            return Err(io::Error::from_raw_os_error(5));
        }
        pages.disk = pages.after_cut(true);
        pages.dirty.clear();
        Ok(())
    }
}

fn open<M: Medium + std::fmt::Debug>(image: M, journal: M) -> Result<FbaVolume<M>, String> {
    match Volume::from_media(vec![image], Some(journal), Mode::Sync) {
        Ok(Volume::Fba(volume)) => Ok(volume),
        Ok(Volume::Ckd(_)) => panic!("a CKD volume"),
        Err(error) => Err(error.to_string()),
    }
}

/// A run that ended, and the last chain that it acknowledged.
struct Run {
    media: [CachedMedium; 2],
    acknowledged: u8,
    closed: bool,
}

/// Writes chains to a new volume until one fails, and closes it. A chain writes both blocks and all of so many groups behind.
fn run(failing_barrier: u32, more_groups: u32) -> Run {
    let disk = Rc::new(RefCell::new(Disk { failing_barrier, ..Disk::default() }));
    let media = [vec![0; (2 + more_groups) as usize * GROUP_BYTES], Vec::new()]
        .map(|bytes| CachedMedium::new(MemoryMedium::new(bytes), &disk));
    let [image, journal] = media.clone();
    let mut volume = open(image, journal).unwrap();
    let mut acknowledged = 0;
    for octet in 1..=CHAINS {
        let more = (0..more_groups).map(|group| 240 + 120 * group);
        let written = BLOCKS.into_iter().chain(more).try_for_each(|block| {
            let blocks = if block < 240 { 1 } else { 120 };
            (block..block + blocks).try_for_each(|block| volume.write(block, &[octet; 512]))
        });
        if written.and_then(|()| volume.commit()).is_err() {
            break;
        }
        acknowledged = octet;
    }
    let closed = volume.close().is_ok();
    Run { media, acknowledged, closed }
}

/// Cuts the power; returns the octet of both blocks in each state that the disk may then have.
fn found_after_cut(media: &[CachedMedium; 2]) -> Vec<Result<[u8; 2], String>> {
    let states = [[false, false], [true, false], [false, true], [true, true]];
    let found = states.map(|[image_dirty, journal_dirty]| {
        let [image, journal] = media;
        let image = image.pages.borrow().after_cut(image_dirty);
        let mut volume = open(image, journal.pages.borrow().after_cut(journal_dirty))?;
        Ok(BLOCKS.map(|block| volume.read(block).unwrap()[0]))
    });
    found.to_vec()
}

/// Fails unless both blocks have the last acknowledged chain, or the one after it that did not end well.
fn assert_whole(run: &Run, context: &str) {
    for found in found_after_cut(&run.media) {
        let [one, other] = found.unwrap_or_else(|error| panic!("{context}: {error}"));
        assert_eq!(one, other, "{context}: a chain in part");
        let right = run.acknowledged..=run.acknowledged.saturating_add(1).min(CHAINS);
        assert!(right.contains(&one), "{context}: {one} is found, {right:?} is right");
    }
}

#[test]
fn a_barrier_that_fails_once_is_never_taken_as_success() {
    // Chains of the second size fill a journal, which then starts again.
    for more_groups in [0, 12] {
        let mut failed_in_close = 0;
        for barrier in 1..CALLS_MAX {
            let run = run(barrier, more_groups);
            let has_failed = run.media[0].disk.borrow().barriers >= barrier;
            assert_eq!(run.closed, !has_failed, "barrier {barrier}: the failure is reported");
            failed_in_close += u32::from(has_failed && run.acknowledged == CHAINS);
            assert_whole(&run, &format!("barrier {barrier} failed"));
        }
        assert!(failed_in_close > 0, "no barrier of a close has failed");
    }
}

/// Pages that a failed barrier left in memory are read by the next opening. A power cut in the middle of it loses them.
#[test]
fn a_power_cut_while_the_volume_is_opened_again_loses_nothing() {
    for barrier in 1..CALLS_MAX {
        for calls in 0..CALLS_MAX {
            let run = run(barrier, 0);
            run.media[0].disk.borrow_mut().calls_left = Some(calls);
            let [image, journal] = run.media.clone();
            let opened = open(image, journal).map(drop);
            assert_whole(
                &run,
                &format!("barrier {barrier} failed, power off after {calls} calls, {opened:?}"),
            );
        }
    }
}
