//! Why a connection is refused before its first frame.

use std::io;

use halftrack_wire::WorldWideName;
use thiserror::Error;

use super::link_access::LinkRole;

/// Why a connection is refused before its first frame.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AccessFault {
    /// The other end sent something else than the handshake: it has no key, or skips it.
    #[error("the other end began without the key handshake that this port requires")]
    NoHandshake,
    /// The name is not one that may be at the other end.
    #[error("{role} {name} may not be at the other end of this link")]
    Name {
        /// Claimed name.
        name: WorldWideName,
        /// Claimed role.
        role: LinkRole,
    },
    /// The name has no key here.
    #[error("{0} has no key in the file of this end")]
    NoKey(WorldWideName),
    /// The message of this end came back.
    #[error("the handshake of this end came back to it")]
    Reflected,
    /// The proof is not that of the key of the claimed name.
    #[error("{0} did not prove that it has the key: another key, or an old handshake played again")]
    Proof(WorldWideName),
    /// The certificate names no port that may be at the other end.
    #[error("the certificate of the other end names {}, and no port that may be here", words(.0))]
    Certificate(Vec<WorldWideName>),
    /// The name of the key handshake is not in the certificate.
    #[error("{0} is not a name in the certificate of the connection")]
    OtherCertificate(WorldWideName),
    /// TLS failed.
    #[error("TLS: {0}")]
    Tls(String),
    /// The operating system gave no random octets.
    #[error("the operating system gave no random octets")]
    NoRandom,
}

impl From<AccessFault> for io::Error {
    fn from(fault: AccessFault) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, fault)
    }
}

fn words(names: &[WorldWideName]) -> String {
    if names.is_empty() {
        return "no port".to_owned();
    }
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
