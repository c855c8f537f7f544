//! One I/O as its image sees it: from the request of a base or alias to the end of its interrupt.

use halftrack_base::Time;
use halftrack_program::Operation;

/// No index: the end of a queue, or nothing.
pub(crate) const NONE: u32 = u32::MAX;

/// One I/O of the driver: a line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct IoRequest {
    /// A base or alias was requested, and granted.
    pub requested: Time,
    pub granted: Time,
    /// Up to when its base or alias has been booked: when it was granted, or when the interval began.
    pub booked: Time,
    /// The stream it belongs to.
    pub stream: u32,
    /// The job of a closed stream.
    pub job: u32,
    /// Unit control block: the base device as its partition sees it.
    pub ucb: u32,
    /// Its logical control unit as its partition sees it.
    pub view: u32,
    /// Its program, among those of all streams.
    pub program: u32,
    /// The track that it reads or writes; [`NONE`] where control units look up no tracks.
    pub track: u32,
    /// Next in the queue for its base.
    pub next: u32,
    /// Partition.
    pub lpar: u32,
    /// Unit address of the base.
    pub unit_address: u8,
    /// Channel-image id of the partition.
    pub channel_image: u8,
    /// Read or write.
    pub operation: Operation,
    /// The record is in cache.
    pub hit: bool,
    /// It has its base or alias.
    pub holds: bool,
    /// It runs on an alias.
    pub alias: bool,
    /// It ended with channel end and device end alone.
    pub normal: bool,
    /// It goes to its channel by a queue, past the SAPs: SCSI.
    pub by_queue: bool,
}

const _: () = assert!(size_of::<IoRequest>() == 64);

impl Default for IoRequest {
    fn default() -> Self {
        Self {
            requested: Time::ZERO,
            granted: Time::ZERO,
            booked: Time::ZERO,
            stream: NONE,
            job: NONE,
            ucb: NONE,
            view: NONE,
            program: NONE,
            track: NONE,
            next: NONE,
            lpar: 0,
            unit_address: 0,
            channel_image: 0,
            operation: Operation::Read,
            hit: true,
            holds: false,
            alias: false,
            normal: false,
            by_queue: false,
        }
    }
}
