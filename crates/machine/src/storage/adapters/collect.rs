//! The counters of host adapters and control units in an interval, as plain records.

use halftrack_base::Time;
use halftrack_record::{CacheInterval, PoolInterval, StationInterval};

use super::HostAdapters;
use crate::wiring::Wiring;

impl HostAdapters {
    /// Ends an interval at `now` and begins the next.
    pub(in crate::storage) fn collect(&mut self, w: &Wiring, now: Time) -> Vec<StationInterval> {
        let mut stations = Vec::new();
        for (port, state) in w.configuration.ports.iter().zip(&mut self.ports) {
            stations.extend(state.collect_service(&port.name, now));
        }
        for (port, state) in w.configuration.ports.iter().zip(&mut self.ports) {
            if port.hardware.circuit.is_some() {
                stations.extend(state.collect_circuits(&port.name, now));
            }
        }
        stations.extend(self.control_units.collect_staging(now));
        self.collect_boxes(w, now, &mut stations);
        stations
    }

    /// Collects the open exchanges of the ports that had any.
    pub(in crate::storage) fn collect_pools(&mut self, w: &Wiring, now: Time) -> Vec<PoolInterval> {
        let each = w.configuration.ports.iter().zip(&mut self.ports);
        let pools = each.map(|(port, state)| state.collect_pool(&port.name, now));
        pools.filter(PoolInterval::is_used).collect()
    }

    /// Collects what the host adapters of boxes and bays shared, where anything limits it.
    fn collect_boxes(&mut self, w: &Wiring, now: Time, stations: &mut Vec<StationInterval>) {
        for (share, busy) in w.configuration.box_shares.iter().zip(self.shares.collect_busy(now)) {
            for (part, busy_ps) in busy {
                let name = format!("{} {part}", share.name);
                stations.push(StationInterval { name, servers: 1, busy_ps, completions: 0 });
            }
        }
        stations.extend(self.control_units.collect_clusters(now));
    }

    /// Collects what the caches of the boxes found in the interval; nothing in a run that draws no tracks.
    pub(in crate::storage) fn collect_caches(&mut self, w: &Wiring) -> Vec<CacheInterval> {
        if !w.draws_tracks {
            return Vec::new();
        }
        self.control_units.collect_caches().collect()
    }
}
