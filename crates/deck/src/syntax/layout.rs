//! Operands laid out on cards.
//!
//! Reference: IOCP, rules G1 and G8-G10: columns 1-71 hold the statement, a mark in column 72 continues it in
//! column 16 of the next card, after a comma or in mid-token when the operand runs through column 71.

use crate::syntax::cards::{LAST_COLUMN, RESUME_COLUMN};

/// Columns that are blank on a continuation card.
const INDENT: usize = RESUME_COLUMN - 1;

/// Returns the cards, without line ends, of the statement that begins with `head` (name, operation, blanks) and has
/// `operands`. Breaks are between operands where those fit a card, else after a comma inside one, else anywhere.
pub fn lay_out(head: &str, operands: &[String]) -> Vec<String> {
    let mut cards = spread(head, operands);
    let last = cards.len().saturating_sub(1);
    cards[..last].iter_mut().for_each(|card| *card = format!("{card:<LAST_COLUMN$}*"));
    cards
}

/// Lays out cards as [`lay_out`] does, without marks.
pub(crate) fn spread(head: &str, operands: &[String]) -> Vec<String> {
    let blank = if head.ends_with(' ') { "" } else { " " };
    let mut layout = Layout { done: Vec::new(), card: format!("{head}{blank}"), empty: true };
    for (index, operand) in operands.iter().enumerate() {
        let comma = if index + 1 < operands.len() { "," } else { "" };
        layout.operand(&format!("{operand}{comma}"));
    }
    layout.done.push(layout.card.trim_end().to_owned());
    layout.done
}

struct Layout {
    done: Vec<String>,
    card: String,
    /// The card has no part of the operand yet.
    empty: bool,
}

impl Layout {
    fn room(&self) -> usize {
        LAST_COLUMN.saturating_sub(self.card.chars().count())
    }

    fn operand(&mut self, text: &str) {
        if text.chars().count() <= LAST_COLUMN - INDENT {
            return self.piece(text);
        }
        for piece in pieces(text) {
            self.piece(piece);
        }
    }

    /// Adds `piece`, on a new card when it does not fit, over several when it fits none.
    fn piece(&mut self, piece: &str) {
        let length = piece.chars().count();
        if length > self.room() && length <= LAST_COLUMN - INDENT && !self.empty {
            self.next_card();
        }
        let mut rest = piece;
        loop {
            let cut = rest.char_indices().nth(self.room()).map_or(rest.len(), |(at, _)| at);
            self.card.push_str(&rest[..cut]);
            self.empty &= cut == 0;
            rest = &rest[cut..];
            if rest.is_empty() {
                return;
            }
            self.next_card();
        }
    }

    fn next_card(&mut self) {
        let card = std::mem::replace(&mut self.card, " ".repeat(INDENT));
        self.done.push(card);
        self.empty = true;
    }
}

/// Cuts `text` after each comma outside strings.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, ch) in text.char_indices() {
        quoted ^= ch == '\'';
        if ch == ',' && !quoted {
            pieces.push(&text[start..=at]);
            start = at + 1;
        }
    }
    pieces.push(&text[start..]);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(operands: &[&str]) -> Vec<String> {
        lay_out("         CHPID ", &operands.iter().map(|&one| one.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_fits_a_card_stays_on_it() {
        assert_eq!(laid_out(&["PATH=(CSS(0),40)", "TYPE=FC"]), ["         CHPID PATH=(CSS(0),40),TYPE=FC"]);
        assert_eq!(lay_out(" ID", &["A=1".to_owned()]), [" ID A=1"]);
        assert_eq!(lay_out(" ID ", &[]), [" ID"]);
    }

    #[test]
    fn an_operand_that_does_not_fit_goes_to_column_16_of_the_next_card() {
        let long = format!("PATH=({})", ["40"; 13].join(","));
        let cards = laid_out(&[&long, "PCHID=100", "TYPE=FC"]);
        assert_eq!(cards.len(), 2);
        assert_eq!((cards[0].len(), &cards[0][71..]), (72, "*"));
        assert_eq!(cards[1], format!("{}TYPE=FC", " ".repeat(15)));
    }

    #[test]
    fn a_list_longer_than_a_card_is_cut_after_a_comma_and_a_string_in_mid_token() {
        let list = format!("PATH=({})", ["40"; 40].join(","));
        let cards = laid_out(&["TYPE=FC", &list]);
        let inner: String = cards.iter().map(|card| card[15..card.len().min(71)].trim_end()).collect();
        assert_eq!(inner, format!("TYPE=FC,{list}"));
        assert!(cards[..2].iter().all(|card| card[..71].trim_end().ends_with(',')), "{cards:?}");
        let string = format!("DESC='{}'", "x".repeat(100));
        let cards = laid_out(&[&string]);
        assert_eq!(cards.len(), 2);
        assert!(cards[0].ends_with("x*"), "{cards:?}");
    }
}
