//! Dates of a DSCB: years since 1900 and the day of the year, three bytes.

use std::fmt;

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    /// Year.
    pub year: u16,
    /// Day of the year, from 1, as on the volume, which may be a day that the year does not have: 99 years and day
    /// 365 or 366 of an expiration date mean never.
    pub day: u16,
}

impl Date {
    /// Returns the date of its three bytes; nothing for zeros.
    pub(super) fn parse(bytes: [u8; 3]) -> Option<Self> {
        let [year, d0, d1] = bytes;
        let day = u16::from_be_bytes([d0, d1]);
        (bytes != [0; 3]).then(|| Self { year: 1900 + u16::from(year), day })
    }
}

/// ISO 8601, ordinal.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:03}", self.year, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_counted_from_1900() {
        assert_eq!(Date::parse([126, 1, 0x43]).unwrap().to_string(), "2026-323");
        assert_eq!(Date::parse([0; 3]), None);
        assert_eq!(Date::parse([0xFF; 3]).unwrap().to_string(), "2155-65535");
    }
}
