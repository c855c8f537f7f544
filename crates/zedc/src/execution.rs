//! A request at work, slice by slice.

use std::fmt;

use halftrack_base::Span;

use crate::answer::Answer;
use crate::engine::{
    Deflation, Engine, EngineFault, Inflated, Inflation, Position, SCRATCH_BYTES, SLICE_BYTES_MAX,
};
use crate::request::{Completion, OUTPUT_BYTES_MAX, Operation, Request, Spaces};

/// Octets that a slice counts at least, for the time that any takes (our choice): requests without data are not free.
const CHARGE_BYTES_MIN: usize = 4096;

/// Buffers of a card. Data are copied into them once, before anything is concluded from them.
pub struct Workspace {
    input: Box<[u8; SLICE_BYTES_MAX]>,
    output: Box<[u8; SCRATCH_BYTES]>,
    /// States of streams, to be used again.
    inflations: Vec<Inflation>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Workspace")
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            input: Box::new([0; SLICE_BYTES_MAX]),
            output: Box::new([0; SCRATCH_BYTES]),
            inflations: Vec::new(),
        }
    }
}

/// Slice that was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Octets that it counts: those of input or output, whichever are more.
    pub charged_bytes: usize,
    /// Answer, when it was the last slice.
    pub end: Option<Answer>,
}

/// Request at work.
#[derive(Debug)]
pub struct Execution {
    request: Request,
    consumed_bytes: usize,
    produced_bytes: usize,
    crc32: u32,
    adler32: u32,
    deflation: Deflation,
    inflation: Option<Inflation>,
}

impl Execution {
    /// Begins a request.
    pub fn new(request: Request) -> Self {
        let deflation = Deflation::default();
        Self {
            request,
            consumed_bytes: 0,
            produced_bytes: 0,
            crc32: 0,
            adler32: 1,
            deflation,
            inflation: None,
        }
    }

    /// Returns the request.
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// Does the next slice.
    pub fn step(
        &mut self,
        engine: &mut dyn Engine,
        spaces: &mut impl Spaces,
        workspace: &mut Workspace,
    ) -> Step {
        let before = (self.consumed_bytes, self.produced_bytes);
        let done = match self.request.operation {
            Operation::Deflate => self.deflate(engine, spaces, workspace),
            Operation::Inflate => self.inflate(engine, spaces, workspace),
        };
        let moved_bytes = (self.consumed_bytes - before.0).max(self.produced_bytes - before.1);
        let end = match done {
            Ok(is_at_end) => is_at_end.then_some(Answer::Done),
            Err(answer) => Some(answer),
        };
        Step { charged_bytes: moved_bytes.max(CHARGE_BYTES_MIN), end }
    }

    /// Ends the request; the workspace gets back what the request had of it.
    pub fn end(self, answer: Answer, times: (Span, Span), workspace: &mut Workspace) -> Completion {
        workspace.inflations.extend(self.inflation);
        let (queue_time, execution_time) = times;
        let ended = Completion::without_data(self.request.id, answer);
        let ended = Completion { queue_time, execution_time, ..ended };
        if answer != Answer::Done {
            return ended;
        }
        Completion {
            consumed_bytes: self.consumed_bytes as u32,
            produced_bytes: self.produced_bytes as u32,
            crc32: self.crc32,
            adler32: self.adler32,
            ..ended
        }
    }

    /// Copies the next slice of input; returns its length.
    fn fetch(&self, spaces: &mut impl Spaces, workspace: &mut Workspace) -> Result<usize, Answer> {
        let input = &self.request.input;
        let length = (input.length_bytes() - self.consumed_bytes).min(SLICE_BYTES_MAX);
        let storage = spaces.storage(self.request.space).ok_or(Answer::StorageFault)?;
        let fetched = input.fetch(self.consumed_bytes, &mut workspace.input[..length], storage);
        fetched.map_err(|_| Answer::StorageFault)?;
        Ok(length)
    }

    /// Returns the room that the output area has left.
    const fn room_bytes(&self) -> usize {
        self.request.output.length_bytes() - self.produced_bytes
    }

    /// Stores the next octets of output, within the room.
    fn store(&mut self, octets: &[u8], spaces: &mut impl Spaces) -> Result<(), Answer> {
        let storage = spaces.storage(self.request.space).ok_or(Answer::StorageFault)?;
        let stored = self.request.output.store(self.produced_bytes, octets, storage);
        stored.map_err(|_| Answer::StorageFault)?;
        self.produced_bytes += octets.len();
        Ok(())
    }

    fn check_values(&mut self, engine: &dyn Engine, plain: &[u8]) {
        self.crc32 = engine.crc32(self.crc32, plain);
        self.adler32 = engine.adler32(self.adler32, plain);
    }

    /// Deflates a slice; returns whether it was the last one.
    fn deflate(
        &mut self,
        engine: &mut dyn Engine,
        spaces: &mut impl Spaces,
        workspace: &mut Workspace,
    ) -> Result<bool, Answer> {
        let length = self.fetch(spaces, workspace)?;
        let is_last = self.consumed_bytes + length == self.request.input.length_bytes();
        let is_final = is_last && !self.request.is_open;
        let position = if is_final { Position::Last } else { Position::Inner };
        let slice = &workspace.input[..length];
        let produced = self.deflation.deflate(engine, slice, position, &mut workspace.output);
        if produced > self.room_bytes() {
            return Err(Answer::OutputTooSmall);
        }
        self.check_values(engine, slice);
        self.consumed_bytes += length;
        self.store(&workspace.output[..produced], spaces)?;
        Ok(is_last)
    }

    /// Inflates a slice; returns whether the stream has ended.
    fn inflate(
        &mut self,
        engine: &mut dyn Engine,
        spaces: &mut impl Spaces,
        workspace: &mut Workspace,
    ) -> Result<bool, Answer> {
        let length = self.fetch(spaces, workspace)?;
        let is_one_slice = self.request.input.length_bytes() <= SLICE_BYTES_MAX
            && self.request.output.length_bytes() <= SLICE_BYTES_MAX;
        let Workspace { input, output, inflations } = workspace;
        let room = self.room_bytes();
        let (counts, is_at_end) = if is_one_slice {
            let counts = engine.inflate(&input[..length], &mut output[..room]);
            (counts.map_err(|fault| self.inflate_fault(fault))?, true)
        } else {
            let inflation = self.inflation.get_or_insert_with(|| {
                let mut inflation = inflations.pop().unwrap_or_default();
                inflation.reset();
                inflation
            });
            // One octet more than there is room for shows that there is no room for it.
            let limit = (room + 1).min(SLICE_BYTES_MAX);
            let (counts, is_at_end) = inflation
                .advance(&input[..length], &mut output[..limit])
                .map_err(|fault| self.inflate_fault(fault))?;
            self.check_progress(counts, length, limit, is_at_end)?;
            (counts, is_at_end)
        };
        let plain = &output[..counts.produced_bytes];
        self.check_values(engine, plain);
        self.consumed_bytes += counts.consumed_bytes;
        self.store(plain, spaces)?;
        Ok(is_at_end)
    }

    /// Checks that a stream that is inflated slice by slice can go on.
    fn check_progress(
        &self,
        counts: Inflated,
        length: usize,
        limit: usize,
        is_at_end: bool,
    ) -> Result<(), Answer> {
        if counts.produced_bytes > self.room_bytes() {
            return Err(self.inflate_fault(EngineFault::OutputFull));
        }
        let is_input_at_end =
            self.consumed_bytes + counts.consumed_bytes == self.request.input.length_bytes();
        let is_stuck = counts.consumed_bytes < length && counts.produced_bytes < limit;
        if !is_at_end && (is_stuck || is_input_at_end && counts.produced_bytes < limit) {
            return Err(Answer::Truncated);
        }
        Ok(())
    }

    /// Returns the answer to a fault of the engine.
    const fn inflate_fault(&self, fault: EngineFault) -> Answer {
        match fault {
            EngineFault::OutputFull if self.request.output.length_bytes() >= OUTPUT_BYTES_MAX => {
                Answer::ExpandsTooFar
            }
            EngineFault::OutputFull => Answer::OutputTooSmall,
            EngineFault::Corrupt => Answer::Corrupt,
            EngineFault::Truncated => Answer::Truncated,
        }
    }
}
