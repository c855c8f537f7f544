//! Dimension of a value of a run, so that only like is compared with like.

use std::fmt;

use halftrack_input::Expect;
use halftrack_report::Unit;

/// Dimension of a value: the units of a run's quantities, and quotients of two of the same unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Events a second.
    PerSecond,
    /// 10^6 bytes a second.
    MbPerSecond,
    /// Milliseconds; microseconds are converted.
    Ms,
    /// Hundredths of a whole.
    Percent,
    /// Bytes.
    Bytes,
    /// Gbit/s, nominal.
    Gbps,
    /// Kilometres of fibre.
    Km,
    /// Milliseconds for each kilometre.
    MsPerKm,
    /// A number of things.
    Count,
    /// One value over another of the same dimension.
    Ratio,
}

/// Words of a units file.
const WORDS: [(&str, Dimension); 10] = [
    ("1/s", Dimension::PerSecond),
    ("MB/s", Dimension::MbPerSecond),
    ("ms", Dimension::Ms),
    ("%", Dimension::Percent),
    ("B", Dimension::Bytes),
    ("Gbit/s", Dimension::Gbps),
    ("km", Dimension::Km),
    ("ms/km", Dimension::MsPerKm),
    ("count", Dimension::Count),
    ("x", Dimension::Ratio),
];

impl Dimension {
    /// Returns the dimension of a quantity's unit, and the factor to it.
    pub fn of(unit: Unit) -> (Self, f64) {
        match unit {
            Unit::PerSecond => (Self::PerSecond, 1.0),
            Unit::MbPerSecond => (Self::MbPerSecond, 1.0),
            Unit::Ms => (Self::Ms, 1.0),
            Unit::Us => (Self::Ms, 1e-3),
            Unit::Seconds => (Self::Ms, 1e3),
            Unit::Percent => (Self::Percent, 1.0),
            Unit::Bytes => (Self::Bytes, 1.0),
            Unit::Gbps => (Self::Gbps, 1.0),
            Unit::Count => (Self::Count, 1.0),
        }
    }

    /// Returns the dimension of a catalog number by the unit in its key; a number without unit is a count.
    pub fn of_key(key: &str) -> (Self, f64) {
        if key.ends_with("mb_per_s") {
            (Self::MbPerSecond, 1.0)
        } else if key.ends_with("gb_per_s") {
            (Self::MbPerSecond, 1e3)
        } else if key.ends_with("gbps") || key.ends_with("gbps_min") {
            (Self::Gbps, 1.0)
        } else if key.ends_with("_tb") || key.contains("_tb_per_") {
            (Self::Bytes, 1e12)
        } else if key.ends_with("_mb") {
            (Self::Bytes, 1e6)
        } else if key.ends_with("_us_per_km") {
            (Self::MsPerKm, 1e-3)
        } else if key.ends_with("_us") {
            (Self::Ms, 1e-3)
        } else if key == "km" || key.ends_with("_km") || key.ends_with(".km") {
            (Self::Km, 1.0)
        } else if key == "metres" {
            (Self::Km, 1e-3)
        } else if key.ends_with("_bytes") {
            (Self::Bytes, 1.0)
        } else if key.ends_with("_percent") {
            (Self::Percent, 1.0)
        } else {
            (Self::Count, 1.0)
        }
    }

    /// Returns the dimension of this value for each one of `other`; `None` where figures have no such unit.
    pub fn over(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Ms, Self::Km) => Some(Self::MsPerKm),
            (a, b) if a == b => Some(Self::Ratio),
            (a, Self::Count) => Some(a),
            _ => None,
        }
    }

    /// Returns one of the words of a units file.
    pub(crate) fn expect() -> Expect<'static, Self> {
        Expect::one_of(WORDS)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = WORDS.iter().find(|(_, dimension)| dimension == self).map_or("", |(word, _)| word);
        f.write_str(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dimension_has_its_word() {
        for (word, dimension) in WORDS {
            assert_eq!(dimension.to_string(), word);
        }
    }

    #[test]
    fn microseconds_become_milliseconds() {
        assert_eq!(Dimension::of(Unit::Us), (Dimension::Ms, 1e-3));
        assert_eq!(Dimension::of_key("transport.program_us"), (Dimension::Ms, 1e-3));
        assert_eq!(Dimension::of_key("speed.1.mb_per_s"), (Dimension::MbPerSecond, 1.0));
        assert_eq!(Dimension::of_key("structure.off_dcm_gb_per_s"), (Dimension::MbPerSecond, 1e3));
        assert_eq!(Dimension::of_key("structure.memory_tb_per_drawer"), (Dimension::Bytes, 1e12));
        assert_eq!(Dimension::of_key("structure.l2_mb"), (Dimension::Bytes, 1e6));
        assert_eq!(Dimension::of_key("credits"), (Dimension::Count, 1.0));
        assert_eq!(Dimension::of_key("guideline.bus_percent"), (Dimension::Percent, 1.0));
        assert_eq!(Dimension::of_key("km"), (Dimension::Km, 1.0));
        assert_eq!(Dimension::of_key("metres"), (Dimension::Km, 1e-3));
        assert_eq!(Dimension::of_key("reach.km"), (Dimension::Km, 1.0));
        assert_eq!(Dimension::of_key("propagation_us_per_km"), (Dimension::MsPerKm, 1e-3));
    }
}
