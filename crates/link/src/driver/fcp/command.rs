//! Command descriptor blocks that a channel sends (SPC-4, SBC-3).

use halftrack_wire::fcp::Cdb;

const TEST_UNIT_READY: u8 = 0x00;
const INQUIRY: u8 = 0x12;
const READ_10: u8 = 0x28;
const WRITE_10: u8 = 0x2A;
const READ_16: u8 = 0x88;
const WRITE_16: u8 = 0x8A;
const READ_CAPACITY_16: [u8; 2] = [0x9E, 0x10];
const REPORT_LUNS: u8 = 0xA0;
/// EVPD: a page of vital product data is wanted.
const VITAL_DATA: u8 = 0x01;

fn cdb(octets: &[u8]) -> Cdb {
    Cdb::new(octets).expect("a block of at most 16 octets")
}

/// Returns TEST UNIT READY.
pub fn test_unit_ready() -> Cdb {
    cdb(&[TEST_UNIT_READY, 0, 0, 0, 0, 0])
}

/// Returns INQUIRY, for a page of vital product data or for the standard data.
pub fn inquiry(page: Option<u8>, room_bytes: u16) -> Cdb {
    let [high, low] = room_bytes.to_be_bytes();
    let vital = if page.is_some() { VITAL_DATA } else { 0 };
    cdb(&[INQUIRY, vital, page.unwrap_or(0), high, low, 0])
}

/// Returns READ CAPACITY(16).
pub fn read_capacity(room_bytes: u32) -> Cdb {
    let mut octets = [0; 16];
    octets[..2].copy_from_slice(&READ_CAPACITY_16);
    octets[10..14].copy_from_slice(&room_bytes.to_be_bytes());
    cdb(&octets)
}

/// Returns REPORT LUNS.
pub fn report_luns(room_bytes: u32) -> Cdb {
    let mut octets = [0; 12];
    octets[0] = REPORT_LUNS;
    octets[6..10].copy_from_slice(&room_bytes.to_be_bytes());
    cdb(&octets)
}

/// Returns READ or WRITE of 10 octets, or of 16 where those do not suffice.
#[inline]
pub fn transfer(writes: bool, first: u64, blocks: u32) -> Cdb {
    match (u32::try_from(first), u16::try_from(blocks)) {
        (Ok(first), Ok(blocks)) => {
            let mut octets = [0; 10];
            octets[0] = if writes { WRITE_10 } else { READ_10 };
            octets[2..6].copy_from_slice(&first.to_be_bytes());
            octets[7..9].copy_from_slice(&blocks.to_be_bytes());
            cdb(&octets)
        }
        _ => {
            let mut octets = [0; 16];
            octets[0] = if writes { WRITE_16 } else { READ_16 };
            octets[2..10].copy_from_slice(&first.to_be_bytes());
            octets[10..14].copy_from_slice(&blocks.to_be_bytes());
            cdb(&octets)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_or_far_transfer_takes_sixteen_octets() {
        let octets = |writes, first, blocks| transfer(writes, first, blocks).octets().to_vec();
        assert_eq!(octets(false, 0x0102_0304, 8)[..10], [0x28, 0, 1, 2, 3, 4, 0, 0, 8, 0]);
        assert_eq!(octets(true, 1 << 32, 8)[..14], [0x8A, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8]);
        assert_eq!(octets(false, 0, 0x1_0000)[0], 0x88);
        assert_eq!(read_capacity(32).octets()[..14], [0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32]);
        assert_eq!(inquiry(Some(0x83), 255).octets()[..6], [0x12, 1, 0x83, 0, 255, 0]);
    }
}
