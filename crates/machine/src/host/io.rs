//! One I/O in the channel subsystem, from START SUBCHANNEL to its end.

use halftrack_engine::SimTime;
use halftrack_program::Operation;
use halftrack_subsystem::StartFunction;

use crate::events::crossing::Start;

/// No index: the end of a queue.
pub(crate) const NONE: u32 = u32::MAX;

/// One I/O: what each of its stages needs fills one line of the cache, what few need another. Its slot is that of the
/// images' side.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(128))]
pub(crate) struct Io {
    /// START SUBCHANNEL was executed.
    pub started: SimTime,
    /// Its program, among those of all streams.
    pub program: u32,
    /// Number of its unit control block.
    pub subchannel: u32,
    /// Its logical control unit as its partition sees it.
    pub view: u32,
    /// Partition.
    pub lpar: u32,
    /// Path in use or about to be tried, among all paths.
    pub path: u32,
    /// IOP that carries its start.
    pub iop: u16,
    /// The machine of its partition, whose IOPs serve it.
    pub cpc: u8,
    /// Unit address of the base.
    pub unit_address: u8,
    /// Channel-image id of the partition.
    pub channel_image: u8,
    /// Read or write.
    pub operation: Operation,
    /// The record is in cache.
    pub hit: bool,
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
}

impl Io {
    /// Makes the record of an earlier I/O that of `start`. What belongs to its start is written when it is started.
    #[inline(always)]
    pub(crate) fn begin(&mut self, start: &Start) {
        (self.program, self.subchannel, self.view) = (start.program, start.subchannel, start.view);
        (self.lpar, self.path) = (start.lpar, NONE);
        (self.unit_address, self.channel_image) = (start.unit_address, start.channel_image);
        (self.operation, self.hit, self.rare.track) = (start.operation, start.hit, start.track);
    }
}

impl Default for Io {
    fn default() -> Self {
        Self {
            started: SimTime::ZERO,
            program: NONE,
            subchannel: NONE,
            view: NONE,
            lpar: 0,
            path: NONE,
            iop: 0,
            cpc: 0,
            unit_address: 0,
            channel_image: 0,
            operation: Operation::Read,
            hit: true,
            rare: Rare {
                start: StartFunction::default(),
                busy_since: SimTime::ZERO,
                seen: (0, 0),
                track: None,
            },
        }
    }
}

const _: () = assert!(size_of::<Io>() == 128);
