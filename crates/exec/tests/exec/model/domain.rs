//! Define Extent, Locate Record and Prefix, and what a domain allows.

use crate::model::chain::{At, Before, Extent};
use crate::model::fault::{Fault, INVALID_COMMAND, INVALID_PARAMETER, INVALID_SEQUENCE, MASKED, SHORT_COUNT};
use crate::model::line::{Line, Outcome, done, further_bytes};
use crate::model::unit::Unit;
use crate::model::volume::{CYLINDERS, HEADS};

/// Block size that zero stands for: reference 5.2.
const MAXIMUM_BLOCK_BYTES: u16 = 57_334;

/// Operations of a domain; those of byte 17 have 0x100 added.
const ORIENT: u16 = 0x00;
const WRITE_DATA: u16 = 0x01;
const FORMAT_WRITE: u16 = 0x03;
const READ_DATA: u16 = 0x06;
const WRITE_TRACK: u16 = 0x0B;
const READ_TRACKS: u16 = 0x0C;
const READ: u16 = 0x16;
const WRITE_ANY: u16 = 0x109;
const READ_ANY: u16 = 0x10A;
const READ_TRACK_SET: u16 = 0x10E;
const WRITE_FULL_TRACK: u16 = 0x111;
const WRITE_TRACK_DATA: u16 = 0x123;
/// Orientations and operations that both forms of Locate Record have.
const ORIENTED_BOTH: [u8; 12] = [0x01, 0x81, 0x03, 0x43, 0xC3, 0x0B, 0x0C, 0x4C, 0x16, 0x56, 0x96, 0xD6];
/// Orientations and operations of the short form alone, as an emulator has them.
const ORIENTED_SHORT: [u8; 6] = [0x00, 0x40, 0x80, 0x06, 0x46, 0x86];
/// Only the Read Count that a suffix announced.
const SUFFIX: u16 = 0x200;

/// The command that a locating DCW has the data of.
#[derive(Debug, Clone, Copy)]
pub struct Imbedded {
    /// Its code.
    pub command: u8,
    /// How often it is executed.
    pub units: u32,
    /// A check word follows the data of each track but the last.
    pub check_words: bool,
}

/// An open domain.
#[derive(Debug, Clone)]
pub struct Domain {
    /// Operation.
    pub operation: u16,
    /// Records or tracks left.
    pub left: u32,
    /// One Read Count follows.
    pub suffix: bool,
    /// Bytes of the last track, when the transfer-length factor has them.
    pub last_track_bytes: Option<u16>,
    /// Bytes of each record that is updated.
    pub update_bytes: Option<u16>,
    /// The tracks of a set that follow, as distances from the track before.
    pub set: Option<Vec<u32>>,
    /// The imbedded command.
    pub imbedded: Option<Imbedded>,
}

impl Domain {
    /// Returns whether nothing is left but the Read Count of a suffix.
    pub fn is_suffix(&self) -> bool {
        self.operation == SUFFIX
    }

    /// Returns the track after one, if the domain and the device have it.
    pub fn next_track(&mut self, here: u32) -> Option<u32> {
        let distance = match &mut self.set {
            Some(set) if set.is_empty() => return None,
            Some(set) => set.remove(0),
            None => 1,
        };
        Some(here + distance).filter(|&next| next < CYLINDERS * HEADS)
    }
}

impl Unit {
    /// Executes Define Extent.
    pub fn define_extent(&mut self, bytes: &[u8]) -> Outcome {
        if self.chain.extent.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        let extent = self.extent(bytes, 0x63)?;
        self.chain.extent = Some(extent);
        done(bytes.len())
    }

    /// Returns the extent of parameters of 16 bytes, or 32.
    fn extent(&self, bytes: &[u8], command: u8) -> Result<Extent, Fault> {
        if bytes.len() < 16 {
            return Err(SHORT_COUNT);
        }
        if bytes[0] & 0x20 != 0 || bytes[0] & 0x06 == 0x06 {
            return Err(INVALID_PARAMETER);
        }
        if bytes[1] & 0xC0 != 0xC0 || bytes[1] & 0x1C > 0x14 || bytes[6] != 0 {
            return Err(INVALID_PARAMETER);
        }
        if bytes.len() < 16 + further_bytes(command, bytes).min(16) {
            return Err(SHORT_COUNT);
        }
        let begin = self.volume.find(&bytes[8..12]).ok_or(INVALID_PARAMETER)?;
        let end = self.volume.find(&bytes[12..16]).ok_or(INVALID_PARAMETER)?;
        if begin > end {
            return Err(INVALID_PARAMETER);
        }
        let block = u16::from(bytes[2]) << 8 | u16::from(bytes[3]);
        let block_bytes = if block == 0 { MAXIMUM_BLOCK_BYTES } else { block };
        let declared = bytes.len() >= 32 && bytes[7] & 0x40 != 0 && bytes[24] & 0x20 != 0;
        let records = declared.then(|| bytes[27]);
        Ok(Extent { mask: bytes[0], block_bytes, begin, end, records })
    }

    /// Executes Locate Record.
    pub fn locate_record(&mut self, bytes: &[u8]) -> Outcome {
        if self.chain.extent.is_none() {
            return Err(INVALID_SEQUENCE);
        }
        if bytes.len() < 16 {
            return Err(SHORT_COUNT);
        }
        let operation = u16::from(bytes[0] & 0x3F);
        let known = ORIENTED_BOTH.contains(&bytes[0]) || ORIENTED_SHORT.contains(&bytes[0]);
        let reserved = bytes[1] & 0x7E != 0 || bytes[2] != 0;
        if !known || reserved || (bytes[3] == 0) != (operation == ORIENT) {
            return Err(INVALID_PARAMETER);
        }
        check_common(bytes)?;
        self.locate(bytes, operation, false, None)?;
        done(16)
    }

    /// Executes Locate Record Extended.
    pub fn locate_record_extended(&mut self, bytes: &[u8]) -> Outcome {
        if self.chain.extent.is_none() {
            return Err(INVALID_SEQUENCE);
        }
        let operation = operation(bytes, false)?;
        self.locate_extended(bytes, operation)?;
        done(bytes.len())
    }

    fn locate_extended(&mut self, bytes: &[u8], operation: u16) -> Result<(), Fault> {
        let units = if bytes[1] & 0x04 != 0 { bytes[16] } else { bytes[3] };
        if units > bytes[3] {
            return Err(INVALID_PARAMETER);
        }
        let imbedded = (bytes[1] & 0x20 != 0).then_some(Imbedded {
            command: bytes[2],
            units: u32::from(units),
            check_words: bytes[1] & 0x10 != 0,
        });
        let set = match (matches!(operation, READ_TRACK_SET | WRITE_FULL_TRACK), announced(bytes)) {
            (_, []) => None,
            (true, bits) => Some(distances(bits, bytes[3])?),
            (false, _) => return Err(INVALID_PARAMETER),
        };
        self.locate(bytes, operation, bytes[1] & 0x40 != 0, set)?;
        if let Some(domain) = &mut self.chain.domain {
            domain.imbedded = imbedded;
        }
        Ok(())
    }

    /// Returns the common part of both forms.
    fn locate(
        &mut self,
        bytes: &[u8],
        operation: u16,
        last_track: bool,
        set: Option<Vec<u32>>,
    ) -> Result<(), Fault> {
        let factor = u16::from(bytes[14]) << 8 | u16::from(bytes[15]);
        let block = self.chain.extent.map_or(0, |extent| extent.block_bytes);
        if !last_track && factor > block {
            return Err(INVALID_PARAMETER);
        }
        match operation {
            WRITE_DATA | WRITE_ANY | WRITE_TRACK_DATA => self.permit(true, false)?,
            FORMAT_WRITE | WRITE_TRACK => self.permit(false, false)?,
            // A full track has its record zero.
            WRITE_FULL_TRACK => self.permit(false, true)?,
            _ => {}
        }
        let track = self.volume.find(&bytes[4..8]).ok_or(INVALID_PARAMETER)?;
        self.go(track)?;
        self.orient(bytes)?;
        if operation != ORIENT {
            self.chain.domain = Some(Domain {
                operation,
                left: u32::from(bytes[3]),
                suffix: bytes[1] & 0x01 != 0,
                last_track_bytes: last_track.then_some(factor).filter(|&factor| factor != 0),
                update_bytes: match (operation, last_track || factor == 0) {
                    (WRITE_DATA, true) => Some(block),
                    (WRITE_DATA | WRITE_ANY, false) => Some(factor),
                    _ => None,
                },
                set,
                imbedded: None,
            });
        }
        Ok(())
    }

    /// Orients to the record, home address or index that the parameters name. Data orientation stands behind the
    /// data area of the record: a choice.
    fn orient(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.chain.at = match bytes[0] & 0xC0 {
            _ if bytes[0] == 0x3F => At::Count(self.search(bytes)?),
            0xC0 => At::Index,
            0x40 if self.track().home[1..] == bytes[8..12] => At::Home,
            0x40 => return Err(Fault::NoRecord),
            0x80 => At::Data(self.search(bytes)?),
            _ => At::Count(self.search(bytes)?),
        };
        Ok(())
    }

    fn search(&self, bytes: &[u8]) -> Result<usize, Fault> {
        let records = &self.track().records;
        let is_sought = |place: &usize| records[*place].count[..5] == bytes[8..13];
        // A choice where two records have the same ID: the one at the place of its number, or else the first.
        let number = usize::from(bytes[12]);
        if number < records.len() && is_sought(&number) {
            return Ok(number);
        }
        (0..records.len()).find(is_sought).ok_or(Fault::NoRecord)
    }

    /// Returns the prefix.
    pub fn prefix(&mut self, bytes: &[u8]) -> Outcome {
        if self.chain.extent.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        if bytes.len() < 64 {
            return Err(SHORT_COUNT);
        }
        if bytes[5..12].iter().any(|&byte| byte != 0) {
            return Err(INVALID_PARAMETER);
        }
        // A choice of order: all of the parameters are read before any of them is acted upon.
        let fields = if bytes[1] & 0x80 != 0 { check_extent(&bytes[12..44]) } else { Ok(()) };
        fields?;
        let operation = match bytes[0] {
            0 => None,
            1 => Some(operation(&bytes[44..], true)?),
            _ => return Err(INVALID_PARAMETER),
        };
        if bytes[1] & 0x80 != 0 {
            let extent = self.extent(&bytes[12..44], 0x63)?;
            self.chain.extent = Some(extent);
        }
        if let Some(operation) = operation {
            if self.chain.extent.is_none() {
                return Err(INVALID_SEQUENCE);
            }
            self.locate_extended(&bytes[44..], operation)?;
        }
        done(bytes.len())
    }

    /// Executes a command that moves data inside a domain.
    pub fn in_domain(&mut self, command: u8, line: &mut impl Line) -> Outcome {
        let Some(domain) = self.chain.domain.clone() else { return Err(INVALID_SEQUENCE) };
        if !is_known(command) {
            return Err(INVALID_COMMAND);
        }
        if !allowed(&domain, command) {
            return Err(INVALID_SEQUENCE);
        }
        let many = command & 0x80 != 0;
        let outcome = match command {
            0x06 | 0x86 => self.read_data(many, line),
            0x0E | 0x8E => self.read_key_and_data(many, line),
            0x12 | 0x92 => self.read_count(many, line),
            0x1E | 0x9E => self.read_count_key_and_data(many, line),
            0x16 | 0x96 => self.read_record_zero(many, line),
            0x0A | 0x1A | 0x9A => self.read_home_address(command, line),
            0x05 | 0x0D | 0x85 | 0x8D => self.update(command, line),
            0x1D => self.format_behind(line),
            0x9D => self.format_next_track(line),
            0x11 => self.erase(line),
            0x15 => self.write_record_zero(line),
            0x19 => self.write_home_address(line),
            0xDE => self.read_track(line),
            0xA6 => self.read_track_data(&domain, line),
            0xA5 => self.write_track_data(&domain, line),
            0x95 => self.write_full_track(line),
            _ => Err(INVALID_SEQUENCE),
        }?;
        self.chain.before = self.after(command, outcome.status);
        self.chain.domain = self.chain.domain.take().and_then(after_one);
        Ok(outcome)
    }

    /// Returns whether the command before located.
    pub fn behind_locate(&self) -> bool {
        self.chain.before == Before::Locate
    }

    /// Fails when the file mask does not let a kind of write through.
    pub fn permit(&self, update: bool, home_or_zero: bool) -> Result<(), Fault> {
        let permitted = match self.chain.mask() >> 6 {
            0 => !home_or_zero,
            1 => false,
            2 => update,
            _ => true,
        };
        if permitted { Ok(()) } else { Err(MASKED) }
    }
}

/// Returns the domain after one more unit.
fn after_one(mut domain: Domain) -> Option<Domain> {
    domain.left -= 1;
    if domain.left > 0 {
        return Some(domain);
    }
    domain.suffix.then_some(Domain { operation: SUFFIX, left: 1, suffix: false, ..domain })
}

/// Checks an extent independently of the volume.
fn check_extent(bytes: &[u8]) -> Result<(), Fault> {
    let mask = bytes[0] & 0x20 == 0 && bytes[0] & 0x06 != 0x06;
    let attributes = bytes[1] & 0xC0 == 0xC0 && bytes[1] & 0x1C <= 0x14;
    if mask && attributes && bytes[6] == 0 { Ok(()) } else { Err(INVALID_PARAMETER) }
}

/// Checks the common part of both forms of locate parameters.
fn check_common(bytes: &[u8]) -> Result<(), Fault> {
    let factor = bytes[14] != 0 || bytes[15] != 0;
    let sector = bytes[13] <= 223 || bytes[13] == 0xFF;
    if (bytes[1] & 0x80 != 0) == factor && sector { Ok(()) } else { Err(INVALID_PARAMETER) }
}

/// Returns the bytes of extended parameters that Locate Record Extended announces.
fn parameter_bytes(bytes: &[u8]) -> usize {
    usize::from(bytes[18]) << 8 | usize::from(bytes[19])
}

/// Returns the extended parameters. A DCW may have more control data, which mean nothing: a choice.
fn announced(bytes: &[u8]) -> &[u8] {
    &bytes[20..20 + parameter_bytes(bytes)]
}

/// Checks the parameters of Locate Record Extended, and returns their operation.
fn operation(bytes: &[u8], in_prefix: bool) -> Result<u16, Fault> {
    if bytes.len() < 20 {
        return Err(SHORT_COUNT);
    }
    let low = bytes[0];
    let operation = if low == 0x3F { 0x100 | u16::from(bytes[17]) } else { u16::from(low & 0x3F) };
    let known = match low {
        0x3F => {
            [WRITE_ANY, READ_ANY, READ_TRACK_SET, WRITE_FULL_TRACK, WRITE_TRACK_DATA].contains(&operation)
        }
        // A choice: byte 17 is zero where it has no meaning.
        _ => (ORIENTED_BOTH.contains(&low) || in_prefix && low == 0x06) && bytes[17] == 0,
    };
    if !known || bytes[1] & 0x02 != 0 || bytes[1] & 0x18 == 0x18 || bytes[3] == 0 {
        return Err(INVALID_PARAMETER);
    }
    if (bytes[1] & 0x80 != 0) != (bytes[14] != 0 || bytes[15] != 0) {
        return Err(INVALID_PARAMETER);
    }
    if bytes.len() < 20 + parameter_bytes(bytes) {
        return Err(SHORT_COUNT);
    }
    check_common(bytes)?;
    Ok(operation)
}

/// Returns the tracks of a set behind the first, as distances. A choice: it names the track sought, and as many
/// tracks as the count.
fn distances(bits: &[u8], count: u8) -> Result<Vec<u32>, Fault> {
    let tracks: Vec<u32> = (0..bits.len() as u32 * 8)
        .filter(|track| bits[(track / 8) as usize] << (track % 8) & 0x80 != 0)
        .collect();
    if bits.len() > 32 || tracks.first() != Some(&0) || tracks.len() != usize::from(count) {
        return Err(INVALID_PARAMETER);
    }
    Ok(tracks.windows(2).map(|pair| pair[1] - pair[0]).collect())
}

/// Returns whether the device has a command at all.
fn is_known(command: u8) -> bool {
    let device =
        matches!(command, 0x04 | 0x14 | 0x22 | 0x34 | 0x3E | 0x64 | 0x94 | 0xA4 | 0xB4 | 0xE4 | 0xFA);
    let search = matches!(command & 0x7F, 0x29 | 0x49 | 0x69 | 0x31 | 0x51 | 0x71 | 0x39);
    let record = matches!(command & 0x7F, 0x05 | 0x06 | 0x0D | 0x0E | 0x12 | 0x16 | 0x1A | 0x1D | 0x1E);
    let other = matches!(command, 0x02 | 0x0A | 0x11 | 0x15 | 0x19 | 0x5E | 0x95 | 0xA5 | 0xA6 | 0xDE);
    device || search || record || other
}

/// Returns which commands a domain lets in.
fn allowed(domain: &Domain, command: u8) -> bool {
    let data = matches!(command, 0x06 | 0x86 | 0x0E | 0x8E);
    let count = matches!(command, 0x12 | 0x92);
    let other = matches!(command, 0x0A | 0x16 | 0x96 | 0x1A | 0x9A | 0x1E | 0x9E);
    let update = matches!(command, 0x05 | 0x85 | 0x0D | 0x8D);
    let format = matches!(command, 0x1D | 0x9D | 0x15 | 0x11);
    match domain.operation {
        WRITE_DATA => update,
        FORMAT_WRITE => format || command == 0x19,
        WRITE_TRACK => format,
        // A choice: operations 06 and 16 differ in how the device prepares, not in what they permit.
        READ_DATA | READ => data || count || other,
        READ_TRACKS => matches!(command, 0xDE | 0xA6),
        READ_ANY => data || count || other || matches!(command, 0xDE | 0xA6),
        WRITE_ANY => update || command == 0xA5,
        READ_TRACK_SET => command == 0xDE,
        WRITE_FULL_TRACK => command == 0x95,
        WRITE_TRACK_DATA => command == 0xA5,
        SUFFIX => count,
        _ => false,
    }
}
