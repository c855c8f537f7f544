//! Deck files as bytes: ASCII and UTF-8, Latin-1, EBCDIC; and back, byte for byte.
//!
//! Every byte string that is taken for a deck comes back as it was: each encoding is one to one, and so is the
//! change of record forms ([`Records`]).

use std::sync::Arc;

use halftrack_input::messages::deck::UNREADABLE;
use halftrack_input::{Diagnostic, SourceFile};

use crate::syntax::records::Records;
use halftrack_base::{CodePage, LineEnd};

/// How characters are written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// ASCII and all of UTF-8.
    Utf8,
    /// Bytes that are no UTF-8: each is one character of ISO 8859-1.
    Latin1,
    /// EBCDIC, code page 1047.
    Ebcdic1047,
}

impl Encoding {
    /// Returns the name in JSON and messages.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Latin1 => "latin-1",
            Encoding::Ebcdic1047 => "ebcdic-1047",
        }
    }
}

/// A deck file: its text, and how to write text as such a file again.
#[derive(Debug, Clone)]
pub struct DeckFile {
    /// The text, one card a line.
    pub source: Arc<SourceFile>,
    /// Encoding of the file.
    pub encoding: Encoding,
    /// Form of its cards.
    pub records: Records,
    /// The last record has its full length.
    whole: bool,
    /// How its lines end where it is EBCDIC.
    ends: LineEnd,
}

/// One byte in so many may be a control character in a text.
const CONTROL_SHARE: usize = 32;

impl DeckFile {
    /// Takes `bytes` for a deck file of the display name `name`.
    ///
    /// # Errors
    /// UTF-16 and everything that is no text.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Box<Diagnostic>> {
        let unreadable = |words: &str, fix: &str| {
            let source = SourceFile::new(name, "");
            Box::new(Diagnostic::error(UNREADABLE, &source, 0..0, words).fix(fix))
        };
        if is_utf_16(&bytes) {
            let fix = "write it as ASCII, UTF-8 or EBCDIC: `iconv -f UTF-16 -t UTF-8`";
            return Err(unreadable("the file is UTF-16, which no deck is written in", fix));
        }
        let encoding = encoding_of(&bytes);
        let line_feeds = !bytes.contains(&0x15) && bytes.contains(&0x25);
        let ends = if line_feeds { LineEnd::LineFeed } else { LineEnd::NewLine };
        let text = match encoding {
            Encoding::Utf8 => String::from_utf8(bytes).unwrap_or_default(),
            Encoding::Latin1 => bytes.iter().map(|&byte| char::from(byte)).collect(),
            Encoding::Ebcdic1047 => CodePage::Page1047.decode(&bytes, ends),
        };
        if is_binary(&text) {
            let fix = "name the file with the cards, as HCD or IOCP writes it";
            return Err(unreadable("the file is not text, in ASCII or in EBCDIC", fix));
        }
        let records = Records::of(&text);
        let whole = text.chars().count().is_multiple_of(80);
        let source = SourceFile::new(name, records.to_lines(text));
        Ok(Self { source, encoding, records, whole, ends })
    }

    /// Encodes `text`, one card a line, as a file of this encoding and record form.
    ///
    /// # Errors
    ///
    /// A character that the encoding does not have.
    pub fn to_bytes(&self, text: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
        let text = self.records.put_back(text, self.whole);
        if self.encoding == Encoding::Utf8 {
            return Ok(text.into_bytes());
        }
        let mut bytes = Vec::with_capacity(text.len());
        for (at, ch) in text.char_indices() {
            let octet = match self.encoding {
                Encoding::Ebcdic1047 => CodePage::Page1047.encode(ch, self.ends),
                Encoding::Utf8 | Encoding::Latin1 => u8::try_from(u32::from(ch)).ok(),
            };
            let Some(octet) = octet else {
                let source = SourceFile::new(self.source.name.as_str(), text.as_str());
                let message = format!("the character {ch} cannot be written as {}", self.encoding.name());
                let message = Diagnostic::error(UNREADABLE, &source, at..at + ch.len_utf8(), message);
                return Err(Box::new(message.fix("use characters that the file can hold")));
            };
            bytes.push(octet);
        }
        Ok(bytes)
    }
}

/// Returns true for a mark of UTF-16, or for so many zero bytes in one parity that every other byte is one.
fn is_utf_16(bytes: &[u8]) -> bool {
    let zeros = |parity: usize| bytes.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    bytes.starts_with(&[0xFF, 0xFE])
        || bytes.starts_with(&[0xFE, 0xFF])
        || (bytes.len() >= 4 && zeros(0).abs_diff(zeros(1)) * 4 > bytes.len())
}

/// Guesses the encoding of `bytes`. EBCDIC has its letters and digits above 7F and its blank at 40; ASCII has
/// neither.
fn encoding_of(bytes: &[u8]) -> Encoding {
    let count = |wanted: fn(u8) -> bool| bytes.iter().filter(|&&byte| wanted(byte)).count();
    let high = count(|byte| matches!(byte, 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9 | 0xF0..=0xF9));
    let low = count(|byte| byte.is_ascii_alphanumeric());
    if high > low && count(|byte| byte == 0x40) >= count(|byte| byte == b' ') {
        Encoding::Ebcdic1047
    } else if std::str::from_utf8(bytes).is_ok() {
        Encoding::Utf8
    } else {
        Encoding::Latin1
    }
}

/// Returns true for more control characters than a text has. Filling at the end of a file (NUL, X'1A') does not
/// count.
fn is_binary(text: &str) -> bool {
    let text = text.trim_end_matches(['\0', '\u{1a}']);
    let allowed = |ch: char| matches!(ch, '\t' | '\n' | '\r' | '\u{c}' | '\u{1a}' | '\u{85}');
    let controls = text.chars().filter(|&ch| ch.is_control() && !allowed(ch)).count();
    controls * CONTROL_SHARE > text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECK: &str = "* B\u{fc}RO\n         ID MSG1='A',SYSTEM=(3931,1)\n         RESOURCE PART=((A,1))\n";

    fn ebcdic(text: &str) -> Vec<u8> {
        let octet =
            |ch| CodePage::Page1047.encode(ch, LineEnd::NewLine).expect("a character of the code page");
        text.chars().map(octet).collect()
    }

    fn again(bytes: &[u8]) -> DeckFile {
        let file = DeckFile::from_bytes("d", bytes.to_vec()).expect("a deck");
        assert_eq!(file.to_bytes(&file.source.text).expect("bytes"), bytes);
        file
    }

    #[test]
    fn every_encoding_gives_the_same_text_and_the_same_bytes_back() {
        let latin: Vec<u8> = DECK.chars().map(|ch| ch as u8).collect();
        for (bytes, encoding) in [
            (DECK.as_bytes().to_vec(), Encoding::Utf8),
            (latin, Encoding::Latin1),
            (ebcdic(DECK), Encoding::Ebcdic1047),
        ] {
            let file = again(&bytes);
            assert_eq!((file.encoding, file.source.text.as_str()), (encoding, DECK));
        }
    }

    #[test]
    fn ebcdic_lines_may_end_in_hexadecimal_25() {
        let bytes: Vec<u8> =
            ebcdic(DECK).into_iter().map(|byte| if byte == 0x15 { 0x25 } else { byte }).collect();
        assert_eq!(again(&bytes).source.text, DECK);
    }

    #[test]
    fn fixed_records_are_cards_in_ascii_and_ebcdic() {
        let cards: String = DECK.lines().map(|line| format!("{line:80}")).collect();
        for bytes in [ebcdic(&cards), cards.chars().map(|ch| ch as u8).collect()] {
            let file = again(&bytes);
            assert_eq!(file.records, Records::Fixed80);
            assert_eq!(file.source.text.lines().count(), 3);
        }
    }

    #[test]
    fn lines_that_end_in_cr_are_lines() {
        let file = again(DECK.replace('\n', "\r").as_bytes());
        assert_eq!((file.records, file.source.text.as_str()), (Records::CarriageReturns, DECK));
    }

    #[test]
    fn utf_16_and_what_is_no_text_are_refused() {
        let wide: Vec<u8> = DECK.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let noise: Vec<u8> = (0..4096u32).map(|at| (at * 7 % 32) as u8).collect();
        for bytes in [wide, noise] {
            assert_eq!(DeckFile::from_bytes("d", bytes).expect_err("refused").number, UNREADABLE);
        }
    }

    #[test]
    fn a_character_that_the_file_cannot_hold_is_named() {
        let file = again(&ebcdic(DECK));
        let refused = file.to_bytes("* \u{2014}\n").expect_err("no em dash in 1047");
        assert!(refused.message.contains("ebcdic-1047"), "{}", refused.message);
    }
}
