//! The key manager of endpoint security.

/// An external key manager, and the ends of fibres that take their keys from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyManager {
    /// Name.
    pub name: String,
    /// Indices of the channels with a path that a key makes secure.
    pub channels: Vec<u32>,
    /// Indices of the host-adapter ports with such a path.
    pub ports: Vec<u32>,
}
