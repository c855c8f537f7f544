//! Digest of a memory: BLAKE3 of the BLAKE3 digests of its pages, so that a page that comes again costs one page.

use std::io::{self, Read};
use std::path::Path;

use blake3::Hasher;
use halftrack_base::{Span, Time};
use halftrack_isfc::relocation::{Digest, PAGE_BYTES};

/// Pages that are digested in a turn.
const TURN_PAGES: usize = 1024;
/// Turns that are timed.
const TIMED_TURNS: u64 = 4;

/// Digest of each page of a memory that comes in pieces. A page that has not come has none.
#[derive(Debug)]
pub(super) struct PageDigests(Vec<[u8; 32]>);

impl PageDigests {
    /// Returns the digests of a memory of so many octets, of which nothing has come.
    pub fn new(memory_bytes: u64) -> Self {
        Self(vec![[0; 32]; (memory_bytes / PAGE_BYTES) as usize])
    }

    /// Takes the contents of a page.
    pub fn set(&mut self, page: u64, contents: &[u8]) {
        self.0[page as usize] = *blake3::hash(contents).as_bytes();
    }

    /// Returns the digest of the memory.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new();
        for page in &self.0 {
            hasher.update(page);
        }
        Digest(*hasher.finalize().as_bytes())
    }
}

/// Digest of a memory that is there, in turns.
#[derive(Debug, Default)]
pub(super) struct MemoryDigest {
    hasher: Hasher,
    at: usize,
}

impl MemoryDigest {
    /// Goes on with a memory, which must not change meanwhile. Returns the digest when it is complete.
    pub fn turn(&mut self, memory: &[u8]) -> Option<Digest> {
        let to = memory.len().min(self.at + TURN_PAGES * PAGE_BYTES as usize);
        for page in memory[self.at..to].chunks(PAGE_BYTES as usize) {
            self.hasher.update(blake3::hash(page).as_bytes());
        }
        self.at = to;
        (to == memory.len()).then(|| Digest(*self.hasher.finalize().as_bytes()))
    }
}

/// Time that the digest of a memory takes, from the shortest of some turns over a memory that may change meanwhile.
#[derive(Debug)]
pub(super) struct DigestTime {
    digest: MemoryDigest,
    /// Turns of the whole memory, and those that are still to be timed.
    turns: u64,
    left: u64,
    began: Option<Time>,
    shortest: Option<Span>,
}

impl DigestTime {
    /// Returns the time of a memory of so many octets, of which nothing is certain yet.
    pub fn new(memory_bytes: u64) -> Self {
        let turn_bytes = TURN_PAGES as u64 * PAGE_BYTES;
        let whole_turns = memory_bytes / turn_bytes;
        Self {
            digest: MemoryDigest::default(),
            turns: memory_bytes.div_ceil(turn_bytes),
            left: whole_turns.clamp(1, TIMED_TURNS),
            began: None,
            shortest: None,
        }
    }

    /// Ends a turn at a moment, and begins the next one. Returns the time of the whole memory, as far as a turn has ended.
    pub fn turn(&mut self, memory: &[u8], now: Time) -> Option<Span> {
        let began = self.began.take().map(|began| now.saturating_since(began));
        if self.left > 0 {
            self.left -= 1;
            self.digest.turn(memory);
            self.began = Some(now);
        }
        let turn = began?;
        let shortest = self.shortest.map_or(turn, |shortest| shortest.min(turn));
        self.shortest = Some(shortest);
        Some(shortest * self.turns)
    }

    /// Returns whether a turn has begun that has not ended.
    pub const fn is_timing(&self) -> bool {
        self.began.is_some()
    }
}

/// Returns the digest of the memory in a file.
///
/// # Errors
/// An error of the operating system.
pub(super) fn of_file(path: &Path) -> io::Result<Digest> {
    let mut file = std::fs::File::open(path)?;
    let mut hasher = Hasher::new();
    let mut page = Vec::new();
    loop {
        page.clear();
        (&mut file).take(PAGE_BYTES).read_to_end(&mut page)?;
        if page.is_empty() {
            return Ok(Digest(*hasher.finalize().as_bytes()));
        }
        hasher.update(blake3::hash(&page).as_bytes());
    }
}

#[test]
fn a_memory_has_one_digest_however_it_comes() {
    let memory: Vec<u8> = (0..2500 * PAGE_BYTES).map(|at| ((at * at) >> 13) as u8).collect();
    let mut turns = MemoryDigest::default();
    let mut whole = None;
    while whole.is_none() {
        whole = turns.turn(&memory);
    }
    let mut pages = PageDigests::new(memory.len() as u64);
    for (page, contents) in memory.chunks(PAGE_BYTES as usize).enumerate().rev() {
        pages.set(page as u64, &[7; PAGE_BYTES as usize]);
        pages.set(page as u64, contents);
    }
    assert_eq!(Some(pages.digest()), whole);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &memory).unwrap();
    assert_eq!(Some(of_file(file.path()).unwrap()), whole);
    pages.set(9, &[7; PAGE_BYTES as usize]);
    assert_ne!(Some(pages.digest()), whole);
}

#[test]
fn the_shortest_of_some_turns_is_the_time_of_all() {
    let memory = vec![0; 10 * TURN_PAGES * PAGE_BYTES as usize + 4096];
    let mut time = DigestTime::new(memory.len() as u64);
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    let found = [0, 9, 13, 20, 21, 500, 501].map(|ms| time.turn(&memory, at(ms)).map(|span| span / 11));
    let ms = |ms| Some(Span::from_ms(ms));
    assert_eq!(found, [None, ms(9), ms(4), ms(4), ms(1), None, None]);
    assert!(!time.is_timing());
    let mut small = DigestTime::new(PAGE_BYTES);
    let found = [0, 2, 3].map(|ms| small.turn(&memory[..PAGE_BYTES as usize], at(ms)));
    assert_eq!(found, [None, ms(2), None]);
}
