//! I/Os under way.

use halftrack_base::Time;

use crate::driver::region::Place;

/// A request that a job or an arrival makes.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Stream of the request.
    pub stream: u16,
    /// Its job; without meaning in an open stream.
    pub job: u32,
    /// Index into the stream's units.
    pub device: u16,
    /// It writes.
    pub write: bool,
    /// Time of the request.
    pub arrived: Time,
}

/// An I/O under way.
#[derive(Debug)]
pub struct Io {
    /// Its number, in the order of the starts.
    pub number: u64,
    /// Its request.
    pub request: Request,
    /// Place of its unit among the volumes.
    pub volume: u16,
    /// Its first record.
    pub place: Place,
    /// Number of the write.
    pub generation: u32,
    /// When its records were claimed.
    pub began: Time,
    /// Attempts so far, but for those that the target was too busy to take.
    pub attempts: u8,
    /// Attempts that the target was too busy to take.
    pub busy: u8,
    /// Path over which the attempt goes; none while it waits.
    pub path: Option<u8>,
    /// An attempt may still have something on its way.
    pub is_unsettled: bool,
    /// Data to be written, while no attempt has them.
    pub data: Vec<u8>,
}
