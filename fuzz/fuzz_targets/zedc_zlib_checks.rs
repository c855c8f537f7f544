//! Laws of the library with the interface of zlib over cards: whatever calls an application makes with whatever buffers, and
//! whichever cards are lost and plugged meanwhile, its streams are those of its data. The tests of `zlib` run the committed corpus
//! through the same function.

use std::sync::{Mutex, OnceLock, PoisonError};

use halftrack_zedc::{CardId, ResourceGroup, ZlibRs};
use halftrack_zedc_rings::{CardOptions, CardThread, Place};
use libz_rs_sys::{
    Z_BLOCK, Z_BUF_ERROR, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_PARTIAL_FLUSH, Z_STREAM_END,
    Z_SYNC_FLUSH,
};
use tempfile::TempDir;

use crate::abi::{Library, Stream, call, inflated_elsewhere};

/// Raw DEFLATE, zlib and gzip.
const FORMATS: [i32; 4] = [-15, 15, 31, 15];
const FLUSHES: [i32; 8] =
    [Z_NO_FLUSH, Z_NO_FLUSH, Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK, Z_FINISH];

/// Octets that decide what happens.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn octet(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first)
    }

    /// Returns a size: short ones, and now and then long ones.
    fn size(&mut self) -> usize {
        let (kind, number) = (self.octet(), self.octet() << 8 | self.octet());
        match kind {
            0..96 => number % 300,
            96..224 => number,
            224..252 => 4 * number,
            _ => 32 * number,
        }
    }

    fn data(&mut self) -> Vec<u8> {
        let (kind, bytes) = (self.octet() % 4, self.size());
        let mut state = self.octet() as u64 + 1;
        let random = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u8
        };
        match kind {
            0 => vec![7; bytes],
            1 => (0..bytes).map(random).collect(),
            2 => (0..bytes).map(random).map(|octet| octet % 4 + b'a').collect(),
            _ => (0..bytes).map(|at| (at / 5 % 251) as u8).collect(),
        }
    }
}

/// Machine of the process, whose cards come and go.
struct Machine {
    directory: TempDir,
    cards: [Option<CardThread>; 2],
}

impl Machine {
    fn new() -> Self {
        let directory = TempDir::new().expect("a directory");
        let variables = [("HALFTRACK_ZEDC_DEFMINREQSIZE", "1"), ("HALFTRACK_ZEDC_INFMINREQSIZE", "1")];
        // SAFETY: no other thread reads or changes the environment before the first run has begun.
        unsafe {
            std::env::set_var("HALFTRACK_ZEDC", directory.path());
            variables.iter().for_each(|(name, value)| std::env::set_var(name, value));
        }
        let mut machine = Self { directory, cards: [None, None] };
        machine.plug(0);
        machine
    }

    fn plug(&mut self, at: usize) {
        let card = CardId::new(at as u8).expect("a number");
        let group = if at == 0 { ResourceGroup::One } else { ResourceGroup::Two };
        let (users, firmware) = (Vec::new(), "test".to_owned());
        let options = CardOptions { card, group, functions: 1, users, firmware };
        let place = Place::new(self.directory.path());
        let card = CardThread::start(options, Box::new(ZlibRs::default()), &place);
        self.cards[at] = Some(card.expect("the card starts"));
    }

    /// Changes what is plugged, when the script has it.
    fn change(&mut self, script: &mut Script<'_>) {
        let octet = script.octet();
        if octet < 24 {
            let at = octet % 2;
            if self.cards[at].take().is_none() {
                self.plug(at);
            }
        }
    }
}

/// Deflates data in calls of the script; returns the stream.
fn deflated(machine: &mut Machine, script: &mut Script<'_>, data: &[u8], window_bits: i32) -> Vec<u8> {
    let level = script.octet() as i32 % 11 - 1;
    let strategy = [0, 0, 0, 1, 2, 3, 4, 0][script.octet() % 8];
    let stream = Stream::deflate_with(Library::Own, level, window_bits, strategy, 0);
    let mut stream = stream.expect("parameters are good");
    let (mut output, mut at) = (Vec::new(), 0);
    // Copies are freed by the functions of the stream that was copied.
    let mut copied = Vec::new();
    while !script.0.is_empty() && at < data.len() {
        machine.change(script);
        match script.octet() % 16 {
            0 => {
                let copy = stream.copied().expect("there is memory");
                copied.push(std::mem::replace(&mut stream, copy));
            }
            1 => parameters(&mut stream, script, &mut output),
            2 => {
                assert_eq!(call!(stream, deflateReset), Z_OK);
                (output, at) = (Vec::new(), 0);
            }
            3 => {
                stream.pending();
            }
            4 => {
                stream.dictionary();
            }
            _ => {
                // A buffer of its own, so that reading behind the input is found.
                let input = data[at..data.len().min(at + script.size())].to_vec();
                let flush = FLUSHES[script.octet() % 7];
                let step = stream.step(&input, script.size(), flush);
                assert!(matches!(step.code, Z_OK | Z_BUF_ERROR), "{} of deflate", step.code);
                at += step.taken;
                output.extend_from_slice(&step.output);
            }
        }
    }
    let room = script.size().max(100).max(data.len() / 64);
    assert_eq!(stream.run(&data[at..], room, Z_FINISH, &mut output), Z_STREAM_END);
    let counts = (stream.strm.total_in, stream.strm.total_out);
    assert_eq!(counts, (data.len() as u64, output.len() as u64));
    assert_eq!(stream.end(), Z_OK);
    while copied.pop().is_some() {}
    output
}

/// Changes level and strategy in the middle of a stream.
fn parameters(stream: &mut Stream, script: &mut Script<'_>, output: &mut Vec<u8>) {
    let mut room = vec![0; script.size()].into_boxed_slice();
    stream.strm.avail_in = 0;
    stream.strm.next_out = room.as_mut_ptr();
    stream.strm.avail_out = room.len() as u32;
    let (level, strategy) = (script.octet() as i32 % 11 - 1, script.octet() as i32 % 5);
    let code = call!(stream, deflateParams, level, strategy);
    assert!(matches!(code, Z_OK | Z_BUF_ERROR), "{code} of deflateParams");
    output.extend_from_slice(&room[..room.len() - stream.strm.avail_out as usize]);
}

/// Inflates a stream in calls of the script; returns the last code and the data.
fn inflated(
    machine: &mut Machine,
    script: &mut Script<'_>,
    stream: &[u8],
    window_bits: i32,
) -> (i32, Vec<u8>) {
    let mut inflating = Stream::inflate(window_bits);
    let (mut data, mut at) = (Vec::new(), 0);
    loop {
        machine.change(script);
        if script.octet() > 248 {
            assert_eq!(call!(inflating, inflateReset), Z_OK);
            (data, at) = (Vec::new(), 0);
        }
        let is_over = script.0.is_empty();
        let (bytes, room) = if is_over { (stream.len(), 1 << 20) } else { (script.size(), script.size()) };
        let input = stream[at..stream.len().min(at + bytes)].to_vec();
        let flush = if script.octet().is_multiple_of(4) { Z_FINISH } else { Z_NO_FLUSH };
        let step = inflating.step(&input, room, flush);
        at += step.taken;
        data.extend_from_slice(&step.output);
        let is_stuck = is_over && step.taken == 0 && step.output.is_empty();
        if !matches!(step.code, Z_OK | Z_BUF_ERROR) || is_stuck {
            return (step.code, data);
        }
    }
}

/// Deflates and inflates as an octet string has it: streams are those of their data, and changed octets do no harm.
pub fn zedc_zlib(octets: &[u8]) {
    static MACHINE: OnceLock<Mutex<Machine>> = OnceLock::new();
    let machine = MACHINE.get_or_init(|| Mutex::new(Machine::new()));
    let machine = &mut *machine.lock().unwrap_or_else(PoisonError::into_inner);
    let mut script = Script(octets);
    let window_bits = FORMATS[script.octet() % FORMATS.len()];
    let data = script.data();
    let mut stream = deflated(machine, &mut Script(script.0), &data, window_bits);
    assert!(inflated_elsewhere(&stream, window_bits) == data, "another library inflates other octets");
    let (code, back) = inflated(machine, &mut Script(script.0), &stream, window_bits);
    assert!(code == Z_STREAM_END && back == data, "{code} of inflate");
    if octets.len().is_multiple_of(2) {
        let (at, mask) = (script.size() % stream.len(), script.octet() as u8 | 1);
        stream[at] ^= mask;
        let (code, back) = inflated(machine, &mut Script(script.0), &stream, window_bits);
        let is_wrong = code == Z_STREAM_END && window_bits > 0 && back != data;
        assert!(!is_wrong, "check values are compared");
    }
}
