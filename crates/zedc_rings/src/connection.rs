//! A program that uses a function, as the card has it.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use halftrack_base::Time;
use halftrack_shared_memory::{Event, SealedMemory};
use halftrack_zedc::{
    Answer, Completion, Cpc, PAGE_BYTES, Partition, Region, RegionToken, RendezvousToken, RequestId, SpaceId,
    VfNumber,
};

use crate::program_space::ProgramSpaces;
use crate::rings::{CardRings, Malformed};
use crate::submission::Submission;

/// Key of the storage of programs. They have one only here.
const KEY: u8 = 8;
/// Most octets that a program may have registered (our choice): 256 regions of 16 MiB.
pub const REGISTERED_BYTES_MAX: u64 = 4 << 30;

/// Parts of a card that a program reaches through its connection.
pub struct Reach<'a> {
    pub partition: &'a mut Partition,
    pub cpc: &'a mut Cpc,
    pub spaces: &'a mut ProgramSpaces,
    pub now: Time,
}

/// Program that uses a function.
#[derive(Debug)]
pub struct Connection {
    pub stream: UnixStream,
    pub rings: CardRings,
    /// Wakes the card. Nobody else has it: a program that resets it delays itself only.
    pub event: Event,
    pub vf: VfNumber,
    pub token: RendezvousToken,
    pub space: SpaceId,
    /// Process and user.
    pub peer: (u32, u32),
    /// Names that the program has given to requests that have not ended.
    ids: BTreeMap<RequestId, u64>,
    /// Regions by the tokens of the program: token here, address, octets.
    regions: BTreeMap<u64, (RegionToken, u64, u64)>,
    submission: Submission,
}

impl Connection {
    /// Makes a connection without requests and regions.
    pub fn new(
        stream: UnixStream,
        (rings, event): (CardRings, Event),
        vf: VfNumber,
        token: RendezvousToken,
        space: SpaceId,
        peer: (u32, u32),
    ) -> Self {
        let (ids, regions) = (BTreeMap::new(), BTreeMap::new());
        Self { stream, rings, event, vf, token, space, peer, ids, regions, submission: Submission::default() }
    }

    /// Takes the next submission, if there is one, and starts it or gives it back; true when there was one.
    ///
    /// # Errors
    /// [`Malformed`]: the program is let go.
    #[inline]
    pub fn take(&mut self, reach: &mut Reach<'_>) -> Result<bool, Malformed> {
        if self.rings.waiting()? == 0 {
            return Ok(false);
        }
        // The queues of the function are for all of its programs: what finds no room waits in its own ring.
        if reach.partition.is_full(reach.cpc) {
            return Ok(false);
        }
        if !self.rings.take(&mut self.submission)? {
            return Ok(false);
        }
        let segments = self.submission.input.iter_mut().chain(&mut self.submission.output);
        for segment in segments {
            // A token that the program does not have is one that nobody has.
            let own = self.regions.get(&segment.region.0).map(|(token, ..)| *token);
            segment.region = own.unwrap_or(RegionToken(0));
        }
        // No request was submitted later than it is taken, whatever the program has noted.
        let submitted_ps = self.submission.submitted_ns.saturating_mul(1000).min(reach.now.as_ps());
        let submitted = Time::from_ps(submitted_ps);
        let started =
            reach.partition.compress(self.token, self.submission.parameters(), reach.cpc, submitted);
        match started {
            Ok(id) => {
                self.ids.insert(id, self.submission.id);
            }
            Err(answer) => {
                let id = self.submission.id;
                self.rings.end(id, &Completion::without_data(RequestId(id), answer));
            }
        }
        Ok(true)
    }

    /// Gives the end of a request back.
    pub fn end(&mut self, completion: &Completion) {
        if let Some(id) = self.ids.remove(&completion.id) {
            self.rings.end(id, completion);
        }
    }

    /// Registers memory that the program has at an address.
    pub fn register(
        &mut self,
        token: u64,
        (address, bytes): (u64, u64),
        memory: Option<OwnedFd>,
        reach: &mut Reach<'_>,
    ) -> Answer {
        let registered: u64 = self.regions.values().map(|(.., bytes)| bytes).sum();
        let is_usable = address.is_multiple_of(PAGE_BYTES) && !self.regions.contains_key(&token);
        if !is_usable {
            return Answer::BadRegionAddress;
        }
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) || bytes > REGISTERED_BYTES_MAX - registered {
            return Answer::BadRegionLength;
        }
        let mapped = memory.ok_or(io::ErrorKind::InvalidInput.into());
        let mapped = mapped.and_then(|memory| SealedMemory::open(memory, bytes as usize));
        let Ok(memory) = mapped else { return Answer::BadRegionAddress };
        let Some(space) = reach.spaces.0.get_mut(&self.space) else { return Answer::BadRegionAddress };
        if !space.map(address, memory) {
            return Answer::RegionOverlap;
        }
        let region = Region { address, length_bytes: bytes, key: KEY, is_in_data_space: false };
        match reach.partition.register(self.token, region, reach.spaces) {
            Ok(own) => {
                self.regions.insert(token, (own, address, bytes));
                Answer::Done
            }
            Err(answer) => {
                self.unmap(address, reach);
                answer
            }
        }
    }

    fn unmap(&self, address: u64, reach: &mut Reach<'_>) {
        if let Some(space) = reach.spaces.0.get_mut(&self.space) {
            space.unmap(address);
        }
    }

    /// Deregisters a region: none of its octets is touched any more when this returns.
    pub fn deregister(&mut self, token: u64, reach: &mut Reach<'_>) -> Answer {
        let Some((own, address, _)) = self.regions.remove(&token) else { return Answer::BadRegionToken };
        let ended = reach.partition.deregister(self.token, own, reach.cpc, reach.now);
        self.unmap(address, reach);
        ended.err().unwrap_or(Answer::Done)
    }
}
