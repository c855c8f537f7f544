//! Work on EADM subchannels: the workload's, with partitions found in the plant.

use halftrack_input::messages::study as numbers;
use halftrack_input::nearest_or_all;

use crate::assemble::inputs::Inputs;
use crate::cpc::Lpar;
use crate::eadm::EadmWork;
use crate::workload_file::EadmFlow;

/// Returns the flows of operations, by name; those that no machine can serve are reported.
pub fn eadm(inputs: &Inputs<'_>, lpars: &[Lpar]) -> Vec<EadmWork> {
    let mut works: Vec<_> =
        inputs.workload.eadm.iter().filter_map(|flow| work(inputs, lpars, flow)).collect();
    works.sort_by(|a, b| a.name.cmp(&b.name));
    works
}

fn work(inputs: &Inputs<'_>, lpars: &[Lpar], flow: &EadmFlow) -> Option<EadmWork> {
    let lpar = lpar(inputs, lpars, flow)?;
    let inputs = inputs.of(lpars[lpar as usize].cpc);
    let model = &inputs.cpc.model;
    // A model that the catalog does not have has been reported with the CPC.
    let cpc = inputs.catalog.cpcs.get(&model.value)?;
    if cpc.processor.eadm.is_none() {
        let message = format!(
            "eadm {} runs in {}, but {} has no EADM subchannels",
            flow.name.value, flow.lpar.value, model.value
        );
        let error = inputs
            .in_workload(numbers::NO_EADM, &flow.lpar.span, message)
            .other(inputs.plant.label(&model.span, "model of the plant"));
        inputs.report(error.fix("remove it, or name a partition of a machine that has them, such as a z16"));
        return None;
    }
    Some(EadmWork {
        name: flow.name.value.clone(),
        lpar,
        kind: flow.kind,
        interarrival: flow.interarrival,
        poisson: flow.poisson,
    })
}

/// Returns the index of the partition that starts the operations.
fn lpar(inputs: &Inputs<'_>, lpars: &[Lpar], flow: &EadmFlow) -> Option<u32> {
    let name = &flow.lpar.value;
    let found = lpars.iter().position(|lpar| lpar.name == *name);
    let plant = inputs.plant;
    // A partition that the plant has and the deck lacks has been reported there.
    if found.is_none() && plant.lpars.iter().all(|lpar| lpar.name.value != *name) {
        let message = format!("eadm {} runs in {name}, but the plant has no such partition", flow.name.value);
        let names = plant.lpars.iter().map(|lpar| lpar.name.value.as_str());
        let mut error = inputs
            .in_workload(numbers::NO_EADM_LPAR, &flow.lpar.span, message)
            .fix(nearest_or_all(name, names));
        error
            .others
            .extend(plant.lpars.first().map(|lpar| plant.label(&lpar.name.span, "partitions of the plant")));
        inputs.report(error);
    }
    found.map(|index| index as u32)
}
