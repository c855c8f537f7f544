//! Networks of RoCE ports: `[network]` of `catalog/feature/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

/// Id of the feature whose functions carry SMC-R.
pub const ROCE: &str = "roce";

/// Fastest port, Gbit/s.
const GBPS_MAX: f64 = 1000.0;

/// Rules of the network of a port.
#[derive(Debug, Clone, PartialEq)]
pub struct RoceNetwork {
    /// Speed of a port, Gbit/s.
    pub gbps: Sourced<f64>,
    /// Longest fibre at a port, km.
    pub reach_km: Sourced<f64>,
    /// Least speed of the OSD over which connections begin, Gbit/s.
    pub osd_gbps_min: Sourced<f64>,
    /// Multiplexers that are qualified.
    pub multiplexers: Sourced<Vec<String>>,
}

impl RoceNetwork {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let gbps = fields.sourced("gbps", Expect::positive(GBPS_MAX));
        let reach_km = fields.sourced("reach_km", Expect::positive(1000.0));
        let osd_gbps_min = fields.sourced("osd_gbps_min", Expect::positive(GBPS_MAX));
        let names = |text: &str| Some(text.split(';').map(|name| name.trim().to_owned()).collect());
        let multiplexers =
            fields.sourced("multiplexers", Expect::parsed("names with semicolons between", names));
        Some(Self {
            gbps: gbps?,
            reach_km: reach_km?,
            osd_gbps_min: osd_gbps_min?,
            multiplexers: multiplexers?,
        })
    }
}
