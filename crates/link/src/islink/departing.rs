//! Source of a relocation: a guest that runs, and leaves.

use std::io;
use std::path::{Path, PathBuf};

use halftrack_base::{SharedOctets, Time};
use halftrack_isfc::SystemName;
use halftrack_isfc::relocation::{Departure, PAGE_BYTES, Plan, Reply, Task};

use super::conversation::{Conversation, ConversationError, ConversationReport};
use super::directory::Part;
use super::guest::Guest;
use super::memory_digest::{DigestTime, MemoryDigest};
use super::part_file::{PartFile, remove_part};

/// Octets of the memory that are kept in a turn.
const TURN_BYTES: usize = 1024 * PAGE_BYTES as usize;

/// The guest of a system that another one is to have.
pub struct Departing {
    departure: Departure,
    guest: Guest,
    path: PathBuf,
    digest: Option<MemoryDigest>,
    digest_time: DigestTime,
    /// The file that becomes the memory of the stop, and octets that it has.
    saving: Option<(PartFile, usize)>,
}

impl Departing {
    /// Makes the source of a guest whose memory is from a file. The file has the memory of the stop once the guest has left,
    /// and is not changed before.
    ///
    /// # Errors
    /// A part of the file that is left from an earlier start cannot be removed.
    pub fn new(name: SystemName, plan: Plan, guest: Guest, path: &Path) -> io::Result<Self> {
        remove_part(path)?;
        let departure = Departure::new(name, plan);
        let digest_time = DigestTime::new(plan.memory_bytes);
        Ok(Self { departure, guest, path: path.to_owned(), digest: None, digest_time, saving: None })
    }

    /// Writes some of the memory into its file; true when that is whole.
    fn save(&mut self) -> io::Result<bool> {
        let memory = self.guest.memory();
        let (file, at) = match self.saving.take() {
            Some(saving) => saving,
            None => (PartFile::create(&self.path)?, 0),
        };
        let to = memory.len().min(at + TURN_BYTES);
        file.write_at(&memory[at..to], at as u64)?;
        if to < memory.len() {
            self.saving = Some((file, to));
            return Ok(false);
        }
        file.keep().map(|()| true)
    }
}

impl Conversation for Departing {
    fn part(&self) -> Part {
        Part::Source
    }

    fn restarted(&mut self, _: Time) {
        self.departure.restarted();
        (self.digest, self.saving) = (None, None);
    }

    fn put(&mut self, _: u64, octets: &SharedOctets, now: Time) -> Result<(), ConversationError> {
        Ok(self.departure.received(Reply::decode(octets)?, now)?)
    }

    fn turn(&mut self, now: Time) -> Result<bool, ConversationError> {
        if self.departure.is_guest_running() {
            self.guest.run(now);
            if let Some(span) = self.digest_time.turn(self.guest.memory(), now) {
                self.departure.reserve(span);
            }
        } else {
            self.guest.stand();
        }
        match self.departure.task() {
            None => return Ok(self.digest_time.is_timing() && self.departure.is_guest_running()),
            Some(Task::Count) => self.departure.counted(&self.guest.take_changed(), now),
            Some(Task::Digest) => {
                let digest = self.digest.get_or_insert_default();
                if let Some(whole) = digest.turn(self.guest.memory()) {
                    self.digest = None;
                    self.departure.digested(whole);
                }
            }
            Some(Task::Save) => {
                let saved = self.save();
                let failed = |error| ConversationError::File { path: self.path.display().to_string(), error };
                if saved.map_err(failed)? {
                    self.departure.saved();
                }
            }
        }
        Ok(true)
    }

    fn take(&mut self, room_bytes: u64, _: Time) -> Result<Option<SharedOctets>, ConversationError> {
        let guest = &self.guest;
        let record = self.departure.next(room_bytes, |run, octets| {
            octets.extend_from_slice(guest.contents(run));
        });
        Ok(record.map(SharedOctets::from))
    }

    fn acknowledged(&mut self, offset: u64, now: Time) {
        self.departure.acknowledged(offset, now);
    }

    fn deadline(&self) -> Option<Time> {
        None
    }

    fn is_finished(&self) -> bool {
        self.departure.is_finished()
    }

    fn report(&self) -> ConversationReport {
        ConversationReport::Departure(self.departure.report())
    }
}
