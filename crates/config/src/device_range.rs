//! Device numbers as users write them: `1000`, `1000-107F`, and `1.1080-10FF` in subchannel set 1.

use std::fmt;

use crate::place::hex;

/// Consecutive device numbers of one subchannel set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceRange {
    /// Subchannel set, 0 when not written.
    pub subchannel_set: u8,
    /// First device number.
    pub first: u16,
    /// Last device number, not below the first.
    pub last: u16,
}

impl DeviceRange {
    /// Syntax that [`DeviceRange::parse`] accepts, in words.
    pub const WORDS: &'static str =
        "device numbers such as \"1000\", \"1000-107F\" or, in subchannel set 1, \"1.1080\"";

    /// Returns the range that `text` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (set, numbers) = text.split_once('.').unwrap_or(("0", text));
        let subchannel_set = hex(set, 1).filter(|set| *set <= 3)? as u8;
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let (first, last) = (hex(first, 4)? as u16, hex(last, 4)? as u16);
        (first <= last).then_some(Self { subchannel_set, first, last })
    }

    /// Returns true when the range holds device `number` of `subchannel_set`.
    pub fn contains(&self, subchannel_set: u8, number: u16) -> bool {
        self.subchannel_set == subchannel_set && (self.first..=self.last).contains(&number)
    }
}

impl fmt::Display for DeviceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.subchannel_set > 0 {
            write!(f, "{}.", self.subchannel_set)?;
        }
        write!(f, "{:04X}", self.first)?;
        if self.last > self.first {
            write!(f, "-{:04X}", self.last)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_written_and_shown_again() {
        for (text, set, first, last) in [
            ("1000", 0, 0x1000, 0x1000),
            ("1000-107F", 0, 0x1000, 0x107F),
            ("1.1080-10FF", 1, 0x1080, 0x10FF),
            ("FFFF", 0, 0xFFFF, 0xFFFF),
        ] {
            let range = DeviceRange::parse(text);
            assert_eq!(range, Some(DeviceRange { subchannel_set: set, first, last }));
            assert_eq!(range.map(|range| range.to_string()).as_deref(), Some(text));
        }
        assert_eq!(DeviceRange::parse("0.1100").map(|range| range.to_string()).as_deref(), Some("1100"));
        for wrong in ["", "100", "10000", "107F-1000", "4.1000", "1000-", "-1000", "1000-107G", "é000"] {
            assert_eq!(DeviceRange::parse(wrong), None, "{wrong}");
        }
    }
}
