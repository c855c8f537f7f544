//! Parts that the process of a working link has.

/// Process of a working link, with its lines in order: channel paths or ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessParts {
    /// A host.
    Channel {
        /// Its channel-path ids.
        chpids: Vec<u8>,
    },
    /// A control unit.
    ControlUnit {
        /// Its interface ids.
        ports: Vec<String>,
    },
    /// A director.
    Director {
        /// Its domain.
        domain: u8,
        /// Link address of each port, and whether it is one of an inter-switch link.
        ports: Vec<(u8, bool)>,
    },
}

impl ProcessParts {
    /// Returns how many lines it has.
    #[must_use]
    pub fn lines(&self) -> usize {
        match self {
            Self::Channel { chpids } => chpids.len(),
            Self::ControlUnit { ports } => ports.len(),
            Self::Director { ports, .. } => ports.len(),
        }
    }

    /// Returns its name in a note.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Channel { .. } => "channel",
            Self::ControlUnit { .. } => "control unit",
            Self::Director { .. } => "director",
        }
    }
}
