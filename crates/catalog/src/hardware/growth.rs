//! How the IOP time of an I/O grows with the machine.

use halftrack_input::{Expect, Fields, Sourced};

/// `[growth]`: shares of the time in the smallest model.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// Addition by a line of storage from another drawer, as a share, times the part of the lines that come from
    /// there.
    pub remote_drawer: Sourced<f64>,
    /// Addition by each SAP core beyond `cores`, as a share; `None` when nothing.
    pub core: Option<Sourced<f64>>,
    /// SAP cores of the smallest model, from which `core` counts.
    pub cores: Sourced<u16>,
}

impl Growth {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let remote_drawer = fields.sourced("remote_drawer", Expect::number(0.0..=100.0));
        let core = fields.sourced_if_given("core", Expect::number(0.0..=100.0));
        let cores = fields.sourced("cores", Expect::integer(1..=1024));
        Some(Self { remote_drawer: remote_drawer?, core: core?, cores: cores? })
    }

    /// Returns the ratio of the time of an I/O with `cores` SAP cores in `drawers` drawers to that of the smallest
    /// model. A line of storage was last in any of the drawers alike, so that `(drawers - 1) / drawers` of them come
    /// from another.
    #[must_use]
    pub fn factor(&self, drawers: u8, cores: u16) -> f64 {
        let drawers = f64::from(drawers);
        let beyond = f64::from(cores.saturating_sub(self.cores.value));
        let core = self.core.as_ref().map_or(0.0, |core| core.value);
        1.0 + self.remote_drawer.value * (drawers - 1.0) / drawers + core * beyond
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::Catalog;

    /// Returns IOP thread time of an I/O, µs, and its growing part, of every model of a family.
    fn thread_us(family: &str) -> Vec<(String, f64)> {
        let (catalog, _) = Catalog::load(&[]);
        let models = catalog.cpcs.ids().filter_map(|id| catalog.cpcs.get(id));
        let of_family = models.filter(|cpc| cpc.family.as_deref() == Some(family));
        let mut found: Vec<_> = of_family
            .map(|cpc| {
                let one = cpc.processor.iop_start_us.value + cpc.processor.iop_interrupt_us.value;
                (cpc.model.clone(), one * cpc.growth(0))
            })
            .collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        found
    }

    /// The rates at 70 % of the z16 models are 0.7 x threads / thread time: 4.217, 6.195, 7.000, 8.000 and 8.528 us.
    #[test]
    fn one_mechanism_gives_the_thread_time_of_every_model() {
        let printed =
            [("Max39", 4.217), ("Max82", 6.195), ("Max125", 7.0), ("Max168", 8.0), ("Max200", 8.528)];
        for ((model, us), (name, wanted)) in thread_us("z16").into_iter().zip(printed) {
            assert_eq!(model, name);
            assert!((us / wanted - 1.0).abs() < 0.025, "{model}: {us}, {wanted} is printed");
        }
        let implied = [("Max34", 4.723), ("Max71", 5.798), ("Max108", 6.160), ("Max145", 6.384)];
        for ((model, us), (name, wanted)) in thread_us("z15").into_iter().zip(implied) {
            assert_eq!(model, name);
            assert!((us / wanted - 1.0).abs() < 0.01, "{model}: {us}, {wanted} is implied");
        }
    }

    #[test]
    fn growth_stands_in_the_family_alone() {
        let (catalog, _) = Catalog::load(&[]);
        for id in catalog.cpcs.ids() {
            let own = catalog.parameters("cpc", id);
            assert!(own.iter().all(|one| !one.key.starts_with("growth")), "{id}");
        }
        for (family, numbers) in [("z16", 3), ("z15", 2)] {
            let all = catalog.parameters("processor", family);
            let growth = all.iter().filter(|one| one.key.starts_with("growth"));
            assert_eq!(growth.count(), numbers, "{family}");
        }
    }
}
