//! EBCDIC code page 1047: every byte is one character and every character of Latin-1 is one byte.
//!
//! Source: IBM-1047 as registered (Latin-1/Open Systems). Line ends follow z/OS UNIX: X'15' is the new line that
//! other systems write as LF, and X'25' takes the place that X'15' leaves, U+0085.

/// Characters of the bytes 00-3F: all of them controls.
const CONTROLS: [u8; 64] = [
    0x00, 0x01, 0x02, 0x03, 0x9C, 0x09, 0x86, 0x7F, 0x97, 0x8D, 0x8E, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, //
    0x10, 0x11, 0x12, 0x13, 0x9D, 0x0A, 0x08, 0x87, 0x18, 0x19, 0x92, 0x8F, 0x1C, 0x1D, 0x1E, 0x1F, //
    0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x17, 0x1B, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x05, 0x06, 0x07, //
    0x90, 0x91, 0x16, 0x93, 0x94, 0x95, 0x96, 0x04, 0x98, 0x99, 0x9A, 0x9B, 0x14, 0x15, 0x9E, 0x1A,
];

/// Characters of the bytes 40-FF, in order.
const GRAPHICS: &str = "\x20\u{a0}âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);^\
    -/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"\
    Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤\
    µ~stuvwxyz¡¿Ð[Þ®¬£¥·©§¶¼½¾Ý¨¯]´×\
    {ABCDEFGHI\u{ad}ôöòóõ}JKLMNOPQR¹ûüùúÿ\
    \\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u{9f}";

/// The character of each byte.
pub(crate) fn characters() -> [char; 256] {
    let mut all = ['\0'; 256];
    let controls = CONTROLS.iter().map(|&code| char::from(code));
    for (slot, ch) in all.iter_mut().zip(controls.chain(GRAPHICS.chars())) {
        *slot = ch;
    }
    all
}

/// The byte of each character up to U+00FF.
pub(crate) fn bytes() -> [u8; 256] {
    let mut all = [0; 256];
    for (byte, ch) in (0..=u8::MAX).zip(characters()) {
        if let Some(slot) = all.get_mut(ch as usize) {
            *slot = byte;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_characters_are_one_to_one() {
        let (characters, bytes) = (characters(), bytes());
        for byte in 0..=u8::MAX {
            assert_eq!(bytes[characters[usize::from(byte)] as usize], byte, "{byte:02X}");
        }
    }

    #[test]
    fn the_characters_of_a_deck_stand_where_1047_has_them() {
        let characters = characters();
        for (byte, ch) in [
            (0x40, ' '),
            (0x15, '\n'),
            (0x25, '\u{85}'),
            (0x4D, '('),
            (0x5D, ')'),
            (0x6B, ','),
            (0x7E, '='),
            (0x7D, '\''),
            (0x5C, '*'),
            (0x5B, '$'),
            (0x7B, '#'),
            (0x7C, '@'),
            (0xAD, '['),
            (0xBD, ']'),
            (0x5F, '^'),
            (0xC1, 'A'),
            (0xD1, 'J'),
            (0xE2, 'S'),
            (0xF9, '9'),
        ] {
            assert_eq!(characters[byte], ch, "{byte:02X}");
        }
    }
}
