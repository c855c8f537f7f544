//! Unit addresses as users write them: `00`, `00-7F`.

use std::fmt;

use crate::place::hex;

/// Consecutive unit addresses of one logical control unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitRange {
    /// First unit address.
    pub first: u8,
    /// Last unit address, not below the first.
    pub last: u8,
}

impl UnitRange {
    /// Syntax that [`UnitRange::parse`] accepts, in words.
    pub const WORDS: &'static str = "unit addresses such as \"00\" or \"00-7F\"";

    /// Returns the range that `text` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (hex(first, 2)? as u8, hex(last, 2)? as u8);
        (first <= last).then_some(Self { first, last })
    }

    /// Returns the unit addresses, ascending.
    pub fn addresses(&self) -> std::ops::RangeInclusive<u8> {
        self.first..=self.last
    }
}

impl fmt::Display for UnitRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02X}", self.first)?;
        if self.last > self.first {
            write!(f, "-{:02X}", self.last)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_written_and_shown_again() {
        for (text, first, last) in [("00", 0, 0), ("00-7F", 0, 0x7F), ("FE-FF", 0xFE, 0xFF)] {
            let range = UnitRange::parse(text);
            assert_eq!(range, Some(UnitRange { first, last }));
            assert_eq!(range.map(|range| range.to_string()).as_deref(), Some(text));
        }
        assert_eq!(UnitRange { first: 0xFE, last: 0xFF }.addresses().count(), 2);
        for wrong in ["", "0", "100", "7F-00", "00-", "-00", "0G", "é"] {
            assert_eq!(UnitRange::parse(wrong), None, "{wrong}");
        }
    }
}
