//! On which cores a power-on reset puts the SAPs.

use halftrack_catalog::Structure;
use halftrack_engine::RandomStream;

use crate::cpc::SapCore;
use crate::plant::Cpc;

/// Returns the cores of `saps` SAPs, the XSAP among them, by place; none where the structure of the machine is not
/// known. Every drawer has as many as the others, or one more. Within a drawer any cores may be chosen, and another
/// activation chooses others.
pub fn place(cpc: &Cpc, structure: Option<&Structure>, drawers: u8, saps: u16) -> Vec<SapCore> {
    let Some(structure) = structure.filter(|_| drawers > 0) else { return Vec::new() };
    let mut random = RandomStream::new(u64::from(cpc.activation), &format!("SAP placement {}", cpc.name));
    // Which drawers have one more, when they do not divide evenly.
    let order = drawn(&mut random, (0..drawers).collect(), usize::from(drawers));
    let (each, more) = (saps / u16::from(drawers), saps % u16::from(drawers));
    let mut placed = Vec::with_capacity(usize::from(saps));
    for (rank, drawer) in order.into_iter().enumerate() {
        let count = each + u16::from(rank < usize::from(more));
        placed.extend(drawn(&mut random, cores_of(structure, drawer), usize::from(count)));
    }
    placed.sort_unstable();
    placed
}

/// Returns every core of a drawer.
fn cores_of(structure: &Structure, drawer: u8) -> Vec<SapCore> {
    let (dcms, chips) = (structure.dcms_per_drawer.value, structure.chips_per_dcm());
    let chips = (0..dcms).flat_map(|dcm| (0..chips).map(move |chip| (dcm, chip)));
    let cores = structure.cores_per_chip.value;
    chips.flat_map(|(dcm, chip)| (0..cores).map(move |core| SapCore { drawer, dcm, chip, core })).collect()
}

/// Returns `count` of `all`, each choice equally likely, or all of them (Fisher-Yates).
fn drawn<T>(random: &mut RandomStream, mut all: Vec<T>, count: usize) -> Vec<T> {
    let count = count.min(all.len());
    for at in 0..count {
        let other = at + random.below((all.len() - at) as u64) as usize;
        all.swap(at, other);
    }
    all.truncate(count);
    all
}
