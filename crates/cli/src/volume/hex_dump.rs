//! Octets in hexadecimal, and as EBCDIC and ASCII beside it.

use std::fmt::Write as _;

use halftrack_base::CodePage;

/// Octets of a line.
const LINE_BYTES: usize = 16;

/// Formats a line for every 16 octets: offset, four words, EBCDIC, ASCII. A line with a star stands for lines that
/// repeat the one before.
pub fn hex_dump(octets: &[u8], page: CodePage) -> String {
    let mut text = String::new();
    let mut before: Option<&[u8]> = None;
    let mut starred = false;
    let last = octets.len().saturating_sub(1) / LINE_BYTES;
    for (number, line) in octets.chunks(LINE_BYTES).enumerate() {
        if before == Some(line) && number != last {
            if !starred {
                text.push_str("  *\n");
            }
            starred = true;
            continue;
        }
        (before, starred) = (Some(line), false);
        let mut words = String::new();
        for (at, octet) in line.iter().enumerate() {
            let gap = if at > 0 && at.is_multiple_of(4) { " " } else { "" };
            // Writing into a String cannot fail.
            let _ = write!(words, "{gap}{octet:02X}");
        }
        let ebcdic: String = line.iter().map(|octet| page.printable(*octet)).collect();
        let ascii: String = line.iter().map(|octet| printable_ascii(*octet)).collect();
        let _ = writeln!(text, "  {:04X}  {words:<35}  |{ebcdic:<16}|  |{ascii:<16}|", number * LINE_BYTES);
    }
    text
}

fn printable_ascii(octet: u8) -> char {
    if matches!(octet, b' '..=b'~') { char::from(octet) } else { '.' }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_offset_words_and_both_texts() {
        let mut octets = CodePage::Page1047.octets("VOL1WORK01");
        octets.extend(b"abc\0");
        let expected =
            "  0000  E5D6D3F1 E6D6D9D2 F0F16162 6300      |VOL1WORK01/ÂÄ.  |  |..........abc.  |\n";
        assert_eq!(hex_dump(&octets, CodePage::Page1047), expected);
        assert_eq!(hex_dump(&[], CodePage::Page1047), "");
    }

    #[test]
    fn lines_that_repeat_are_a_star() {
        let dump = hex_dump(&[0; 70], CodePage::Page1047);
        let starts: Vec<_> = dump.lines().map(|line| line.split("  ").nth(1).unwrap()).collect();
        assert_eq!(starts, ["0000", "*", "0040"]);
    }
}
