//! The programs of the streams: one reads and one writes, or what the rows of a trace need.

use std::ops::Range;

use halftrack_config::{Arrivals, Configuration, Stream};
use halftrack_program::{Operation, ProgramShape};

/// One program of a stream: its reads, its writes, or both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamProgram {
    /// The stream.
    pub stream: u32,
    read: Option<ProgramShape>,
    write: Option<ProgramShape>,
}

impl StreamProgram {
    /// Returns its shape when it writes, or reads; nothing when it never does.
    pub(crate) fn shape(&self, write: bool) -> Option<ProgramShape> {
        if write { self.write } else { self.read }
    }
}

/// The programs of all streams, those of one stream together.
#[derive(Debug)]
pub(crate) struct StreamPrograms {
    all: Vec<StreamProgram>,
    first: Vec<u32>,
}

impl StreamPrograms {
    pub(crate) fn new(configuration: &Configuration) -> Self {
        let (mut all, mut first) = (Vec::new(), Vec::new());
        for (index, stream) in (0..).zip(&configuration.streams) {
            first.push(all.len() as u32);
            all.extend(programs_of(index, stream));
        }
        Self { all, first }
    }

    /// Returns every program, in the order of the streams.
    pub(crate) fn all(&self) -> &[StreamProgram] {
        &self.all
    }

    /// Returns the first program of stream `index`.
    pub(crate) fn first_of(&self, index: usize) -> u32 {
        self.first[index]
    }

    /// Returns the range of the programs of stream `index`.
    pub(crate) fn of(&self, index: usize) -> Range<usize> {
        let end = self.first.get(index + 1).map_or(self.all.len(), |next| *next as usize);
        self.first[index] as usize..end
    }
}

fn programs_of(index: u32, stream: &Stream) -> Vec<StreamProgram> {
    match &stream.arrivals {
        Arrivals::Traced(trace) => {
            let only = |operation, shape: &ProgramShape| (shape.operation == operation).then_some(*shape);
            let program = |shape: &ProgramShape| StreamProgram {
                stream: index,
                read: only(Operation::Read, shape),
                write: only(Operation::UpdateWrite, shape),
            };
            trace.programs.iter().map(program).collect()
        }
        Arrivals::Closed { .. } | Arrivals::Open { .. } => {
            vec![StreamProgram { stream: index, read: Some(stream.read), write: Some(stream.write) }]
        }
    }
}
