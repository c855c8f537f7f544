//! An IOCP statement on cards: what is longer than one is continued after a comma.

use std::fmt::Write;

/// Last column of a card's statement; the mark of continuation follows.
const STATEMENT_COLUMNS: usize = 71;
/// Columns before the text of a continued card.
const CONTINUED_COLUMNS: usize = 15;

/// Writes a statement with its `operands`, which have a comma every 50 characters at least.
pub fn write_statement(deck: &mut String, operation: &str, operands: &str) {
    let mut line = format!("         {operation} ");
    let mut parts = operands.split_inclusive(',').peekable();
    while let Some(part) = parts.next() {
        line.push_str(part);
        if let Some(next) = parts.peek()
            && line.len() + next.len() > STATEMENT_COLUMNS
        {
            let _ = writeln!(deck, "{line:STATEMENT_COLUMNS$}*");
            line = " ".repeat(CONTINUED_COLUMNS);
        }
    }
    let _ = writeln!(deck, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_statement_goes_on_in_column_sixteen_after_a_comma() {
        let mut deck = String::new();
        let operands: Vec<_> = (0..40).map(|number| format!("{number:02X}")).collect();
        write_statement(&mut deck, "CNTLUNIT", &format!("PATH=({})", operands.join(",")));
        let cards: Vec<_> = deck.lines().collect();
        assert!(cards.len() > 1);
        for card in &cards[..cards.len() - 1] {
            assert!(
                card.len() == 72 && card.ends_with('*') && card[..71].trim_end().ends_with(','),
                "{card}"
            );
        }
        assert!(cards[1..].iter().all(|card| card.find(|mark| mark != ' ') == Some(15)));
    }
}
