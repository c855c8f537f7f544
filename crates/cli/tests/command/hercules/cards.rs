//! Text in EBCDIC, and lines as card images.

/// Bytes of a card image.
const CARD_BYTES: usize = 80;

/// Encodes text in EBCDIC, padded with blanks.
pub fn ebcdic(text: &str, bytes: usize) -> Vec<u8> {
    let mut octets = halftrack_base::CodePage::Page1047.octets(text);
    assert!(octets.len() <= bytes, "{text} has more than {bytes} characters");
    octets.resize(bytes, 0x40);
    octets
}

/// Formats lines as records of 80 bytes.
pub fn cards(lines: impl IntoIterator<Item = String>) -> Vec<u8> {
    lines.into_iter().flat_map(|line| ebcdic(&line, CARD_BYTES)).collect()
}
