//! The counters of the SAPs in an interval as plain records.

use halftrack_base::Time;
use halftrack_config::Configuration;
use halftrack_record::{IopInterval, StationInterval};

use super::Saps;

impl Saps {
    /// Collects the serial part of each partition since the last collection, where it has one.
    pub(crate) fn collect_serial(&mut self, now: Time) -> Vec<Option<u64>> {
        self.images.iter_mut().map(|image| image.collect(now)).collect()
    }

    /// Collects the threads since the last collection. Those of each machine together are a station, which goes to
    /// `stations`.
    pub(crate) fn collect_iops(
        &mut self,
        configuration: &Configuration,
        now: Time,
        stations: &mut Vec<StationInterval>,
    ) -> Vec<IopInterval> {
        let mut iops = Vec::new();
        for (cpc, state) in configuration.cpcs.iter().zip(&mut self.iops) {
            let own = state.collect(now);
            stations.push(StationInterval {
                name: format!("{}IOPs", cpc.name.prefix()),
                servers: own.len() as u32,
                busy_ps: own.iter().map(|iop| iop.busy_ps).sum(),
                completions: own.iter().map(|iop| iop.started + iop.interrupts).sum(),
            });
            iops.extend(own);
        }
        iops
    }
}
