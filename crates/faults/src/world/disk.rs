//! The disk under the volume of a world: full, slow, cut off in the middle of a write, or without power.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use halftrack_base::{Span, Time};
use halftrack_engine::RandomStream;
use halftrack_volume::power_cut::{PowerCut, SECTOR_BYTES};
use halftrack_volume::{Disk, FileMedium};

/// Sectors of a write by their offsets.
type Sectors = Vec<(u64, Vec<u8>)>;
/// Files of a volume by their paths.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Writes after which a torn one comes at the latest: those of a few chains.
const TORN_WITHIN: u64 = 24;
/// Events of a log after which it forgets what is safe, at least.
const EVENTS_MIN: usize = 2048;

/// Barriers that make safe what came before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barriers {
    /// All.
    All,
    /// Barriers of journals.
    OfJournal,
    /// None.
    None,
}

/// A disk with faults.
#[derive(Debug)]
pub struct FaultyDisk(Mutex<State>);

#[derive(Debug)]
struct State {
    now: Time,
    random: RandomStream,
    /// There is no space before.
    full: Time,
    /// Each write and barrier takes so long before.
    slow: (Time, Span),
    /// Time that writes and barriers have taken and that was not taken up yet.
    taken: Span,
    /// The process ends in the middle of the write after so many, if that comes before.
    tears: Option<(Time, u64)>,
    /// The write in the middle of which it ended: file, offset, and the octets that are there.
    torn: Option<(PathBuf, Sectors)>,
    /// Something was refused since the process began.
    has_refused: bool,
    /// The process has ended: nothing that it does to the files any more is done.
    has_ended: bool,
    /// Safe and unsafe writes, where the power may fail.
    power: Option<(PowerCut, Vec<PathBuf>)>,
    /// Events of the log after which what is safe by then is forgotten.
    events_max: usize,
    barriers: Barriers,
}

impl FaultyDisk {
    /// Returns a disk without faults, on which these barriers count.
    pub fn new(seed: u64, barriers: Barriers) -> Self {
        Self(Mutex::new(State {
            now: Time::ZERO,
            random: RandomStream::new(seed, "disk"),
            full: Time::ZERO,
            slow: (Time::ZERO, Span::ZERO),
            taken: Span::ZERO,
            tears: None,
            torn: None,
            has_refused: false,
            has_ended: false,
            power: None,
            events_max: EVENTS_MIN,
            barriers,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the time.
    pub fn set_now(&self, now: Time) {
        self.state().now = now;
    }

    /// Notes that a process begins with these files, all safe; the power may fail.
    pub fn begin(&self, files: Files) {
        let (paths, octets) = files.into_iter().unzip();
        self.state().power = Some((PowerCut::new(octets), paths));
    }

    /// Notes that the process has ended: the disk refuses what it does from now on.
    pub fn end(&self) {
        self.state().has_ended = true;
    }

    /// Notes that everything of the process is gone.
    pub fn forget(&self) {
        let mut state = self.state();
        (state.tears, state.torn, state.has_refused, state.has_ended) = (None, None, false, false);
    }

    /// Leaves no space until then.
    pub fn fill(&self, until: Time) {
        let mut state = self.state();
        state.full = state.full.max(until);
    }

    /// Makes each write and barrier take so long until then.
    pub fn slow_down(&self, until: Time, late: Span) {
        self.state().slow = (until, late);
    }

    /// Ends the process in the middle of one of the next writes, if one comes before.
    pub fn tear(&self, until: Time) {
        let mut state = self.state();
        let writes = state.random.below(TORN_WITHIN);
        state.tears = Some((until, writes));
    }

    /// Returns how long the writes and barriers since the last call have taken.
    pub fn take_taken(&self) -> Span {
        std::mem::take(&mut self.state().taken)
    }

    /// Returns whether the process ended in the middle of a write, and when it is back.
    pub fn torn_until(&self) -> Option<Time> {
        let state = self.state();
        state.torn.as_ref().and(state.tears).map(|(until, _)| until)
    }

    /// Returns the time at which there is space again for a process that found none.
    pub fn has_space_at(&self) -> Option<Time> {
        let state = self.state();
        state.has_refused.then_some(state.full)
    }

    /// Writes what is there of the write in the middle of which the process ended.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write_torn(&self) -> io::Result<()> {
        let Some((path, parts)) = self.state().torn.take() else { return Ok(()) };
        let file = File::options().write(true).create(true).truncate(false).open(path)?;
        parts.iter().try_for_each(|(offset, part)| file.write_all_at(part, *offset))
    }

    /// Returns what the files are on a disk whose power has failed. All is there that came before their last barriers, and of
    /// the rest any part in any order.
    pub fn cut_power(&self) -> Files {
        let state = &mut *self.state();
        let Some((power, paths)) = state.power.take() else { return Files::new() };
        paths.into_iter().zip(power.cut(state.random.next_u64())).collect()
    }
}

impl State {
    /// Admits a write or a barrier unless there is no space.
    fn admit(&mut self) -> io::Result<()> {
        if self.torn.is_some() || self.has_ended {
            return Err(io::Error::other("the process has ended"));
        }
        if self.now < self.full {
            self.has_refused = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        if self.now < self.slow.0 {
            self.taken = self.taken.saturating_add(self.slow.1);
        }
        Ok(())
    }

    /// Admits a write as a whole, or tears it.
    fn admit_whole(&mut self, file: &FileMedium, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.admit()?;
        let Some((until, writes)) = &mut self.tears else { return Ok(()) };
        if self.now >= *until {
            self.tears = None;
            return Ok(());
        }
        let Some(left) = writes.checked_sub(1) else {
            let parts = some_sectors(&mut self.random, offset, bytes);
            self.torn = Some((file.path().to_owned(), parts));
            return self.admit();
        };
        *writes = left;
        Ok(())
    }

    fn place_of(&self, file: &FileMedium) -> Option<(&PowerCut, usize)> {
        let (power, paths) = self.power.as_ref()?;
        paths.iter().position(|path| path == file.path()).map(|place| (power, place))
    }
}

/// Returns sectors of a write, each there or not.
fn some_sectors(random: &mut RandomStream, offset: u64, bytes: &[u8]) -> Sectors {
    let head = ((SECTOR_BYTES - offset % SECTOR_BYTES) as usize).min(bytes.len());
    let (head, rest) = bytes.split_at(head);
    let mut at = offset;
    let mut found = Vec::new();
    for sector in std::iter::once(head).chain(rest.chunks(SECTOR_BYTES as usize)) {
        if random.below(2) == 0 {
            found.push((at, sector.to_vec()));
        }
        at += sector.len() as u64;
    }
    found
}

impl Disk for FaultyDisk {
    fn admit_write(&self, file: &FileMedium, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        state.admit_whole(file, offset, bytes)?;
        if let Some((power, place)) = state.place_of(file) {
            power.log().write(place, offset, bytes);
        }
        Ok(())
    }

    fn admit_length(&self, file: &FileMedium, bytes: u64) -> io::Result<()> {
        let mut state = self.state();
        state.admit()?;
        if let Some((power, place)) = state.place_of(file) {
            power.log().set_length(place, bytes);
        }
        Ok(())
    }

    fn admit_barrier(&self, file: &FileMedium) -> io::Result<()> {
        let state = &mut *self.state();
        state.admit()?;
        let counts = match state.barriers {
            Barriers::All => true,
            Barriers::OfJournal => is_journal(file.path()),
            Barriers::None => false,
        };
        if !counts {
            return Ok(());
        }
        if let Some((power, place)) = state.place_of(file) {
            power.log().barrier(place);
        }
        match &mut state.power {
            Some((power, _)) if power.events() > state.events_max => {
                power.settle();
                state.events_max = EVENTS_MIN + 2 * power.events();
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns whether a file is the journal of a volume, by its name.
fn is_journal(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "journal")
}
