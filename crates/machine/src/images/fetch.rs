//! Prefetches of what events to come will touch on this side.

use halftrack_engine::Prefetch;

use super::Images;
use super::driver::StreamRun;

impl Images {
    /// Fetches what the interrupt of `io` and the next request of its stream will touch.
    #[inline(always)]
    pub(crate) fn fetch_for_interrupt(&self, io: u32) {
        let this = &self.requests[io];
        if let Some(ucb) = self.exposures.ucbs.get(this.ucb as usize) {
            Prefetch::begin(ucb);
        }
        self.fetch_for_request(this.stream);
    }

    /// Fetches what the next request of `stream` will touch: its unit control block was fetched when the request before
    /// was taken.
    #[inline(always)]
    pub(crate) fn fetch_for_request(&self, stream: u32) {
        let upcoming = self.streams.get(stream as usize).and_then(StreamRun::upcoming);
        if let Some(ucb) = upcoming.and_then(|ucb| self.exposures.ucbs.get(ucb as usize))
            && let Some(pool) = self.exposures.pools.get(ucb.view as usize)
        {
            Prefetch::begin(pool);
        }
    }

    /// Fetches the record of `io`.
    #[inline(always)]
    pub(crate) fn fetch_request(&self, io: u32) {
        Prefetch::begin(&self.requests[io]);
    }

    /// Fetches the books of the unit control block `ucb`.
    #[inline(always)]
    pub(crate) fn fetch_books(&self, ucb: u32) {
        if let Some(sums) = self.exposures.sums.get(ucb as usize) {
            Prefetch::begin(sums);
        }
    }
}
