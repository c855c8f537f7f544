//! Limits of the target, all of them our choice; page B0 reports them.

/// Bytes that one command may read, write or verify.
pub(crate) const TRANSFER_BYTES_MAX: u64 = 8 << 20;
/// Bytes of a transfer that is best served.
pub(crate) const TRANSFER_BYTES_OPTIMAL: u32 = 256 << 10;
/// Bytes of the granules in which transfers are best served and space is given back: those of files.
pub(crate) const GRANULE_BYTES: u32 = 4096;
/// Blocks of COMPARE AND WRITE.
pub(crate) const COMPARE_BLOCKS_MAX: u8 = 255;
/// Blocks of all descriptors of UNMAP.
pub(crate) const UNMAP_BLOCKS_MAX: u32 = 1 << 20;
/// Descriptors of UNMAP.
pub(crate) const UNMAP_DESCRIPTORS_MAX: u32 = 256;
/// Blocks of WRITE SAME.
pub(crate) const WRITE_SAME_BLOCKS_MAX: u64 = 0xFFFF;
/// Registrations of a unit.
pub(crate) const REGISTRATIONS_MAX: usize = 256;
/// Nexuses of which a unit keeps the unit attentions.
pub(crate) const NEXUSES_MAX: usize = 1024;
/// Bytes that commands over long ranges take at once.
pub(crate) const CHUNK_BYTES: usize = 256 << 10;
