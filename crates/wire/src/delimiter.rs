//! Frame delimiters: ordered sets and their codes in FCIP and FCoE (FC-FS, RFC 3643; reference section 1.2).

/// Octets of an ordered set.
pub const DELIMITER_BYTES: usize = 4;

/// Start of frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sof {
    /// SOFi3: first frame of a class-3 sequence.
    Initiate3,
    /// SOFn3: later frame of a class-3 sequence.
    Normal3,
    /// SOFi2.
    Initiate2,
    /// SOFn2.
    Normal2,
    /// SOFf: between the ports of a fabric.
    Fabric,
}

/// End of frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Eof {
    /// EOFn: not the last frame of its sequence.
    Normal,
    /// EOFt: the last frame of its sequence.
    Terminate,
    /// EOFa: the sender gave the frame up.
    Abort,
    /// EOFni: a port on the way found the frame invalid.
    NormalInvalid,
}

impl Sof {
    const ALL: [(Self, [u8; 4], u8); 5] = [
        (Self::Initiate3, [0xBC, 0xB5, 0x56, 0x56], 0x2E),
        (Self::Normal3, [0xBC, 0xB5, 0x36, 0x36], 0x36),
        (Self::Initiate2, [0xBC, 0xB5, 0x55, 0x55], 0x2D),
        (Self::Normal2, [0xBC, 0xB5, 0x35, 0x35], 0x35),
        (Self::Fabric, [0xBC, 0xB5, 0x58, 0x58], 0x28),
    ];

    /// Returns the delimiter of an ordered set.
    #[must_use]
    pub fn from_word(word: [u8; DELIMITER_BYTES]) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.1 == word).map(|entry| entry.0)
    }

    /// Returns the delimiter of an encapsulation's code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.2 == code).map(|entry| entry.0)
    }

    /// Returns the ordered set.
    #[must_use]
    pub const fn word(self) -> [u8; DELIMITER_BYTES] {
        Self::ALL[self as usize].1
    }

    /// Returns the code in FCIP and FCoE.
    #[must_use]
    pub const fn code(self) -> u8 {
        Self::ALL[self as usize].2
    }
}

impl Eof {
    /// Ordered sets by running disparity: the second is what goes out here.
    const ALL: [(Self, [[u8; 4]; 2], u8); 4] = [
        (Self::Normal, [[0xBC, 0x95, 0xD5, 0xD5], [0xBC, 0xB5, 0xD5, 0xD5]], 0x41),
        (Self::Terminate, [[0xBC, 0x95, 0x75, 0x75], [0xBC, 0xB5, 0x75, 0x75]], 0x42),
        (Self::Abort, [[0xBC, 0x95, 0xF5, 0xF5], [0xBC, 0xB5, 0xF5, 0xF5]], 0x50),
        (Self::NormalInvalid, [[0xBC, 0x8A, 0xD5, 0xD5], [0xBC, 0xAA, 0xD5, 0xD5]], 0x49),
    ];

    /// Returns the delimiter of an ordered set of either disparity.
    #[must_use]
    pub fn from_word(word: [u8; DELIMITER_BYTES]) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.1.contains(&word)).map(|entry| entry.0)
    }

    /// Returns the delimiter of an encapsulation's code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.2 == code).map(|entry| entry.0)
    }

    /// Returns the ordered set.
    #[must_use]
    pub const fn word(self) -> [u8; DELIMITER_BYTES] {
        Self::ALL[self as usize].1[1]
    }

    /// Returns the code in FCIP and FCoE.
    #[must_use]
    pub const fn code(self) -> u8 {
        Self::ALL[self as usize].2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_codes_name_their_delimiters() {
        for (index, (sof, word, code)) in Sof::ALL.into_iter().enumerate() {
            assert_eq!((sof as usize, sof.word(), sof.code()), (index, word, code));
            assert_eq!((Sof::from_word(word), Sof::from_code(code)), (Some(sof), Some(sof)));
        }
        for (index, (eof, words, code)) in Eof::ALL.into_iter().enumerate() {
            assert_eq!((eof as usize, eof.word(), eof.code()), (index, words[1], code));
            assert_eq!(words.map(Eof::from_word), [Some(eof); 2]);
            assert_eq!(Eof::from_code(code), Some(eof));
        }
        assert_eq!((Sof::from_code(0x41), Eof::from_word([0xBC, 0xB5, 0x56, 0x56])), (None, None));
    }
}
