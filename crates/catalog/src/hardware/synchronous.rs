//! Synchronous I/O over the ports of a feature: `[synchronous]` of `catalog/feature/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::prices::time_us;
use crate::hardware::speed::rate_mb_per_s;

/// Id of the feature whose ports are zHyperLinks.
pub const ZHYPERLINK: &str = "zhyperlink";

/// Numbers of a link that carries synchronous requests, one at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Synchronous {
    /// Longest cable, m.
    pub reach_m: Sourced<f64>,
    /// PCIe lanes.
    pub lanes: Sourced<u32>,
    /// Data rate of a lane, MB/s (10^6 bytes a second).
    pub lane_mb_per_s: Sourced<f64>,
    /// Longest record of a request, bytes.
    pub record_bytes: Sourced<u32>,
    /// Address and length of a buffer are multiples of it, bytes.
    pub alignment_bytes: Sourced<u32>,
    /// Light in the cable one way, ns a metre.
    pub propagation_ns_per_m: Sourced<f64>,
    /// Part of the time that a read holds the link which is neither transfer nor light: adapter and box, µs.
    pub hold_us: Sourced<f64>,
    /// Time of the processor beyond that, µs.
    pub cpu_us: Sourced<f64>,
    /// Time of the processor for a request that finds the link in use, µs.
    pub busy_reject_us: Sourced<f64>,
    /// Time after which a request without an answer is given up, µs.
    pub timeout_us: Sourced<f64>,
}

impl Synchronous {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let reach_m = fields.sourced("reach_m", Expect::number(0.0..=1000.0));
        let lanes = fields.sourced("lanes", Expect::integer(1..=32));
        let lane_mb_per_s = fields.sourced("lane_mb_per_s", rate_mb_per_s());
        let record_bytes = fields.sourced("record_bytes", Expect::integer(1..=65_535));
        let alignment_bytes = fields.sourced("alignment_bytes", Expect::integer(1..=4096));
        let propagation_ns_per_m = fields.sourced("propagation_ns_per_m", Expect::number(0.0..=100.0));
        let mut time = |key| fields.sourced(key, time_us());
        let (hold_us, cpu_us) = (time("hold_us"), time("cpu_us"));
        let (busy_reject_us, timeout_us) = (time("busy_reject_us"), time("timeout_us"));
        Some(Self {
            reach_m: reach_m?,
            lanes: lanes?,
            lane_mb_per_s: lane_mb_per_s?,
            record_bytes: record_bytes?,
            alignment_bytes: alignment_bytes?,
            propagation_ns_per_m: propagation_ns_per_m?,
            hold_us: hold_us?,
            cpu_us: cpu_us?,
            busy_reject_us: busy_reject_us?,
            timeout_us: timeout_us?,
        })
    }

    /// Returns its data rate, MB/s.
    #[must_use]
    pub fn mb_per_s(&self) -> f64 {
        f64::from(self.lanes.value) * self.lane_mb_per_s.value
    }

    /// Returns the light of both ways of a cable, µs.
    #[must_use]
    pub fn light_us(&self, metres: f64) -> f64 {
        2.0 * metres * self.propagation_ns_per_m.value / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    /// Neither the 21.75 us that a 4 KiB read holds the link nor the 26 us of its processor stand in the file as such.
    #[test]
    fn a_read_of_4_kib_takes_the_published_times() {
        let (catalog, _) = Catalog::load(&[]);
        let feature = catalog.features.get(ZHYPERLINK).expect("built in");
        let link = feature.synchronous.as_ref().expect("it carries synchronous requests");
        assert!((link.mb_per_s() - 7877.0).abs() < 0.1, "{}", link.mb_per_s());
        let held_us = link.hold_us.value + 4096.0 / link.mb_per_s() + link.light_us(10.0);
        assert!((held_us - 87.0 / 4.0).abs() < 1e-6, "{held_us}");
        assert!((held_us + link.cpu_us.value - 26.0).abs() < 1e-6);
    }
}
