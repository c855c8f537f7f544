//! The AO Data table of a configuration report, read: which feature is in which slot, and its PCHIDs.
//!
//! Columns: source (CPC drawer, fanout, port), drawer, slot, feature code, PCHIDs with their ports (or the adapter id),
//! resource group, comment. Blanks part the columns; the last two may be missing. Published figures `ao-slot-03-pchid`
//! to `ao-slot-38-pchid` are the rows of one.

use std::ops::Range;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_input::messages::plugging::ROW;
use halftrack_input::{Diagnostic, SourceFile};

use crate::hardware::{Address, Card, Hardware, Port, feature_of, frame_of};
use crate::resource_groups::RESOURCE_GROUP_MAX;
use crate::taken::Taken;

/// Returns true when `text` has the head of an AO Data table, or a row of one.
pub fn is_ao_report(text: &str) -> bool {
    text.lines().any(|line| (line.contains("F/C") && line.contains("Slot")) || is_row(&words_of(line, 0)))
}

/// Reads the rows of a table; other lines of the report are passed over. With everything that is wrong.
pub fn read_ao_report(source: &Arc<SourceFile>, catalog: &Catalog) -> (Option<Hardware>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut cards = Vec::new();
    let mut taken = Taken::default();
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let words = words_of(line, start);
        start += line.len();
        if !is_row(&words) {
            continue;
        }
        match row(&words, catalog) {
            Ok(card) => {
                let span = words[1].1.start..words.last().map_or(start, |word| word.1.end);
                taken.take(&card, span, source, &mut found);
                cards.push(card);
            }
            Err((span, expected)) => {
                let coded = source.text.get(span.clone()).unwrap_or_default();
                let message = format!("`{coded}` in a row of an AO Data table: expected {expected}");
                let fix = "a row is: source, drawer, slot, feature code, PCHIDs with ports, resource group, comment";
                found.push(Diagnostic::error(ROW, source, span, message).fix(fix));
            }
        }
    }
    if cards.is_empty() && found.is_empty() {
        let fix = "rows begin with a source such as A19/LG15/J01";
        found
            .push(Diagnostic::error(ROW, source, 0..0, "the report has no row of an AO Data table").fix(fix));
    }
    (found.is_empty().then(|| Hardware::new(cards)), found)
}

/// A word of a line and its place in the text.
type Word<'a> = (&'a str, Range<usize>);

fn words_of(line: &str, start: usize) -> Vec<Word<'_>> {
    let words = line.split_whitespace();
    let at = |word: &str| start + (word.as_ptr() as usize - line.as_ptr() as usize);
    words.map(|word| (word, at(word)..at(word) + word.len())).collect()
}

/// Returns true for a row: its first word is the origin of its interconnect, `-` when that is unknown.
fn is_row(words: &[Word<'_>]) -> bool {
    let [(source, _), _, _, (code, _), ..] = words else { return false };
    match *source {
        "-" => is_code(code),
        source => source.split('/').count() == 3 && !source.contains("//"),
    }
}

/// Returns true for a feature code: four letters and digits.
fn is_code(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn row(words: &[Word<'_>], catalog: &Catalog) -> Result<Card, (Range<usize>, &'static str)> {
    let [link, drawer, slot, code, rest @ ..] = words else {
        return Err((0..0, "source, drawer, slot and feature code"));
    };
    let source = Some(link.0).filter(|&link| link != "-");
    if !is_code(code.0) {
        return Err((code.1.clone(), "a feature code of four characters"));
    }
    let ports = ports_of(rest);
    if ports.is_empty() {
        let at = rest.first().map_or(code.1.clone(), |word| word.1.clone());
        return Err((at, "a PCHID of three hexadecimal digits, with its ports behind a slash"));
    }
    if let Some(at) = ports.iter().position(|port| port.names.len() != ports[0].names.len()) {
        return Err((rest[at].1.clone(), "as many ports behind each PCHID of a card"));
    }
    let rest = &rest[ports.len()..];
    let group = rest.first().and_then(|word| group(word.0));
    let comment = &rest[usize::from(group.is_some())..];
    Ok(Card {
        frame: frame_of(drawer.0),
        drawer: drawer.0.to_owned(),
        slot: slot.0.to_owned(),
        code: code.0.to_owned(),
        feature: feature_of(catalog, code.0),
        ports,
        domain: source.map(|link| domain_of(drawer.0, link)),
        link: source.map(str::to_owned),
        resource_group: group,
        comment: comment.iter().map(|word| word.0).collect::<Vec<_>>().join(" "),
        part: None,
        serial: None,
    })
}

/// Returns the ports at the head of `words`: those of one card have consecutive numbers, so that a remark such as ADD
/// is none.
fn ports_of(words: &[Word<'_>]) -> Vec<Port> {
    let mut ports: Vec<Port> = Vec::new();
    for (word, _) in words {
        let Some(port) = port(word) else { break };
        let follows = ports.last().is_none_or(|last| match (last.address, port.address) {
            (Address::Pchid(last), Address::Pchid(next)) => next == last + 1,
            (Address::Aid(_), _) | (_, Address::Aid(_)) => false,
        });
        if !follows {
            break;
        }
        ports.push(port);
    }
    ports
}

/// Returns the name of a domain; one without a number has that of its link.
pub(crate) fn domain_of(drawer: &str, link: &str) -> String {
    format!("{drawer} domain of {link}")
}

/// Reads a port: `110/D1D2`, `108`; an adapter id is `AID=1C` or two digits.
fn port(word: &str) -> Option<Port> {
    let word = word.strip_prefix("AID=").unwrap_or(word);
    let (number, names) = word.split_once('/').unwrap_or((word, ""));
    let is_hex = number.bytes().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte));
    let number = (is_hex && matches!(number.len(), 2 | 3)).then_some(number)?;
    let address = match number.len() {
        2 => Address::Aid(u8::from_str_radix(number, 16).ok()?),
        _ => Address::Pchid(u16::from_str_radix(number, 16).ok()?),
    };
    Some(Port { address, names: port_names(names)? })
}

/// Reads `D1D2` as D1 and D2: letters, then digits.
fn port_names(text: &str) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut in_digits = true;
    for ch in text.chars() {
        if !ch.is_ascii_alphanumeric() {
            return None;
        }
        if in_digits && !ch.is_ascii_digit() {
            names.push(String::new());
        }
        in_digits = ch.is_ascii_digit();
        names.last_mut()?.push(ch);
    }
    Some(names)
}

/// Reads a resource group such as `RG1`.
fn group(word: &str) -> Option<u8> {
    word.strip_prefix("RG")?.parse().ok().filter(|group| (1..=RESOURCE_GROUP_MAX).contains(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Hardware>, Vec<String>) {
        let source = SourceFile::new("report.txt", text);
        let (hardware, found) = read_ao_report(&source, &Catalog::load(&[]).0);
        (hardware, found.iter().map(Diagnostic::line).collect())
    }

    #[test]
    fn a_row_is_read_with_its_ports_group_and_comment() {
        let (hardware, found) = read("A19/LG15/J01 Z22B 02 0461 104/D1 105/D2 ADD later\n");
        assert_eq!(found, [""; 0]);
        let hardware = hardware.expect("hardware");
        let card = &hardware.cards()[0];
        assert_eq!((card.ports.len(), card.comment.as_str()), (2, "ADD later"));
        assert_eq!(hardware.port(0x105).map(|(_, port)| port.names.clone()), Some(vec!["D2".to_owned()]));
        assert!(card.feature.as_ref().is_some_and(|feature| !feature.native));
    }

    #[test]
    fn a_row_that_cannot_be_read_is_shown_at_its_word() {
        let (hardware, found) = read("A19/LG15/J01 Z22B 03 420 108 RG1\nA19/LG15/J01 Z22B 04 0420 RG1\n");
        assert!(hardware.is_none());
        assert_eq!(
            found,
            [
                "HTK846E report.txt:1:22 `420` in a row of an AO Data table: expected a feature code of four \
                 characters",
                "HTK846E report.txt:2:27 `RG1` in a row of an AO Data table: expected a PCHID of three \
                 hexadecimal digits, with its ports behind a slash",
            ]
        );
        assert_eq!(
            read("no table\n").1,
            ["HTK846E report.txt:1:1 the report has no row of an AO Data table"]
        );
    }

    #[test]
    fn two_cards_do_not_share_a_slot_or_a_pchid() {
        let one = "A19/LG15/J01 Z22B 03 0420 108 RG1\n";
        let words = |second: &str| read(&format!("{one}{second}")).1;
        assert_eq!(words("A19/LG15/J01 Z22B 03 0420 10C RG1\n").len(), 1);
        assert_eq!(words("A19/LG15/J01 Z22B 04 0420 108 RG1\n").len(), 1);
        assert_eq!(words("A19/LG15/J01 Z22B 04 0420 10C RG1\n").len(), 0);
    }

    #[test]
    fn adapter_ids_and_ports_are_told_apart() {
        assert_eq!(port("AID=1C").map(|port| port.address), Some(Address::Aid(0x1C)));
        assert_eq!(port("00/J01J02").map(|port| port.names.len()), Some(2));
        for wrong in ["0", "1000", "11G", "110/D-1", "110/1D", "", "/D1"] {
            assert_eq!(port(wrong), None, "{wrong}");
        }
    }
}
