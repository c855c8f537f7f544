//! The storage's counters of an interval as plain records, and its laws.

use halftrack_engine::SimTime;
use halftrack_record::{CacheInterval, PoolInterval, StationInterval};

use super::boxes::StorageBox;
use super::{StorageState, circuit};
use crate::fabric::link::Transmitters;
use crate::fabric::link_counters::whole_ns;
use crate::run::census::Census;
use crate::run::law::Law;
use crate::wiring::Wiring;

impl StorageState {
    /// Ends an interval at `now` and begins the next.
    pub(crate) fn collect(&mut self, w: &Wiring, now: SimTime) -> Vec<StationInterval> {
        let mut stations = Vec::new();
        for (port, state) in w.configuration.ports.iter().zip(&mut self.ports) {
            let processor = (state.processor.busy_before(now), state.processor.completions());
            let bus = (state.bus.busy_before(now), state.bus.completions());
            let parts = [
                ("processor", processor, &mut state.processor_reported),
                ("bus", bus, &mut state.bus_reported),
            ];
            for (part, (busy, completions), reported) in parts {
                let totals = (busy.as_ps(), completions);
                stations.push(StationInterval {
                    name: format!("port {} {part}", port.name),
                    servers: 1,
                    busy_ps: totals.0 - reported.0,
                    completions: totals.1 - reported.1,
                });
                *reported = totals;
            }
        }
        let circuits = self.joined.iter_mut().zip(&mut self.missed);
        for (port, (joined, missed)) in w.configuration.ports.iter().zip(circuits) {
            if port.hardware.circuit.is_some() {
                let (joined_ps, connections) = joined.collect(now);
                let circuit::Missed { count, lost_ps } = std::mem::take(missed);
                // Time that reconnections lose is nobody's being busy.
                for (what, servers, busy_ps, completions) in
                    [("path", 1, joined_ps, connections), ("missed reconnections", 0, lost_ps, count)]
                {
                    let name = format!("port {} {what}", port.name);
                    stations.push(StationInterval { name, servers, busy_ps, completions });
                }
            }
        }
        stations.extend(self.boxes.iter_mut().map(|of_box| of_box.collect_staging(now)));
        self.collect_boxes(w, now, &mut stations);
        stations
    }

    /// The open exchanges of the ports that had any.
    pub(crate) fn collect_pools(&mut self, w: &Wiring, now: SimTime) -> Vec<PoolInterval> {
        let each = w.configuration.ports.iter().zip(&mut self.ports);
        let pools = each.map(|(port, state)| PoolInterval {
            name: format!("port {} open exchanges", port.name),
            tokens: state.exchanges.total(),
            taken_ns: whole_ns(state.open.take_until(now)),
            short_ps: state.short.take(now).as_ps(),
        });
        pools.filter(PoolInterval::is_used).collect()
    }

    /// What the host adapters of boxes and bays shared, where anything limits it.
    fn collect_boxes(&mut self, w: &Wiring, now: SimTime, stations: &mut Vec<StationInterval>) {
        for (share, busy) in w.configuration.box_shares.iter().zip(self.shares.collect_busy(now)) {
            for (part, busy_ps) in busy {
                let name = format!("{} {part}", share.name);
                stations.push(StationInterval { name, servers: 1, busy_ps, completions: 0 });
            }
        }
        stations.extend(self.boxes.iter_mut().filter_map(|of_box| of_box.collect_clusters(now)));
    }

    /// What the caches of the boxes found in the interval; nothing in a run that draws no tracks.
    pub(crate) fn collect_caches(&mut self, w: &Wiring) -> Vec<CacheInterval> {
        let boxes = self.boxes.iter_mut().filter(|_| w.draws_tracks);
        boxes.map(StorageBox::collect_cache).collect()
    }

    /// Every credit of the storage's transmitters is free or accounted for.
    pub(crate) fn check_credits(&self, w: &Wiring, census: &Census, law: &mut Law) {
        check_credits(self.links(), w, census, law);
    }
}

/// Every credit that is out is a buffer in use or on its way back, and nobody waits while one is free.
pub(crate) fn check_credits(links: &Transmitters, w: &Wiring, census: &Census, law: &mut Law) {
    for (link, transmitter) in links.iter() {
        let outstanding = transmitter.credits.outstanding();
        let found = census.credits[link];
        let starved = !transmitter.line.waiting.is_empty() && transmitter.credits.available() > 0;
        law.check(outstanding == found && !starved, || {
            let name = &w.configuration.links[link].name;
            let (granted, waiting) = (w.configuration.links[link].credits, transmitter.line.waiting.len());
            format!("{name}: {outstanding} of {granted} credits out, {found} of them found, {waiting} wait")
        });
    }
}
