//! Work on EADM subchannels: what SAPs do beside I/Os to devices.

use halftrack_base::Span;

/// A flow of operations on EADM subchannels of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EadmWork {
    /// Name, unique in the workload.
    pub name: String,
    /// Index of the partition that starts them.
    pub lpar: u32,
    /// Kind of operation.
    pub kind: EadmKind,
    /// Mean time between two.
    pub interarrival: Span,
    /// Poisson; else evenly spaced.
    pub poisson: bool,
}

/// Kind of operation of an EADM subchannel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EadmKind {
    /// A compression (% CMPR BUSY of the IOPs).
    Compression,
    /// An operation of storage-class memory (% SCM BUSY).
    Scm,
}

/// Kinds with their names in files.
pub const EADM_KINDS: [(&str, EadmKind); 2] =
    [("compression", EadmKind::Compression), ("scm", EadmKind::Scm)];

impl EadmKind {
    /// Returns the name in files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        EADM_KINDS[self as usize].0
    }
}
