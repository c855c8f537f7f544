//! The host's counters of an interval as plain records, room by room.

use halftrack_base::Time;
use halftrack_record::{
    ChannelInterval, DeviceInterval, EadmInterval, IopInterval, IsLinkDeviceInterval, IsLinkFlowInterval,
    LcuInterval, PoolInterval, StationInterval,
};

use super::HostState;
use crate::images::ImageCounters;
use crate::saps::SapCounters;
use crate::wiring::Wiring;

/// Counters of the host's process since the last collection.
pub(crate) struct HostCounters {
    pub channels: Vec<ChannelInterval>,
    pub iops: Vec<IopInterval>,
    pub lcus: Vec<LcuInterval>,
    pub devices: Vec<DeviceInterval>,
    /// Channel-to-channel devices, each end by itself.
    pub islinks: Vec<IsLinkDeviceInterval>,
    /// Work over logical links.
    pub islink_flows: Vec<IsLinkFlowInterval>,
    /// Operations on EADM subchannels.
    pub eadm: Vec<EadmInterval>,
    pub stations: Vec<StationInterval>,
    /// Pools of which any was taken, or waited for.
    pub pools: Vec<PoolInterval>,
}

impl HostState {
    /// Ends an interval at `now`, in which `images` is what the images' side has counted and `saps` what the SAPs have, and begins the
    /// next.
    pub(crate) fn collect(
        &mut self,
        w: &Wiring,
        now: Time,
        images: ImageCounters,
        saps: SapCounters,
    ) -> HostCounters {
        let configuration = &w.configuration;
        let mut stations = Vec::new();
        let ImageCounters { cps, views: used, devices, mut pools } = images;
        let SapCounters { serial, iops, stations: of_iops, eadm } = saps;
        for ((lpar, serial_ps), cps) in configuration.lpars.iter().zip(serial).zip(cps) {
            stations.push(cps);
            stations.extend(serial_ps.map(|busy_ps| StationInterval {
                name: format!("lpar {} serial part", lpar.name),
                servers: 1,
                busy_ps,
                completions: 0,
            }));
        }
        stations.extend(of_iops);
        let channels = self.channels.collect_channels(configuration, now, &mut stations, &mut pools);
        let lcus = self.channels.collect_lcus(w, used);
        let adapters = self.upstream.adapters.as_mut();
        let (islinks, islink_flows) = match adapters {
            Some(adapters) => (adapters.collect(w, now), adapters.collect_flows(w)),
            None => Default::default(),
        };
        HostCounters { channels, iops, lcus, devices, islinks, islink_flows, eadm, stations, pools }
    }
}
