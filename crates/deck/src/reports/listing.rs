//! Messages as a listing: each with its card and the other cards involved, the places underlined.
//!
//! The same text on a terminal and in a file: no colours, no drawing characters.

use std::fmt::Write;

use halftrack_input::{Diagnostic, Label};

/// Columns of a card that are shown.
const SHOWN: usize = 120;

/// Formats `diagnostics`, one after the other.
pub fn listing(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&diagnostic.line());
        if let Some(ibm) = diagnostic.ibm() {
            // Writing to a string cannot fail.
            let _ = write!(text, " [{ibm}]");
        }
        text.push('\n');
        card(&diagnostic.at, '^', &mut text);
        for other in &diagnostic.others {
            card(other, '-', &mut text);
        }
        if let Some(fix) = &diagnostic.fix {
            let _ = writeln!(text, "   fix: {fix}");
        }
    }
    text
}

/// Adds the card of `label` with its place underlined by `line`.
fn card(label: &Label, line: char, text: &mut String) {
    let source = &label.source;
    if source.text.is_empty() {
        return;
    }
    let (number, column) = source.position(label.span.start);
    let card: String =
        source.line(number).chars().take(SHOWN).map(|ch| if ch.is_control() { ' ' } else { ch }).collect();
    let length = source.text.get(label.span.clone()).map_or(1, |span| span.chars().count());
    let end = card.trim_end().chars().count() + 1;
    let room = end.saturating_sub(column).max(1);
    let underline: String = std::iter::repeat_n(line, length.clamp(1, room)).collect();
    let blanks = " ".repeat(column.min(SHOWN) - 1);
    let _ = writeln!(text, "{number:>7} | {}", card.trim_end());
    let _ = writeln!(text, "{:7} | {}", "", format!("{blanks}{underline} {}", label.text).trim_end());
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;

    use super::*;

    #[test]
    fn both_cards_are_shown_and_underlined() {
        let source = SourceFile::new("d", " CHPID PATH=(CSS(0),40)\n CNTLUNIT PATH=40\n");
        let message = Diagnostic::error(226, &source, 39..41, "CNTLUNIT: a link is needed")
            .other(Label::new(&source, 20..22, "the channel"))
            .fix("code LINK");
        let expected = "\
HTK226E d:2:16 CNTLUNIT: a link is needed [ICP226I]
      2 |  CNTLUNIT PATH=40
        |                ^^
      1 |  CHPID PATH=(CSS(0),40)
        |                     -- the channel
   fix: code LINK
";
        assert_eq!(listing(&[message]), expected);
    }

    #[test]
    fn a_place_past_the_end_or_over_several_cards_ends_with_its_card() {
        let source = SourceFile::new("d", " A\n B");
        let message = |span| Diagnostic::error(833, &source, span, "x");
        assert!(listing(&[message(1..4)]).ends_with("|  A\n        |  ^\n"));
        assert!(listing(&[message(99..99)]).contains("      2 |  B\n"));
        let empty = SourceFile::new("d", "");
        assert_eq!(listing(&[Diagnostic::error(833, &empty, 0..0, "x")]), "HTK833E d:1:1 x\n");
    }
}
