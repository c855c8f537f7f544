//! Hosts of a machine of `halftrack faults`, by the protocol of their channel paths.

/// Hosts of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hosts {
    /// One over FICON, to devices.
    Ficon,
    /// One over FCP, to logical units.
    Fcp,
    /// One of each, to ports of their own at one control unit.
    Both,
}

impl Hosts {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Ficon, Self::Fcp, Self::Both];

    /// Returns its word in a script.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ficon => "ficon",
            Self::Fcp => "fcp",
            Self::Both => "both",
        }
    }

    /// Returns whether there is a host over FCP.
    #[must_use]
    pub const fn has_fcp(self) -> bool {
        !matches!(self, Self::Ficon)
    }
}
