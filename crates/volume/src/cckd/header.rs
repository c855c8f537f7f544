//! The two headers of a compressed image.

use super::device::CckdDevice;
use super::fault::{CckdFault, Finding, Unreadable};
use super::{Compression, LEVEL1_OFFSET, LEVEL2_ENTRIES, NullFormat};
use crate::medium::Medium;

/// Octets of both headers.
pub(super) const HEADER_BYTES: usize = 1024;
/// Offset of the compressed-device header.
pub(super) const CDEVHDR_OFFSET: usize = 512;
/// Octets of the compressed-device header that have a meaning.
const CDEVHDR_BYTES: usize = 48;
/// Version, release and modification level of the format that Hercules 3.13 writes.
const VERSION: [u8; 3] = [0, 3, 1];
/// Option: lengths are as they are; every image since release 0.2 has it.
const OPTION_NO_FUDGE: u8 = 0x01;
/// Option: big-endian.
const OPTION_BIG_ENDIAN: u8 = 0x02;
/// Option: opened for writing since the last check.
const OPTION_WRITTEN: u8 = 0x40;
/// Option: open, or not closed.
const OPTION_OPEN: u8 = 0x80;

/// Byte order of the tables. The device header and the cylinders are little-endian in either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    pub(super) fn u32(self, at: &[u8]) -> u32 {
        let octets = at.first_chunk().copied().unwrap_or_default();
        match self {
            Self::Little => u32::from_le_bytes(octets),
            Self::Big => u32::from_be_bytes(octets),
        }
    }

    pub(super) fn u16(self, at: &[u8]) -> u16 {
        let octets = at.first_chunk().copied().unwrap_or_default();
        match self {
            Self::Little => u16::from_le_bytes(octets),
            Self::Big => u16::from_be_bytes(octets),
        }
    }

    pub(super) fn u32_bytes(self, value: u32) -> [u8; 4] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    pub(super) fn u16_bytes(self, value: u16) -> [u8; 2] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }
}

/// Counters of the compressed-device header; all in bytes, but `free_spaces`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counters {
    pub(super) size: u32,
    pub(super) used: u32,
    pub(super) free_first: u32,
    /// Free spaces and imbedded space together.
    pub(super) free_total: u32,
    pub(super) free_largest: u32,
    pub(super) free_spaces: u32,
    /// Space behind units that is theirs but unused.
    pub(super) free_imbedded: u32,
}

/// Both headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) device: CckdDevice,
    pub(super) order: ByteOrder,
    options: u8,
    pub(super) level1_entries: u32,
    pub(super) counters: Counters,
    pub(super) null_format: NullFormat,
    pub(super) compression: Compression,
}

impl Header {
    /// Returns the headers of a new image, without counters.
    pub(super) fn new(device: CckdDevice, null_format: NullFormat, compression: Compression) -> Self {
        Self {
            device,
            order: ByteOrder::Little,
            options: OPTION_NO_FUDGE | OPTION_WRITTEN,
            level1_entries: device.units().unwrap_or(0).div_ceil(LEVEL2_ENTRIES),
            counters: Counters::default(),
            null_format,
            compression,
        }
    }

    /// Returns whether Hercules has the image open, or did not close it.
    pub(super) fn is_open(&self) -> bool {
        self.options & OPTION_OPEN != 0
    }

    /// Takes the mark away that the image is open.
    pub(super) fn close(&mut self) {
        self.options &= !OPTION_OPEN;
    }

    /// Returns the headers of the image in `file`, with the faults that leave them usable.
    pub(super) fn read<M: Medium>(file: &M) -> Result<(Self, Vec<Finding>), Unreadable> {
        let mut octets = [0; HEADER_BYTES];
        let file_bytes = file.len()?;
        let there = file_bytes.min(HEADER_BYTES as u64) as usize;
        file.read_at(0, &mut octets[..there])?;
        Ok(Self::from_bytes(&octets, file_bytes)?)
    }

    fn from_bytes(octets: &[u8; HEADER_BYTES], file_bytes: u64) -> Result<(Self, Vec<Finding>), Finding> {
        let fault = |offset: usize, fault| Err(Finding::at(offset as u64, fault));
        let ckd = match &octets[..8] {
            b"CKD_C370" => true,
            b"FBA_C370" => false,
            b"CKD_S370" | b"FBA_S370" => return fault(0, CckdFault::Shadow),
            [b'C', b'K', b'D', b'_', _, b'0', b'6', b'4'] | [b'F', b'B', b'A', b'_', _, b'0', b'6', b'4'] => {
                return fault(0, CckdFault::Cckd64);
            }
            _ => return fault(0, CckdFault::NotCompressed),
        };
        if file_bytes < HEADER_BYTES as u64 {
            return fault(0, CckdFault::EndsEarly { file_bytes, needed_bytes: HEADER_BYTES as u64 });
        }
        let compressed = &octets[CDEVHDR_OFFSET..];
        let options = compressed[3];
        let order = if options & OPTION_BIG_ENDIAN != 0 { ByteOrder::Big } else { ByteOrder::Little };
        let device = Self::device(octets, ckd);
        let Some(units) = device.units() else {
            return fault(8, CckdFault::NoDevice(device.to_string()));
        };
        let mut findings = Vec::new();
        let level1_entries = level1_entries(order, compressed, units, file_bytes, &mut findings);
        let header = Self {
            device,
            order,
            options,
            level1_entries,
            counters: Counters::from_bytes(order, compressed),
            null_format: NullFormat::from_byte(compressed[44]).unwrap_or(NullFormat::EndOfFile),
            compression: Compression::from_header(compressed[45], order.u16(&compressed[46..]) as i16),
        };
        if header.is_open() {
            findings.push(Finding::at(CDEVHDR_OFFSET as u64 + 3, CckdFault::NotClosed));
        }
        Ok((header, findings))
    }

    fn device(octets: &[u8; HEADER_BYTES], ckd: bool) -> CckdDevice {
        let little = ByteOrder::Little;
        let extent = little.u32(&octets[CDEVHDR_OFFSET + 40..]);
        if ckd {
            CckdDevice::Ckd {
                device_type: octets[16],
                cylinders: extent,
                heads: little.u32(&octets[8..]),
                track_bytes: little.u32(&octets[12..]),
            }
        } else {
            CckdDevice::Fba { blocks: extent }
        }
    }

    /// Returns the offset of the first octet behind the level-1 table.
    pub(super) fn tables_end(&self) -> u64 {
        LEVEL1_OFFSET + u64::from(self.level1_entries) * 4
    }

    /// Returns the headers as they lie in the file.
    pub(super) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut octets = [0; HEADER_BYTES];
        match self.device {
            CckdDevice::Ckd { device_type, heads, track_bytes, .. } => {
                octets[..8].copy_from_slice(b"CKD_C370");
                octets[8..12].copy_from_slice(&heads.to_le_bytes());
                octets[12..16].copy_from_slice(&track_bytes.to_le_bytes());
                octets[16] = device_type;
            }
            CckdDevice::Fba { .. } => octets[..8].copy_from_slice(b"FBA_C370"),
        }
        octets[CDEVHDR_OFFSET..CDEVHDR_OFFSET + CDEVHDR_BYTES].copy_from_slice(&self.compressed_bytes());
        octets
    }

    /// Returns the part of the compressed-device header that has a meaning.
    pub(super) fn compressed_bytes(&self) -> [u8; CDEVHDR_BYTES] {
        let mut octets = [0; CDEVHDR_BYTES];
        octets[..3].copy_from_slice(&VERSION);
        octets[3] = self.options | OPTION_WRITTEN;
        let counters = &self.counters;
        let fields = [
            self.level1_entries,
            LEVEL2_ENTRIES,
            counters.size,
            counters.used,
            counters.free_first,
            counters.free_total,
            counters.free_largest,
            counters.free_spaces,
            counters.free_imbedded,
        ];
        for (field, value) in octets[4..40].chunks_exact_mut(4).zip(fields) {
            field.copy_from_slice(&self.order.u32_bytes(value));
        }
        let extent = match self.device {
            CckdDevice::Ckd { cylinders, .. } => cylinders,
            CckdDevice::Fba { blocks } => blocks,
        };
        octets[40..44].copy_from_slice(&extent.to_le_bytes());
        octets[44] = self.null_format.to_byte();
        let (algorithm, parameter) = self.compression.to_header();
        octets[45] = algorithm;
        octets[46..48].copy_from_slice(&self.order.u16_bytes(parameter as u16));
        octets
    }
}

/// Returns the entries of the level-1 table, or as many as the device needs when the header has an impossible number.
fn level1_entries(
    order: ByteOrder,
    compressed: &[u8],
    units: u32,
    file_bytes: u64,
    findings: &mut Vec<Finding>,
) -> u32 {
    let (entries, level2_entries) = (order.u32(&compressed[4..]), order.u32(&compressed[8..]));
    let needed = units.div_ceil(LEVEL2_ENTRIES);
    if level2_entries != LEVEL2_ENTRIES {
        let (found, right) = (u64::from(level2_entries), u64::from(LEVEL2_ENTRIES));
        let fault = CckdFault::Counter { name: "entries of a level-2 table", found, right };
        findings.push(Finding::at(CDEVHDR_OFFSET as u64 + 8, fault));
    }
    let table_fits = |entries: u32| LEVEL1_OFFSET + u64::from(entries) * 4 <= file_bytes;
    if entries < needed || (table_fits(needed) && !table_fits(entries)) {
        let fault = CckdFault::Level1Entries { entries, needed };
        findings.push(Finding::at(CDEVHDR_OFFSET as u64 + 4, fault));
        return needed;
    }
    if !table_fits(entries) {
        let needed_bytes = LEVEL1_OFFSET + u64::from(entries) * 4;
        findings.push(Finding::at(LEVEL1_OFFSET, CckdFault::EndsEarly { file_bytes, needed_bytes }));
    }
    entries
}

impl Counters {
    fn from_bytes(order: ByteOrder, compressed: &[u8]) -> Self {
        let field = |at: usize| order.u32(&compressed[at..]);
        Self {
            size: field(12),
            used: field(16),
            free_first: field(20),
            free_total: field(24),
            free_largest: field(28),
            free_spaces: field(32),
            free_imbedded: field(36),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the headers that `dasdinit -z x 3390 VOLSSS 40` of Hercules 3.13 wrote.
    fn of_dasdinit() -> [u8; HEADER_BYTES] {
        let mut octets = [0; HEADER_BYTES];
        octets[..20].copy_from_slice(b"CKD_C370\x0f\0\0\0\0\xde\0\0\x90\0\0\0");
        octets[512..552]
            .copy_from_slice(b"\0\x03\x01\x41\x03\0\0\0\0\x01\0\0\x62\x0d\0\0\x62\x0d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        octets[552..560].copy_from_slice(b"\x28\0\0\0\x01\x01\xff\xff");
        octets
    }

    #[test]
    fn the_headers_of_hercules_are_read_and_written_alike() {
        let (header, findings) = Header::from_bytes(&of_dasdinit(), 3426).unwrap();
        assert_eq!(findings, []);
        let device = CckdDevice::Ckd { device_type: 0x90, cylinders: 40, heads: 15, track_bytes: 56_832 };
        assert_eq!(header.device, device);
        assert_eq!((header.counters.size, header.counters.used), (0xD62, 0xD62));
        assert_eq!(header.tables_end(), 1036);
        assert_eq!(header.to_bytes(), of_dasdinit());
        let new = Header {
            counters: header.counters,
            ..Header::new(device, NullFormat::Empty, Compression::zlib())
        };
        assert_eq!(new.to_bytes(), of_dasdinit());
    }

    #[test]
    fn a_swapped_image_says_the_same() {
        let (header, _) = Header::from_bytes(&of_dasdinit(), 3426).unwrap();
        let swapped = Header { order: ByteOrder::Big, options: header.options | OPTION_BIG_ENDIAN, ..header };
        let octets = swapped.to_bytes();
        assert_eq!(&octets[512..532], b"\0\x03\x01\x43\0\0\0\x03\0\0\x01\0\0\0\x0d\x62\0\0\x0d\x62");
        assert_eq!(&octets[552..556], b"\x28\0\0\0");
        assert_eq!(Header::from_bytes(&octets, 3426), Ok((swapped, Vec::new())));
    }

    #[test]
    fn headers_that_cannot_be_used_say_why() {
        let read = |at: usize, octets: &[u8]| {
            let mut header = of_dasdinit();
            header[at..at + octets.len()].copy_from_slice(octets);
            Header::from_bytes(&header, 3426)
        };
        let with = |at, octets: &[u8]| read(at, octets).unwrap_err().fault;
        assert_eq!(with(0, b"CKD_P370"), CckdFault::NotCompressed);
        assert_eq!(with(0, b"CKD_S370"), CckdFault::Shadow);
        assert_eq!(with(0, b"CKD_C064"), CckdFault::Cckd64);
        assert!(matches!(with(552, &[0xFF; 4]), CckdFault::NoDevice(_)));
        let short = Header::from_bytes(&of_dasdinit(), 700).unwrap_err().fault;
        assert_eq!(short, CckdFault::EndsEarly { file_bytes: 700, needed_bytes: 1024 });
        let (header, findings) = read(516, &[2, 0, 0, 0]).unwrap();
        assert_eq!(header.level1_entries, 3);
        assert_eq!(findings, [Finding::at(516, CckdFault::Level1Entries { entries: 2, needed: 3 })]);
        let (header, _) = read(516, &[0, 0, 0, 0x7F]).unwrap();
        assert_eq!(header.level1_entries, 3);
        assert_eq!(read(520, &[0, 2, 0, 0]).unwrap().1.len(), 1);
        assert_eq!(read(515, &[0xC1]).unwrap().1, [Finding::at(515, CckdFault::NotClosed)]);
    }
}
