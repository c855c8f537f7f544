//! Parameters of commands, as bytes.

use crate::model::volume::cchh;

/// Returns Define Extent, 16 bytes, or 32.
pub fn define_extent(mask: u8, block: u16, begin: u32, end: u32, extended: bool) -> Vec<u8> {
    let [b0, b1] = block.to_be_bytes();
    let mut bytes = vec![mask, 0xC0, b0, b1, 0, 0, 0, if extended { 0x42 } else { 0x40 }];
    bytes.extend(cchh(begin));
    bytes.extend(cchh(end));
    if extended {
        bytes.extend([0; 16]);
    }
    bytes
}

/// Where a domain begins and what it is.
#[derive(Debug, Clone)]
pub struct Locate {
    /// Byte 0: orientation and operation.
    pub operation: u8,
    /// Byte 1.
    pub auxiliary: u8,
    /// Byte 2 of the extended form: imbedded command.
    pub imbedded: u8,
    /// Records or tracks.
    pub count: u8,
    /// Track.
    pub track: u32,
    /// Record.
    pub record: u8,
    /// Transfer-length factor.
    pub factor: u16,
    /// Byte 17.
    pub extended: u8,
}

impl Locate {
    /// Returns the 16 bytes of Locate Record.
    pub fn record(&self) -> Vec<u8> {
        let [f0, f1] = self.factor.to_be_bytes();
        let mut bytes = vec![self.operation, self.auxiliary, self.imbedded, self.count];
        bytes.extend(cchh(self.track));
        bytes.extend(cchh(self.track));
        bytes.extend([self.record, 0xFF, f0, f1]);
        bytes
    }

    /// Returns the 20 bytes of Locate Record Extended, and a bitmap of tracks where the operation has one.
    pub fn extended(&self) -> Vec<u8> {
        let mut bytes = self.record();
        let set = matches!(self.extended, 0x0E | 0x11) && self.operation == 0x3F;
        // Tracks of a set follow each other, or there is one between each two.
        let step = if self.record > 2 { 2 } else { 1 };
        let mut bits = vec![0; if set { (usize::from(self.count) * step).div_ceil(8) } else { 0 }];
        for track in (0..usize::from(self.count) * step).step_by(step).filter(|_| set) {
            bits[track / 8] |= 0x80 >> (track % 8);
        }
        bytes.extend([0, self.extended, 0, bits.len() as u8]);
        bytes.extend(bits);
        bytes
    }

    /// Returns the 64 bytes of Prefix, with the extent before.
    pub fn prefix(&self, mask: u8, block: u16, begin: u32, end: u32) -> Vec<u8> {
        let mut bytes = vec![1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(define_extent(mask, block, begin, end, true));
        bytes.extend(self.extended());
        bytes
    }
}
