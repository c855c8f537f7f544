//! Delays of write-back mode, and a disk that fails.

use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::fba_layout::{FbaLayout, GROUP_BYTES};
use crate::memory_medium::MemoryMedium;
use crate::open::Volume;
use crate::{Blocks, FbaVolume, TrackFault};

/// Groups of a volume that holds more than may wait.
const MANY_GROUPS: u32 = 1200;

/// Calls of a disk that change it, and which of them fails.
#[derive(Debug, Default)]
struct Disk {
    calls: u32,
    failing: Option<(u32, Failure)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// No storage: from this call on no write goes through. ENOSPC.
    Full,
    /// A write reaches the disk in part. EIO.
    Short,
    /// A barrier fails once, and the next one would not report it. EIO.
    Sync,
}

/// A file whose n-th call fails.
#[derive(Debug, Clone)]
struct FailingMedium {
    file: Rc<RefCell<MemoryMedium>>,
    disk: Rc<RefCell<Disk>>,
}

impl FailingMedium {
    fn call(&self, is_sync: bool) -> Option<Failure> {
        let mut disk = self.disk.borrow_mut();
        disk.calls += 1;
        let (at, failure) = disk.failing?;
        let fails = match failure {
            Failure::Full => !is_sync && disk.calls >= at,
            Failure::Short => !is_sync && disk.calls == at,
            Failure::Sync => is_sync && disk.calls == at,
        };
        fails.then_some(failure)
    }
}

/// Returns the error of the operating system: EIO and ENOSPC of Linux.
fn error(failure: Failure) -> io::Error {
    io::Error::from_raw_os_error(if failure == Failure::Full { 28 } else { 5 })
}

impl Medium for FailingMedium {
    fn len(&self) -> io::Result<u64> {
        self.file.borrow().len()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.borrow().read_at(offset, into)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let failure = self.call(false);
        // Sectors are whole.
        let half = bytes.len() / 2 / 512 * 512;
        let there = if failure == Some(Failure::Short) { half } else { bytes.len() };
        if failure != Some(Failure::Full) {
            self.file.borrow_mut().write_at(offset, &bytes[..there])?;
        }
        failure.map_or(Ok(()), |failure| Err(error(failure)))
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.file.borrow_mut().set_len(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.call(true).map_or(Ok(()), |failure| Err(error(failure)))
    }
}

/// Returns the image, journal, and the disk that they are on.
fn files(groups: u32) -> ([FailingMedium; 2], Rc<RefCell<Disk>>) {
    let disk = Rc::new(RefCell::new(Disk::default()));
    let file = |bytes: usize| FailingMedium {
        file: Rc::new(RefCell::new(MemoryMedium::new(vec![0; bytes]))),
        disk: Rc::clone(&disk),
    };
    ([file(groups as usize * GROUP_BYTES as usize), file(0)], disk)
}

fn open([image, journal]: &[FailingMedium; 2], mode: Mode) -> FbaVolume<FailingMedium> {
    match Volume::from_media(vec![image.clone()], Some(journal.clone()), mode) {
        Ok(Volume::Fba(volume)) => volume,
        other => panic!("no FBA volume: {other:?}"),
    }
}

/// Returns a chain that writes one block.
fn chain(volume: &mut FbaVolume<FailingMedium>, block: u32, octet: u8) -> Result<(), TrackFault> {
    volume.write(block, &[octet; 512])?;
    volume.commit()
}

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// Returns the state of a block after a kill at this moment.
fn after_kill(files: &[FailingMedium; 2], block: u32) -> u8 {
    let copy = files.clone().map(|medium| FailingMedium {
        file: Rc::new(RefCell::new(medium.file.borrow().clone())),
        disk: Rc::default(),
    });
    open(&copy, Mode::Sync).read(block).unwrap()[0]
}

#[test]
fn what_waits_is_safe_when_its_time_is_up() {
    let (files, _) = files(2);
    let mut volume = open(&files, Mode::WriteBack);
    assert_eq!(volume.flush_due(at_ms(0)), Ok(None), "nothing waits");
    chain(&mut volume, 7, 1).unwrap();
    assert_eq!(volume.flush_due(at_ms(100)), Ok(Some(at_ms(600))));
    chain(&mut volume, 8, 2).unwrap();
    assert_eq!(volume.flush_due(at_ms(599)), Ok(Some(at_ms(600))), "a later chain does not put it off");
    assert_eq!((after_kill(&files, 7), after_kill(&files, 8)), (0, 0));
    assert_eq!(volume.flush_due(at_ms(600)), Ok(None));
    assert_eq!((after_kill(&files, 7), after_kill(&files, 8)), (1, 2));
    chain(&mut volume, 9, 3).unwrap();
    assert_eq!(volume.flush_due(at_ms(700)), Ok(Some(at_ms(1200))), "its time begins anew");
}

#[test]
fn a_chain_that_has_not_ended_is_waited_for_as_long_as_is_stated() {
    let (files, _) = files(2);
    let mut volume = open(&files, Mode::WriteBack);
    volume.write(3, &[1; 512]).unwrap();
    assert_eq!(volume.flush_due(at_ms(0)), Ok(Some(Time::ZERO + WRITE_BACK_IN_CHAIN)));
    assert_eq!(volume.flush_due(at_ms(999)).map(|due| due.is_some()), Ok(true));
    assert_eq!(after_kill(&files, 3), 0);
    assert_eq!(volume.flush_due(at_ms(1000)), Ok(None));
    assert_eq!(after_kill(&files, 3), 1);
    volume.write(4, &[2; 512]).unwrap();
    assert_eq!(volume.flush_due(at_ms(2000)), Ok(Some(at_ms(3000))));
    volume.commit().unwrap();
    assert_eq!(volume.flush_due(at_ms(2500)), Ok(None), "the chain has ended, and waited for its time");
    assert_eq!(after_kill(&files, 4), 2);
}

#[test]
fn no_more_waits_than_is_stated() {
    let (files, _) = files(MANY_GROUPS);
    let mut volume = open(&files, Mode::WriteBack);
    let mut safe = 0;
    for group in 0..MANY_GROUPS {
        chain(&mut volume, group * 120, 1).unwrap();
        // What is not safe is what the file lacks: the file is changed when the journal is safe.
        while safe < group && volume.files()[0].file.borrow().bytes()[(safe * GROUP_BYTES) as usize] == 1 {
            safe += 1;
        }
        let waiting = (group + 1 - safe) as usize * GROUP_BYTES as usize;
        assert!(waiting <= WRITE_BACK_BYTES + GROUP_BYTES as usize, "{waiting} octets wait");
    }
    assert!(safe > 0);
}

/// Units that grow while they are changed count with what they have become.
#[test]
fn tracks_that_are_formatted_count_with_their_length() {
    let file = MemoryMedium::new(vec![0; 100 * GROUP_BYTES as usize]);
    let layout = FbaLayout::open(&file).unwrap();
    let mut store = UnitStore::new(vec![file], layout, None, Mode::WriteBack);
    for unit in 0..3 {
        store.change(unit, 5).unwrap().write(0, &[1; 40_000]);
        store.commit(true).unwrap();
    }
    assert_eq!(store.changed_bytes, 120_000);
    store.change(1, 5).unwrap().truncate(10);
    store.commit(true).unwrap();
    assert_eq!(store.changed_bytes, 80_010);
}

#[test]
fn a_full_disk_fences_the_volume_and_says_so() {
    for mode in [Mode::Sync, Mode::WriteBack] {
        let (files, disk) = files(2);
        let mut volume = open(&files, mode);
        chain(&mut volume, 1, 1).unwrap();
        volume.flush().unwrap();
        let calls = disk.borrow().calls;
        disk.borrow_mut().failing = Some((calls + 1, Failure::Full));
        let written = chain(&mut volume, 2, 2);
        assert_eq!(written.is_err(), mode == Mode::Sync);
        volume.flush_due(at_ms(0)).ok();
        assert_eq!(volume.flush_due(at_ms(500)).is_err(), mode == Mode::WriteBack);
        let trouble = volume.take_failure().unwrap().to_string();
        assert!(trouble.contains("No space left on device"), "{trouble}");
        assert_eq!(volume.read(2), Err(TrackFault::Medium), "what is not certain is not shown");
        assert_eq!(chain(&mut volume, 3, 3), Err(TrackFault::Medium));
        let closed = volume.close().unwrap_err().to_string();
        assert!(closed.contains("fenced") && closed.contains("No space left on device"), "{closed}");
        assert_eq!((after_kill(&files, 1), after_kill(&files, 3)), (1, 0));
    }
}

/// Whatever call fails: all acknowledged data are there, no I/O follows the failure, and the failure is reported when
/// the volume is closed.
#[test]
fn a_failure_at_any_call_loses_nothing_that_was_safe() {
    let mut seen = [0; 3];
    for (kind, failure) in [Failure::Full, Failure::Short, Failure::Sync].into_iter().enumerate() {
        for at in 1..60 {
            let (files, disk) = files(2);
            disk.borrow_mut().failing = Some((at, failure));
            let mut volume = open(&files, Mode::Sync);
            let mut safe = 0;
            let failed = (1..=9).find(|octet| {
                let failed = chain(&mut volume, 5, *octet).is_err();
                safe = if failed { safe } else { *octet };
                failed
            });
            if let Some(octet) = failed {
                seen[kind] += 1;
                assert_eq!(volume.read(5), Err(TrackFault::Medium));
                assert!(volume.close().is_err());
                disk.borrow_mut().failing = None;
                let found = after_kill(&files, 5);
                assert!([safe, octet].contains(&found), "{failure:?} at call {at}: {found}, {safe} was safe");
            }
        }
    }
    assert!(seen.iter().all(|seen| *seen > 5), "{seen:?}");
}
