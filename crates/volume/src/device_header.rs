//! The first 512 bytes of a CKD image file: device, track length, place among the files of the volume.
//!
//! ```text
//! 0 CKD_P370 | 8 heads | 12 bytes of a track | 16 device type, low byte | 17 number of the file | 18 highest cylinder
//! ```
//!
//! Numbers are little-endian, as `dasdinit` of Hercules 3.13 writes them. File number and highest cylinder are 0
//! of a volume in one file; the highest cylinder is 0 in the last of several.

use halftrack_program::{DeviceType, Geometry};

use crate::open_error::Flaw;

/// Bytes of the header.
pub const DEVICE_HEADER_BYTES: usize = 512;
/// First octets of a file of an uncompressed CKD volume.
pub const PLAIN_CKD: [u8; 8] = *b"CKD_P370";

/// First octets of a file of a compressed CKD volume; `CKD_C064` is refused by its reader.
pub(crate) const COMPRESSED_CKD: &[u8] = b"CKD_";
/// First octets of a file of a compressed FBA volume.
pub(crate) const COMPRESSED_FBA: &[u8] = b"FBA_";

/// Returns whether a file that begins with these bytes has a device header; an uncompressed FBA volume has none.
pub(crate) fn has_header(head: &[u8]) -> bool {
    head.starts_with(COMPRESSED_CKD) || head.starts_with(COMPRESSED_FBA)
}

/// Most bytes of a track in an image: offsets of records are 16 bits.
const MOST_TRACK_BYTES: u32 = 1 << 16;

/// Fields of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceHeader {
    /// Type of the device.
    pub device: DeviceType,
    /// Bytes of a track in the file.
    pub track_bytes: u32,
    /// 0 of the only file of a volume; 1 to n of several.
    pub file_number: u8,
    /// Highest cylinder of the file when another follows; otherwise 0.
    pub highest_cylinder: u16,
}

fn u32_at(bytes: &[u8; DEVICE_HEADER_BYTES], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl DeviceHeader {
    /// Returns the header of a volume in one file.
    pub const fn single(device: DeviceType) -> Self {
        Self { device, track_bytes: device.image_track_bytes(), file_number: 0, highest_cylinder: 0 }
    }

    /// Reads a header whose first 8 bytes have been checked already.
    ///
    /// # Errors
    /// A contradiction to the device table, with its offset.
    pub fn from_bytes(bytes: &[u8; DEVICE_HEADER_BYTES]) -> Result<Self, Flaw> {
        let device = DeviceType::from_low_byte(bytes[16]).ok_or_else(|| {
            let known: Vec<_> =
                DeviceType::ALL.iter().map(|device| format!("{:04X}", device.number())).collect();
            let found = format!("device type {:02X} is unknown", bytes[16]);
            Flaw::new(16, found, format!("known types are {}", known.join(", ")))
        })?;
        let heads = u32_at(bytes, 8);
        if heads != u32::from(device.heads()) {
            let found = format!("{heads} tracks a cylinder");
            let expected = format!("a {:04X} has {}", device.number(), device.heads());
            return Err(Flaw::new(8, found, expected));
        }
        let track_bytes = u32_at(bytes, 12);
        if !(device.image_track_bytes()..=MOST_TRACK_BYTES).contains(&track_bytes) {
            let found = format!("{track_bytes} bytes a track");
            let expected = format!("a {:04X} has {}", device.number(), device.image_track_bytes());
            return Err(Flaw::new(12, found, expected));
        }
        let highest_cylinder = u16::from_le_bytes([bytes[18], bytes[19]]);
        Ok(Self { device, track_bytes, file_number: bytes[17], highest_cylinder })
    }

    /// Returns the header of the device whose type these bytes name, when it is a known one; place among the files as
    /// in the bytes.
    pub fn of_device(bytes: &[u8; DEVICE_HEADER_BYTES]) -> Option<Self> {
        let device = DeviceType::from_low_byte(bytes[16])?;
        let highest_cylinder = u16::from_le_bytes([bytes[18], bytes[19]]);
        Some(Self { file_number: bytes[17], highest_cylinder, ..Self::single(device) })
    }

    /// Returns the bytes of the header of an uncompressed volume.
    pub fn to_bytes(self) -> [u8; DEVICE_HEADER_BYTES] {
        let mut bytes = [0; DEVICE_HEADER_BYTES];
        bytes[..8].copy_from_slice(&PLAIN_CKD);
        bytes[8..12].copy_from_slice(&u32::from(self.device.heads()).to_le_bytes());
        bytes[12..16].copy_from_slice(&self.track_bytes.to_le_bytes());
        bytes[16] = self.device.number() as u8;
        bytes[17] = self.file_number;
        bytes[18..20].copy_from_slice(&self.highest_cylinder.to_le_bytes());
        bytes
    }

    /// Returns the bytes of a cylinder in the file.
    pub fn cylinder_bytes(&self) -> u64 {
        u64::from(self.track_bytes) * u64::from(self.device.heads())
    }

    /// Returns the bytes of a file of so many cylinders.
    pub fn file_bytes(&self, cylinders: u32) -> u64 {
        DEVICE_HEADER_BYTES as u64 + u64::from(cylinders) * self.cylinder_bytes()
    }

    /// Returns the device of so many cylinders.
    pub fn geometry(&self, cylinders: u32) -> Option<Geometry> {
        Geometry::of_type(self.device, cylinders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_that_of_dasdinit() {
        let header = DeviceHeader {
            file_number: 1,
            highest_cylinder: 2518,
            ..DeviceHeader::single(DeviceType::D3390)
        };
        let bytes = header.to_bytes();
        assert_eq!(bytes[..20], *b"CKD_P370\x0f\0\0\0\0\xde\0\0\x90\x01\xd6\x09");
        assert_eq!(DeviceHeader::from_bytes(&bytes), Ok(header));
    }

    #[test]
    fn what_contradicts_the_device_is_named_with_its_offset() {
        let right = DeviceHeader::single(DeviceType::D3380).to_bytes();
        for (offset, at, octet) in [(16, 16, 0x14), (8, 8, 14), (12, 13, 0), (12, 14, 1)] {
            let mut wrong = right;
            wrong[at] = octet;
            assert_eq!(DeviceHeader::from_bytes(&wrong).unwrap_err().offset, offset);
        }
    }
}
