//! Virtual dates and times: when an interval begins.

use jiff::SignedDuration;
use jiff::civil::DateTime;

use crate::MeasureError;

/// Picoseconds in a second.
const PS_PER_S: u64 = 1_000_000_000_000;
/// Picoseconds in a millisecond.
const PS_PER_MS: u64 = 1_000_000_000;

/// A local date and time, as report headings print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VirtualDate(DateTime);

impl VirtualDate {
    /// Reads `YYYY-MM-DDThh:mm:ss`.
    pub fn parse(text: &str) -> Result<Self, MeasureError> {
        text.parse().map(Self).map_err(|_| MeasureError::Start { text: text.to_owned() })
    }

    /// Returns the date and time so many picoseconds later, fractions of a second dropped; `None` past year 9999.
    pub fn after_ps(self, offset_ps: u64) -> Option<Self> {
        let seconds = i64::try_from(offset_ps / PS_PER_S).ok()?;
        self.0.checked_add(SignedDuration::from_secs(seconds)).ok().map(Self)
    }

    /// Formats `mm/dd/yyyy`.
    pub fn date(self) -> String {
        format!("{:02}/{:02}/{:04}", self.0.month(), self.0.day(), self.0.year())
    }

    /// Formats `hh.mm.ss`.
    pub fn time(self) -> String {
        format!("{:02}.{:02}.{:02}", self.0.hour(), self.0.minute(), self.0.second())
    }
}

/// Returns the length of an interval as `mm.ss.ttt`, rounded to the millisecond; minutes widen past 99.
pub(crate) fn interval_length(length_ps: u64) -> String {
    let ms = rounded(length_ps, PS_PER_MS);
    format!("{:02}.{:02}.{:03}", ms / 60_000, ms / 1000 % 60, ms % 1000)
}

fn rounded(value: u64, unit: u64) -> u64 {
    value / unit + u64::from(value % unit >= unit.div_ceil(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_cross_days_and_leap_days() {
        let start = VirtualDate::parse("2024-02-28T23:50:00").unwrap();
        let later = start.after_ps(1200 * PS_PER_S + 999).unwrap();
        assert_eq!((later.date(), later.time()), ("02/29/2024".to_owned(), "00.10.00".to_owned()));
    }

    #[test]
    fn past_the_calendar_is_refused() {
        let start = VirtualDate::parse("9999-12-31T23:59:59").unwrap();
        assert_eq!(start.after_ps(PS_PER_S), None);
    }

    #[test]
    fn no_date_is_refused() {
        assert!(
            matches!(VirtualDate::parse("tomorrow"), Err(MeasureError::Start { text }) if text == "tomorrow")
        );
    }

    #[test]
    fn lengths() {
        assert_eq!(interval_length(899_999_000_000_000), "14.59.999");
        assert_eq!(interval_length(60 * PS_PER_S), "01.00.000");
        assert_eq!(interval_length(7200 * PS_PER_S), "120.00.000");
        assert_eq!(interval_length(999_600_000), "00.00.001");
    }
}
