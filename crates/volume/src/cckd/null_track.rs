//! Units that take no space: tracks of three known contents, and block groups of zeros.

use halftrack_program::RECORD_ZERO_DATA_BYTES;

use super::device::CckdDevice;
use crate::tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES};

/// Octets of the end marker of a track.
pub(super) const END_MARKER: [u8; COUNT_AREA_BYTES] = [0xFF; COUNT_AREA_BYTES];
/// Records of a track in the format of Linux, and their data bytes.
const LINUX_RECORDS: u8 = 12;
const LINUX_RECORD_BYTES: u16 = 4096;

/// Contents of a track for which the image has no space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullFormat {
    /// Format 0: home address, record zero, an end-of-file record.
    EndOfFile,
    /// Format 1: home address and record zero.
    Empty,
    /// Format 2: home address, record zero, twelve records of 4096 zeros, as Linux formats.
    Linux,
}

impl NullFormat {
    /// Returns the format of its number.
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::EndOfFile),
            1 => Some(Self::Empty),
            2 => Some(Self::Linux),
            _ => None,
        }
    }

    /// Returns its number.
    pub(super) fn to_byte(self) -> u8 {
        match self {
            Self::EndOfFile => 0,
            Self::Empty => 1,
            Self::Linux => 2,
        }
    }

    /// Returns the format of a level-2 entry without position, which has `length`, in an image of which null tracks
    /// have the format `image`. Hercules 3.13: the length is the format, but 0 means that of Linux when the
    /// image has it, and a number without meaning is the image's format.
    pub(super) fn of_entry(length: u16, image: Self) -> Self {
        match (u8::try_from(length).ok().and_then(Self::from_byte), image) {
            (None, image) => image,
            (Some(Self::EndOfFile), Self::Linux) => Self::Linux,
            (Some(format), _) => format,
        }
    }

    /// Returns the length of a level-2 entry with this format in an image of the format `image`, when there is one.
    pub(super) fn to_entry(self, image: Self) -> Option<u16> {
        let length = u16::from(self.to_byte());
        (Self::of_entry(length, image) == self).then_some(length)
    }

    /// Puts the octets of the null unit into `into`, which is empty.
    pub(super) fn fill(self, device: CckdDevice, unit: u32, into: &mut Vec<u8>) {
        if !device.is_ckd() {
            into.resize(device.unit_bytes() as usize, 0);
            return;
        }
        let home_address = device.unit_header(unit);
        into.extend_from_slice(&home_address);
        push_record(into, home_address, 0, RECORD_ZERO_DATA_BYTES);
        match self {
            Self::EndOfFile => push_record(into, home_address, 1, 0),
            Self::Empty => {}
            Self::Linux => {
                (1..=LINUX_RECORDS)
                    .for_each(|record| push_record(into, home_address, record, LINUX_RECORD_BYTES));
            }
        }
        into.extend_from_slice(&END_MARKER);
    }

    /// Returns the format of a unit that need not be stored.
    pub(super) fn of_unit(device: CckdDevice, unit: u32, octets: &[u8]) -> Option<Self> {
        if !device.is_ckd() {
            return octets.iter().all(|&octet| octet == 0).then_some(Self::EndOfFile);
        }
        let mut null = Vec::new();
        [Self::EndOfFile, Self::Empty, Self::Linux].into_iter().find(|format| {
            null.clear();
            if *format != Self::Linux || octets.len() > usize::from(LINUX_RECORD_BYTES) {
                format.fill(device, unit, &mut null);
            }
            null == octets
        })
    }
}

fn push_record(into: &mut Vec<u8>, home_address: [u8; HOME_ADDRESS_BYTES], record: u8, data_bytes: u16) {
    let [_, c0, c1, h0, h1] = home_address;
    let count = CountArea { cchh: [c0, c1, h0, h1], record, key_bytes: 0, data_bytes };
    into.extend_from_slice(&count.to_bytes());
    into.resize(into.len() + usize::from(data_bytes), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_without_position_mean_what_hercules_takes_them_for() {
        use NullFormat::{Empty, EndOfFile, Linux};
        let of = |length, image| NullFormat::of_entry(length, image);
        assert_eq!([0, 1, 2, 3].map(|length| of(length, EndOfFile)), [EndOfFile, Empty, Linux, EndOfFile]);
        assert_eq!([0, 1, 2, 3].map(|length| of(length, Empty)), [EndOfFile, Empty, Linux, Empty]);
        assert_eq!([0, 1, 2, 3].map(|length| of(length, Linux)), [Linux, Empty, Linux, Linux]);
        assert_eq!(EndOfFile.to_entry(Linux), None);
        assert_eq!(EndOfFile.to_entry(Empty), Some(0));
    }

    #[test]
    fn a_null_track_is_known_by_its_octets() {
        let device = CckdDevice::Ckd { device_type: 0x90, cylinders: 40, heads: 15, track_bytes: 56_832 };
        for (format, octets) in
            [(NullFormat::EndOfFile, 37), (NullFormat::Empty, 29), (NullFormat::Linux, 49_277)]
        {
            let mut track = Vec::new();
            format.fill(device, 300, &mut track);
            assert_eq!(track.len(), octets);
            assert_eq!(NullFormat::of_unit(device, 300, &track), Some(format));
            assert_eq!(NullFormat::of_unit(device, 301, &track), None);
        }
    }
}
