//! Numbers of devices.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// Number of a real device (rdev), shown in four hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber(pub u16);

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04X}", self.0)
    }
}

impl FromStr for DeviceNumber {
    type Err = ParseIntError;

    /// Makes a number of hexadecimal digits without a sign.
    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        // A sign is no digit: the text behind it is not taken.
        let digits = if text.starts_with('+') { "" } else { text };
        u16::from_str_radix(digits, 16).map(Self)
    }
}

/// Returns numbers in their order, each once.
#[must_use]
pub fn sorted(mut numbers: Vec<DeviceNumber>) -> Vec<DeviceNumber> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_up_to_four_hexadecimal_digits() {
        assert_eq!("d00f".parse(), Ok(DeviceNumber(0xD00F)));
        assert_eq!(DeviceNumber(0xA).to_string(), "000A");
        for text in ["", "+1", "-1", "10000", "G"] {
            assert!(text.parse::<DeviceNumber>().is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_sorted_and_each_is_there_once() {
        assert_eq!(sorted([3, 1, 3, 2].map(DeviceNumber).to_vec()), [1, 2, 3].map(DeviceNumber));
    }
}
