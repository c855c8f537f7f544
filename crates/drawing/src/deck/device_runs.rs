//! Devices as they are drawn: consecutive numbers of the same kind on the same control units are one.

use std::collections::BTreeMap;

use halftrack_deck::model::{Deck, DeviceRange};

/// Other properties that distinguish devices: control units, unit type, subchannel sets, candidates.
type Kind<'r> = (&'r [usize], &'r str, &'r [u8], &'r [(u8, String)]);

/// Consecutive devices that a deck distinguishes by nothing but their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeviceRun {
    pub first: u16,
    pub last: u16,
    /// Subchannel sets, ascending; more than one where channel subsystems differ.
    pub sets: Vec<u8>,
    pub unit: String,
    /// Control units, as indices into the deck's.
    pub units: Vec<usize>,
    /// Partitions that may use them; empty for all.
    pub candidates: Vec<(u8, String)>,
}

impl DeviceRun {
    /// Counts the devices.
    pub(super) fn count(&self) -> usize {
        usize::from(self.last - self.first) + 1
    }

    /// Returns numbers such as `1000-107F`, behind the subchannel set when it is not 0.
    pub(super) fn name(&self) -> String {
        let set = match self.sets.as_slice() {
            [0] => String::new(),
            sets => sets.iter().map(u8::to_string).collect::<Vec<_>>().join(",") + ".",
        };
        match self.count() {
            1 => format!("{set}{:04X}", self.first),
            _ => format!("{set}{:04X}-{:04X}", self.first, self.last),
        }
    }

    /// Returns all of `deck`, in the order of their first control units.
    pub(super) fn all(deck: &Deck) -> Vec<Self> {
        let numbers = deck.control_units.iter().enumerate().map(|(index, unit)| (unit.number.value, index));
        let places: BTreeMap<u16, usize> = numbers.collect();
        let mut runs: Vec<Self> = deck.devices.iter().map(|range| Self::of(range, &places)).collect();
        runs.sort_by(|a, b| a.kind().cmp(&b.kind()).then(a.first.cmp(&b.first)));
        runs.dedup_by(|next, run| {
            let joins = next.kind() == run.kind() && run.last.checked_add(1) == Some(next.first);
            if joins {
                run.last = next.last;
            }
            joins
        });
        runs.sort_by(|a, b| (a.units.first(), a.first, &a.sets).cmp(&(b.units.first(), b.first, &b.sets)));
        runs
    }

    fn of(range: &DeviceRange, places: &BTreeMap<u16, usize>) -> Self {
        let mut sets: Vec<u8> = range.subchannel_set.by_css.iter().map(|(_, set)| *set).collect();
        if sets.is_empty() {
            sets.push(range.subchannel_set.all);
        }
        sets.sort_unstable();
        sets.dedup();
        Self {
            first: range.number.value,
            last: range.last(),
            sets,
            unit: range.unit.value.clone(),
            units: range.control_units.iter().filter_map(|unit| places.get(&unit.value).copied()).collect(),
            candidates: range.candidates.clone(),
        }
    }

    fn kind(&self) -> Kind<'_> {
        (&self.units, &self.unit, &self.sets, &self.candidates)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::deck;
    use super::*;

    #[test]
    fn devices_in_a_row_are_one_and_others_are_not() {
        let text = "         RESOURCE PART=((A,1)),MAXDEV=99\n\
                    \x20        CHPID PATH=40,SHARED,PCHID=100,TYPE=FC\n\
                    \x20        CNTLUNIT CUNUMBR=1000,PATH=40,UNITADD=((00,16)),UNIT=2107\n\
                    \x20        IODEVICE ADDRESS=(1002,2),CUNUMBR=1000,UNIT=3390\n\
                    \x20        IODEVICE ADDRESS=(1000,2),CUNUMBR=1000,UNIT=3390\n\
                    \x20        IODEVICE ADDRESS=(1004,2),CUNUMBR=1000,UNIT=3390A\n\
                    \x20        IODEVICE ADDRESS=1008,CUNUMBR=1000,UNIT=3390\n";
        let names: Vec<String> = DeviceRun::all(&deck(text)).iter().map(DeviceRun::name).collect();
        assert_eq!(names, ["1000-1003", "1004-1005", "1008"]);
    }
}
