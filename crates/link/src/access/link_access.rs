//! Requirements of one end of a link, and the decision about the name at the other end.

use std::fmt;
use std::sync::Arc;

use halftrack_wire::WorldWideName;

use super::access_fault::AccessFault;
use super::key::LinkKey;
use super::tls::TlsSettings;

/// Kind of a port, as the handshake names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkRole {
    /// A channel.
    Channel,
    /// A host adapter's port.
    ControlUnit,
    /// A port of a director.
    Director,
}

impl LinkRole {
    /// Returns the octet of the handshake.
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Channel => 1,
            Self::ControlUnit => 2,
            Self::Director => 3,
        }
    }

    /// Returns the role of an octet of the handshake.
    pub(super) const fn of_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Channel),
            2 => Some(Self::ControlUnit),
            3 => Some(Self::Director),
            _ => None,
        }
    }
}

impl fmt::Display for LinkRole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Channel => "channel",
            Self::ControlUnit => "control unit",
            Self::Director => "director",
        })
    }
}

/// The port that has proven its name at the other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// Names that it has proven: one by a key, all of its certificate by TLS.
    pub names: Vec<WorldWideName>,
    /// It may stand for ports behind it: a director's, or the one that a channel is configured for.
    pub is_fabric: bool,
}

impl Attached {
    /// Returns the names that may log in over the connection, of those that may log in at the port.
    #[must_use]
    pub fn narrow(&self, hosts: Option<&[WorldWideName]>) -> Option<Vec<WorldWideName>> {
        if self.is_fabric {
            return hosts.map(<[_]>::to_vec);
        }
        let may = |name: &&WorldWideName| hosts.is_none_or(|hosts| hosts.contains(name));
        Some(self.names.iter().filter(may).copied().collect())
    }
}

/// A port that may log in, and its key.
#[derive(Debug, Clone)]
pub struct Host {
    /// Port name.
    pub name: WorldWideName,
    /// Key.
    pub key: Option<LinkKey>,
}

/// The port that is expected at the other end.
#[derive(Debug, Clone)]
pub struct Expected {
    /// Port name; none: whoever has the key.
    pub name: Option<WorldWideName>,
    /// Key.
    pub key: Option<LinkKey>,
}

/// Requirements of one end of a link.
#[derive(Debug, Clone)]
pub struct LinkAccess {
    /// Name of this end's port.
    pub own_name: WorldWideName,
    /// Kind of this end's port.
    pub role: LinkRole,
    /// Channels and control units that may log in over the link itself; none: all that have a certificate.
    pub hosts: Option<Vec<Host>>,
    /// The port expected at the other end: a director's, or at a channel whatever its path leads to.
    pub expected: Option<Expected>,
    /// TLS.
    pub tls: Option<Arc<TlsSettings>>,
}

impl LinkAccess {
    /// Returns whether the other end must prove that it has a key.
    #[must_use]
    pub fn requires_key(&self) -> bool {
        let hosts = self.hosts.iter().flatten().any(|host| host.key.is_some());
        hosts || self.expected.as_ref().is_some_and(|expected| expected.key.is_some())
    }

    /// Returns whether anything is required.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.tls.is_some() || self.requires_key()
    }

    /// Returns the key of the port that claims this name and role.
    pub(super) fn key_of(&self, name: WorldWideName, role: LinkRole) -> Result<&LinkKey, AccessFault> {
        let key = if self.is_expected(role) {
            let expected =
                self.expected.as_ref().filter(|expected| expected.name.is_none_or(|own| own == name));
            expected.map(|expected| &expected.key)
        } else {
            self.hosts.iter().flatten().find(|host| host.name == name).map(|host| &host.key)
        };
        let key = key.filter(|_| role != self.role || role == LinkRole::Director);
        key.ok_or(AccessFault::Name { name, role })?.as_ref().ok_or(AccessFault::NoKey(name))
    }

    /// Returns the port at the other end after the key handshake.
    pub(super) fn attached_by_key(&self, name: WorldWideName, role: LinkRole) -> Attached {
        Attached { names: vec![name], is_fabric: self.is_expected(role) }
    }

    /// Returns the port at the other end by the names of its certificate.
    pub(super) fn attached_by_certificate(&self, names: Vec<WorldWideName>) -> Result<Attached, AccessFault> {
        let expected = self.expected.as_ref().and_then(|expected| expected.name);
        if expected.is_some_and(|expected| names.contains(&expected)) {
            return Ok(Attached { names, is_fabric: true });
        }
        let may = |name: &WorldWideName| {
            self.hosts.as_ref().is_none_or(|hosts| hosts.iter().any(|host| host.name == *name))
        };
        let takes_hosts = self.takes_hosts();
        // A key that is still to come decides where no name is expected.
        let waits_for_key = self.expected.as_ref().is_some_and(|own| own.name.is_none() && own.key.is_some());
        if takes_hosts && names.iter().any(may) || waits_for_key && !names.is_empty() {
            return Ok(Attached { names, is_fabric: false });
        }
        Err(AccessFault::Certificate(names))
    }

    /// Returns whether channels or control units may log in over the link itself.
    fn takes_hosts(&self) -> bool {
        match self.role {
            LinkRole::Channel => false,
            LinkRole::ControlUnit => true,
            LinkRole::Director => self.expected.is_none(),
        }
    }

    /// Returns whether a port of this role is the expected one, and not one of the hosts.
    fn is_expected(&self, role: LinkRole) -> bool {
        self.role == LinkRole::Channel || role == LinkRole::Director
    }
}
