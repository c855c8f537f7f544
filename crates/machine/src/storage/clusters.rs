//! The clusters of a storage box: work for each I/O, whatever port it came over.

use halftrack_engine::{Fifo, ServiceTimes, SimDuration, SimTime};

/// The clusters of one box.
#[derive(Debug)]
pub(crate) struct Clusters {
    /// They take one I/O after the other.
    pub work: Fifo,
    /// Work for each on average; zero limits nothing.
    io: SimDuration,
    service: ServiceTimes,
    /// Busy time and I/Os that intervals have been told of.
    pub reported: (u64, u64),
}

impl Clusters {
    pub(crate) fn new(io: SimDuration, service: ServiceTimes) -> Self {
        Self { work: Fifo::new(), io, service, reported: (0, 0) }
    }

    /// True when their work is known.
    pub(crate) fn limits(&self) -> bool {
        !self.io.is_zero()
    }

    /// An I/O that is ready at `from` is worked on: when that is done.
    pub(crate) fn take_up(&mut self, from: SimTime) -> SimTime {
        self.work.arrive(from, self.service.draw(self.io))
    }
}
