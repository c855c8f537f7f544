//! The services as programs in C call them, with cards in threads of the test.
//!
//! Without a compiler of C and zlib the tests report that and check nothing, unless `HALFTRACK_ZLIB_PROGRAMS=required` is set, as
//! CI does.

mod compiler;
mod example;
mod page;
mod parts;
#[path = "../../../zlib/tests/zlib/programs/presence.rs"]
mod presence;

use std::time::Duration;

use halftrack_zedc::{CardId, Engine, EngineFault, Inflated, Position, ResourceGroup, ZlibRs};
use halftrack_zedc_rings::{CardOptions, CardThread, Place};
use tempfile::TempDir;

/// Engine that takes its time for each slice.
#[derive(Debug, Default)]
struct Slow {
    engine: ZlibRs,
    pause: Duration,
}

impl Engine for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn deflate(&mut self, slice: &[u8], position: Position, output: &mut [u8]) -> Result<usize, EngineFault> {
        std::thread::sleep(self.pause);
        self.engine.deflate(slice, position, output)
    }

    fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Result<Inflated, EngineFault> {
        self.engine.inflate(input, output)
    }
}

/// Machine whose cards are threads.
struct Machine {
    directory: TempDir,
    cards: Vec<CardThread>,
}

impl Machine {
    /// Makes a machine whose engines pause at each slice.
    fn new(cards: u8, pause: Duration) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let place = Place::new(directory.path());
        let card = |number: u8| {
            let card = CardId::new(number).expect("at most 8");
            let group = if number.is_multiple_of(2) { ResourceGroup::One } else { ResourceGroup::Two };
            let firmware = "test".to_owned();
            let options = CardOptions { card, group, functions: 2, users: Vec::new(), firmware };
            let engine = Slow { pause, ..Slow::default() };
            CardThread::start(options, Box::new(engine), &place).expect("the card starts")
        };
        let cards = (0..cards).map(card).collect();
        Self { directory, cards }
    }
}
