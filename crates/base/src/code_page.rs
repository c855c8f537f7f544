//! EBCDIC and Unicode: the code pages 1047 (Open Systems) and 037 (USA, Canada) of Latin 1.
//!
//! Both have the 256 characters of ISO 8859-1, each in a place of its own, so that every octet has a character
//! and translation there and back loses nothing. No library is used: those for text on other systems leave
//! code page 1047 out.

/// ISO 8859-1 of each octet of code page 1047.
#[rustfmt::skip]
const LATIN_1_OF_1047: [u8; 256] = [
    0x00, 0x01, 0x02, 0x03, 0x9C, 0x09, 0x86, 0x7F, 0x97, 0x8D, 0x8E, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,
    0x10, 0x11, 0x12, 0x13, 0x9D, 0x85, 0x08, 0x87, 0x18, 0x19, 0x92, 0x8F, 0x1C, 0x1D, 0x1E, 0x1F,
    0x80, 0x81, 0x82, 0x83, 0x84, 0x0A, 0x17, 0x1B, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x05, 0x06, 0x07,
    0x90, 0x91, 0x16, 0x93, 0x94, 0x95, 0x96, 0x04, 0x98, 0x99, 0x9A, 0x9B, 0x14, 0x15, 0x9E, 0x1A,
    0x20, 0xA0, 0xE2, 0xE4, 0xE0, 0xE1, 0xE3, 0xE5, 0xE7, 0xF1, 0xA2, 0x2E, 0x3C, 0x28, 0x2B, 0x7C,
    0x26, 0xE9, 0xEA, 0xEB, 0xE8, 0xED, 0xEE, 0xEF, 0xEC, 0xDF, 0x21, 0x24, 0x2A, 0x29, 0x3B, 0x5E,
    0x2D, 0x2F, 0xC2, 0xC4, 0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xD1, 0xA6, 0x2C, 0x25, 0x5F, 0x3E, 0x3F,
    0xF8, 0xC9, 0xCA, 0xCB, 0xC8, 0xCD, 0xCE, 0xCF, 0xCC, 0x60, 0x3A, 0x23, 0x40, 0x27, 0x3D, 0x22,
    0xD8, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xAB, 0xBB, 0xF0, 0xFD, 0xFE, 0xB1,
    0xB0, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x72, 0xAA, 0xBA, 0xE6, 0xB8, 0xC6, 0xA4,
    0xB5, 0x7E, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0xA1, 0xBF, 0xD0, 0x5B, 0xDE, 0xAE,
    0xAC, 0xA3, 0xA5, 0xB7, 0xA9, 0xA7, 0xB6, 0xBC, 0xBD, 0xBE, 0xDD, 0xA8, 0xAF, 0x5D, 0xB4, 0xD7,
    0x7B, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0xAD, 0xF4, 0xF6, 0xF2, 0xF3, 0xF5,
    0x7D, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50, 0x51, 0x52, 0xB9, 0xFB, 0xFC, 0xF9, 0xFA, 0xFF,
    0x5C, 0xF7, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0xB2, 0xD4, 0xD6, 0xD2, 0xD3, 0xD5,
    0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0xB3, 0xDB, 0xDC, 0xD9, 0xDA, 0x9F,
];

/// Octet in code page 1047 of each character of ISO 8859-1.
const OF_LATIN_1_IN_1047: [u8; 256] = {
    let mut octets = [0; 256];
    let mut octet = 0;
    while octet < 256 {
        octets[LATIN_1_OF_1047[octet] as usize] = octet as u8;
        octet += 1;
    }
    octets
};

/// Differences of code page 037 from 1047: octet and ISO 8859-1.
const OTHERWISE_IN_037: [(u8, u8); 6] =
    [(0x5F, 0xAC), (0xAD, 0xDD), (0xB0, 0x5E), (0xBA, 0x5B), (0xBB, 0x5D), (0xBD, 0xA8)];

/// EBCDIC of a character that a code page does not have: substitute.
const SUBSTITUTE: u8 = 0x3F;

/// Octet of the new line, and that of the line feed.
const NEW_LINE: u8 = 0x15;
const LINE_FEED: u8 = 0x25;

/// Line ends of a text in EBCDIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// X'15' is U+0085 and X'25' is LF, as Unicode has them and as fields of labels and records are shown.
    LineFeed,
    /// X'15' is LF and X'25' is U+0085, as z/OS UNIX writes its files.
    NewLine,
}

impl LineEnd {
    /// Swaps the two octets of the line ends where the text has them swapped.
    pub fn in_table(self, octet: u8) -> u8 {
        match (self, octet) {
            (Self::NewLine, NEW_LINE) => LINE_FEED,
            (Self::NewLine, LINE_FEED) => NEW_LINE,
            (_, octet) => octet,
        }
    }
}

/// An EBCDIC code page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodePage {
    /// 1047: Latin 1, Open Systems; that of z/OS UNIX and of C.
    Page1047,
    /// 037: USA and Canada.
    Page037,
}

impl CodePage {
    /// Returns the character of an octet. New line (X'15') is U+0085, as Unicode has it.
    pub fn character(self, octet: u8) -> char {
        char::from(self.latin_1(octet))
    }

    /// Returns the octet of a character, or nothing when the code page has no such character.
    pub fn octet(self, character: char) -> Option<u8> {
        let latin_1 = u8::try_from(u32::from(character)).ok()?;
        let moved = || OTHERWISE_IN_037.iter().find(|(_, other)| *other == latin_1).map(|(octet, _)| *octet);
        let otherwise = if self == Self::Page037 { moved() } else { None };
        Some(otherwise.unwrap_or(OF_LATIN_1_IN_1047[usize::from(latin_1)]))
    }

    /// Returns the text of a run of octets.
    pub fn text(self, octets: &[u8]) -> String {
        octets.iter().map(|octet| self.character(*octet)).collect()
    }

    /// Returns the octets of a text; a character that the code page does not have becomes a substitute (X'3F').
    pub fn octets(self, text: &str) -> Vec<u8> {
        text.chars().map(|character| self.octet(character).unwrap_or(SUBSTITUTE)).collect()
    }

    /// Returns the character of an octet where it can be printed; a full stop where not.
    pub fn printable(self, octet: u8) -> char {
        let character = self.character(octet);
        if character.is_control() || character == '\u{AD}' { '.' } else { character }
    }

    /// Decodes a file whose lines end in `ends`.
    pub fn decode(self, octets: &[u8], ends: LineEnd) -> String {
        octets.iter().map(|octet| self.character(ends.in_table(*octet))).collect()
    }

    /// Encodes a character of a file whose lines end in `ends`; nothing when the code page has no such character.
    pub fn encode(self, character: char, ends: LineEnd) -> Option<u8> {
        self.octet(character).map(|octet| ends.in_table(octet))
    }

    fn latin_1(self, octet: u8) -> u8 {
        let of_1047 = LATIN_1_OF_1047[usize::from(octet)];
        match self {
            Self::Page1047 => of_1047,
            Self::Page037 => {
                let other = OTHERWISE_IN_037.iter().find(|(at, _)| *at == octet);
                other.map_or(of_1047, |(_, latin_1)| *latin_1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_octet_has_a_character_of_its_own() {
        for page in [CodePage::Page1047, CodePage::Page037] {
            for octet in 0..=u8::MAX {
                assert_eq!(page.octet(page.character(octet)), Some(octet), "{page:?} {octet:02X}");
            }
        }
    }

    #[test]
    fn the_pages_differ_in_brackets_caret_and_not() {
        let octets = [0xAD, 0xBD, 0xBA, 0xBB, 0x5F, 0xB0];
        assert_eq!(CodePage::Page1047.text(&octets), "[]Ý¨^¬");
        assert_eq!(CodePage::Page037.text(&octets), "Ý¨[]¬^");
    }

    #[test]
    fn names_are_as_the_architecture_has_them() {
        let octets = [0xE5, 0xD6, 0xD3, 0xF1, 0x40, 0x5B, 0x7B, 0x7C, 0x4B];
        assert_eq!(CodePage::Page037.text(&octets), "VOL1 $#@.");
        assert_eq!(CodePage::Page1047.octets("VOL1 $#@."), octets);
        assert_eq!(CodePage::Page1047.octets("€"), [SUBSTITUTE]);
    }

    #[test]
    fn line_ends_are_exchanged_by_policy() {
        let octets = [0xC1, 0x15, 0xC2, 0x25];
        for (ends, text) in [(LineEnd::NewLine, "A\nB\u{85}"), (LineEnd::LineFeed, "A\u{85}B\n")] {
            assert_eq!(CodePage::Page1047.decode(&octets, ends), text);
            let encoded: Vec<u8> =
                text.chars().filter_map(|character| CodePage::Page1047.encode(character, ends)).collect();
            assert_eq!(encoded, octets);
        }
    }

    #[test]
    fn what_cannot_be_printed_is_a_full_stop() {
        let shown: String =
            [0x00, 0xC1, 0x15, 0xFF].map(|octet| CodePage::Page1047.printable(octet)).iter().collect();
        assert_eq!(shown, ".A..");
    }
}
