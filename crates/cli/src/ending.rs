//! How a command ended that did what it was asked, and the exit code that says so.

/// How a command ended that did what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Nothing is to be said.
    Fine,
    /// A condition of `--fail-on` applies.
    Condition,
    /// A law was violated, or part of the work failed.
    Violated,
}

impl Ending {
    /// 0, 3 for a condition of `--fail-on`, 1.
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
