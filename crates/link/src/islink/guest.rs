//! Memory of a guest, which writes on its pages while it runs.

use std::io;
use std::path::Path;

use halftrack_base::Time;
use halftrack_engine::RandomStream;
use halftrack_isfc::relocation::{PAGE_BYTES, PageRun, PageSet};

/// Octets that a write changes.
const WRITE_BYTES: u64 = 8;
const PS_PER_S: u128 = 1_000_000_000_000;

/// Writes of a guest on its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuestWrites {
    /// Writes in a second, each on one page.
    pub pages_per_s: u64,
    /// Pages that it writes on, the first ones of its memory.
    pub working_set_pages: u64,
    /// Seed of pages and contents.
    pub seed: u64,
}

/// A guest with its memory. The pages on which it writes, and the contents, follow from the seed; how many writes there were
/// follows from the time for which it ran.
#[derive(Debug)]
pub struct Guest {
    memory: Vec<u8>,
    writes: GuestWrites,
    random: RandomStream,
    changed: PageSet,
    /// It runs since then, and has written so often.
    running: Option<(Time, u64)>,
}

impl Guest {
    /// Makes a guest that has this memory, of whole pages, and does not run yet.
    ///
    /// # Panics
    /// When a write has no page.
    #[must_use]
    pub fn new(memory: Vec<u8>, writes: GuestWrites) -> Self {
        let pages = memory.len() as u64 / PAGE_BYTES;
        assert!((1..=pages).contains(&writes.working_set_pages), "a working set is within the memory");
        let random = RandomStream::new(writes.seed, "guest");
        Self { memory, writes, random, changed: PageSet::none(pages), running: None }
    }

    /// Returns the guest whose memory is a file.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn load(path: &Path, writes: GuestWrites) -> io::Result<Self> {
        Ok(Self::new(std::fs::read(path)?, writes))
    }

    /// Runs the guest up to a moment, from the one at which it was stopped or first ran.
    pub fn run(&mut self, now: Time) {
        let (since, done) = *self.running.get_or_insert((now, 0));
        let ran_ps = u128::from(now.saturating_since(since).as_ps());
        let due = (u128::from(self.writes.pages_per_s) * ran_ps / PS_PER_S) as u64;
        (done..due).for_each(|_| self.write());
        self.running = Some((since, due.max(done)));
    }

    /// Writes on one page: some octets become other ones.
    fn write(&mut self) {
        let page = self.random.below(self.writes.working_set_pages);
        let place = self.random.below(PAGE_BYTES / WRITE_BYTES);
        let from = (page * PAGE_BYTES + place * WRITE_BYTES) as usize;
        let change = self.random.next_u64() | 1;
        for (octet, change) in
            self.memory[from..from + WRITE_BYTES as usize].iter_mut().zip(change.to_be_bytes())
        {
            *octet ^= change;
        }
        self.changed.insert(page);
    }

    /// Stops the guest.
    pub fn stand(&mut self) {
        self.running = None;
    }

    /// Takes the pages that were changed since this was last called.
    pub fn take_changed(&mut self) -> PageSet {
        std::mem::replace(&mut self.changed, PageSet::none(self.memory.len() as u64 / PAGE_BYTES))
    }

    /// Returns the memory.
    pub fn memory(&self) -> &[u8] {
        &self.memory
    }

    /// Returns the contents of pages.
    ///
    /// # Panics
    /// When the memory does not have them.
    pub fn contents(&self, run: PageRun) -> &[u8] {
        let from = (run.first * PAGE_BYTES) as usize;
        &self.memory[from..from + run.pages as usize * PAGE_BYTES as usize]
    }
}

#[cfg(test)]
mod tests {
    use halftrack_base::Span;

    use super::*;

    fn guest(seed: u64) -> Guest {
        let writes = GuestWrites { pages_per_s: 1000, working_set_pages: 6, seed };
        Guest::new(vec![0; 10 * PAGE_BYTES as usize], writes)
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn a_guest_writes_at_its_rate_however_often_it_is_run() {
        let (mut one, mut other) = (guest(1), guest(1));
        one.run(at(5));
        one.run(at(45));
        (5..=45).for_each(|ms| other.run(at(ms)));
        assert!(one.memory == other.memory && one.changed == other.changed);
        let mut third = guest(2);
        third.run(at(0));
        third.run(at(40));
        assert!(one.memory != third.memory);
    }

    /// Every page that differs is counted, none that is not of the working set, and none while the guest stands.
    #[test]
    fn changed_pages_are_those_that_were_written() {
        let mut guest = guest(3);
        guest.run(at(0));
        for ms in (3..60).step_by(3) {
            let before = guest.memory.clone();
            guest.run(at(ms));
            let changed = guest.take_changed();
            for page in 0..10 {
                let run = PageRun { first: page, pages: 1 };
                let from = (page * PAGE_BYTES) as usize;
                let is_other = guest.contents(run) != &before[from..from + PAGE_BYTES as usize];
                assert!(!is_other || changed.contains(page), "page {page}");
                assert!(page < 6 || !changed.contains(page));
            }
            assert!((1..=3).contains(&changed.count()));
        }
        guest.stand();
        guest.run(at(500));
        assert_eq!(guest.take_changed().count(), 0, "it goes on from here");
        guest.run(at(502));
        assert!(guest.take_changed().count() > 0);
    }
}
