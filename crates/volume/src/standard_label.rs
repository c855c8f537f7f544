//! First records of a new volume, as `dasdinit` of Hercules 3.13 makes them: records to load from, which only stop,
//! and the standard volume label. It makes no table of contents; the label has the place where one would begin.

use halftrack_program::TrackAddress;

use crate::blocks::BLOCK_BYTES;
use crate::track_image::{END_MARKER, push_empty_track};
use crate::tracks::CountArea;
use halftrack_base::CodePage;

/// Most characters of a volume serial number.
const VOLUME_SERIAL_BYTES: usize = 6;
/// EBCDIC space.
const SPACE: u8 = 0x40;
/// Bytes of the label record.
const LABEL_BYTES: usize = 80;
/// Offset in the label of the address (CCHHR) of the table of contents, which is made at cylinder 0 head 1.
const VTOC_ADDRESS: usize = 11;
const VTOC_AT: [u8; 5] = [0, 0, 0, 1, 1];
/// Offset in the label of the owner.
const OWNER: usize = 41;
/// The owner that `dasdinit` writes.
const OWNER_TEXT: &str = "HERCULES";
/// A PSW that waits with address 15, and a CCW that does nothing.
const IPL_1: [u8; 24] = [0, 6, 0, 0, 0, 0, 0, 15, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
/// Bytes of the second record to load from.
const IPL_2_BYTES: usize = 144;

/// A volume serial number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumeSerial([u8; VOLUME_SERIAL_BYTES]);

impl VolumeSerial {
    /// Returns the serial number of its text: one to six of the letters, the digits, `@`, `#`, `$`; small letters count
    /// as capital ones. Nothing for another text.
    pub fn new(text: &str) -> Option<Self> {
        let fits = (1..=VOLUME_SERIAL_BYTES).contains(&text.len());
        if !fits || !text.chars().all(|c| c.is_ascii_alphanumeric() || "@#$".contains(c)) {
            return None;
        }
        let mut octets = [SPACE; VOLUME_SERIAL_BYTES];
        let ebcdic = CodePage::Page037.octets(&text.to_ascii_uppercase());
        octets[..ebcdic.len()].copy_from_slice(&ebcdic);
        Some(Self(octets))
    }
}

/// Writes cylinder 0 head 0 of a volume with a label.
pub(crate) fn push_label_track(serial: VolumeSerial, into: &mut Vec<u8>) {
    let address = TrackAddress::default();
    push_empty_track(address, into);
    into.truncate(into.len() - END_MARKER.len());
    let mut label = [SPACE; LABEL_BYTES];
    let vol1 = CodePage::Page037.octets("VOL1");
    label[..4].copy_from_slice(&vol1);
    label[4..10].copy_from_slice(&serial.0);
    label[VTOC_ADDRESS..][..VTOC_AT.len()].copy_from_slice(&VTOC_AT);
    label[OWNER..][..OWNER_TEXT.len()].copy_from_slice(&CodePage::Page037.octets(OWNER_TEXT));
    let records = [("IPL1", &IPL_1[..]), ("IPL2", &[0; IPL_2_BYTES][..]), ("VOL1", &label[..])];
    for (record, (key, data)) in (1..).zip(records) {
        let key = CodePage::Page037.octets(key);
        let (key_bytes, data_bytes) = (key.len() as u8, data.len() as u16);
        let count = CountArea { cchh: address.to_cchh(), record, key_bytes, data_bytes };
        into.extend_from_slice(&count.to_bytes());
        into.extend_from_slice(&key);
        into.extend_from_slice(data);
    }
    into.extend_from_slice(&END_MARKER);
}

/// The block of an FBA volume that has the label.
pub(crate) const LABEL_BLOCK: usize = 1;

/// Writes the label into the first block group of an FBA volume.
pub(crate) fn write_label_block(serial: VolumeSerial, group: &mut [u8]) {
    let Some(block) = group.get_mut(LABEL_BLOCK * BLOCK_BYTES..(LABEL_BLOCK + 1) * BLOCK_BYTES) else {
        return;
    };
    block[..4].copy_from_slice(&CodePage::Page037.octets("VOL1"));
    block[4..10].copy_from_slice(&serial.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_are_one_to_six_characters() {
        assert_eq!(VolumeSerial::new("vol1"), VolumeSerial::new("VOL1"));
        assert_eq!(VolumeSerial::new("A#1").unwrap().0, [0xC1, 0x7B, 0xF1, 0x40, 0x40, 0x40]);
        for text in ["", "ABCDEFG", "A B", "É"] {
            assert_eq!(VolumeSerial::new(text), None);
        }
    }

    #[test]
    fn a_volume_too_short_for_a_label_has_none() {
        let mut block = [0; BLOCK_BYTES];
        write_label_block(VolumeSerial::new("A").unwrap(), &mut block);
        assert_eq!(block, [0; BLOCK_BYTES]);
    }
}
