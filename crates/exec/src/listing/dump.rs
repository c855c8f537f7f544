//! Octets with their address, in hexadecimal, EBCDIC and ASCII.

use crate::text::content_text::CODE_PAGE;

const LINE: usize = 16;
/// Octets between blanks.
const GROUP: usize = 4;

/// Returns the lines of 16 octets; `*` replaces lines equal to the one before.
pub fn dump(address: u64, octets: &[u8]) -> String {
    let mut text = String::new();
    let mut before: Option<&[u8]> = None;
    let mut repeated = false;
    let lines = octets.chunks(LINE).enumerate();
    let last = octets.len().div_ceil(LINE).saturating_sub(1);
    for (index, line) in lines {
        if before == Some(line) && index != last {
            if !repeated {
                text += "          *\n";
            }
            repeated = true;
            continue;
        }
        (before, repeated) = (Some(line), false);
        text += &one(address + (index * LINE) as u64, line);
    }
    text
}

fn one(address: u64, line: &[u8]) -> String {
    let groups: Vec<String> =
        line.chunks(GROUP).map(|group| group.iter().map(|octet| format!("{octet:02X}")).collect()).collect();
    let ebcdic: String = line.iter().map(|octet| CODE_PAGE.printable(*octet)).collect();
    let printable = |octet: &u8| octet.is_ascii_graphic() || *octet == b' ';
    let ascii: String =
        line.iter().map(|octet| if printable(octet) { char::from(*octet) } else { '.' }).collect();
    format!("{address:08X}  {:<35}  |{ebcdic:<16}|  |{ascii:<16}|\n", groups.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_three_forms_and_equal_ones_are_told_once() {
        let mut octets = b"HALFTRACK 4096  ".to_vec();
        octets.extend([0xC1; 64]);
        octets.extend([0xE5, 0xD6]);
        let expected = "\
00001000  48414C46 54524143 4B203430 39362020  |ç.<ãèêää........|  |HALFTRACK 4096  |
00001010  C1C1C1C1 C1C1C1C1 C1C1C1C1 C1C1C1C1  |AAAAAAAAAAAAAAAA|  |................|
          *
00001050  E5D6                                 |VO              |  |..              |
";
        let found = dump(0x1000, &octets);
        assert_eq!(found.lines().skip(1).collect::<Vec<_>>(), expected.lines().skip(1).collect::<Vec<_>>());
        assert!(found.starts_with("00001000  48414C46 54524143 4B203430 39362020  |"));
        assert!(found.lines().next().unwrap().ends_with("|HALFTRACK 4096  |"));
    }
}
