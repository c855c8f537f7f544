//! A start as the SAPs carry it, from START SUBCHANNEL to its interrupt.

use halftrack_base::Time;

use crate::events::crossing::Start;

/// The SAPs' record of an I/O. Its slot is that of the images' side.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Carried {
    /// START SUBCHANNEL was executed.
    pub started: Time,
    /// Number of its unit control block.
    pub subchannel: u32,
    /// Partition.
    pub lpar: u32,
    /// IOP thread that carries its start.
    pub thread: u16,
    /// The machine of its partition, whose IOPs serve it.
    pub cpc: u8,
    /// It is on the initiative queue of its thread, or in its service for the first time.
    pub is_queued: bool,
    /// It goes to its channel by a queue, past the IOPs.
    pub by_queue: bool,
}

impl Carried {
    /// Makes the record of an earlier I/O that of `start`, which is not executed yet.
    #[inline(always)]
    pub(crate) fn begin(&mut self, start: &Start) {
        (self.subchannel, self.lpar) = (start.subchannel, start.lpar.into());
        self.by_queue = start.by_queue;
    }
}
