//! I/Os at the boundary of Start Subchannel: each from its start to its end, whatever redrives lie between.

use halftrack_base::Time;
use halftrack_workload::RecordId;

use super::statistics::IoError;

/// The start of an I/O.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoStart {
    /// Number of the I/O, in the order of the starts.
    pub io: u64,
    /// Stream and job.
    pub job: (u16, u32),
    /// Records that it reads or writes, in their order.
    pub records: Vec<RecordId>,
    /// Number of the write, which its records hold afterwards; nothing of a read.
    pub write: Option<u32>,
}

/// The end of an I/O.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoEnd<'a> {
    /// Number of the I/O.
    pub io: u64,
    /// Status or error, before the data are compared.
    pub result: Result<(), IoError>,
    /// Octets that a read brought.
    pub data: &'a [u8],
}

/// Observer of the I/Os of a driver.
pub trait IoObserver {
    /// Notes the start of an I/O.
    fn started(&mut self, now: Time, start: &IoStart);

    /// Notes the end of an I/O.
    fn ended(&mut self, now: Time, end: &IoEnd<'_>);
}
