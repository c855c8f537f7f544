//! An I/O drawer: `catalog/drawer/ID.toml`.

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Sourced};

use crate::shelf::Hardware;

/// One kind of drawers for I/O cards.
#[derive(Debug, Clone, PartialEq)]
pub struct IoDrawer {
    /// Name in words.
    pub title: String,
    /// PCHIDs that each slot takes, whatever is plugged there.
    pub pchids_per_slot: Sourced<u16>,
    /// Slots of each I/O domain, the cards behind one interconnect.
    pub domains: Vec<Sourced<Vec<u8>>>,
}

impl Hardware for IoDrawer {
    const DIRECTORY: &'static str = "drawer";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let pchids_per_slot = fields.sourced("pchids_per_slot", Expect::integer(1..=64));
        let words = "slots such as \"01-04 06-09\", each from 1 to 99 and once";
        let domains =
            fields.tables("domain", |domain| domain.sourced("slots", Expect::parsed(words, parse_slots)));
        let read =
            Self { title: title?.value, pchids_per_slot: pchids_per_slot?, domains: check(fields, domains)? };
        Some(read)
    }
}

impl IoDrawer {
    /// Returns all slots, ascending.
    pub fn slots(&self) -> Vec<u8> {
        let mut all: Vec<u8> = self.domains.iter().flat_map(|domain| domain.value.iter().copied()).collect();
        all.sort_unstable();
        all
    }

    /// Returns the domain that `slot` is in, counted from 0; `None` for an unknown slot.
    pub fn domain_of(&self, slot: u8) -> Option<usize> {
        self.domains.iter().position(|domain| domain.value.contains(&slot))
    }

    /// Returns the distance of the first PCHID of `slot` from that of the drawer.
    pub fn pchid_offset(&self, slot: u8) -> Option<u16> {
        let place = self.slots().iter().position(|&other| other == slot)?;
        u16::try_from(place).ok()?.checked_mul(self.pchids_per_slot.value)
    }
}

/// Returns the domains, when there are some and no slot is in two of them.
fn check(fields: &Fields<'_>, domains: Vec<Sourced<Vec<u8>>>) -> Option<Vec<Sourced<Vec<u8>>>> {
    if domains.is_empty() {
        let (message, fix) = ("a drawer needs `[[domain]]`", "add the slots of each domain");
        fields.error(numbers::MISSING_KEY, fields.span(), message, fix);
        return None;
    }
    for (index, domain) in domains.iter().enumerate() {
        let earlier =
            domains[..index].iter().find(|other| other.value.iter().any(|slot| domain.value.contains(slot)));
        if let Some(other) = earlier {
            fields.named_twice("a slot", domain.span.clone(), other.span.clone());
            return None;
        }
    }
    Some(domains)
}

/// Parses `01-04 06` as the slots that it names.
fn parse_slots(text: &str) -> Option<Vec<u8>> {
    let mut slots = Vec::new();
    for part in text.split_whitespace() {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u8, u8) = (first.parse().ok()?, last.parse().ok()?);
        if first == 0 || last > 99 || last < first {
            return None;
        }
        slots.extend(first..=last);
    }
    let mut sorted = slots.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (!slots.is_empty() && sorted.len() == slots.len()).then_some(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn the_printed_slots_have_the_printed_pchids() {
        let (catalog, _) = Catalog::load(&[]);
        let drawer = catalog.drawers.get("pcie-32").expect("built in");
        assert_eq!(drawer.slots().len(), 32);
        let pchid = |slot| drawer.pchid_offset(slot).map(|offset| 0x100 + offset);
        let printed = [
            (3, 0x108),
            (4, 0x10C),
            (6, 0x110),
            (7, 0x114),
            (35, 0x170),
            (36, 0x174),
            (37, 0x178),
            (38, 0x17C),
        ];
        for (slot, expected) in printed {
            assert_eq!(pchid(slot), Some(expected), "slot {slot}");
        }
        assert_eq!((pchid(5), drawer.domain_of(5)), (None, None));
        assert_eq!((drawer.domain_of(7), drawer.domain_of(35)), (Some(0), Some(1)));
    }

    #[test]
    fn slots_are_read_once_each() {
        assert_eq!(parse_slots("01-03 07"), Some(vec![1, 2, 3, 7]));
        for wrong in ["", "0", "3-1", "1 1", "1-100", "x", "-"] {
            assert_eq!(parse_slots(wrong), None, "{wrong}");
        }
    }
}
