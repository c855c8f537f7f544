//! A storage box: the staging machinery, the cache of tracks and the clusters that all its images and ports share.

use halftrack_base::{Span, Time};
use halftrack_config::ControlUnitPort;
use halftrack_engine::{Fifo, MultiServer, RandomStream, ServiceTimes};
use halftrack_record::{CacheInterval, StationInterval};

use super::cache::TrackCache;
use crate::wiring::Wiring;

/// State of one box.
#[derive(Debug)]
pub(super) struct StorageBox {
    name: String,
    staging: MultiServer,
    staging_times: RandomStream,
    /// Busy time and visits that intervals have had.
    staging_reported: (u64, u64),
    cache: TrackCache,
    clusters: Clusters,
}

/// The clusters of one box: work for each I/O, whatever port it came over.
#[derive(Debug)]
struct Clusters {
    /// They take one I/O after the other.
    work: Fifo,
    /// Work for each on average; zero limits nothing.
    io: Span,
    service: ServiceTimes,
    /// Busy time and I/Os that intervals have had.
    reported: (u64, u64),
}

impl StorageBox {
    /// Makes all boxes of the Configuration, in the order of their names.
    pub(super) fn all(w: &Wiring) -> Vec<Self> {
        let mut boxes: Vec<_> = w.configuration.ports.iter().collect();
        boxes.sort_by(|a, b| a.control_unit.cmp(&b.control_unit));
        boxes.dedup_by(|a, b| a.control_unit == b.control_unit);
        boxes.into_iter().map(|port| Self::new(w, port)).collect()
    }

    /// Makes the box of `port`.
    fn new(w: &Wiring, port: &ControlUnitPort) -> Self {
        let (name, hardware) = (&port.control_unit, &port.hardware);
        Self {
            name: name.clone(),
            staging: MultiServer::new(hardware.staging_servers.max(1)),
            staging_times: RandomStream::new(w.options.seed, &format!("staging {name}")),
            staging_reported: (0, 0),
            cache: TrackCache::new(if w.draws_tracks { hardware.cache_tracks } else { 0 }),
            clusters: Clusters {
                work: Fifo::new(),
                io: hardware.box_io,
                service: w.service.of_clusters(name),
                reported: (0, 0),
            },
        }
    }

    /// Stages a track, which takes `miss` on average: when it is there.
    pub(super) fn stage(&mut self, now: Time, miss: Span) -> Time {
        let service = self.staging_times.exponential(miss);
        self.staging.arrive(now, service).1
    }

    /// Looks `track` up for a read or write, and brings it in: whether it was there.
    pub(super) fn look_up(&mut self, track: u64, write: bool) -> bool {
        self.cache.look_up(track, write)
    }

    /// Has the clusters work on an I/O that is ready at `from`. Returns when that is done.
    pub(super) fn work_on(&mut self, from: Time) -> Time {
        self.clusters.work.arrive(from, self.clusters.service.draw(self.clusters.io))
    }

    /// Collects the staging machinery in the interval that ends at `now`.
    pub(super) fn collect_staging(&mut self, now: Time) -> StationInterval {
        let totals = (self.staging.busy_before(now).as_ps(), self.staging.completions());
        let before = std::mem::replace(&mut self.staging_reported, totals);
        StationInterval {
            name: format!("staging {}", self.name),
            servers: self.staging.servers(),
            busy_ps: totals.0 - before.0,
            completions: totals.1 - before.1,
        }
    }

    /// Collects the clusters in the interval that ends at `now`; `None` where they limit nothing.
    pub(super) fn collect_clusters(&mut self, now: Time) -> Option<StationInterval> {
        let Clusters { work, io, reported, .. } = &mut self.clusters;
        if io.is_zero() {
            return None;
        }
        let totals = (work.busy_before(now).as_ps(), work.completions());
        let before = std::mem::replace(reported, totals);
        Some(StationInterval {
            name: format!("box {} clusters", self.name),
            servers: 1,
            busy_ps: totals.0 - before.0,
            completions: totals.1 - before.1,
        })
    }

    /// Reads and hits of the cache in the interval that ends.
    pub(super) fn collect_cache(&mut self) -> CacheInterval {
        let (reads, read_hits) = self.cache.take_counts();
        CacheInterval { control_unit: self.name.clone(), reads, read_hits }
    }
}
