//! RECFM: how logical records lie in the blocks of a data set.

use std::fmt;

/// How records lie in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Blocking {
    /// Records of one length (F).
    Fixed,
    /// Records behind their length (V).
    Variable,
    /// A block is a record (U).
    Undefined,
    /// The DSCB does not contain it.
    Unknown,
}

/// The octet DS1RECFM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordFormat(pub u8);

impl RecordFormat {
    const FORM: u8 = 0xC0;
    const UNDEFINED: u8 = 0xC0;
    const FIXED: u8 = 0x80;
    const VARIABLE: u8 = 0x40;
    const TRACK_OVERFLOW: u8 = 0x20;
    const BLOCKED: u8 = 0x10;
    const STANDARD_OR_SPANNED: u8 = 0x08;
    const ASA: u8 = 0x04;
    const MACHINE: u8 = 0x02;

    /// Returns how records lie in a block.
    pub const fn blocking(self) -> Blocking {
        match self.0 & Self::FORM {
            Self::UNDEFINED => Blocking::Undefined,
            Self::FIXED => Blocking::Fixed,
            Self::VARIABLE => Blocking::Variable,
            _ => Blocking::Unknown,
        }
    }

    /// Returns whether a record may go over several blocks.
    pub const fn is_spanned(self) -> bool {
        matches!(self.blocking(), Blocking::Variable) && self.0 & Self::STANDARD_OR_SPANNED != 0
    }

    /// Returns whether a block may go over several tracks: not read here.
    pub const fn has_track_overflow(self) -> bool {
        self.0 & Self::TRACK_OVERFLOW != 0
    }
}

/// Form of job control: `FB`, `VBS`, `FBA`; nothing when the DSCB does not contain it.
impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = match self.blocking() {
            Blocking::Fixed => "F",
            Blocking::Variable => "V",
            Blocking::Undefined => "U",
            Blocking::Unknown => "",
        };
        f.write_str(letters)?;
        let marks = [
            (Self::BLOCKED, "B"),
            (Self::STANDARD_OR_SPANNED, "S"),
            (Self::TRACK_OVERFLOW, "T"),
            (Self::ASA, "A"),
            (Self::MACHINE, "M"),
        ];
        for (bit, letter) in marks {
            if self.0 & bit != 0 {
                f.write_str(letter)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_job_control() {
        let shown =
            [(0x90, "FB"), (0x94, "FBA"), (0x58, "VBS"), (0xC0, "U"), (0x80, "F"), (0, ""), (0x54, "VBA")];
        for (octet, letters) in shown {
            assert_eq!(RecordFormat(octet).to_string(), letters);
        }
        assert!(RecordFormat(0x48).is_spanned() && !RecordFormat(0x98).is_spanned());
    }
}
