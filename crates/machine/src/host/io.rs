//! One I/O of the driver, from the request of a base or alias to the interrupt.

use halftrack_engine::SimTime;
use halftrack_program::Operation;
use halftrack_subsystem::StartFunction;

/// No index: the end of a queue.
pub(crate) const NONE: u32 = u32::MAX;

/// One I/O: what each of its stages needs fills one line of the cache, what few need another.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(128))]
pub(crate) struct Io {
    /// A base or alias was asked for, and granted.
    pub requested: SimTime,
    pub granted: SimTime,
    /// START SUBCHANNEL was executed.
    pub started: SimTime,
    /// The stream it belongs to.
    pub stream: u32,
    /// Its program, among those of all streams.
    pub program: u32,
    /// The job of a closed stream.
    pub job: u32,
    /// Unit control block: the base device as its partition sees it.
    pub ucb: u32,
    /// Its logical control unit as its partition sees it.
    pub view: u32,
    /// Partition.
    pub lpar: u32,
    /// Path in use or about to be tried, among all paths.
    pub path: u32,
    /// IOP that carries its start.
    pub iop: u16,
    /// Unit address of the base.
    pub unit_address: u8,
    /// Channel-image id of the partition.
    pub channel_image: u8,
    /// Read or write.
    pub operation: Operation,
    /// The record is in cache.
    pub hit: bool,
    /// It runs on an alias.
    pub alias: bool,
    /// It ended with channel end and device end alone.
    pub normal: bool,
    /// What is seldom read.
    pub rare: Rare,
}

/// What of an I/O is read only where something is busy or lost, or tracks are asked for.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Rare {
    /// The start function at the subchannel.
    pub start: StartFunction,
    /// When it was last answered busy by a control unit.
    pub busy_since: SimTime,
    /// Channels and control-unit ends that had come free when its paths were last all untried.
    pub seen: (u32, u32),
    /// The track that is asked for, where the control unit is to look it up.
    pub track: Option<u32>,
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
        (self.operation, self.hit, self.rare.track) = (issued.operation, issued.hit, issued.track);
        (self.normal, self.path) = (false, NONE);
        (self.requested, self.granted) = (now, now);
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
            requested: SimTime::ZERO,
            granted: SimTime::ZERO,
            started: SimTime::ZERO,
            stream: NONE,
            program: NONE,
            job: NONE,
            ucb: NONE,
            view: NONE,
            lpar: 0,
            path: NONE,
            iop: 0,
            unit_address: 0,
            channel_image: 0,
            operation: Operation::Read,
            hit: true,
            alias: false,
            normal: false,
            rare: Rare {
                start: StartFunction::default(),
                busy_since: SimTime::ZERO,
                seen: (0, 0),
                track: None,
                next: NONE,
            },
        }
    }
}

const _: () = assert!(size_of::<Io>() == 128);
