//! Traffic of a link.

/// Traffic of a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FibreCounters {
    /// Frames that came.
    pub frames_in: u64,
    /// Frames sent.
    pub frames_out: u64,
    /// Octets that came, FC header to CRC.
    pub bytes_in: u64,
    /// Octets sent, FC header to CRC.
    pub bytes_out: u64,
    /// Frames that came and were discarded for a wrong CRC or length.
    pub damaged: u64,
    /// Frames that came and were discarded because they were under way for longer than a frame may live.
    pub too_old: u64,
}
