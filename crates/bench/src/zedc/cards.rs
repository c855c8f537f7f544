//! Cards of a measurement, each a process, and the requests that a program has them do.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use halftrack_zedc::{
    Answer, Autonomous, Completion, INPUT_BYTES_MAX, Options, RegionToken, deflate_bound_bytes,
};
use halftrack_zedc_rings::{Place, Program, ProgramOptions};
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::bench_error::BenchError;
use crate::link::children::failed;

/// Requests that are under way at once: the card always has one to do.
const DEPTH: usize = 4;
/// Octets of a short request.
const SHORT_BYTES: usize = 4096;

/// Machine with cards.
pub struct Machine {
    directory: TempDir,
    cards: Vec<Child>,
}

impl Machine {
    /// Starts so many cards.
    ///
    /// # Errors
    /// A process that does not start.
    pub fn start(command: &Path, cards: usize) -> Result<Self, BenchError> {
        let mut machine = Self { directory: tempfile::tempdir()?, cards: Vec::new() };
        for _ in 0..cards {
            let mut child = Command::new(command)
                .args(["zedc", "serve"])
                .arg(machine.directory.path())
                .stdout(Stdio::piped())
                .spawn()
                .map_err(|error| failed("a card", error))?;
            let ready = child.stdout.take().map(BufReader::new);
            machine.cards.push(child);
            let mut line = String::new();
            if let Some(mut ready) = ready {
                ready.read_line(&mut line)?;
            }
            if !line.starts_with("ready") {
                return Err(failed("a card", "it is not ready"));
            }
        }
        Ok(machine)
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the processor time of all cards so far.
    fn processor_time(&self) -> Result<Duration, BenchError> {
        let time = |card: &Child| {
            let clock = clock_getcpuclockid(Pid::from_raw(card.id().cast_signed()));
            clock.and_then(nix::time::ClockId::now).map(Duration::from)
        };
        self.cards.iter().map(time).sum::<Result<_, _>>().map_err(|error| failed("a card", error))
    }

    fn user(&self, vf: u8) -> Result<User, BenchError> {
        let program =
            Program::open(Place::new(self.directory()), ProgramOptions { vf, ..ProgramOptions::default() });
        let mut program = program.map_err(|error| failed("a card", error))?;
        let room = DEPTH * deflate_bound_bytes(INPUT_BYTES_MAX);
        let regions =
            program.allocate(DEPTH * INPUT_BYTES_MAX).and_then(|input| Ok((input, program.allocate(room)?)));
        let (input, output) = regions.map_err(|answer| failed("a card", answer))?;
        Ok(User { program, input, output })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for card in &mut self.cards {
            // A card that has ended already is no trouble.
            let _ = card.kill();
            let _ = card.wait();
        }
    }
}

/// Program with regions for several requests.
struct User {
    program: Program,
    input: RegionToken,
    output: RegionToken,
}

impl User {
    fn start(&mut self, slot: usize, bytes: usize) -> Result<halftrack_zedc::RequestId, Answer> {
        let room_offset = slot * deflate_bound_bytes(INPUT_BYTES_MAX);
        let input = &[self.program.segment(self.input, slot * INPUT_BYTES_MAX, bytes)?];
        let output = &[self.program.segment(self.output, room_offset, deflate_bound_bytes(bytes))?];
        self.program.start(Autonomous { options: Options::default(), input, output })
    }

    fn output(&mut self, slot: usize, end: &Completion) -> Result<Vec<u8>, Answer> {
        let mut stream = vec![0; end.produced_bytes as usize];
        self.program.load(self.output, slot * deflate_bound_bytes(INPUT_BYTES_MAX), &mut stream)?;
        Ok(stream)
    }
}

/// Figures of long requests.
pub struct Long {
    /// Octets a second of the card's processor time.
    pub per_processor_s: f64,
    /// Streams, one a request.
    pub streams: Vec<Vec<u8>>,
}

/// Has one card deflate `data` in requests of 1 MiB, through its rings.
///
/// # Errors
/// A request that the card does not do.
pub fn deflate_long(machine: &Machine, data: &[u8]) -> Result<Long, BenchError> {
    let failure = |answer: Answer| failed("a card", answer);
    let mut user = machine.user(1)?;
    let requests: Vec<_> = data.chunks(INPUT_BYTES_MAX).collect();
    let mut started = Vec::new();
    let mut streams = Vec::new();
    let began = machine.processor_time()?;
    for at in 0..requests.len() + DEPTH {
        let slot = at % DEPTH;
        if let Some(before) = at.checked_sub(DEPTH) {
            let end =
                user.program.wait(started[before]).ok_or_else(|| failed("a card", "a request is gone"))?;
            if end.answer != Answer::Done {
                return Err(failure(end.answer));
            }
            streams.push(user.output(slot, &end).map_err(failure)?);
        }
        if let Some(request) = requests.get(at) {
            user.program.store(user.input, slot * INPUT_BYTES_MAX, request).map_err(failure)?;
            started.push(user.start(slot, request.len()).map_err(failure)?);
        }
    }
    let spent = machine.processor_time()?.saturating_sub(began);
    Ok(Long { per_processor_s: data.len() as f64 / spent.as_secs_f64(), streams })
}

/// Returns what short requests, one at a time, take beside their time in the engine, us, in order.
///
/// # Errors
/// A request that the card does not do.
pub fn short_overheads_us(
    machine: &Machine,
    data: &[u8],
    vf: u8,
    seconds: f64,
) -> Result<Vec<f64>, BenchError> {
    let failure = |answer: Answer| failed("a card", answer);
    let mut user = machine.user(vf)?;
    let data = &data[..SHORT_BYTES.min(data.len())];
    user.program.store(user.input, 0, data).map_err(failure)?;
    let mut found = Vec::new();
    let began = Instant::now();
    while began.elapsed().as_secs_f64() < seconds {
        let submitted = Instant::now();
        let id = user.start(0, data.len()).map_err(failure)?;
        let end = user.program.wait(id).ok_or_else(|| failed("a card", "a request is gone"))?;
        let took = submitted.elapsed();
        if end.answer != Answer::Done {
            return Err(failure(end.answer));
        }
        found.push(took.as_secs_f64() * 1e6 - end.execution_time.as_us_f64());
    }
    found.sort_by(f64::total_cmp);
    Ok(found)
}

/// Keeps a card busy with requests of 1 MiB of another function until `is_over`.
///
/// # Errors
/// A request that the card does not do.
pub fn flood(machine: &Machine, data: &[u8], is_over: &AtomicBool) -> Result<(), BenchError> {
    let failure = |answer: Answer| failed("a card", answer);
    let mut user = machine.user(2)?;
    let data = &data[..INPUT_BYTES_MAX.min(data.len())];
    let mut started = std::collections::VecDeque::new();
    for slot in 0..DEPTH {
        user.program.store(user.input, slot * INPUT_BYTES_MAX, data).map_err(failure)?;
        started.push_back((slot, user.start(slot, data.len()).map_err(failure)?));
    }
    while let Some((slot, id)) = started.pop_front() {
        user.program.wait(id);
        if !is_over.load(Ordering::Relaxed) {
            started.push_back((slot, user.start(slot, data.len()).map_err(failure)?));
        }
    }
    Ok(())
}
