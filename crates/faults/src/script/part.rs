//! Parts of a machine, and their names in a script.

use std::fmt;

use halftrack_config::fault_script::Target;

/// First channel path, host-adapter port, domain of a director, and link address of an inter-switch link.
const FIRST_CHPID: usize = 0x40;
const FIRST_PORT: usize = 0x30;
const FIRST_DOMAIN: usize = 0x60;
const FIRST_ISL: usize = 0xE0;

/// Part of a machine. Paths, and the cascades of two directors that they lead through, count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The channel of a path, or its link.
    Channel(usize),
    /// The host-adapter port of a path, or its link.
    Port(usize),
    /// An inter-switch link of a cascade.
    Isl {
        /// Cascade.
        cascade: usize,
        /// Its place among the links.
        link: usize,
    },
    /// A director of a cascade.
    Director {
        /// Cascade.
        cascade: usize,
        /// 0 at the channels, 1 at the control unit.
        place: usize,
    },
    /// A card of two channels.
    Card(usize),
    /// A domain of the control unit, which has every other of its ports.
    Domain(usize),
    /// The control unit, or all that has power of its own.
    ControlUnit,
}

impl Part {
    /// Returns the key and the name of the part in a script; nothing for the control unit.
    #[must_use]
    pub fn name(self) -> Option<(Target, String)> {
        let (target, name) = match self {
            Self::Channel(path) => (Target::Chpid, format!("{:02X}", FIRST_CHPID + path)),
            Self::Port(path) => (Target::Port, format!("{:04X}", FIRST_PORT + path)),
            Self::Isl { cascade, link } => {
                (Target::Isl, format!("{:02X}.{:02X}", domain_of(cascade, 0), FIRST_ISL + link))
            }
            Self::Director { cascade, place } => {
                (Target::Director, format!("{:02X}", domain_of(cascade, place)))
            }
            Self::Card(card) => (Target::Card, format!("{card}")),
            Self::Domain(domain) => (Target::Domain, format!("{domain}")),
            Self::ControlUnit => return None,
        };
        Some((target, name))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some((target, name)) => write!(formatter, "{} {name}", target.key()),
            None => formatter.write_str("control unit"),
        }
    }
}

/// Returns the domain of a director.
#[must_use]
pub fn domain_of(cascade: usize, place: usize) -> usize {
    FIRST_DOMAIN + 0x10 * cascade + 1 + place
}
