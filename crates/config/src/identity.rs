//! Identity of a channel's port: its PCHID, or on machines older than the z990 its CHPID.

use std::fmt;

/// A port of a channel card. Displayed as names of links begin: `pchid 100`, `chpid 40`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelIdentity {
    /// By physical channel identifier.
    Pchid(u16),
    /// By CHPID, on machines where a CHPID is a port.
    Chpid(u8),
}

impl ChannelIdentity {
    /// Returns the name as messages show it: `PCHID 100`.
    #[must_use]
    pub fn name(self) -> String {
        self.to_string().to_ascii_uppercase()
    }

    /// Returns the key of a plant file that it stands under.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Pchid(_) => "pchid",
            Self::Chpid(_) => "chpid",
        }
    }

    /// Returns its hexadecimal digits.
    #[must_use]
    pub fn digits(self) -> String {
        match self {
            Self::Pchid(pchid) => format!("{pchid:03X}"),
            Self::Chpid(chpid) => format!("{chpid:02X}"),
        }
    }

    /// Returns the PCHID, where there is one.
    #[must_use]
    pub const fn pchid(self) -> Option<u16> {
        match self {
            Self::Pchid(pchid) => Some(pchid),
            Self::Chpid(_) => None,
        }
    }
}

impl fmt::Display for ChannelIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key(), self.digits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_have_names_of_their_own() {
        let (pchid, chpid) = (ChannelIdentity::Pchid(0x1F), ChannelIdentity::Chpid(0x1F));
        assert_eq!((pchid.to_string().as_str(), chpid.name().as_str()), ("pchid 01F", "CHPID 1F"));
        assert_eq!((pchid.pchid(), chpid.pchid()), (Some(0x1F), None));
        assert!(pchid < chpid && ChannelIdentity::Pchid(0x100) < ChannelIdentity::Pchid(0x101));
    }
}
