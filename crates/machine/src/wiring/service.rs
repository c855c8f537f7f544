//! The service times of processors: one distribution for each kind of station, a random stream for each station.

use std::sync::Arc;

use halftrack_config::ServiceVariation;
use halftrack_engine::{ServiceDistribution, ServiceTimes};

use crate::wiring::options::{Options, Variation};

/// The distributions by kind of station.
#[derive(Debug)]
pub(crate) struct Service {
    seed: u64,
    /// Of channel processors.
    channel: Arc<ServiceDistribution>,
    /// Of host-adapter ports and clusters.
    control_unit: Arc<ServiceDistribution>,
    /// Of SAPs.
    sap: Arc<ServiceDistribution>,
}

impl Service {
    pub(crate) fn new(variation: &ServiceVariation, options: &Options) -> Self {
        let distribution = |scv| {
            Arc::new(match options.variation {
                Variation::Varying => ServiceDistribution::gamma(scv),
                Variation::Constant => ServiceDistribution::constant(),
                Variation::Exponential => ServiceDistribution::gamma(1.0),
            })
        };
        Self {
            seed: options.seed,
            channel: distribution(variation.channel_scv),
            control_unit: distribution(variation.control_unit_scv),
            sap: distribution(variation.sap_scv),
        }
    }

    /// Makes the times of the processor of a channel.
    pub(crate) fn of_channel(&self, name: &str) -> ServiceTimes {
        ServiceTimes::new(Arc::clone(&self.channel), self.seed, &format!("channel {name} processor"))
    }

    /// Makes the times that a channel-to-channel device of a logical link rests: firmware of channels.
    pub(crate) fn of_turnaround(&self, islink: &str, device: u16) -> ServiceTimes {
        ServiceTimes::new(
            Arc::clone(&self.channel),
            self.seed,
            &format!("islink {islink} device {device:04X}"),
        )
    }

    /// Makes the times of the processor of a host-adapter port.
    pub(crate) fn of_port(&self, control_unit: &str, port: &str) -> ServiceTimes {
        let name = format!("port {control_unit} {port} processor");
        ServiceTimes::new(Arc::clone(&self.control_unit), self.seed, &name)
    }

    /// Makes the times of the clusters of a box.
    pub(crate) fn of_clusters(&self, control_unit: &str) -> ServiceTimes {
        let name = format!("control unit {control_unit} clusters");
        ServiceTimes::new(Arc::clone(&self.control_unit), self.seed, &name)
    }

    /// Makes the times of the SAPs of a machine.
    pub(crate) fn of_saps(&self, cpc: &str) -> ServiceTimes {
        ServiceTimes::new(Arc::clone(&self.sap), self.seed, &format!("SAPs {cpc}"))
    }

    /// Returns the distribution of SAPs.
    pub(crate) fn saps(&self) -> &ServiceDistribution {
        &self.sap
    }
}
