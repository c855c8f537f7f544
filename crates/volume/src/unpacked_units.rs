//! The units read last of those that do not lie as they are in a mapped file.

use crate::layout::LayoutError;

/// Bytes of the units kept, at most.
const MOST_BYTES: usize = 16 << 20;

/// A unit is kept at the place that the low bits of its number give.
#[derive(Debug)]
pub(crate) struct UnpackedUnits {
    slots: Vec<Slot>,
}

#[derive(Debug, Default, Clone)]
struct Slot {
    unit: Option<u32>,
    octets: Vec<u8>,
}

impl UnpackedUnits {
    /// Keeps units of at most `unit_bytes`.
    pub(crate) fn new(unit_bytes: u32) -> Self {
        let slots = (MOST_BYTES / (unit_bytes.max(1) as usize)).max(1);
        Self { slots: vec![Slot::default(); slots] }
    }

    /// Returns the octets of a unit; `read` reads them when they are not kept.
    pub(crate) fn octets(
        &mut self,
        unit: u32,
        read: impl FnOnce(&mut Vec<u8>) -> Result<(), LayoutError>,
    ) -> Result<&[u8], LayoutError> {
        let slots = self.slots.len();
        let slot = &mut self.slots[unit as usize % slots];
        if slot.unit != Some(unit) {
            slot.unit = None;
            read(&mut slot.octets)?;
            slot.unit = Some(unit);
        }
        Ok(&slot.octets)
    }

    /// Returns whether the octets of a unit are kept.
    pub(crate) fn contains(&self, unit: u32) -> bool {
        self.slots[unit as usize % self.slots.len()].unit == Some(unit)
    }

    /// Forgets a unit that changes.
    pub(crate) fn forget(&mut self, unit: u32) {
        let slots = self.slots.len();
        let slot = &mut self.slots[unit as usize % slots];
        if slot.unit == Some(unit) {
            slot.unit = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_once_until_forgotten_or_displaced() {
        let mut units = UnpackedUnits::new(MOST_BYTES as u32);
        let mut reads = 0;
        for unit in [1, 1, 2, 1] {
            let octets = units.octets(unit, |into| {
                reads += 1;
                *into = vec![unit as u8; 3];
                Ok(())
            });
            assert_eq!(octets.unwrap(), [unit as u8; 3]);
        }
        assert_eq!(reads, 3);
        assert!(units.contains(1) && !units.contains(2));
        units.forget(2);
        let failing = |_: &mut Vec<u8>| Err(LayoutError::Corrupt(String::new()));
        assert!(units.octets(1, failing).is_ok());
        units.forget(1);
        assert!(units.octets(1, failing).is_err());
    }
}
