//! Tracks of a count-key-data device: what the control unit reads and writes.

use halftrack_program::{Geometry, Octets, TrackAddress};
use thiserror::Error;

use crate::layout::LayoutError;

/// Bytes of a home address as programs see it: flag, CCHH.
pub const HOME_ADDRESS_BYTES: usize = 5;
/// Bytes of a count area: CCHH, record, key length, data length.
pub const COUNT_AREA_BYTES: usize = 8;

/// Count area of a record. Its cylinder, head and record are those written; they need not be the place of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CountArea {
    /// CCHH.
    pub cchh: [u8; 4],
    /// Record number.
    pub record: u8,
    /// Bytes of the key area; 0 without a key.
    pub key_bytes: u8,
    /// Bytes of the data area; 0 for an end-of-file record.
    pub data_bytes: u16,
}

impl CountArea {
    /// Returns the area of its 8 bytes.
    pub const fn from_bytes(bytes: [u8; COUNT_AREA_BYTES]) -> Self {
        let [c0, c1, h0, h1, record, key_bytes, d0, d1] = bytes;
        Self { cchh: [c0, c1, h0, h1], record, key_bytes, data_bytes: u16::from_be_bytes([d0, d1]) }
    }

    /// Returns the 8 bytes.
    pub const fn to_bytes(self) -> [u8; COUNT_AREA_BYTES] {
        let [c0, c1, h0, h1] = self.cchh;
        let [d0, d1] = self.data_bytes.to_be_bytes();
        [c0, c1, h0, h1, self.record, self.key_bytes, d0, d1]
    }

    /// Returns the first five bytes: what Search ID compares.
    pub const fn id(self) -> [u8; 5] {
        let [c0, c1, h0, h1] = self.cchh;
        [c0, c1, h0, h1, self.record]
    }

    /// Returns the bytes of key and data.
    pub const fn area_bytes(self) -> u32 {
        self.key_bytes as u32 + self.data_bytes as u32
    }
}

/// Why a track cannot be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum TrackFault {
    /// The device has no such track.
    #[error("the device has no such track")]
    NoTrack,
    /// The track is invalid: its home address or its records contradict each other.
    #[error("the track cannot be read")]
    Unreadable,
    /// The records would not fit on the track.
    #[error("the records do not fit on the track")]
    TooLong,
    /// The volume was opened for reading only.
    #[error("the volume is open read-only")]
    WriteInhibited,
    /// The file under it failed.
    #[error("the file of the volume failed")]
    Medium,
}

impl TrackFault {
    /// Returns the fault of a track that a failure of its files makes.
    pub fn of(error: &LayoutError) -> Self {
        match error {
            LayoutError::Corrupt(_) => Self::Unreadable,
            LayoutError::Io(_) | LayoutError::Full(_) => Self::Medium,
        }
    }
}

/// One track. Records are numbered by their place from 0, which is record zero, independently of the numbers in their
/// count areas.
pub trait Track {
    /// Returns the flag and CCHH of the home address.
    fn home_address(&self) -> [u8; HOME_ADDRESS_BYTES];

    /// Returns the records on the track, record zero counted.
    fn records(&self) -> u8;

    /// Returns the count area of the record at `place`, or nothing behind the last.
    fn count(&self, place: u8) -> Option<CountArea>;

    /// Returns the key area of the record at `place`; no octets without a key or behind the last.
    fn key(&self, place: u8) -> Octets<'_>;

    /// Returns the data area of the record at `place`; no octets behind the last.
    fn data(&self, place: u8) -> Octets<'_>;

    /// Returns the count, key and data area of the record at `place`, one after the other; no octets behind the last.
    fn record(&self, place: u8) -> Octets<'_>;
}

/// The tracks of a device.
///
/// Writes are seen by the reads that follow them, and are safe after [`Tracks::commit`] as far as the volume
/// promises. Devices whose tracks keep their layout leave the writes that would change it as they are here: refused.
pub trait Tracks {
    /// A track that was brought.
    type Track<'a>: Track
    where
        Self: 'a;

    /// Returns the cylinders, heads and track capacity.
    fn geometry(&self) -> &Geometry;

    /// Returns whether the device refuses writes of any kind.
    fn write_inhibited(&self) -> bool;

    /// Returns whether a track can be brought without waiting for a disk or an unpacking.
    fn is_in_memory(&self, _address: TrackAddress) -> bool {
        true
    }

    /// Returns whether the next chain that changes one track is as safe as promised without waiting for a disk.
    fn stores_at_once(&self) -> bool {
        true
    }

    /// Brings a track.
    ///
    /// # Errors
    /// [`TrackFault::NoTrack`], [`TrackFault::Unreadable`], [`TrackFault::Medium`].
    fn track(&mut self, address: TrackAddress) -> Result<Self::Track<'_>, TrackFault>;

    /// Writes over the key area of the record at `place`, which must be as long as `octets`.
    ///
    /// # Errors
    /// Any fault; [`TrackFault::TooLong`] for another length.
    fn write_key(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault>;

    /// Writes over the data area of the record at `place`; what `octets` lacks becomes zeros.
    ///
    /// # Errors
    /// Any fault; [`TrackFault::TooLong`] for more octets than the area has.
    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault>;

    /// Writes a record at `place`, right behind the record before it, and erases the rest of the track.
    /// `key_and_data` are filled with zeros to the length in `count`. Place 0 is record zero.
    ///
    /// # Errors
    /// Any fault; [`TrackFault::TooLong`] when the record does not fit.
    fn format_record(
        &mut self,
        _address: TrackAddress,
        _place: u8,
        _count: CountArea,
        _key_and_data: Octets<'_>,
    ) -> Result<(), TrackFault> {
        Err(TrackFault::WriteInhibited)
    }

    /// Erases the records from `place` to the end of the track.
    ///
    /// # Errors
    /// Any fault.
    fn erase(&mut self, _address: TrackAddress, _place: u8) -> Result<(), TrackFault> {
        Err(TrackFault::WriteInhibited)
    }

    /// Writes the home address.
    ///
    /// # Errors
    /// Any fault.
    fn write_home_address(
        &mut self,
        _address: TrackAddress,
        _home_address: [u8; HOME_ADDRESS_BYTES],
    ) -> Result<(), TrackFault> {
        Err(TrackFault::WriteInhibited)
    }

    /// Makes all writes so far as safe as the volume guarantees: at once in its synchronous mode.
    ///
    /// # Errors
    /// [`TrackFault::Medium`].
    fn commit(&mut self) -> Result<(), TrackFault>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_area_has_its_eight_bytes() {
        let area = CountArea { cchh: [0, 100, 0, 3], record: 7, key_bytes: 44, data_bytes: 0x1234 };
        assert_eq!(area.to_bytes(), [0, 100, 0, 3, 7, 44, 0x12, 0x34]);
        assert_eq!(CountArea::from_bytes(area.to_bytes()), area);
        assert_eq!(area.id(), [0, 100, 0, 3, 7]);
        assert_eq!(area.area_bytes(), 44 + 0x1234);
    }
}
