//! Ending of a command that has done its work, and its exit code.

/// Ending of a command that has done its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Nothing to report.
    Fine,
    /// A condition of `--fail-on` applies.
    Condition,
    /// A law was violated, or part of the work failed.
    Violated,
}

impl Ending {
    /// Returns 0, 3 for a condition of `--fail-on`, or 1.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Violated => 1,
            Self::Condition => 3,
        }
    }
}

impl From<bool> for Ending {
    fn from(well: bool) -> Self {
        if well { Self::Fine } else { Self::Violated }
    }
}
