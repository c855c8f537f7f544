//! Requests of address spaces, and how they end.

use halftrack_base::Span;
use halftrack_program::Storage;

use crate::answer::Answer;
use crate::area::Area;
use crate::engine::deflate_bound_bytes;
use crate::partition::Options;
use crate::region::{Region, RegionToken};

/// Most octets of input of a request (FPZ4ABC).
pub const INPUT_BYTES_MAX: usize = 1 << 20;
/// Most octets of output of a request: those of input that does not shrink (our choice).
pub const OUTPUT_BYTES_MAX: usize = deflate_bound_bytes(INPUT_BYTES_MAX);

/// Function of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Compress to raw DEFLATE (RFC 1951).
    Deflate,
    /// Expand raw DEFLATE.
    Inflate,
}

/// Partition of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartitionId(pub u8);

/// Address space whose storage a request is about; unique on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpaceId(pub u64);

/// Request of a partition; unique in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// Autonomous request: everything that any card needs to do it, so that it can be started again on another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Request {
    /// Name of the request.
    pub id: RequestId,
    /// Function.
    pub operation: Operation,
    /// The last block that is deflated is not final, and ends on an octet.
    pub is_open: bool,
    /// Address space.
    pub space: SpaceId,
    /// Input.
    pub input: Area,
    /// Output.
    pub output: Area,
}

impl Request {
    /// Returns the options by which it is started. An area of one segment is flat.
    pub fn options(&self) -> Options {
        let chosen = [
            (self.operation == Operation::Inflate, Options::INFLATE),
            (self.is_open, Options::OPEN),
            (self.input.segments().count() > 1, Options::INPUT_LIST),
            (self.output.segments().count() > 1, Options::OUTPUT_LIST),
        ];
        let chosen = chosen.into_iter().filter(|(is_chosen, _)| *is_chosen);
        chosen.fold(Options::default(), |all, (_, option)| all | option)
    }

    /// Returns the regions in which its areas lie.
    pub fn regions(&self) -> impl Iterator<Item = RegionToken> {
        self.input.regions().chain(self.output.regions())
    }
}

/// End of a request. There is one for each request, and one only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Completion {
    /// Name of the request.
    pub id: RequestId,
    /// Answer. Counts and check values are 0 unless it is [`Answer::Done`], and the contents of the output area undefined.
    pub answer: Answer,
    /// Octets of input, without those behind a final block.
    pub consumed_bytes: u32,
    /// Octets of output.
    pub produced_bytes: u32,
    /// CRC-32 of the data that are not compressed.
    pub crc32: u32,
    /// Adler-32 of them.
    pub adler32: u32,
    /// Time from the submission to the first slice.
    pub queue_time: Span,
    /// Time in the engine.
    pub execution_time: Span,
}

impl Completion {
    /// Returns the end of a request that gave nothing.
    pub const fn without_data(id: RequestId, answer: Answer) -> Self {
        Self {
            id,
            answer,
            consumed_bytes: 0,
            produced_bytes: 0,
            crc32: 0,
            adler32: 0,
            queue_time: Span::ZERO,
            execution_time: Span::ZERO,
        }
    }
}

/// Storage of the address spaces of a machine.
pub trait Spaces {
    /// Storage of one of them.
    type Storage: Storage;

    /// Returns the storage of an address space; none when that has ended.
    fn storage(&mut self, space: SpaceId) -> Option<&mut Self::Storage>;

    /// Reaches every page of a region that is to be registered, with its key.
    ///
    /// # Errors
    /// Why one cannot be reached.
    fn reach(&mut self, space: SpaceId, region: &Region) -> Result<(), Answer> {
        region.reach(self.storage(space).ok_or(Answer::BadRegionAddress)?)
    }
}
