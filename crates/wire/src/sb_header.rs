//! The SB header: whom a device-level IU is for (reference section 6.1, offsets 0 to 7).

/// Octets of the header.
pub const SB_HEADER_BYTES: usize = 8;

mod field {
    pub const CHANNEL_IMAGE: usize = 1;
    pub const CONTROL_UNIT_IMAGE: usize = 3;
    pub const DEVICE: usize = 5;
}

/// Representation of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SbHeader {
    /// Channel-image id.
    pub channel_image: u8,
    /// Control-unit-image id.
    pub control_unit_image: u8,
    /// Device (unit) address.
    pub device: u8,
}

impl SbHeader {
    /// Reads the header; the reserved octets are ignored.
    #[must_use]
    pub fn parse(octets: &[u8; SB_HEADER_BYTES]) -> SbHeader {
        SbHeader {
            channel_image: octets[field::CHANNEL_IMAGE],
            control_unit_image: octets[field::CONTROL_UNIT_IMAGE],
            device: octets[field::DEVICE],
        }
    }

    /// Returns the header's octets, reserved ones zero.
    #[must_use]
    pub fn emit(&self) -> [u8; SB_HEADER_BYTES] {
        let mut octets = [0; SB_HEADER_BYTES];
        octets[field::CHANNEL_IMAGE] = self.channel_image;
        octets[field::CONTROL_UNIT_IMAGE] = self.control_unit_image;
        octets[field::DEVICE] = self.device;
        octets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let octets = [0, 1, 0, 2, 0, 0x34, 0, 0];
        let header = SbHeader::parse(&octets);
        assert_eq!(header, SbHeader { channel_image: 1, control_unit_image: 2, device: 0x34 });
        assert_eq!(header.emit(), octets);
    }
}
