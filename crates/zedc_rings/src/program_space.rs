//! Memory of programs, as a card reaches it.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use halftrack_program::{Storage, StorageFault};
use halftrack_shared_memory::SealedMemory;
use halftrack_zedc::{Answer, Region, SpaceId, Spaces};

/// Octets that one fetch returns at most.
const FETCH_BYTES: usize = 4096;

/// Mapped regions of a program, by their addresses in it.
#[derive(Debug)]
pub struct ProgramSpace {
    regions: BTreeMap<u64, SealedMemory>,
    fetched: [u8; FETCH_BYTES],
}

impl Default for ProgramSpace {
    fn default() -> Self {
        Self { regions: BTreeMap::new(), fetched: [0; FETCH_BYTES] }
    }
}

impl ProgramSpace {
    /// Has memory at an address; false when some is mapped at it already.
    pub fn map(&mut self, address: u64, memory: SealedMemory) -> bool {
        let is_free = !self.regions.contains_key(&address);
        if is_free {
            self.regions.insert(address, memory);
        }
        is_free
    }

    /// Has other memory with the same octets at an address; returns its file, when some is mapped at it.
    pub fn replace(&mut self, address: u64) -> Option<io::Result<OwnedFd>> {
        self.regions.get_mut(&address).map(|memory| memory.replace("zedc-region"))
    }

    /// Gives the memory at an address up.
    pub fn unmap(&mut self, address: u64) {
        self.regions.remove(&address);
    }
}

/// Returns the memory at an address, where the address is in it, and how many octets follow.
fn run(
    regions: &BTreeMap<u64, SealedMemory>,
    address: u64,
) -> Result<(&SealedMemory, usize, usize), StorageFault> {
    let (first, memory) = regions.range(..=address).next_back().ok_or(StorageFault::Addressing)?;
    let offset = usize::try_from(address - first).map_err(|_| StorageFault::Addressing)?;
    let rest = memory.bytes().checked_sub(offset).filter(|rest| *rest != 0);
    Ok((memory, offset, rest.ok_or(StorageFault::Addressing)?))
}

impl Storage for ProgramSpace {
    fn fetch(&mut self, address: u64, limit: u32, _key: u8) -> Result<&[u8], StorageFault> {
        let (memory, offset, rest) = run(&self.regions, address)?;
        let length = rest.min(limit as usize).min(FETCH_BYTES);
        memory.load(offset, &mut self.fetched[..length]);
        Ok(&self.fetched[..length])
    }

    fn store(&mut self, address: u64, octets: &[u8], _key: u8) -> Result<usize, StorageFault> {
        let (memory, offset, rest) = run(&self.regions, address)?;
        let length = rest.min(octets.len());
        memory.store(offset, &octets[..length]);
        Ok(length)
    }

    fn fetch_all(&mut self, address: u64, into: &mut [u8], _key: u8) -> Result<(), StorageFault> {
        let mut filled = 0;
        while filled < into.len() {
            let (memory, offset, rest) = run(&self.regions, address.wrapping_add(filled as u64))?;
            let length = rest.min(into.len() - filled);
            memory.load(offset, &mut into[filled..filled + length]);
            filled += length;
        }
        Ok(())
    }
}

/// Memory of the programs of a card.
#[derive(Debug, Default)]
pub struct ProgramSpaces(pub BTreeMap<SpaceId, ProgramSpace>);

impl Spaces for ProgramSpaces {
    type Storage = ProgramSpace;

    fn storage(&mut self, space: SpaceId) -> Option<&mut ProgramSpace> {
        self.0.get_mut(&space)
    }

    /// Finds the memory that is mapped for the region. Nothing is stored into it, for the program may use it meanwhile.
    fn reach(&mut self, space: SpaceId, region: &Region) -> Result<(), Answer> {
        let memory = self.0.get(&space).and_then(|space| space.regions.get(&region.address));
        let is_whole = memory.is_some_and(|memory| memory.bytes() as u64 == region.length_bytes);
        if is_whole { Ok(()) } else { Err(Answer::BadRegionAddress) }
    }
}
