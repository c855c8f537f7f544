//! Octets as constants.

use crate::text::content_text::CODE_PAGE;

/// Octets in a line of data.
pub(crate) const LINE: usize = 32;
/// Octets of a character constant that is worth reading.
const WORD: usize = 4;

/// Writes one constant for all of `octets`.
pub(crate) fn constant(octets: &[u8]) -> String {
    match octets {
        [first, rest @ ..] if rest.len() >= 8 && rest.iter().all(|octet| octet == first) => {
            format!("{}X'{first:02X}'", octets.len())
        }
        _ if octets.len() >= WORD && octets.iter().all(|octet| plain(*octet).is_some()) => {
            let text: String = octets.iter().filter_map(|octet| plain(*octet)).collect();
            format!("C'{}'", text.replace('\'', "''"))
        }
        _ => format!("X'{}'", hexadecimal(octets)),
    }
}

/// Returns the ASCII character of an EBCDIC octet, when it is one that can be printed.
fn plain(octet: u8) -> Option<char> {
    let char = CODE_PAGE.character(octet);
    (char.is_ascii_graphic() || char == ' ').then_some(char)
}

/// Returns the hexadecimal digits.
pub(crate) fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02X}")).collect()
}

/// Returns `octets` in pieces that make one constant each: runs of one octet, and lines.
pub(crate) fn pieces(octets: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = octets;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|octet| *octet == first).count();
        let length = if same >= LINE { same } else { line(rest) };
        let (piece, behind) = rest.split_at(length);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// Returns the octets of a line: up to a long run of one octet.
fn line(octets: &[u8]) -> usize {
    let end = octets.len().min(LINE);
    let long_run = |at: &usize| {
        let run = &octets[*at..];
        run.len() >= LINE && run[..LINE].iter().all(|octet| *octet == run[0])
    };
    (1..end).find(long_run).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_read_easily() {
        assert_eq!(constant(&[0xE5, 0xD6, 0xD3, 0xF1]), "C'VOL1'");
        assert_eq!(constant(&[0; 80]), "80X'00'");
        assert_eq!(constant(&[1, 2]), "X'0102'");
    }

    #[test]
    fn pieces_are_all_of_the_octets() {
        let octets: Vec<u8> = (0..50).chain([7; 100]).chain(0..3).collect();
        let pieces = pieces(&octets);
        assert_eq!(pieces.concat(), octets);
        assert_eq!(pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>(), [32, 18, 100, 3]);
    }
}
