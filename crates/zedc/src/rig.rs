//! Storage and machines of the tests.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::DeflateDecoder;
use halftrack_base::{Span, Time};
use halftrack_program::{MainStorage, StorageKey};

use crate::*;

/// Key of the storage of programs.
pub const KEY: u8 = 8;
/// Octets of each of the two regions of an address space; the output follows the input.
pub const AREA_BYTES: usize = 2 << 20;
/// Octets of each of them in a small machine.
pub const SMALL_AREA_BYTES: usize = 48 << 10;

/// Returns storage of so many pages with this key.
pub fn pages(key: u8, count: usize) -> MainStorage {
    let mut storage = MainStorage::new(count * PAGE_BYTES as usize);
    for at in 0..count as u64 {
        storage.set_key(at * PAGE_BYTES, StorageKey::new(key, false)).expect("a page");
    }
    storage
}

/// Inflates by a library that is no engine; the stream must end where it ends.
pub fn inflated_elsewhere(stream: &[u8]) -> Vec<u8> {
    let mut decoder = DeflateDecoder::new(stream);
    let mut data = Vec::new();
    decoder.read_to_end(&mut data).expect("another library inflates it");
    assert_eq!(decoder.total_in(), stream.len() as u64, "nothing stands behind the final block");
    data
}

/// Returns text that shrinks.
pub fn text(bytes: usize) -> Vec<u8> {
    let lines = (0_u32..).flat_map(|at| format!("record {at} of data set {}\n", at % 37).into_bytes());
    lines.take(bytes).collect()
}

/// Returns octets that do not shrink.
pub fn incompressible(bytes: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

/// Returns the function of this number.
pub fn vf(number: u8) -> VfNumber {
    VfNumber::new(number).expect("1 to 15")
}

/// Storage of the address spaces of a machine.
#[derive(Debug, Default)]
pub struct Memory(pub BTreeMap<SpaceId, MainStorage>);

impl Spaces for Memory {
    type Storage = MainStorage;

    fn storage(&mut self, space: SpaceId) -> Option<&mut MainStorage> {
        self.0.get_mut(&space)
    }
}

/// Engine that refuses to deflate, so that slices are stored. It is quick.
#[derive(Debug)]
struct Refusing;

impl Engine for Refusing {
    fn name(&self) -> &'static str {
        "refusing"
    }

    fn deflate(&mut self, _: &[u8], _: Position, _: &mut [u8]) -> Result<usize, EngineFault> {
        Err(EngineFault::OutputFull)
    }

    fn inflate(&mut self, _: &[u8], _: &mut [u8]) -> Result<Inflated, EngineFault> {
        Err(EngineFault::Corrupt)
    }
}

/// Partition with one address space and its two regions.
#[derive(Debug)]
pub struct Program {
    pub partition: Partition,
    pub token: RendezvousToken,
    pub space: SpaceId,
    pub input: RegionToken,
    pub output: RegionToken,
}

/// Machine whose cards are used by all of its partitions.
pub struct Machine {
    pub cpc: Cpc,
    pub memory: Memory,
    pub programs: Vec<Program>,
    pub engine: Box<dyn Engine>,
    pub now: Time,
    area_bytes: usize,
}

impl Machine {
    /// Makes a machine. Partition 0 has function 1 of every card, and so on; the groups take turns.
    pub fn new(cards: usize, partitions: u8) -> Self {
        Self::with(cards, partitions, AREA_BYTES, Box::new(ZlibRs::default()))
    }

    /// Makes a machine of one program that is made quickly, and stores every slice.
    pub fn small(cards: usize) -> Self {
        Self::with(cards, 1, SMALL_AREA_BYTES, Box::new(Refusing))
    }

    fn with(cards: usize, partitions: u8, area_bytes: usize, engine: Box<dyn Engine>) -> Self {
        let mut cpc = Cpc::default();
        for at in 0..cards {
            let group = if at % 2 == 0 { ResourceGroup::One } else { ResourceGroup::Two };
            let card = cpc.install(group, Time::ZERO).expect("at most 8");
            for number in 1..=partitions {
                cpc.card_mut(card).configure(vf(number), DEPTH_DEFAULT).expect("a function");
            }
        }
        let mut memory = Memory::default();
        let programs =
            (0..partitions).map(|at| Program::new(at, &mut cpc, &mut memory, area_bytes)).collect();
        Self { cpc, memory, programs, engine, now: Time::ZERO, area_bytes }
    }

    /// Writes the input of a program.
    pub fn put(&mut self, program: usize, data: &[u8]) {
        let storage = self.memory.0.get_mut(&self.programs[program].space).expect("an address space");
        storage.bytes_mut()[..data.len()].copy_from_slice(data);
    }

    /// Returns output of a program.
    pub fn output(&self, program: usize, bytes: usize) -> &[u8] {
        &self.memory.0[&self.programs[program].space].bytes()[AREA_BYTES..][..bytes]
    }

    /// Starts a request with areas at the begin of the regions.
    pub fn start(
        &mut self,
        program: usize,
        operation: Operation,
        input_bytes: usize,
        room_bytes: usize,
    ) -> Result<RequestId, Answer> {
        let options = match operation {
            Operation::Deflate => Options::default(),
            Operation::Inflate => Options::INFLATE,
        };
        self.start_with(program, options, input_bytes, room_bytes)
    }

    /// Starts a request of these options.
    pub fn start_with(
        &mut self,
        program: usize,
        options: Options,
        input_bytes: usize,
        room_bytes: usize,
    ) -> Result<RequestId, Answer> {
        let Program { partition, token, input, output, .. } = &mut self.programs[program];
        let segment = |region, address: usize, length: usize| Segment {
            region,
            address: address as u64,
            length_bytes: length as u32,
        };
        let input = &[segment(*input, 0, input_bytes)];
        let output = &[segment(*output, self.area_bytes, room_bytes)];
        partition.compress(*token, Autonomous { options, input, output }, &mut self.cpc, self.now)
    }

    /// Begins and ends a slice of a card at 1 GB/s of virtual time.
    pub fn slice(&mut self, card: CardId) -> Option<Slice> {
        let card = self.cpc.card_mut(card);
        let slice = card.begin_slice(&mut *self.engine, &mut self.memory, self.now)?;
        self.now += Span::from_ns(slice.bytes as u64);
        card.end_slice(self.now);
        Some(slice)
    }

    /// Lets all cards work until nothing is left; returns the ends of the requests of each program.
    pub fn run(&mut self) -> Vec<Vec<Completion>> {
        let mut ended = vec![Vec::new(); self.programs.len()];
        loop {
            let cards: Vec<_> = self.cpc.cards().collect();
            let is_busy = cards.into_iter().filter(|card| self.slice(*card).is_some()).count() != 0;
            for (program, ended) in self.programs.iter_mut().zip(&mut ended) {
                program.partition.collect(&mut self.cpc);
                ended.extend(std::iter::from_fn(|| program.partition.poll()).map(|(_, end)| end));
            }
            if !is_busy {
                return ended;
            }
        }
    }

    /// Does one request of the first program to its end.
    pub fn run_one(&mut self, operation: Operation, input_bytes: usize, room_bytes: usize) -> Completion {
        let id = self.start(0, operation, input_bytes, room_bytes).expect("a card takes it");
        let ended = self.run().remove(0);
        assert_eq!(ended.iter().map(|end| end.id).collect::<Vec<_>>(), [id]);
        ended[0]
    }
}

impl Program {
    fn new(at: u8, cpc: &mut Cpc, memory: &mut Memory, area_bytes: usize) -> Self {
        let mut partition = Partition::new(PartitionId(at), true);
        for card in cpc.cards() {
            partition.attach(FunctionPlace { card, vf: vf(at + 1) }, cpc).expect("nobody uses it");
        }
        let space = SpaceId(u64::from(at));
        memory.0.insert(space, pages(KEY, 2 * area_bytes / PAGE_BYTES as usize));
        let token =
            partition.rendezvous(Caller { space, application: 1, is_authorized: true }).expect("a token");
        let mut region = |address: usize| {
            let (address, length_bytes) = (address as u64, area_bytes as u64);
            let region = Region { address, length_bytes, key: KEY, is_in_data_space: false };
            partition.register(token, region, memory).expect("a region")
        };
        let (input, output) = (region(0), region(area_bytes));
        Self { partition, token, space, input, output }
    }
}
