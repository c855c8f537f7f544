//! Counts of adapters, and their law.

use halftrack_base::Time;
use halftrack_record::{CheckerReport, IsLinkDeviceInterval};

use super::Adapters;
use super::adapter::EndCounts;
use crate::laws::law::Law;
use crate::wiring::Wiring;

impl Adapters {
    /// Collects both ends of every device since the last collection, by logical link, end and number.
    pub(crate) fn collect(&mut self, w: &Wiring, now: Time) -> Vec<IsLinkDeviceInterval> {
        let c = &w.configuration;
        let mut records = Vec::new();
        for (link, first) in c.islinks.iter().zip(&w.lanes.first_device) {
            for end in 0..2 {
                let [lpar, partner] = [end, 1 - end].map(|end| &c.lpars[link.lpars[end] as usize]);
                for (device, adapter) in link.devices.iter().zip(&mut self.adapters[*first as usize..]) {
                    let EndCounts { starts, blocks, bytes, collisions, .. } = adapter.collect(end);
                    let channel = &c.channels[device.channels[end] as usize];
                    records.push(IsLinkDeviceInterval {
                        islink: link.name.clone(),
                        lpar: lpar.name.clone(),
                        partner: partner.name.clone(),
                        cpc: lpar.cpc,
                        chpid: channel.chpid,
                        number: device.numbers[end],
                        starts,
                        blocks,
                        bytes,
                        collisions,
                        active_ps: adapter.collect_active_ps(end, now),
                    });
                }
            }
        }
        records
    }

    /// Checks that every start has ended once or is in progress.
    pub(crate) fn check_starts(&self) -> CheckerReport {
        let mut law = Law::new("every start of a channel-to-channel device ends once");
        for (device, adapter) in self.adapters.iter().enumerate() {
            for end in 0..2 {
                let counts = adapter.counts(end);
                let in_progress = u64::from(adapter.is_started(end));
                law.check(counts.starts == counts.ended + in_progress, || {
                    format!(
                        "device {device} end {end}: {} starts, {} endings, {in_progress} in progress",
                        counts.starts, counts.ended
                    )
                });
            }
        }
        law.report()
    }
}
