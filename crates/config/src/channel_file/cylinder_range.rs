//! Cylinders as users write them, in decimal: `1-100`, `7`.

use std::fmt;

/// Consecutive cylinders of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CylinderRange {
    /// First cylinder.
    pub first: u32,
    /// Last cylinder, not below the first.
    pub last: u32,
}

impl CylinderRange {
    /// Syntax that [`CylinderRange::parse`] accepts, in words.
    pub const WORDS: &'static str = "cylinders such as \"1-100\"";

    /// Returns the range that `text` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let decimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok());
        let (first, last) = (decimal(first)??, decimal(last)??);
        (first <= last).then_some(Self { first, last })
    }
}

impl fmt::Display for CylinderRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_decimal() {
        assert_eq!(CylinderRange::parse("1-100"), Some(CylinderRange { first: 1, last: 100 }));
        assert_eq!(CylinderRange::parse("7").map(|range| range.to_string()).as_deref(), Some("7-7"));
        for wrong in ["", "-", "5-4", "+1-2", "1-", "0x1", "99999999999"] {
            assert_eq!(CylinderRange::parse(wrong), None, "{wrong}");
        }
    }
}
