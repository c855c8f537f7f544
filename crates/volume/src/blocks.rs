//! Blocks of a fixed-block-architecture device: what its control unit reads and writes.

use crate::tracks::TrackFault;

/// Bytes of a block of every fixed-block device that has an image format.
pub const BLOCK_BYTES: usize = 512;

/// The blocks of a device, numbered from 0.
///
/// Writes are seen by the reads that follow them, and are safe after [`Blocks::commit`] as far as the volume
/// promises.
pub trait Blocks {
    /// Returns the bytes of a block.
    fn block_bytes(&self) -> u16 {
        BLOCK_BYTES as u16
    }

    /// Blocks of the device.
    fn blocks(&self) -> u32;

    /// Returns whether the device refuses writes of any kind.
    fn write_inhibited(&self) -> bool;

    /// Brings a block: [`Blocks::block_bytes`] octets.
    ///
    /// # Errors
    /// [`TrackFault::NoTrack`] past the last block, [`TrackFault::Unreadable`], [`TrackFault::Medium`].
    fn read(&mut self, block: u32) -> Result<&[u8], TrackFault>;

    /// Writes over a block; what `octets` lacks becomes zeros.
    ///
    /// # Errors
    /// Any fault; [`TrackFault::TooLong`] for more octets than a block has.
    fn write(&mut self, block: u32, octets: &[u8]) -> Result<(), TrackFault>;

    /// Makes all writes so far as safe as the volume guarantees: at once in its synchronous mode.
    ///
    /// # Errors
    /// [`TrackFault::Medium`].
    fn commit(&mut self) -> Result<(), TrackFault>;
}
