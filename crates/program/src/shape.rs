//! The shape of a channel program: what a driver's user asks for, before addresses are known.

use serde::{Deserialize, Serialize};

/// Direction of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Read records.
    Read,
    /// Update-write existing records (their lengths do not change).
    UpdateWrite,
}

/// Grouping of the records in commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grouping {
    /// One Read Data or Write Data CCW for each record.
    Records,
    /// One CCW with a MIDAW list for the records of a track (Read Track Data or Write Track Data).
    Midaw,
    /// One Read Track Data or Write Track Data CCW a track, its data area contiguous or by IDAWs.
    TrackData,
}

/// How the chain is positioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Positioning {
    /// One Prefix CCW (E7) that carries Define Extent and Locate Record Extended.
    Prefix,
    /// Define Extent (63) and Locate Record (47).
    DefineExtentLocateRecord,
}

/// Which of the two protocols carries the program over the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Command mode: CCWs, FICON.
    Command,
    /// Transport mode: TCW and DCWs, zHPF.
    Transport,
}

impl Protocol {
    /// Every protocol, in the order of its variants.
    pub const ALL: [Self; 2] = [Self::Command, Self::Transport];

    /// Returns its name in reports and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "ficon",
            Self::Transport => "zhpf",
        }
    }
}

/// Requests of one I/O to a device, addresses left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProgramShape {
    /// Read or update write.
    pub operation: Operation,
    /// Bytes of data of one record, 1..=56,664 on a 3390 (4096 for "4K", 27,998 for half-track).
    pub record_bytes: u16,
    /// Number of records, from 1.
    pub records: u16,
    /// Grouping of the records; ignored in transport mode, where one DCW reads them together.
    pub grouping: Grouping,
    /// How the chain is positioned; ignored in transport mode, where the Prefix DCW is used.
    pub positioning: Positioning,
}

impl ProgramShape {
    /// Returns the bytes of user data that the program moves.
    pub fn data_bytes(&self) -> u32 {
        u32::from(self.record_bytes) * u32::from(self.records)
    }
}

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Command => "command",
            Self::Transport => "transport",
        })
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::UpdateWrite => "update write",
        })
    }
}

impl std::fmt::Display for Grouping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Records => "by records",
            Self::Midaw => "by tracks with MIDAWs",
            Self::TrackData => "by tracks",
        })
    }
}

impl std::fmt::Display for Positioning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Prefix => "Prefix",
            Self::DefineExtentLocateRecord => "Define Extent and Locate Record",
        })
    }
}

/// `read 32 x 4096 by records, Prefix`.
impl std::fmt::Display for ProgramShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operation, record_bytes, records, grouping, positioning } = self;
        write!(f, "{operation} {records} x {record_bytes} {grouping}, {positioning}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_told_in_one_line() {
        let shape = ProgramShape {
            operation: Operation::Read,
            record_bytes: 4096,
            records: 32,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        assert_eq!(shape.to_string(), "read 32 x 4096 by records, Prefix");
        let write = ProgramShape {
            operation: Operation::UpdateWrite,
            grouping: Grouping::Midaw,
            positioning: Positioning::DefineExtentLocateRecord,
            ..shape
        };
        assert_eq!(
            write.to_string(),
            "update write 32 x 4096 by tracks with MIDAWs, Define Extent and Locate Record"
        );
        assert_eq!(shape.data_bytes(), 131_072);
    }
}
