//! Units of quantities.

use std::fmt;

use serde::{Serialize, Serializer};

/// Unit of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Events a second.
    PerSecond,
    /// 10^6 bytes a second.
    MbPerSecond,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Seconds.
    Seconds,
    /// Hundredths of a whole.
    Percent,
    /// Bytes.
    Bytes,
    /// Gbit/s, nominal.
    Gbps,
    /// A number of things.
    Count,
}

impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PerSecond => "1/s",
            Self::MbPerSecond => "MB/s",
            Self::Ms => "ms",
            Self::Us => "us",
            Self::Seconds => "s",
            Self::Percent => "%",
            Self::Bytes => "B",
            Self::Gbps => "Gbit/s",
            Self::Count => "count",
        })
    }
}
