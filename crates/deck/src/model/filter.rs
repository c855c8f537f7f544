//! The conditions that select a part of a deck.

use std::collections::BTreeSet;

use crate::model::{Adapter, Deck};

/// Numbers from `first` to `last`, both of them included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberRange {
    /// The first.
    pub first: u16,
    /// The last.
    pub last: u16,
}

impl NumberRange {
    /// Returns true when it has `number`.
    pub fn holds(self, number: u16) -> bool {
        (self.first..=self.last).contains(&number)
    }

    /// Returns true when it has one of the numbers from `first` to `last`.
    pub fn meets(self, first: u16, last: u16) -> bool {
        self.first <= last && first <= self.last
    }
}

/// The conditions of a selection, each as a list of which one must hold; an empty list is no condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Channel subsystems.
    pub css: Vec<u8>,
    /// CHPIDs.
    pub chpid: Vec<NumberRange>,
    /// PCHIDs or VCHIDs, of channel paths and of functions.
    pub pchid: Vec<NumberRange>,
    /// Values of TYPE=, of channel paths and of functions, upper case.
    pub kind: Vec<String>,
    /// Logical switch numbers.
    pub switch: Vec<NumberRange>,
    /// Control-unit numbers.
    pub control_unit: Vec<NumberRange>,
    /// Device numbers.
    pub device: Vec<NumberRange>,
    /// Values of UNIT=, of control units or of devices, upper case.
    pub unit: Vec<String>,
    /// Names of partitions.
    pub lpar: Vec<String>,
    /// Names of physical networks.
    pub pnetid: Vec<String>,
    /// Function identifiers.
    pub fid: Vec<NumberRange>,
    /// Words that the cards of the statement have, in capital or small letters.
    pub grep: Vec<String>,
}

/// A value of a condition that is missing from the deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Which list of the filter, as the word of the field.
    pub what: &'static str,
    /// The value.
    pub value: String,
    /// Values that the deck has.
    pub known: Vec<String>,
}

impl Filter {
    /// Returns the values of conditions that are nowhere in `deck`.
    pub fn unknown(&self, deck: &Deck) -> Vec<Unknown> {
        let channels = &deck.channel_paths;
        let units = &deck.control_units;
        let located = |value: &halftrack_input::Located<u16>| value.value;
        let adapters = deck.functions.iter().filter_map(|one| match one.adapter.as_ref()?.value {
            Adapter::Pchid(number) | Adapter::Vchid(number) => Some(number),
        });
        let ports = channels.iter().filter_map(|one| one.pchid.as_ref().or(one.vchid.as_ref()).map(located));
        let switches = channels.iter().filter_map(|one| Some(u16::from(one.switch.as_ref()?.value)));
        let devices = deck.devices.iter().flat_map(|one| one.number.value..=one.last());
        let fids = deck.functions.iter().flat_map(|one| one.fid.value..=one.last_fid());
        let numbers: [(&'static str, &[NumberRange], usize, BTreeSet<u16>); 6] = [
            ("chpid", &self.chpid, 2, channels.iter().map(|one| u16::from(one.chpid.value)).collect()),
            ("pchid", &self.pchid, 3, ports.chain(adapters).collect()),
            ("switch", &self.switch, 2, switches.collect()),
            ("cu", &self.control_unit, 4, units.iter().map(|one| located(&one.number)).collect()),
            ("device", &self.device, 4, devices.collect()),
            ("fid", &self.fid, 4, fids.collect()),
        ];
        let mut unknown = Vec::new();
        for (what, wanted, width, known) in numbers {
            for range in wanted.iter().filter(|range| known.range(range.first..=range.last).next().is_none())
            {
                let value = span(range.first, range.last, width);
                unknown.push(Unknown { what, value, known: spans(&known, width) });
            }
        }
        for (what, wanted, known) in self.words(deck) {
            for value in wanted.iter().filter(|value| !known.contains(*value)) {
                unknown.push(Unknown { what, value: value.clone(), known: known.iter().cloned().collect() });
            }
        }
        unknown
    }

    /// Returns the lists of words, and the words that the deck has.
    fn words(&self, deck: &Deck) -> [(&'static str, Vec<String>, BTreeSet<String>); 5] {
        let channel_types = deck.channel_paths.iter().map(|one| one.channel_type.value.clone());
        let function_types = deck.functions.iter().filter_map(|one| Some(one.kind.as_ref()?.value.clone()));
        let of_units = deck.control_units.iter().map(|one| one.unit.value.to_uppercase());
        let of_devices = deck.devices.iter().map(|one| one.unit.value.to_uppercase());
        let nets = deck.channel_paths.iter().flat_map(|one| &one.pnetids);
        let nets = nets.chain(deck.functions.iter().flat_map(|one| &one.pnetids)).flatten().cloned();
        let css = deck.partitions.iter().map(|one| one.css.to_string());
        let asked_css = self.css.iter().map(u8::to_string).collect();
        let lpars = deck.partitions.iter().filter_map(|one| one.name.clone());
        [
            ("css", asked_css, css.collect()),
            ("type", self.kind.clone(), channel_types.chain(function_types).collect()),
            ("unit", self.unit.clone(), of_units.chain(of_devices).collect()),
            ("lpar", self.lpar.clone(), lpars.collect()),
            ("pnetid", self.pnetid.clone(), nets.collect()),
        ]
    }
}

/// Formats a range of numbers: `1000-107F`, `1000`.
fn span(first: u16, last: u16, width: usize) -> String {
    if first == last { format!("{first:0width$X}") } else { format!("{first:0width$X}-{last:0width$X}") }
}

/// Formats numbers, consecutive ones joined.
fn spans(numbers: &BTreeSet<u16>, width: usize) -> Vec<String> {
    let mut found: Vec<(u16, u16)> = Vec::new();
    for &number in numbers {
        match found.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => found.push((number, number)),
        }
    }
    found.into_iter().map(|(first, last)| span(first, last, width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_both_its_ends() {
        let range = NumberRange { first: 0x10, last: 0x1F };
        assert!(range.holds(0x10) && range.holds(0x1F) && !range.holds(0x20));
        assert!(range.meets(0, 0x10) && range.meets(0x1F, 0xFF) && !range.meets(0x20, 0xFF));
    }

    #[test]
    fn numbers_in_a_row_are_told_as_one() {
        assert_eq!(spans(&BTreeSet::from([0x40, 0x41, 0x42, 0x50]), 2), ["40-42", "50"]);
    }
}
