//! The models that a study can be of.

use halftrack_catalog::{Catalog, Cpc};
use serde::Serialize;

use crate::equipment::{iop_threads, thread_us};
use crate::partitions;

/// A model of the catalog; what is `None` is not known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelRow {
    /// Catalog id.
    pub id: String,
    /// Model.
    pub model: String,
    /// Name in words.
    pub title: String,
    /// Machine type.
    pub machine_type: u16,
    /// Processor drawers.
    pub drawers: Option<u8>,
    /// Central processors at most.
    pub cps: Option<u16>,
    /// Standard SAP cores.
    pub sap_cores: u16,
    /// SAP cores that can be added.
    pub additional_saps: Option<u16>,
    /// IOP threads of the standard SAPs.
    pub iop_threads: u32,
    /// I/Os a second that keep these busy all the time.
    pub iop_ios_per_s: f64,
    /// Slots for fanouts.
    pub fanout_slots: Option<u16>,
    /// Logical partitions of a study by default.
    pub lpars: u32,
}

/// Returns the models of `catalog`, by id.
pub fn models(catalog: &Catalog) -> Vec<ModelRow> {
    let shelf = &catalog.cpcs;
    shelf.ids().filter_map(|id| Some(ModelRow::new(id, shelf.get(id)?))).collect()
}

impl ModelRow {
    fn new(id: &str, cpc: &Cpc) -> Self {
        Self {
            id: id.to_owned(),
            model: cpc.model.clone(),
            title: cpc.title.clone(),
            machine_type: cpc.machine_type.value,
            drawers: cpc.drawers.as_ref().map(|one| one.value),
            cps: cpc.cps.as_ref().map(|one| one.value),
            sap_cores: cpc.sap_cores.value,
            additional_saps: cpc.additional_saps.as_ref().map(|one| one.value),
            iop_threads: iop_threads(cpc),
            iop_ios_per_s: f64::from(iop_threads(cpc)) * 1e6 / thread_us(cpc),
            fanout_slots: cpc.fanout_slots.as_ref().map(|one| one.value),
            lpars: partitions::usual(cpc),
        }
    }
}
