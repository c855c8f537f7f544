//! A simulated power cut: what the disk may hold when the power fails at any moment of a run.
//!
//! The files of a volume are kept in memory, and every write, change of length and barrier goes to one log. After a
//! cut a file has all that came before its last barrier, and of what came after it any part in any order, torn at
//! sectors. For tests; here so that every format is tried by the same rules.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::medium::Medium;
use crate::memory_medium::MemoryMedium;

/// Bytes that a disk writes whole or not at all.
pub const SECTOR_BYTES: u64 = 512;

#[derive(Debug, Clone)]
enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    Length(u64),
}

#[derive(Debug, Clone)]
enum Event {
    Change { file: usize, change: Change },
    Barrier { file: usize },
}

/// Everything that was done to the files of a run, in its order.
#[derive(Debug, Clone, Default)]
pub struct DiskLog(Arc<Mutex<Vec<Event>>>);

impl DiskLog {
    /// Notes a write to a file, which is named by its number.
    pub fn write(&self, file: usize, offset: u64, bytes: &[u8]) {
        self.push(Event::Change { file, change: Change::Write { offset, bytes: bytes.to_vec() } });
    }

    /// Notes a change of a file's length.
    pub fn set_length(&self, file: usize, bytes: u64) {
        self.push(Event::Change { file, change: Change::Length(bytes) });
    }

    /// Notes a barrier: what was done to the file before is safe.
    pub fn barrier(&self, file: usize) {
        self.push(Event::Barrier { file });
    }

    fn push(&self, event: Event) {
        self.with(|events| events.push(event));
    }

    fn with<R>(&self, act: impl FnOnce(&mut Vec<Event>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A file whose changes are logged.
#[derive(Debug)]
pub struct LoggedMedium {
    now: MemoryMedium,
    file: usize,
    log: DiskLog,
}

impl Medium for LoggedMedium {
    fn len(&self) -> io::Result<u64> {
        self.now.len()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.now.read_at(offset, into)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.log.write(self.file, offset, bytes);
        self.now.write_at(offset, bytes)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.log.set_length(self.file, bytes);
        self.now.set_len(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.log.barrier(self.file);
        Ok(())
    }

    fn mapped(&self) -> Option<&[u8]> {
        self.now.mapped()
    }
}

/// Number of states after a cut that are examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Most sectors in doubt of which every subset is examined, each in the order written.
    pub exhaustive_sectors: u32,
    /// Of more, so many states drawn at random, in random order.
    pub samples: u32,
    /// Seed of the draws.
    pub seed: u64,
}

/// A run whose power may fail.
#[derive(Debug)]
pub struct PowerCut {
    before: Vec<Vec<u8>>,
    log: DiskLog,
}

impl PowerCut {
    /// Creates a run that begins with these files, safe on the disk.
    pub fn new(files: Vec<Vec<u8>>) -> Self {
        Self { before: files, log: DiskLog::default() }
    }

    /// Returns the files, as the run uses them.
    pub fn media(&self) -> Vec<LoggedMedium> {
        let medium = |(file, bytes): (usize, &Vec<u8>)| LoggedMedium {
            now: MemoryMedium::new(bytes.clone()),
            file,
            log: self.log.clone(),
        };
        self.before.iter().enumerate().map(medium).collect()
    }

    /// Returns the number of events that the run has had: the power may fail after any number of them.
    pub fn events(&self) -> usize {
        self.log.with(|events| events.len())
    }

    /// Returns the log, for files that are changed elsewhere.
    pub fn log(&self) -> DiskLog {
        self.log.clone()
    }

    /// Forgets what is safe by now: the run begins anew with it, and with what is not.
    pub fn settle(&mut self) {
        let events = self.log.with(std::mem::take);
        let mut safe: Vec<_> = std::mem::take(&mut self.before).into_iter().map(MemoryMedium::new).collect();
        let doubtful = behind_barriers(&mut safe, &events);
        self.before = safe.into_iter().map(MemoryMedium::into_bytes).collect();
        let rest = doubtful.into_iter().map(|(file, change)| Event::Change { file, change: change.clone() });
        self.log.with(|events| events.extend(rest));
    }

    /// Cuts the power now, and returns the files in a state that the disk may hold them in, drawn by a seed.
    pub fn cut(self, seed: u64) -> Vec<Vec<u8>> {
        let mut files: Vec<_> = self.before.into_iter().map(MemoryMedium::new).collect();
        self.log.with(|events| {
            let parts = parts(&behind_barriers(&mut files, events));
            for (file, part) in Draws::of(seed, events.len()).some_of(&parts) {
                apply(&mut files[*file], part);
            }
        });
        files.into_iter().map(MemoryMedium::into_bytes).collect()
    }

    fn safe(&self) -> Vec<MemoryMedium> {
        self.before.iter().cloned().map(MemoryMedium::new).collect()
    }

    /// Calls `each` with the files as the disk may hold them when the power fails after `cut` events.
    pub fn states(&self, cut: usize, effort: Effort, each: impl FnMut(Vec<MemoryMedium>)) {
        self.log.with(|events| {
            let mut safe = self.safe();
            let doubtful = behind_barriers(&mut safe, &events[..cut.min(events.len())]);
            states(&safe, &doubtful, cut, effort, each);
        });
    }
}

/// Calls `each` with the files as they may be when this is safe and these changes are in doubt.
fn states(
    safe: &[MemoryMedium],
    doubtful: &[(usize, &Change)],
    cut: usize,
    effort: Effort,
    mut each: impl FnMut(Vec<MemoryMedium>),
) {
    let doubtful = parts(doubtful);
    if doubtful.len() as u32 <= effort.exhaustive_sectors.min(20) {
        for subset in 0..1u32 << doubtful.len() {
            each(with(
                safe,
                doubtful
                    .iter()
                    .enumerate()
                    .filter_map(|(bit, part)| (subset >> bit & 1 == 1).then_some(part)),
            ));
        }
        return;
    }
    let mut draws = Draws::of(effort.seed, cut);
    each(safe.to_vec());
    each(with(safe, doubtful.iter()));
    for _ in 0..effort.samples {
        each(with(safe, draws.some_of(&doubtful).into_iter()));
    }
}

/// Brings files to what is behind their last barriers. Returns the changes that are not, by file.
fn behind_barriers<'a>(safe: &mut [MemoryMedium], events: &'a [Event]) -> Vec<(usize, &'a Change)> {
    let mut last = vec![0; safe.len()];
    for (place, event) in events.iter().enumerate() {
        if let Event::Barrier { file } = event {
            last[*file] = place;
        }
    }
    let mut doubtful = Vec::new();
    for (place, event) in events.iter().enumerate() {
        let Event::Change { file, change } = event else { continue };
        if place < last[*file] {
            apply(&mut safe[*file], change);
        } else {
            doubtful.push((*file, change));
        }
    }
    doubtful
}

/// Returns the parts of changes that reach the disk each for itself, by file.
fn parts(changes: &[(usize, &Change)]) -> Vec<(usize, Change)> {
    changes.iter().flat_map(|(file, change)| sectors(change).map(move |part| (*file, part))).collect()
}

/// Returns the parts of a change that reach the disk each for itself.
fn sectors(change: &Change) -> impl Iterator<Item = Change> + use<> {
    let mut parts = Vec::new();
    match change {
        Change::Length(length) => parts.push(Change::Length(*length)),
        Change::Write { offset, bytes } => {
            let (mut at, mut rest) = (*offset, &bytes[..]);
            while !rest.is_empty() {
                let room = (SECTOR_BYTES - at % SECTOR_BYTES) as usize;
                let (part, behind) = rest.split_at(room.min(rest.len()));
                parts.push(Change::Write { offset: at, bytes: part.to_vec() });
                at += part.len() as u64;
                rest = behind;
            }
        }
    }
    parts.into_iter()
}

fn apply(medium: &mut MemoryMedium, change: &Change) {
    // A file in memory fails only at its limit, where the run itself has failed before.
    let _ = match change {
        Change::Write { offset, bytes } => medium.write_at(*offset, bytes),
        Change::Length(length) => medium.set_len(*length),
    };
}

fn with<'a>(safe: &[MemoryMedium], parts: impl Iterator<Item = &'a (usize, Change)>) -> Vec<MemoryMedium> {
    let mut files = safe.to_vec();
    for (file, part) in parts {
        apply(&mut files[*file], part);
    }
    files
}

/// Random numbers that a seed determines (xorshift64*).
struct Draws(u64);

impl Draws {
    /// Returns the draws of a seed for a cut after so many events.
    fn of(seed: u64, cut: usize) -> Self {
        Self(seed ^ (cut as u64) << 32)
    }

    /// Returns some of the parts in some order.
    fn some_of<'a>(&mut self, parts: &'a [(usize, Change)]) -> Vec<&'a (usize, Change)> {
        let share = self.below(9);
        let mut some: Vec<_> = parts.iter().filter(|_| self.below(8) < share).collect();
        for place in (1..some.len()).rev() {
            some.swap(place, self.below(place as u64 + 1) as usize);
        }
        some
    }

    fn below(&mut self, limit: u64) -> u64 {
        let mut state = self.0.max(1);
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.0 = state;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const EVERY: Effort = Effort { exhaustive_sectors: 10, samples: 0, seed: 1 };

    fn states(power: &PowerCut, cut: usize, effort: Effort) -> BTreeSet<Vec<Vec<u8>>> {
        let mut states = BTreeSet::new();
        power.states(cut, effort, |files| {
            states.insert(files.iter().map(|file| file.bytes().to_vec()).collect());
        });
        states
    }

    #[test]
    fn what_is_behind_a_barrier_is_there_and_the_rest_in_any_part() {
        let power = PowerCut::new(vec![vec![0; 1], vec![]]);
        let [mut one, mut two] = power.media().try_into().unwrap();
        one.write_at(0, &[1]).unwrap();
        two.write_at(0, &[7]).unwrap();
        one.sync().unwrap();
        one.write_at(0, &[2]).unwrap();
        two.sync().unwrap();
        let after = |cut| states(&power, cut, EVERY);
        let is = |states: &[[&[u8]; 2]]| -> BTreeSet<Vec<Vec<u8>>> {
            states.iter().map(|files| files.map(<[u8]>::to_vec).to_vec()).collect()
        };
        assert_eq!(after(0), is(&[[&[0], &[]]]));
        assert_eq!(after(1), is(&[[&[0], &[]], [&[1], &[]]]));
        assert_eq!(after(3), is(&[[&[1], &[]], [&[1], &[7]]]));
        assert_eq!(after(5), is(&[[&[1], &[7]], [&[2], &[7]]]));
        assert_eq!(power.events(), 5);
    }

    #[test]
    fn a_write_is_torn_at_sectors() {
        let power = PowerCut::new(vec![vec![0; 1024]]);
        power.media()[0].write_at(511, &[1; 3]).unwrap();
        let ones: BTreeSet<_> = states(&power, 1, EVERY)
            .into_iter()
            .map(|files| [511, 512, 513].map(|at| files[0][at]))
            .collect();
        assert_eq!(ones, BTreeSet::from([[0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]]));
    }

    #[test]
    fn a_cut_is_the_state_that_its_seed_draws() {
        let power = || {
            let power = PowerCut::new(vec![vec![0; 50 * 512], vec![]]);
            let [mut one, mut two] = power.media().try_into().unwrap();
            one.write_at(700, &[1; 3000]).unwrap();
            one.sync().unwrap();
            one.write_at(100, &[2; 20 * 512]).unwrap();
            two.write_at(0, &[3; 5000]).unwrap();
            power
        };
        let mut cuts = BTreeSet::new();
        for seed in 0..20 {
            let mut last = Vec::new();
            let effort = Effort { exhaustive_sectors: 0, samples: 1, seed };
            let whole = power();
            let each = |files: Vec<MemoryMedium>| {
                last = files.into_iter().map(MemoryMedium::into_bytes).collect();
            };
            whole.states(whole.events(), effort, each);
            let cut = power().cut(seed);
            assert_eq!(cut, last);
            cuts.insert(cut);
        }
        assert!(cuts.len() > 10);
    }

    #[test]
    fn draws_are_many_and_the_same_for_a_seed() {
        let power = PowerCut::new(vec![vec![0; 50 * 512]]);
        power.media()[0].write_at(0, &[1; 50 * 512]).unwrap();
        let effort = Effort { exhaustive_sectors: 10, samples: 30, seed: 5 };
        let drawn = states(&power, 1, effort);
        assert!(drawn.len() > 20);
        assert_eq!(states(&power, 1, effort), drawn);
        assert_ne!(states(&power, 1, Effort { seed: 6, ..effort }), drawn);
    }
}
