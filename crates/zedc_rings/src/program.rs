//! A program that uses the cards of a machine.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use halftrack_base::{Span, Time};
use halftrack_program::Storage as _;
use halftrack_shared_memory::{Pause, SealedMemory};
use halftrack_zedc::{
    Answer, Autonomous, Caller, CardId, Completion, Counters, PAGE_BYTES, Partition, PartitionId, Region,
    RegionToken, RendezvousToken, RequestId, Segment, SpaceId,
};
use thiserror::Error;

use crate::clock::Clock;
use crate::connection::REGISTERED_BYTES_MAX;
use crate::place::Place;
use crate::program_space::{ProgramSpace, ProgramSpaces};
use crate::remote_card::RemoteCard;
use crate::remote_cards::RemoteCards;

/// The address space of the program, which has one.
const SPACE: SpaceId = SpaceId(0);
/// Its storage key.
const KEY: u8 = 8;
/// How long the program polls for an end before it sleeps (our choice: several times what sleeping and waking cost).
pub(crate) const SPIN: Span = Span::from_us(50);
/// Polls between two readings of the clock.
pub(crate) const POLLS: u32 = 32;
/// Longest sleep before the program checks that the card is still there.
const SLEEP_MAX: Duration = Duration::from_millis(10);
/// How long a card may keep a request before it is given up.
const KEPT_MAX: Span = Span::from_s(10);
/// Interval at which the program connects to cards that were plugged.
const TEND_STEP: Span = Span::from_ms(100);

/// The application that is defined (reference on zEDC, section 2).
const APPLICATION: u32 = 1;

/// Options of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramOptions {
    /// Function to be used on each card; any for 0.
    pub vf: u8,
    /// Application id.
    pub application: u32,
}

impl Default for ProgramOptions {
    fn default() -> Self {
        Self { vf: 0, application: APPLICATION }
    }
}

/// Why a program cannot use cards.
#[derive(Debug, Error)]
pub enum OpenError {
    /// No card lets it in.
    #[error("no card of {0} can be used: {1}")]
    NoCard(String, io::Error),
    /// A service gives another answer.
    #[error(transparent)]
    Answer(#[from] Answer),
}

/// Memory of the program that is registered.
#[derive(Debug)]
struct OwnRegion {
    address: u64,
    bytes: usize,
    file: OwnedFd,
}

/// Program that uses the cards of a machine.
#[derive(Debug)]
pub struct Program {
    place: Place,
    options: ProgramOptions,
    cards: RemoteCards,
    partition: Partition,
    token: RendezvousToken,
    spaces: ProgramSpaces,
    regions: BTreeMap<RegionToken, OwnRegion>,
    ended: VecDeque<Completion>,
    clock: Clock,
    pause: Pause,
    tended: Time,
}

impl Program {
    /// Connects to the cards of a machine (FPZ4RZV).
    ///
    /// # Errors
    /// No card lets the program in.
    pub fn open(place: Place, options: ProgramOptions) -> Result<Self, OpenError> {
        let mut partition = Partition::new(PartitionId(0), true);
        let caller = Caller { space: SPACE, application: options.application, is_authorized: true };
        let token = partition.rendezvous(caller)?;
        let mut spaces = ProgramSpaces::default();
        spaces.0.insert(SPACE, ProgramSpace::default());
        let mut program = Self {
            place,
            options,
            cards: RemoteCards::default(),
            partition,
            token,
            spaces,
            regions: BTreeMap::new(),
            ended: VecDeque::new(),
            clock: Clock::default(),
            pause: Pause::default(),
            tended: Time::ZERO,
        };
        let trouble = program.connect_cards();
        if program.cards.0.is_empty() {
            let directory = program.place.directory().display().to_string();
            let trouble = trouble.unwrap_or_else(|| io::ErrorKind::NotFound.into());
            return Err(OpenError::NoCard(directory, trouble));
        }
        Ok(program)
    }

    /// Connects to cards to which it is not connected; returns why one did not let it in.
    fn connect_cards(&mut self) -> Option<io::Error> {
        let mut trouble = None;
        for card in Place::cards().filter(|card| !self.cards.0.contains_key(card)).collect::<Vec<_>>() {
            match RemoteCard::connect(&self.place, card, self.options.vf) {
                Ok(remote) => self.use_card(card, remote),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => trouble = Some(error),
            }
        }
        self.tended = self.clock.now();
        trouble
    }

    fn use_card(&mut self, card: CardId, mut remote: RemoteCard) {
        for (token, OwnRegion { address, bytes, file }) in &self.regions {
            if remote.register(token.0, *address, *bytes as u64, file) != Answer::Done {
                return;
            }
        }
        let place = remote.place;
        self.cards.0.insert(card, remote);
        // The function is there, since the card has let the program in.
        let _ = self.partition.attach(place, &mut self.cards);
    }

    /// Drops cards that are gone, and connects to those that were plugged, when it is time to.
    fn tend(&mut self) {
        if self.clock.now().saturating_since(self.tended) < TEND_STEP {
            return;
        }
        self.drop_lost_cards();
        self.connect_cards();
    }

    fn drop_lost_cards(&mut self) {
        self.cards.0.values_mut().for_each(RemoteCard::check);
        self.collect();
        self.cards.0.retain(|_, card| !card.is_over());
    }

    /// Returns whether a card takes requests now (FPZ4PRB).
    ///
    /// # Errors
    /// [`Answer::NoHardware`].
    pub fn probe(&mut self) -> Result<(), Answer> {
        self.tend();
        self.partition.probe(self.token, &self.cards)
    }

    /// Allocates memory of zeros, at least `bytes` octets, and registers it (FPZ4RMR).
    ///
    /// # Errors
    /// [`Answer::BadRegionLength`] where there is no such memory, or no card takes so much; [`Answer::TooManyRegions`].
    pub fn allocate(&mut self, bytes: usize) -> Result<RegionToken, Answer> {
        let bytes =
            bytes.max(1).checked_next_multiple_of(PAGE_BYTES as usize).ok_or(Answer::BadRegionLength)?;
        let registered: u64 = self.regions.values().map(|region| region.bytes as u64).sum();
        if bytes as u64 > REGISTERED_BYTES_MAX - registered {
            return Err(Answer::BadRegionLength);
        }
        let (memory, file) =
            SealedMemory::create("zedc-region", bytes).map_err(|_| Answer::BadRegionLength)?;
        let address = memory.address() as u64;
        let space = self.spaces.0.entry(SPACE).or_default();
        if !space.map(address, memory) {
            return Err(Answer::RegionOverlap);
        }
        let region = Region { address, length_bytes: bytes as u64, key: KEY, is_in_data_space: false };
        let registered = self.partition.register(self.token, region, &mut self.spaces);
        let Ok(token) = registered else {
            self.spaces.0.entry(SPACE).or_default().unmap(address);
            return registered;
        };
        for card in self.cards.0.values_mut() {
            if card.register(token.0, address, bytes as u64, &file) != Answer::Done {
                card.lose();
            }
        }
        self.regions.insert(token, OwnRegion { address, bytes, file });
        Ok(token)
    }

    /// Deregisters memory and gives it up (FPZ4DMR). Requests that use it and have not ended end with
    /// [`Answer::RegionFreed`].
    ///
    /// # Errors
    /// [`Answer::BadRegionToken`].
    pub fn free(&mut self, token: RegionToken) -> Result<(), Answer> {
        let region = self.regions.remove(&token).ok_or(Answer::BadRegionToken)?;
        for card in self.cards.0.values_mut() {
            card.deregister(token.0);
        }
        self.collect();
        self.partition.deregister(self.token, token, &mut self.cards, self.clock.now())?;
        self.collect();
        self.spaces.0.entry(SPACE).or_default().unmap(region.address);
        Ok(())
    }

    /// Returns where memory is in this process, and its length.
    ///
    /// # Errors
    /// [`Answer::BadRegionToken`].
    pub fn region(&self, token: RegionToken) -> Result<(u64, usize), Answer> {
        self.regions.get(&token).map(|region| (region.address, region.bytes)).ok_or(Answer::BadRegionToken)
    }

    /// Returns a run of octets of memory, for a request.
    ///
    /// # Errors
    /// [`Answer::BadRegionToken`]; [`Answer::OutsideRegion`].
    pub fn segment(&self, token: RegionToken, offset: usize, bytes: usize) -> Result<Segment, Answer> {
        let (address, length) = self.region(token)?;
        let is_within = offset.checked_add(bytes).is_some_and(|end| end <= length);
        let length_bytes = u32::try_from(bytes).ok().filter(|_| is_within).ok_or(Answer::OutsideRegion)?;
        Ok(Segment { region: token, address: address + offset as u64, length_bytes })
    }

    /// Copies octets into memory.
    ///
    /// # Errors
    /// As [`Program::segment`].
    pub fn store(&mut self, token: RegionToken, offset: usize, octets: &[u8]) -> Result<(), Answer> {
        let address = self.segment(token, offset, octets.len())?.address;
        let space = self.spaces.0.entry(SPACE).or_default();
        space.store_all(address, octets, KEY).map_err(|_| Answer::OutsideRegion)
    }

    /// Copies octets out of memory.
    ///
    /// # Errors
    /// As [`Program::segment`].
    pub fn load(&mut self, token: RegionToken, offset: usize, into: &mut [u8]) -> Result<(), Answer> {
        let address = self.segment(token, offset, into.len())?.address;
        let space = self.spaces.0.entry(SPACE).or_default();
        space.fetch_all(address, into, KEY).map_err(|_| Answer::OutsideRegion)
    }

    /// Starts a request (FPZ4ABC). Its end comes by [`Program::wait`] or [`Program::poll`].
    ///
    /// # Errors
    /// Why it is no request, or is not started.
    pub fn start(&mut self, parameters: Autonomous<'_>) -> Result<RequestId, Answer> {
        self.tend();
        self.partition.compress(self.token, parameters, &mut self.cards, self.clock.now())
    }

    fn collect(&mut self) {
        self.partition.collect(&mut self.cards);
        self.ended.extend(std::iter::from_fn(|| self.partition.poll()).map(|(_, completion)| completion));
    }

    /// Takes the first end that was not taken, without waiting.
    pub fn poll(&mut self) -> Option<Completion> {
        self.tend();
        self.collect();
        self.ended.pop_front()
    }

    /// Takes the end of a request, when it is there.
    pub(crate) fn take(&mut self, id: RequestId) -> Option<Completion> {
        self.collect();
        let at = self.ended.iter().position(|completion| completion.id == id)?;
        self.ended.remove(at)
    }

    /// Returns whether the end of a request is there to be taken.
    pub(crate) fn has_ended(&self, id: RequestId) -> bool {
        self.ended.iter().any(|completion| completion.id == id)
    }

    /// Watches the card of a request that has not ended for `waited`; false when there is no such request.
    pub(crate) fn watch(&mut self, id: RequestId, waited: Span) -> bool {
        match self.cards.0.iter_mut().find(|(_, card)| card.has(id.0)) {
            Some((&number, _)) if waited >= KEPT_MAX => self.give_up(number),
            Some((_, card)) => card.check(),
            None => return self.partition.is_in_flight(id),
        }
        true
    }

    /// Waits for the end of a request; none when there is no such request.
    pub fn wait(&mut self, id: RequestId) -> Option<Completion> {
        let began = self.clock.now();
        loop {
            for _ in 0..POLLS {
                if let Some(end) = self.take(id) {
                    return Some(end);
                }
                self.pause.wait();
            }
            let waited = self.clock.now().saturating_since(began);
            if waited < SPIN && !self.pause.shares_processor() {
                continue;
            }
            if let Some(card) = self.cards.0.values().find(|card| card.has(id.0)) {
                card.sleep(SLEEP_MAX);
            }
            if !self.watch(id, waited) {
                return self.take(id);
            }
        }
    }

    /// Ends the use of the cards (FPZ4URZ): no process that was forked meanwhile keeps the connections.
    pub fn end(self) {
        self.cards.0.values().for_each(RemoteCard::hang_up);
    }

    /// Gives up a card that does not answer. What it may do with the memory yet is done to memory that nobody has any more.
    pub(crate) fn give_up(&mut self, card: CardId) {
        if let Some(card) = self.cards.0.get_mut(&card) {
            card.lose();
        }
        // No other card touches the memory while its octets go to the new one.
        for other in self.cards.0.values_mut() {
            self.regions.keys().for_each(|token| other.set_aside(token.0));
        }
        let space = self.spaces.0.entry(SPACE).or_default();
        for (token, region) in &mut self.regions {
            let Some(Ok(file)) = space.replace(region.address) else { continue };
            region.file = file;
            for other in self.cards.0.values_mut() {
                if other.register(token.0, region.address, region.bytes as u64, &region.file) != Answer::Done
                {
                    other.lose();
                }
            }
        }
        self.collect();
        self.cards.0.retain(|_, card| !card.is_over());
    }

    /// Returns copies of its connections, as a process has them that was forked.
    #[cfg(test)]
    pub(crate) fn inherited(&self) -> Vec<std::os::unix::net::UnixStream> {
        self.cards.0.values().map(RemoteCard::inherited).collect()
    }

    /// Returns the counts of the program's requests that cards ended.
    pub fn counters(&self) -> Counters {
        self.partition.counters(self.token).unwrap_or_default()
    }

    /// Returns the cards to which the program is connected.
    pub fn cards(&self) -> impl Iterator<Item = CardId> {
        self.cards.0.keys().copied()
    }
}
