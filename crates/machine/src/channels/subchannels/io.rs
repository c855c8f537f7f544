//! One I/O at the channels: its program, its paths and its start function.

use halftrack_base::Time;
use halftrack_program::Operation;
use halftrack_subsystem::StartFunction;

use crate::events::crossing::Start;

/// No index: the end of a queue.
pub(in crate::channels) const NONE: u32 = u32::MAX;

/// One I/O: what each of its stages needs fills one line of the cache, what few need another. Its slot is that of the
/// images' side.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(128))]
pub(in crate::channels) struct Io {
    /// Its program, among those of all streams.
    pub program: u32,
    /// Its logical control unit as its partition sees it.
    pub view: u32,
    /// Partition.
    pub lpar: u32,
    /// Path in use or about to be tried, among all paths.
    pub path: u32,
    /// Unit address of the base.
    pub unit_address: u8,
    /// Channel-image id of the partition.
    pub channel_image: u8,
    /// Read or write.
    pub operation: Operation,
    /// The record is in cache.
    pub hit: bool,
    /// START SUBCHANNEL was executed, where the SAPs are in another process.
    pub started: Time,
    /// The part that is seldom read.
    pub details: IoDetails,
}

/// The part of an I/O that is read only where something is busy or lost, or control units look up tracks.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(in crate::channels) struct IoDetails {
    /// The start function at the subchannel.
    pub start: StartFunction,
    /// The instant of the last busy answer of a control unit.
    pub busy_since: Time,
    /// Channels and control-unit ends that had come free when its paths were last all untried.
    pub frees_noted: (u32, u32),
    /// The track that it reads or writes, where control units look up tracks.
    pub track: Option<u32>,
}

impl Io {
    /// Makes the record of an earlier I/O that of `start`.
    #[inline(always)]
    pub(in crate::channels) fn begin(&mut self, start: &Start) {
        (self.program, self.view) = (start.program, start.view);
        (self.lpar, self.path) = (start.lpar.into(), NONE);
        (self.unit_address, self.channel_image) = (start.unit_address, start.channel_image);
        (self.operation, self.hit, self.details.track) = (start.operation, start.hit, start.track);
    }
}

impl Default for Io {
    fn default() -> Self {
        Self {
            program: NONE,
            view: NONE,
            lpar: 0,
            path: NONE,
            unit_address: 0,
            channel_image: 0,
            operation: Operation::Read,
            hit: true,
            started: Time::ZERO,
            details: IoDetails {
                start: StartFunction::default(),
                busy_since: Time::ZERO,
                frees_noted: (0, 0),
                track: None,
            },
        }
    }
}

const _: () = assert!(size_of::<Io>() == 128);
