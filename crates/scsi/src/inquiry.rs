//! INQUIRY: standard data and the pages of vital product data (SPC-4, 6.4 and 7.8; SBC-3, 6.5).

use halftrack_base::fields::put;

use crate::identity::Identity;
use crate::limits::{
    COMPARE_BLOCKS_MAX, GRANULE_BYTES, TRANSFER_BYTES_MAX, TRANSFER_BYTES_OPTIMAL, UNMAP_BLOCKS_MAX,
    UNMAP_DESCRIPTORS_MAX, WRITE_SAME_BLOCKS_MAX,
};
use crate::target_port::TargetPort;

/// Bytes of standard data.
const STANDARD_BYTES: usize = 96;
/// Bytes behind the header of pages B0 and B1.
const LIMITS_BYTES: usize = 0x3C;
/// Pages of vital product data.
const PAGES: [u8; 6] = [0x00, 0x80, 0x83, 0xB0, 0xB1, 0xB2];
/// Longest serial number.
const SERIAL_BYTES_MAX: usize = 32;

/// Byte 0 where the initiator has no unit.
pub(crate) const NO_UNIT: u8 = 0x7F;
/// Byte 0 of a direct-access block device.
pub(crate) const DISK: u8 = 0x00;
/// Byte 0 of a well-known unit.
pub(crate) const WELL_KNOWN: u8 = 0x1E;

/// Returns the standard data for a device of the type.
pub(crate) fn standard(device: u8, identity: Option<&Identity>) -> Vec<u8> {
    let mut data = vec![0; STANDARD_BYTES];
    data[0] = device;
    data[2] = 0x06;
    data[3] = 0x12;
    data[4] = (STANDARD_BYTES - 5) as u8;
    // TPGS: implicit and explicit.
    data[5] = if device == DISK { 0x30 } else { 0 };
    data[6] = 0x10;
    data[7] = 0x02;
    data[8..36].fill(b' ');
    if let Some(identity) = identity {
        put(&mut data, 8, &identity.vendor);
        put(&mut data, 16, &identity.product);
        put(&mut data, 32, &identity.revision);
    }
    for (offset, version) in (58..).step_by(2).zip([0x00A0_u16, 0x0A40, 0x0460, 0x04C0]) {
        put(&mut data, offset, &version.to_be_bytes());
    }
    data
}

/// Properties of a unit that its pages show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitPages<'a> {
    pub identity: &'a Identity,
    pub port: Option<&'a TargetPort>,
    pub block_bytes: u32,
    pub is_thin: bool,
}

impl UnitPages<'_> {
    /// Returns the page, unless it is unknown.
    pub fn page(&self, page: u8) -> Option<Vec<u8>> {
        let body = match page {
            0x00 => PAGES.to_vec(),
            0x80 => self.serial().to_vec(),
            0x83 => self.identification(),
            0xB0 => self.limits(),
            // Solid state; FUAB.
            0xB1 => characteristics(),
            0xB2 => self.provisioning().to_vec(),
            _ => return None,
        };
        let mut data = vec![DISK, page];
        data.extend((body.len() as u16).to_be_bytes());
        data.extend(body);
        Some(data)
    }

    fn serial(&self) -> &[u8] {
        let serial = self.identity.serial.as_bytes();
        &serial[..serial.len().min(SERIAL_BYTES_MAX)]
    }

    fn identification(&self) -> Vec<u8> {
        let mut data = Vec::new();
        let mut descriptor = |head: [u8; 2], name: &[u8]| {
            data.extend([head[0], head[1], 0, name.len() as u8]);
            data.extend(name);
        };
        descriptor([0x01, 0x03], &self.identity.identifier);
        descriptor([0x02, 0x01], &[self.identity.vendor.as_slice(), self.serial()].concat());
        if let Some(port) = self.port {
            let [high, low] = port.relative_id.to_be_bytes();
            descriptor([0x01, 0x93], &port.name.to_be_bytes());
            descriptor([0x01, 0x94], &[0, 0, high, low]);
            let [high, low] = port.group.to_be_bytes();
            descriptor([0x01, 0x95], &[0, 0, high, low]);
        }
        data
    }

    /// Returns the block limits, page B0.
    fn limits(&self) -> Vec<u8> {
        let granule = (GRANULE_BYTES / self.block_bytes).max(1);
        let transfer = (TRANSFER_BYTES_MAX / u64::from(self.block_bytes)) as u32;
        // Offsets in the page are four more.
        let mut data = vec![0; LIMITS_BYTES];
        (data[0], data[1]) = (1, COMPARE_BLOCKS_MAX);
        put(&mut data, 2, &(granule as u16).to_be_bytes());
        put(&mut data, 4, &transfer.to_be_bytes());
        put(&mut data, 8, &(TRANSFER_BYTES_OPTIMAL / self.block_bytes).to_be_bytes());
        put(&mut data, 12, &transfer.to_be_bytes());
        if self.is_thin {
            put(&mut data, 16, &UNMAP_BLOCKS_MAX.to_be_bytes());
            put(&mut data, 20, &UNMAP_DESCRIPTORS_MAX.to_be_bytes());
            put(&mut data, 24, &granule.to_be_bytes());
            put(&mut data, 28, &0x8000_0000_u32.to_be_bytes());
        }
        put(&mut data, 32, &WRITE_SAME_BLOCKS_MAX.to_be_bytes());
        data
    }

    /// Returns logical block provisioning, page B2: LBPU, LBPWS, LBPWS10, LBPRZ, and a thin unit.
    fn provisioning(&self) -> [u8; 4] {
        if self.is_thin { [0, 0xE4, 2, 0] } else { [0; 4] }
    }
}

fn characteristics() -> Vec<u8> {
    let mut data = vec![0; LIMITS_BYTES];
    (data[1], data[4]) = (1, 2);
    data
}
