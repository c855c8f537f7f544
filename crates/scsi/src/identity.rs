//! Names of a unit, as initiators read them.

/// Identity of a logical unit. All ports report one identity, by which multipathing joins the paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Vendor, in ASCII.
    pub vendor: [u8; 8],
    /// Product, in ASCII.
    pub product: [u8; 16],
    /// Revision, in ASCII.
    pub revision: [u8; 4],
    /// Serial number, in ASCII, of at most 32 bytes.
    pub serial: String,
    /// Identifier of 16 bytes, whose first four bits are 6 (NAA IEEE Registered Extended).
    pub identifier: [u8; 16],
}
