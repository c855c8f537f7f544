//! The counters of the SAPs in an interval as plain records.

use halftrack_base::Time;
use halftrack_config::Configuration;
use halftrack_record::{EadmInterval, IopInterval, StationInterval};

use super::Saps;

/// Counters of the SAPs since the last collection.
pub(crate) struct SapCounters {
    /// Busy time of the serial part of each partition, ps, where it has one.
    pub serial: Vec<Option<u64>>,
    /// Threads.
    pub iops: Vec<IopInterval>,
    /// The threads of each machine together.
    pub stations: Vec<StationInterval>,
    /// Operations on EADM subchannels.
    pub eadm: Vec<EadmInterval>,
}

impl Saps {
    /// Ends an interval at `now` and begins the next.
    pub(crate) fn collect(&mut self, configuration: &Configuration, now: Time) -> SapCounters {
        let serial = self.images.iter_mut().map(|image| image.collect(now)).collect();
        let (mut iops, mut stations) = (Vec::new(), Vec::new());
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
        SapCounters { serial, iops, stations, eadm: self.collect_eadm() }
    }
}
