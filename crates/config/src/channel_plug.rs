//! Where the fibre of a channel begins: a port of a card of one of the machines.

use std::fmt;

use crate::cpc_name::CpcName;
use crate::identity::ChannelIdentity;

/// A port of a channel card among those of all machines. Displayed as names of links begin: `pchid 100`, or
/// `pchid B.100` in a plant of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelPlug {
    /// The machine.
    pub cpc: CpcName,
    /// Its port.
    pub port: ChannelIdentity,
}

impl ChannelPlug {
    /// Returns the name as messages show it: `PCHID 100`, `PCHID B.100`.
    #[must_use]
    pub fn name(self) -> String {
        self.to_string().to_ascii_uppercase()
    }
}

impl fmt::Display for ChannelPlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.port.key(), self.cpc.prefix(), self.port.digits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ports_of_named_machines_say_whose_they_are() {
        let port = ChannelIdentity::Pchid(0x100);
        let of = |cpc| ChannelPlug { cpc, port };
        assert_eq!(
            (of(CpcName::UNNAMED).to_string(), of(CpcName::UNNAMED).name()),
            (port.to_string(), port.name())
        );
        let named = of(CpcName::parse("B").expect("a name"));
        assert_eq!((named.to_string().as_str(), named.name().as_str()), ("pchid B.100", "PCHID B.100"));
    }
}
