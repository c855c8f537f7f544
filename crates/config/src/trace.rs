//! I/Os of a recording, ready to be replayed.

use halftrack_base::Span;
use halftrack_program::ProgramShape;

/// The I/Os of a stream that follows a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// At least one, in the order of their times.
    pub rows: Vec<TraceRow>,
    /// The different programs of the rows.
    pub programs: Vec<ProgramShape>,
    /// After how long it begins again; `None` ends with the last row.
    pub period: Option<Span>,
    /// The caches of the control units look up the tracks; else hits are drawn.
    pub looked_up: bool,
}

/// One I/O of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceRow {
    /// When it starts, from the start of the run or of the round.
    pub at: Span,
    /// Index among the stream's devices.
    pub device: u32,
    /// Track of the device, from 0.
    pub track: u32,
    /// Index of its program among those of the trace.
    pub program: u32,
}
