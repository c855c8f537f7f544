//! One I/O of the driver, from the request of a base or alias to the interrupt.

use halftrack_engine::SimTime;
use halftrack_program::Operation;
use halftrack_subsystem::StartFunction;

use crate::accounting::Instants;

/// No index: the end of a queue.
pub(crate) const NONE: u32 = u32::MAX;

/// One I/O.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Io {
    /// The stream it belongs to.
    pub stream: u32,
    /// Its program, among those of all streams.
    pub program: u32,
    /// The job of a closed stream.
    pub job: u32,
    /// Unit control block: the base device as its partition sees it.
    pub ucb: u32,
    /// Partition.
    pub lpar: u32,
    /// Read or write.
    pub operation: Operation,
    /// The record is in cache.
    pub hit: bool,
    /// The track that is asked for, where the control unit is to look it up.
    pub track: Option<u32>,
    /// It runs on an alias.
    pub alias: bool,
    /// It ended with channel end and device end alone.
    pub normal: bool,
    /// IOP that carries its start.
    pub iop: u16,
    /// Path in use or about to be tried, among all paths.
    pub path: u32,
    /// The start function at the subchannel.
    pub start: StartFunction,
    /// Instants for the accounting.
    pub at: Instants,
    /// When it was last answered busy by a control unit.
    pub busy_since: SimTime,
    /// Channels and control-unit ends that had come free when its paths were last all untried.
    pub seen: (u32, u32),
    /// Next in the queue for its base.
    pub next: u32,
}

impl Io {
    /// Makes the record of an earlier I/O that of one issued at `now`. What belongs to its start is written when it
    /// is started, and what belongs to its end when it ends.
    #[inline]
    pub(crate) fn begin(&mut self, now: SimTime, issued: Issued) {
        (self.stream, self.program, self.job) = (issued.stream, issued.program, issued.job);
        (self.ucb, self.lpar) = (issued.ucb, issued.lpar);
        (self.operation, self.hit, self.track) = (issued.operation, issued.hit, issued.track);
        (self.normal, self.path) = (false, NONE);
        (self.at.requested, self.at.granted) = (now, now);
    }
}

/// What a stream issues.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Issued {
    /// The stream.
    pub stream: u32,
    /// Its program, among those of all streams.
    pub program: u32,
    /// The job of a closed stream.
    pub job: u32,
    /// Unit control block of the device.
    pub ucb: u32,
    /// Partition.
    pub lpar: u32,
    /// Read or write.
    pub operation: Operation,
    /// The record is in cache.
    pub hit: bool,
    /// The track that is asked for, where the control unit is to look it up.
    pub track: Option<u32>,
}

impl Default for Io {
    fn default() -> Self {
        Self {
            stream: NONE,
            program: NONE,
            job: NONE,
            ucb: NONE,
            lpar: 0,
            operation: Operation::Read,
            hit: true,
            track: None,
            alias: false,
            normal: false,
            iop: 0,
            path: NONE,
            start: StartFunction::default(),
            at: Instants::default(),
            busy_since: SimTime::ZERO,
            seen: (0, 0),
            next: NONE,
        }
    }
}
