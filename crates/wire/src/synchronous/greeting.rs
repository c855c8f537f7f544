//! First messages over the socket of a link: who comes, and what it gets. Two file descriptors go with a welcome: that of the
//! area, and the event that wakes the control unit.

use thiserror::Error;

/// First octets of either message.
const MARK: [u8; 4] = *b"HTKZ";
const VERSION: u8 = 1;
/// Octets of the identifier of a path group.
const GROUP_BYTES: usize = 11;

/// Message of a host that connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Greeting {
    /// Functions that it would have, 1 to 64.
    pub functions: u8,
    /// Identifier of the path group of the host.
    pub group: [u8; GROUP_BYTES],
}

/// Why a control unit lets nobody in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum GreetingRefusal {
    /// No function is free.
    #[error("all functions are in use")]
    NoFunction,
    /// The message is not one of this version.
    #[error("another version of halftrack")]
    Version,
    /// The system has no memory, or no descriptors.
    #[error("no room for the area")]
    NoRoom,
}

/// Answer of the control unit to a [`Greeting`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Welcome {
    /// Functions of the host, or why it gets none.
    pub functions: Result<u8, GreetingRefusal>,
}

impl Greeting {
    /// Octets of the message.
    pub const BYTES: usize = 17;

    /// Returns the octets.
    #[must_use]
    pub fn to_octets(&self) -> [u8; Self::BYTES] {
        let mut octets = [0; Self::BYTES];
        octets[..4].copy_from_slice(&MARK);
        (octets[4], octets[5]) = (VERSION, self.functions);
        octets[6..].copy_from_slice(&self.group);
        octets
    }

    /// Returns the message of octets that somebody else has sent; nothing of others.
    #[must_use]
    pub fn from_octets(octets: &[u8]) -> Option<Self> {
        let [m0, m1, m2, m3, version, functions, group @ ..] = octets.first_chunk::<{ Self::BYTES }>()?;
        let is_known = [*m0, *m1, *m2, *m3] == MARK && *version == VERSION && *functions > 0;
        is_known.then_some(Self { functions: *functions, group: *group })
    }
}

impl Welcome {
    /// Octets of the message.
    pub const BYTES: usize = 7;

    /// Returns the octets.
    #[must_use]
    pub fn to_octets(&self) -> [u8; Self::BYTES] {
        let [m0, m1, m2, m3] = MARK;
        let (functions, refusal) = match self.functions {
            Ok(functions) => (functions, 0),
            Err(GreetingRefusal::NoFunction) => (0, 1),
            Err(GreetingRefusal::Version) => (0, 2),
            Err(GreetingRefusal::NoRoom) => (0, 3),
        };
        [m0, m1, m2, m3, VERSION, functions, refusal]
    }

    /// Returns the message of octets that somebody else has sent; nothing of others.
    #[must_use]
    pub fn from_octets(octets: &[u8]) -> Option<Self> {
        let [m0, m1, m2, m3, version, functions, refusal] = *octets.first_chunk::<{ Self::BYTES }>()?;
        let functions = match refusal {
            0 if version == VERSION && (1..=super::FUNCTIONS_MAX).contains(&functions) => Ok(functions),
            1 => Err(GreetingRefusal::NoFunction),
            2 => Err(GreetingRefusal::Version),
            3 => Err(GreetingRefusal::NoRoom),
            _ => return None,
        };
        ([m0, m1, m2, m3] == MARK).then_some(Self { functions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_what_they_were_and_others_are_none() {
        let greeting = Greeting { functions: 4, group: [7; GROUP_BYTES] };
        let octets = greeting.to_octets();
        assert_eq!(Greeting::from_octets(&octets), Some(greeting));
        assert_eq!(Greeting::from_octets(&octets[..16]), None);
        for at in 0..5 {
            let mut wrong = octets;
            wrong[at] ^= 0x40;
            assert_eq!(Greeting::from_octets(&wrong), None, "octet {at}");
        }
        let refusals = [GreetingRefusal::NoFunction, GreetingRefusal::Version, GreetingRefusal::NoRoom];
        for functions in refusals.into_iter().map(Err).chain([Ok(64)]) {
            let welcome = Welcome { functions };
            assert_eq!(Welcome::from_octets(&welcome.to_octets()), Some(welcome));
        }
        assert_eq!(Welcome::from_octets(&Welcome { functions: Ok(65) }.to_octets()), None);
    }
}
