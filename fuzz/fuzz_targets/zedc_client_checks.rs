//! Laws of a card before a program that keeps to nothing: whatever that writes into its rings, while the card reads them, and
//! sends over its socket, the requests of another function are done. The tests of `zedc_rings` run the committed corpus through
//! the same function.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use flate2::read::DeflateDecoder;
use halftrack_shared_memory::{SealedMemory, connect_at_once, is_gone, receive, send};
use halftrack_zedc::{
    Answer, Autonomous, CardId, Options, RegionToken, ResourceGroup, ZlibRs, deflate_bound_bytes,
};
use halftrack_zedc_rings::{CardOptions, CardThread, Place, Program, ProgramOptions};
use tempfile::TempDir;

/// Function of the hostile program.
const HOSTILE: u8 = 1;
/// Function of its neighbour.
const NEIGHBOUR: u8 = 2;
/// Most octets of a request of the neighbour.
const DATA_BYTES: usize = 40_000;
/// Region of the hostile program: where it has it, and its length.
const REGION: (u64, usize) = (0x10_0000, 0x1_0000);
/// Word of the count of submissions, as any program can find it.
const SUBMITTED_WORD: usize = 8;
/// Words before the entries of submissions, and words of an entry.
const SUBMISSIONS: (usize, usize) = (640, 1552);
/// Values at which counts, lengths and addresses turn over.
const VALUES: [u64; 16] =
    [0, 1, 2, 3, 63, 64, 65, 256, 257, 258, 0x8000, 0x10_0000, 0xFFFF_FFFF, 1 << 32, 1 << 63, u64::MAX];

/// Octets that decide what happens.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn octet(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> u64 {
        u64::from_le_bytes([self.octet(), self.octet(), 0, 0, 0, 0, 0, 0])
    }

    fn value(&mut self) -> u64 {
        let kind = self.octet();
        match kind {
            0..64 => VALUES[usize::from(kind) % VALUES.len()],
            64..128 => REGION.0.wrapping_add(self.number()).wrapping_sub(64),
            128..192 => u64::from(kind & 0x3F) << 56,
            _ => self.number(),
        }
    }
}

/// Program beside the hostile one.
struct Neighbour {
    program: Program,
    input: RegionToken,
    output: RegionToken,
}

impl Neighbour {
    /// Has data deflated, and compares.
    fn round_trip(&mut self, bytes: usize) {
        let data: Vec<u8> = (0..bytes).map(|at| (at * at / 7 % 251) as u8).collect();
        self.program.store(self.input, 0, &data).expect("its own region");
        let input = &[self.program.segment(self.input, 0, bytes).expect("its own region")];
        let room = deflate_bound_bytes(bytes);
        let output = &[self.program.segment(self.output, 0, room).expect("its own region")];
        let parameters = Autonomous { options: Options::default(), input, output };
        let id = self.program.start(parameters).expect("the card takes it");
        let end = self.program.wait(id).expect("it was started");
        assert_eq!((end.answer, end.consumed_bytes as usize), (Answer::Done, bytes));
        let mut stream = vec![0; end.produced_bytes as usize];
        self.program.load(self.output, 0, &mut stream).expect("its own region");
        let mut back = Vec::new();
        DeflateDecoder::new(&stream[..]).read_to_end(&mut back).expect("it is DEFLATE");
        assert!(back == data, "the neighbour has other octets");
    }
}

/// Card that works on from run to run.
struct Bench {
    directory: TempDir,
    neighbour: Mutex<Neighbour>,
    _card: CardThread,
}

impl Bench {
    fn new() -> Self {
        let directory = TempDir::new().expect("a directory");
        let (card, place) = (CardId::new(0).expect("a number"), Place::new(directory.path()));
        let (users, firmware) = (Vec::new(), "test".to_owned());
        let options = CardOptions { card, group: ResourceGroup::One, functions: 2, users, firmware };
        let thread = CardThread::start(options, Box::new(ZlibRs::default()), &place).expect("a card");
        let options = ProgramOptions { vf: NEIGHBOUR, ..ProgramOptions::default() };
        let mut program = Program::open(place, options).expect("the card lets it in");
        let input = program.allocate(DATA_BYTES).expect("memory");
        let output = program.allocate(deflate_bound_bytes(DATA_BYTES)).expect("memory");
        let neighbour = Mutex::new(Neighbour { program, input, output });
        Self { directory, neighbour, _card: thread }
    }
}

/// Returns the octets of a message.
fn message(words: &[u64]) -> [u8; 64] {
    let mut octets = [0; 64];
    for (into, word) in octets.chunks_exact_mut(8).zip(words) {
        into.copy_from_slice(&word.to_le_bytes());
    }
    octets
}

/// Hostile program, let in.
struct Client {
    stream: UnixStream,
    rings: Arc<SealedMemory>,
    region: Arc<SealedMemory>,
    file: OwnedFd,
    submitted: u64,
}

impl Client {
    fn connect(bench: &Bench) -> Self {
        let place = Place::new(bench.directory.path());
        let socket = place.socket(CardId::new(0).expect("a number"));
        let stream = loop {
            // Those who wait to be accepted are few at a time.
            if let Ok(stream) = connect_at_once(&socket) {
                break stream;
            }
            thread::yield_now();
        };
        send(&stream, &message(&[1, 1, u64::from(HOSTILE)]), &[]).expect("the card listens");
        let mut descriptors = loop {
            let mut octets = [0; 64];
            if let Some((_, descriptors)) = receive(&stream, &mut octets).expect("the card answers") {
                break descriptors;
            }
            thread::yield_now();
        };
        assert_eq!(descriptors.len(), 2, "the program is let in");
        let memory = descriptors.swap_remove(0);
        let bytes = rustix::fs::fstat(&memory).expect("a file").st_size as usize;
        let rings = Arc::new(SealedMemory::open(memory, bytes).expect("memory"));
        let (region, file) = SealedMemory::create("client", REGION.1).expect("memory");
        let region = Arc::new(region);
        let client = Self { stream, rings, region, file, submitted: 0 };
        client.register(1, REGION.0, REGION.1 as u64);
        client
    }

    /// Registers the region under any token, address and length.
    fn register(&self, token: u64, address: u64, bytes: u64) {
        // A card that has let the program go reads nothing more; so in all that is sent.
        let _ = send(&self.stream, &message(&[2, 1, token, address, bytes]), &[self.file.as_fd()]);
    }

    fn write(&self, word: usize, value: u64) {
        let words = self.rings.words();
        words[word % words.len()].store(value, Ordering::Release);
    }

    /// Submits a request that is nearly right.
    fn submit(&mut self, script: &mut Script<'_>) {
        let first = SUBMISSIONS.0 + (self.submitted % 64) as usize * SUBMISSIONS.1;
        let counts = script.octet();
        let (input, output) = (u64::from(counts & 3), u64::from(counts >> 2 & 3));
        let options = u64::from(script.octet() & 0xE1) << 56;
        let header = [self.submitted, options, input, output, script.number()];
        let area = |script: &mut Script<'_>| {
            let offset = script.number();
            [1, REGION.0 + offset, script.number().min(REGION.1 as u64 - offset)]
        };
        let areas: Vec<u64> = (0..input + output).flat_map(|_| area(script)).collect();
        for (at, value) in header.into_iter().chain(areas).enumerate() {
            self.write(first + at, value);
        }
        if counts & 0x80 != 0 {
            let at = usize::from(script.octet()) % 32;
            self.write(first + at, script.value());
        }
        self.submitted += 1;
        self.write(SUBMITTED_WORD, self.submitted);
    }

    /// Does what one octet of the script decides.
    fn step(&mut self, bench: &Bench, script: &mut Script<'_>) {
        match script.octet() % 10 {
            0..3 => self.submit(script),
            3 => self.write(usize::from(script.octet()) % 128, script.value()),
            4 => self.write(SUBMISSIONS.0 + script.number() as usize * 2, script.value()),
            5 => {
                let length = usize::from(script.octet()) % 80;
                let octets: Vec<u8> = (0..length).map(|_| script.octet()).collect();
                let _ = { &self.stream }.write_all(&octets);
            }
            6 => {
                let words: Vec<u64> = (0..5).map(|_| script.value()).collect();
                let _ = send(&self.stream, &message(&[&[2 + (words[0] & 1), 1], &words[1..]].concat()), &[]);
            }
            7 => self.register(script.value(), script.value(), script.value()),
            8 => {
                let bytes = script.number() as usize % DATA_BYTES;
                bench.neighbour.lock().unwrap_or_else(PoisonError::into_inner).round_trip(bytes);
            }
            _ if is_gone(&self.stream) || script.octet() < 16 => *self = Self::connect(bench),
            _ => thread::yield_now(),
        }
    }
}

/// Words that change while the card reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flipped {
    Nothing,
    Counts,
    Entries,
    Header,
    Rings,
    Region,
}

/// Changes words until it is stopped.
fn flip(client: (&SealedMemory, &SealedMemory), flipped: Flipped, mut state: u64, is_stopping: &AtomicBool) {
    let (rings, region) = client;
    while !is_stopping.load(Ordering::Relaxed) && flipped != Flipped::Nothing {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (random, pick) = ((state >> 33) as usize, (state >> 20) as usize);
        let words = if flipped == Flipped::Region { region.words() } else { rings.words() };
        let word = match flipped {
            // Both counts of segments of the first entries: one that is read twice is another one.
            Flipped::Counts => SUBMISSIONS.0 + random % 4 * SUBMISSIONS.1 + 2 + pick % 2,
            Flipped::Entries => SUBMISSIONS.0 + random % 8 * SUBMISSIONS.1 + pick % 16,
            Flipped::Header => random % 128,
            _ => random % words.len(),
        };
        let value = if state & 1 == 0 { VALUES[pick % VALUES.len()] } else { state >> (pick % 64) };
        words[word].store(value, Ordering::Relaxed);
    }
}

/// Leads a program through an octet string before the card, whose other program has its requests done all the while.
pub fn zedc_client(octets: &[u8]) {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    let bench = BENCH.get_or_init(Bench::new);
    let mut script = Script(octets);
    let flipped = match script.octet() % 8 {
        0 | 1 => Flipped::Counts,
        2 => Flipped::Entries,
        3..5 => Flipped::Region,
        5 => Flipped::Header,
        6 => Flipped::Rings,
        _ => Flipped::Nothing,
    };
    let seed = script.number();
    let mut client = Client::connect(bench);
    let (rings, region) = (Arc::clone(&client.rings), Arc::clone(&client.region));
    let is_stopping = AtomicBool::new(false);
    thread::scope(|scope| {
        let flipper = scope.spawn(|| flip((&rings, &region), flipped, seed, &is_stopping));
        while !script.0.is_empty() {
            client.step(bench, &mut script);
        }
        bench.neighbour.lock().unwrap_or_else(PoisonError::into_inner).round_trip(1000);
        is_stopping.store(true, Ordering::Relaxed);
        flipper.join().expect("it only writes");
    });
    drop(client);
    bench.neighbour.lock().unwrap_or_else(PoisonError::into_inner).round_trip(100);
}
