//! Destination of a relocation: a file that becomes the memory of the guest.

use std::io;
use std::path::{Path, PathBuf};

use halftrack_base::{SharedOctets, Time};
use halftrack_isfc::SystemName;
use halftrack_isfc::relocation::{Arrival, Digest, Effect, PAGE_BYTES, PageRun, Record};

use super::conversation::{Conversation, ConversationError, ConversationReport};
use super::directory::Part;
use super::memory_digest::{PageDigests, of_file};
use super::part_file::{PartFile, remove_part};

/// Memory that is not whole.
#[derive(Debug)]
struct Incomplete {
    file: PartFile,
    pages: PageDigests,
}

/// The system that is to have a guest.
#[derive(Debug)]
pub struct Arriving {
    arrival: Arrival,
    path: PathBuf,
    memory: Option<Incomplete>,
    /// The memory is to be compared with the source's, and has this digest when that is computed.
    comparing: Option<Option<Digest>>,
}

impl Arriving {
    /// Makes the destination of a guest whose memory becomes a file. When there is one, the guest is taken to be here.
    ///
    /// # Errors
    /// The file cannot be read, or be made.
    pub fn new(name: SystemName, path: &Path) -> io::Result<Self> {
        let present = if path.try_exists()? { Some(of_file(path)?) } else { None };
        remove_part(path)?;
        if present.is_none() {
            drop(PartFile::create(path)?);
        }
        let arrival = Arrival::new(name, present);
        Ok(Self { arrival, path: path.to_owned(), memory: None, comparing: None })
    }

    fn store(&mut self, runs: &[PageRun], contents: &[u8]) -> io::Result<()> {
        let Some(memory) = &mut self.memory else { return Ok(()) };
        let mut rest = contents;
        for run in runs {
            let (octets, behind) = rest.split_at(run.pages as usize * PAGE_BYTES as usize);
            memory.file.write_at(octets, run.first * PAGE_BYTES)?;
            for (page, octets) in (run.first..).zip(octets.chunks_exact(PAGE_BYTES as usize)) {
                memory.pages.set(page, octets);
            }
            rest = behind;
        }
        Ok(())
    }

    fn follow(&mut self, effect: Effect, record: &Record<'_>) -> io::Result<()> {
        match effect {
            Effect::None => {}
            Effect::Open { memory_bytes } => {
                self.memory = None;
                let file = PartFile::create(&self.path)?;
                file.set_len(memory_bytes)?;
                self.memory = Some(Incomplete { file, pages: PageDigests::new(memory_bytes) });
            }
            Effect::Store => {
                if let Record::Pages { runs, contents } = record {
                    self.store(runs, contents)?;
                }
            }
            Effect::Compare => self.comparing = Some(None),
            Effect::Keep => {
                if let Some(memory) = self.memory.take() {
                    memory.file.keep()?;
                }
            }
            Effect::Drop => self.memory = None,
        }
        Ok(())
    }
}

impl Conversation for Arriving {
    fn part(&self) -> Part {
        Part::Destination
    }

    fn restarted(&mut self, _: Time) {
        self.arrival.restarted();
        (self.memory, self.comparing) = (None, None);
    }

    fn put(&mut self, _: u64, octets: &SharedOctets, now: Time) -> Result<(), ConversationError> {
        let record = Record::decode(octets)?;
        let effect = self.arrival.received(&record, now)?;
        let followed = self.follow(effect, &record);
        followed.map_err(|error| ConversationError::File { path: self.path.display().to_string(), error })
    }

    fn turn(&mut self, now: Time) -> Result<bool, ConversationError> {
        match self.comparing {
            None => return Ok(false),
            Some(None) => self.comparing = Some(self.memory.as_ref().map(|memory| memory.pages.digest())),
            Some(Some(digest)) => {
                self.comparing = None;
                if !self.arrival.compared(digest, now) {
                    self.memory = None;
                }
            }
        }
        Ok(true)
    }

    fn take(&mut self, _: u64, _: Time) -> Result<Option<SharedOctets>, ConversationError> {
        Ok(self.arrival.poll_reply().map(|reply| reply.encode().into()))
    }

    fn acknowledged(&mut self, _: u64, _: Time) {}

    fn deadline(&self) -> Option<Time> {
        None
    }

    fn is_finished(&self) -> bool {
        self.arrival.is_finished()
    }

    fn report(&self) -> ConversationReport {
        ConversationReport::Arrival(self.arrival.report())
    }
}
