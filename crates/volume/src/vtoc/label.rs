//! The label of a volume: record 3 of its first track.

use halftrack_program::{RecordAddress, TrackAddress};

use crate::tracks::{Track, Tracks};
use crate::vtoc::VtocError;
use halftrack_base::CodePage;

/// Number of the record with the label.
const LABEL_RECORD: u8 = 3;
/// VOL1 in EBCDIC: a label of the operating system, or a Linux volume in compatible layout.
const VOL1: [u8; 4] = [0xE5, 0xD6, 0xD3, 0xF1];
/// LNX1 in EBCDIC: a Linux volume in its own layout.
const LNX1: [u8; 4] = [0xD3, 0xD5, 0xE7, 0xF1];
/// CMS1 in EBCDIC: a minidisk of CMS.
const CMS1: [u8; 4] = [0xC3, 0xD4, 0xE2, 0xF1];
/// Where the volume serial is, after the four letters.
const SERIAL: std::ops::Range<usize> = 4..10;
/// Where a VOL1 label has the CCHHR of the VTOC.
const VTOC_POINTER: std::ops::Range<usize> = 11..16;
/// Where a VOL1 label has the owner.
const OWNER: std::ops::Range<usize> = 37..51;

/// Writer of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelKind {
    /// VOL1: data sets under a VTOC.
    Standard,
    /// LNX1: one Linux partition, no VTOC.
    Linux,
    /// CMS1: a file system of CMS, no VTOC.
    Cms,
}

/// The label of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeLabel {
    /// Writer of the label.
    pub kind: LabelKind,
    /// Volume serial, blanks at the end left out.
    pub serial: String,
    /// Where the format-4 DSCB of the VTOC is, when the label names one.
    pub vtoc: Option<RecordAddress>,
    /// Owner, blanks around it left out.
    pub owner: String,
}

impl VolumeLabel {
    /// Reads the label; nothing when the volume has none.
    ///
    /// # Errors
    /// [`VtocError::Track`] when the first track cannot be read.
    pub fn read<T: Tracks>(tracks: &mut T) -> Result<Option<Self>, VtocError> {
        let at = TrackAddress::default();
        let track = tracks.track(at).map_err(|fault| VtocError::Track { at, fault })?;
        let is_label = |place: &u8| track.count(*place).is_some_and(|count| count.record == LABEL_RECORD);
        let Some(place) = (1..track.records()).find(is_label) else { return Ok(None) };
        Ok(track.data(place).bytes().and_then(Self::parse))
    }

    /// Returns the label in the octets of record 3, or of block 1 of a fixed-block volume; nothing when they are none.
    pub fn parse(octets: &[u8]) -> Option<Self> {
        let kind = match *octets.first_chunk::<4>()? {
            VOL1 => LabelKind::Standard,
            LNX1 => LabelKind::Linux,
            CMS1 => LabelKind::Cms,
            _ => return None,
        };
        let field = |range| text(octets.get(range).unwrap_or_default());
        let standard = kind == LabelKind::Standard;
        let vtoc = octets.get(VTOC_POINTER).filter(|_| standard).and_then(pointer);
        let owner = if standard { field(OWNER) } else { String::new() };
        Some(Self { kind, serial: field(SERIAL), vtoc, owner })
    }
}

/// Returns the record that a CCHHR names; nothing for zeros or blanks.
fn pointer(field: &[u8]) -> Option<RecordAddress> {
    let cchhr = *field.first_chunk::<5>()?;
    if [[0; 5], [0x40; 5]].contains(&cchhr) {
        return None;
    }
    let [c0, c1, h0, h1, record] = cchhr;
    let track = TrackAddress::from_cchh([c0, c1, h0, h1]);
    Some(RecordAddress { cylinder: track.cylinder(), head: track.head(), record })
}

/// Returns the EBCDIC without the blanks and zeros around it; what cannot be printed is a full stop.
pub(super) fn text(octets: &[u8]) -> String {
    let blank = |octet: &u8| matches!(octet, 0x40 | 0);
    let Some(begin) = octets.iter().position(|octet| !blank(octet)) else { return String::new() };
    let end = octets.iter().rposition(|octet| !blank(octet)).map_or(begin, |last| last + 1);
    octets[begin..end].iter().map(|octet| CodePage::Page1047.printable(*octet)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(letters: &str) -> Vec<u8> {
        let mut octets = CodePage::Page1047.octets(&format!("{letters:<80}"));
        octets[VTOC_POINTER].copy_from_slice(&[0, 0x0A, 0, 2, 1]);
        octets[OWNER].copy_from_slice(&CodePage::Page1047.octets("    HERCULES  "));
        octets
    }

    #[test]
    fn a_standard_label_names_serial_owner_and_vtoc() {
        let parsed = VolumeLabel::parse(&label("VOL1WORK1")).unwrap();
        assert_eq!((parsed.serial.as_str(), parsed.owner.as_str()), ("WORK1", "HERCULES"));
        assert_eq!(parsed.vtoc, Some(RecordAddress { cylinder: 10, head: 2, record: 1 }));
    }

    #[test]
    fn other_labels_have_a_serial_only() {
        for (letters, kind) in [("LNX10X0201", LabelKind::Linux), ("CMS10X0201", LabelKind::Cms)] {
            let parsed = VolumeLabel::parse(&label(letters)).unwrap();
            let expected =
                VolumeLabel { kind, serial: "0X0201".to_owned(), vtoc: None, owner: String::new() };
            assert_eq!(parsed, expected);
        }
    }

    #[test]
    fn short_and_foreign_records_are_no_labels() {
        assert_eq!(VolumeLabel::parse(b"VOL1"), None);
        assert_eq!(VolumeLabel::parse(&VOL1[..3]), None);
        let cut = VolumeLabel::parse(&label("VOL1WORK1")[..12]).unwrap();
        assert_eq!((cut.serial.as_str(), cut.vtoc), ("WORK1", None));
    }
}
