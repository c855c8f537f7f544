//! The storage's counters of an interval as plain records, and its laws.

use halftrack_base::Time;
use halftrack_record::{CacheInterval, PoolInterval, StationInterval};

use super::StorageState;
use crate::laws::census::Census;
use crate::laws::law::Law;
use crate::wiring::Wiring;

impl StorageState {
    /// Ends an interval at `now` and begins the next.
    pub(crate) fn collect(&mut self, w: &Wiring, now: Time) -> Vec<StationInterval> {
        self.adapters.collect(w, now)
    }

    /// Collects the open exchanges of the ports that had any.
    pub(crate) fn collect_pools(&mut self, w: &Wiring, now: Time) -> Vec<PoolInterval> {
        self.adapters.collect_pools(w, now)
    }

    /// Collects what the caches of the boxes found in the interval; nothing in a run that draws no tracks.
    pub(crate) fn collect_caches(&mut self, w: &Wiring) -> Vec<CacheInterval> {
        self.adapters.collect_caches(w)
    }

    /// Gives the storage's links the credits that are back by `now`.
    pub(crate) fn settle_credits(&mut self, now: Time) {
        self.context.settle_credits(now);
    }

    /// Checks that every credit of the storage's transmitters is free or accounted for.
    pub(crate) fn check_credits(&self, w: &Wiring, census: &Census, law: &mut Law) {
        self.links().check_credits(w, census, law);
    }
}
