//! How much service times vary: `catalog/service/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::shelf::Hardware;

/// Catalog id of the variation of every station's service times.
pub const STATIONS: &str = "stations";

/// Largest squared coefficient of variation: four times that of the exponential distribution.
const SCV_MAX: f64 = 4.0;

/// Squared coefficients of variation of service times by kind of station, 0 to 4.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Name in words.
    pub title: String,
    /// Of channel processors.
    pub channel_scv: Sourced<f64>,
    /// Of host-adapter ports and the clusters of a box.
    pub control_unit_scv: Sourced<f64>,
    /// Of SAPs.
    pub sap_scv: Sourced<f64>,
}

impl Hardware for Service {
    const DIRECTORY: &'static str = "service";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let channel = fields.sourced("channel_scv", Expect::number(0.0..=SCV_MAX));
        let control_unit = fields.sourced("control_unit_scv", Expect::number(0.0..=SCV_MAX));
        let sap = fields.sourced("sap_scv", Expect::number(0.0..=SCV_MAX));
        Some(Self {
            title: title?.value,
            channel_scv: channel?,
            control_unit_scv: control_unit?,
            sap_scv: sap?,
        })
    }
}
