//! Keys by which an event of a script names a part.

/// Key of an event that names a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A channel path, or the channel's link.
    Chpid,
    /// A host-adapter port, or its link.
    Port,
    /// An inter-switch link.
    Isl,
    /// A director.
    Director,
    /// A card of two channels.
    Card,
    /// A domain of the control unit.
    Domain,
}

impl Target {
    /// All keys.
    pub const ALL: [Self; 6] = [Self::Chpid, Self::Port, Self::Isl, Self::Director, Self::Card, Self::Domain];

    /// Returns the key.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Chpid => "chpid",
            Self::Port => "port",
            Self::Isl => "isl",
            Self::Director => "director",
            Self::Card => "card",
            Self::Domain => "domain",
        }
    }
}
