//! Logical partitions of a study over its channel subsystems.

use halftrack_catalog::Cpc;
use halftrack_deck::model::machines::Machine;

/// Central processors that a partition of the published measurements has, about.
const CPS_OF_ONE: u32 = 10;
/// The measurements add partitions four at a time.
const STEP: u32 = 4;
/// Partitions, and processors of each, where the catalog lacks the processors of the model.
const UNKNOWN: u32 = 4;
/// Most processors that a plant takes for one partition.
const CPS_MAX: u32 = 256;

/// A logical partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Name.
    pub name: String,
    /// Channel subsystem.
    pub css: u8,
    /// MIF id, 1-15.
    pub mif: u8,
}

/// Returns partitions that the SAP measurements of 2023 give a model: 4, 8, 12, 16 and 20 for the five of the z16.
pub fn usual(cpc: &Cpc) -> u32 {
    let cps = cpc.cps.as_ref().map(|cps| u32::from(cps.value));
    cps.map_or(UNKNOWN, |cps| {
        let step = STEP * CPS_OF_ONE;
        ((cps + step / 2) / step).max(1) * STEP
    })
}

/// Returns the central processors of each of `count` partitions: an equal part of the model's, and no more than a
/// drawer has.
pub fn cps_of_one(cpc: &Cpc, count: u32) -> u32 {
    let Some(cps) = cpc.cps.as_ref().map(|cps| u32::from(cps.value)) else { return UNKNOWN };
    let drawers = cpc.drawers.as_ref().map_or(1, |drawers| u32::from(drawers.value));
    (cps / count).min(cps / drawers).clamp(1, CPS_MAX)
}

/// Assigns `count` partitions to `css_count` channel subsystems, as evenly as these take them.
pub fn dealt(count: u32, css_count: u8, machine: &Machine) -> Vec<Partition> {
    let mut inside = vec![0; usize::from(css_count)];
    let mut left = count;
    while left > 0 {
        let before = left;
        for (css, inside) in (0..css_count).zip(&mut inside) {
            if left > 0 && *inside < machine.partition_count_in(css) {
                *inside += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    let places = (0..css_count).zip(inside).flat_map(|(css, count)| (1..=count).map(move |mif| (css, mif)));
    let named = places.enumerate();
    named.map(|(at, (css, mif))| Partition { name: format!("LP{:02}", at + 1), css, mif }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(count: u32, css_count: u8) -> Vec<usize> {
        let machine = Machine::of(3931).expect("a z16");
        let partitions = dealt(count, css_count, machine);
        (0..css_count).map(|css| partitions.iter().filter(|one| one.css == css).count()).collect()
    }

    #[test]
    fn partitions_are_dealt_evenly_and_never_beyond_a_channel_subsystem() {
        assert_eq!(inside(20, 2), [10, 10]);
        assert_eq!(inside(31, 3), [11, 10, 10]);
        assert_eq!(inside(85, 6), [15, 15, 15, 15, 15, 10]);
        assert_eq!(inside(90, 6).iter().sum::<usize>(), 85);
    }
}
