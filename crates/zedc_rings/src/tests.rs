//! Cards in threads of the test, and programs that use them.

mod hostile;
mod loss;
mod services;
mod sharing;

use std::io::Read as _;
use std::os::fd::AsFd;
use std::thread;

use flate2::read::DeflateDecoder;
use halftrack_zedc::{
    Answer, Autonomous, CardId, Completion, Options, RegionToken, RequestId, ResourceGroup, ZlibRs,
    deflate_bound_bytes,
};
use tempfile::TempDir;

use crate::{CardOptions, CardThread, Place, Program, ProgramOptions};

/// Octets of either region of a program.
const AREA_BYTES: usize = 3 << 19;

/// Machine whose cards are threads.
struct Machine {
    directory: TempDir,
    cards: Vec<CardThread>,
}

impl Machine {
    fn new(cards: u8, functions: u8) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut machine = Self { directory, cards: Vec::new() };
        (0..cards).for_each(|number| machine.plug(number, functions));
        machine
    }

    fn place(&self) -> Place {
        Place::new(self.directory.path())
    }

    /// Plugs a card.
    fn plug(&mut self, number: u8, functions: u8) {
        let card = card(number);
        let group = if number.is_multiple_of(2) { ResourceGroup::One } else { ResourceGroup::Two };
        let options = CardOptions { card, group, functions, users: Vec::new(), firmware: "test".to_owned() };
        self.cards.push(CardThread::start(options, Box::new(ZlibRs::default()), &self.place()).unwrap());
    }

    fn user(&self, vf: u8) -> User {
        let mut program =
            Program::open(self.place(), ProgramOptions { vf, ..ProgramOptions::default() }).unwrap();
        let (input, output) = (program.allocate(AREA_BYTES).unwrap(), program.allocate(AREA_BYTES).unwrap());
        User { program, input, output }
    }
}

fn card(number: u8) -> CardId {
    CardId::new(number).unwrap()
}

/// Program with a region for input and one for output.
struct User {
    program: Program,
    input: RegionToken,
    output: RegionToken,
}

impl User {
    fn start(&mut self, options: Options, bytes: usize, room: usize) -> Result<RequestId, Answer> {
        let input = &[self.program.segment(self.input, 0, bytes)?];
        let output = &[self.program.segment(self.output, 0, room)?];
        self.program.start(Autonomous { options, input, output })
    }

    /// Does a request to its end.
    fn run(&mut self, options: Options, input: &[u8], room: usize) -> (Completion, Vec<u8>) {
        self.program.store(self.input, 0, input).unwrap();
        let id = self.start(options, input.len(), room).unwrap();
        let end = self.program.wait(id).unwrap();
        let mut output = vec![0; end.produced_bytes as usize];
        self.program.load(self.output, 0, &mut output).unwrap();
        (end, output)
    }

    /// Deflates and compares.
    fn round_trip(&mut self, data: &[u8]) {
        let (end, stream) = self.run(Options::default(), data, deflate_bound_bytes(data.len()));
        assert_eq!((end.answer, end.consumed_bytes as usize), (Answer::Done, data.len()));
        let mut back = Vec::new();
        DeflateDecoder::new(&stream[..]).read_to_end(&mut back).unwrap();
        assert!(back == data);
    }
}

/// Returns text that shrinks.
fn text(bytes: usize) -> Vec<u8> {
    (0_u32..).flat_map(|at| format!("record {at} of volume {}\n", at % 91).into_bytes()).take(bytes).collect()
}
