//! One statement: name, operation and operands, each with its place.
//!
//! Reference: IOCP, rules G2-G7, traps 1, 4, 5.

use std::ops::Range;

use halftrack_input::Located;
use halftrack_input::messages::deck::NAME;

use crate::syntax::cards::{Cell, Columns, LAST_COLUMN, Word, span_of};
use crate::syntax::continuation::Comment;
use crate::syntax::findings::Findings;
use crate::syntax::keyword::{Operation, canonical};
use crate::syntax::operand::{Item, Value};

/// A statement as coded; kinds without rules of their own are kept like all others.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Name field, which IOCP ignores.
    pub name: Option<Located<String>>,
    /// Operation field, upper case.
    pub operation: Located<String>,
    /// The operation, when it is one of IOCP.
    pub kind: Option<Operation>,
    /// Operands in the order coded.
    pub items: Vec<Item>,
    /// Its cards, as indices into the script's; comment cards between them included.
    pub cards: Range<usize>,
    /// One past the last card with a part of the operand; the cards behind it hold only comment.
    pub(crate) operand_end: usize,
    /// Comments beside the operand, on its cards.
    pub(crate) beside: Vec<CommentBeside>,
    /// Bytes from the name or operation to the end of the operand.
    pub span: Range<usize>,
    /// False when a syntax error hides part of it, so that its meaning cannot be judged.
    pub well_formed: bool,
    /// Keywords found in comments beside the operand.
    pub(crate) hidden: Vec<Hidden>,
}

/// A comment beside the operand.
#[derive(Debug, Clone)]
pub(crate) struct CommentBeside {
    /// Its card, as an index into the script's.
    pub(crate) card: usize,
    /// The column in which it begins, from 1.
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// A `KEYWORD=` at the head of a comment: most likely operand that a missing comma turned into comment.
#[derive(Debug, Clone)]
pub(crate) struct Hidden {
    pub(crate) word: String,
    pub(crate) span: Range<usize>,
    /// On a continuation card after an operand without trailing comma (trap 4), not on the same card (trap 5).
    pub(crate) on_continuation: bool,
    /// The comment begins with it.
    pub(crate) at_head: bool,
}

impl Statement {
    /// Returns the operand of `keyword` (synonyms count as one), the first when coded twice.
    pub fn item(&self, keyword: &str) -> Option<&Item> {
        self.items
            .iter()
            .find(|item| item.keyword.as_ref().is_some_and(|word| canonical(&word.value) == keyword))
    }

    /// Returns the value of `keyword`.
    pub fn value(&self, keyword: &str) -> Option<&Value> {
        self.item(keyword).map(|item| &item.value)
    }

    /// Returns the value of a switch such as SHARED, coded as a word alone or as `=Y`.
    pub fn flag(&self, word: &str) -> Option<&Value> {
        let positional =
            self.items.iter().find(|item| item.keyword.is_none() && item.value.atom() == Some(word));
        let keyword = || self.value(word).filter(|value| value.sole().atom() == Some("Y"));
        positional.map(|item| &item.value).or_else(keyword)
    }

    /// Returns the name of the statement in messages: `CNTLUNIT 1000`.
    pub fn subject(&self) -> String {
        let key = self.kind.map(Operation::key).and_then(|key| self.value(key));
        let leaves = key.map(Value::leaves).unwrap_or_default();
        let leaf = if self.kind == Some(Operation::Chpid) { leaves.last() } else { leaves.first() };
        match leaf.and_then(|leaf| leaf.text()) {
            Some(name) => format!("{} {name}", self.operation.value),
            None => self.operation.value.clone(),
        }
    }
}

/// The fields of the first card of a statement.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) name: Option<Word>,
    pub(crate) operation: Option<Word>,
    /// The operation was found in column 1 (trap 1).
    pub(crate) operation_in_column_1: bool,
    /// Column in which the operand starts; past column 71 when it does not.
    pub(crate) operand_column: usize,
}

/// Splits the first card of a statement into its fields.
pub(crate) fn fields(columns: &Columns<'_>) -> Fields {
    let first = columns.word_from(1);
    let after = |word: &Option<Word>| {
        let next = word.as_ref().map_or(LAST_COLUMN + 1, |word| word.columns.end() + 1);
        columns.first_from(next).unwrap_or(LAST_COLUMN + 1)
    };
    let operation =
        |word: &Option<Word>| word.as_ref().is_some_and(|w| Operation::from_word(&w.text).is_some());
    if columns.at(1) == ' ' {
        let operand_column = after(&first);
        return Fields { name: None, operation: first, operation_in_column_1: false, operand_column };
    }
    let second = first.as_ref().and_then(|word| columns.word_from(word.columns.end() + 1));
    let is_operand = second.as_ref().is_some_and(|word| word.text.contains('='));
    if (operation(&first) && !operation(&second)) || is_operand {
        let operand_column = after(&first);
        return Fields { name: None, operation: first, operation_in_column_1: true, operand_column };
    }
    let operand_column = after(&second);
    Fields { name: first, operation: second, operation_in_column_1: false, operand_column }
}

/// Returns fault and fix of a `name` that is not meant as one. It is before every card of a deck that has been quoted
/// or numbered.
pub(crate) fn stray(name: &str) -> Option<(&'static str, &'static str)> {
    let number = name.trim_end_matches([':', '.', '|']);
    if name.chars().all(|ch| matches!(ch, '>' | '|')) {
        Some((
            "the card is quoted, as mail does it",
            "take the quotation marks and one blank away from every card",
        ))
    } else if !number.is_empty() && number.chars().all(|ch| ch.is_ascii_digit()) {
        let fix = "take the numbers away from every card: sequence numbers belong in columns 73-80";
        Some(("a number is before the statement", fix))
    } else {
        None
    }
}

/// Checks G3: 1-8 characters of A-Z 0-9 $ # @, the first not a digit.
pub(crate) fn check_name(name: &Word, findings: &mut Findings) {
    let national = |ch: char| matches!(ch, '$' | '#' | '@');
    let valid = name.text.chars().count() <= 8
        && name.text.chars().all(|ch| ch.is_ascii_alphanumeric() || national(ch))
        && !name.text.starts_with(|ch: char| ch.is_ascii_digit());
    if !valid {
        let (words, fix) = stray(&name.text).unwrap_or((
            "a name is 1-8 characters of A-Z 0-9 $ # @ and does not begin with a digit",
            "blank column 1 if this is not a name",
        ));
        findings.report(findings.error(NAME, &name.span, words).fix(fix));
    }
}

/// Returns the comments beside the operand, out of all `comments`.
pub(crate) fn beside(comments: &[Comment]) -> Vec<CommentBeside> {
    let beside = comments.iter().filter(|comment| !comment.on_continuation);
    let text = |comment: &Comment| comment.cells.iter().map(|cell| cell.ch).collect();
    beside.map(|one| CommentBeside { card: one.card, column: one.column, text: text(one) }).collect()
}

/// Returns the keywords in `comments`.
pub(crate) fn hidden(comments: &[Comment]) -> Vec<Hidden> {
    let mut all = Vec::new();
    for comment in comments {
        let end = comment.cells.iter().position(|cell| cell.ch == ' ').unwrap_or(comment.cells.len());
        let text = &comment.cells[..end];
        let text = if text.first().is_some_and(|cell| cell.ch == ',') { &text[1..] } else { text };
        let mut rest = text;
        while let Some((word, after)) = keyword_at(rest) {
            all.push(Hidden {
                word: word.iter().map(|cell| cell.ch).collect(),
                span: span_of(word),
                on_continuation: comment.on_continuation,
                at_head: true,
            });
            rest = next_keyword(after);
        }
        // Further on in the comment: not reported for itself, but it explains a missing keyword.
        let words = (1..comment.cells.len()).filter(|&at| matches!(comment.cells[at - 1].ch, ' ' | ','));
        for (word, _) in words.filter_map(|at| keyword_at(&comment.cells[at..])) {
            let span = span_of(word);
            if all.iter().all(|hidden| hidden.span != span) {
                let word = word.iter().map(|cell| cell.ch).collect();
                all.push(Hidden { word, span, on_continuation: comment.on_continuation, at_head: false });
            }
        }
    }
    all
}

/// Returns the keyword before `=` at the head of `cells`, and the rest.
fn keyword_at(cells: &[Cell]) -> Option<(&[Cell], &[Cell])> {
    let length =
        cells.iter().take_while(|cell| cell.ch.is_ascii_uppercase() || cell.ch.is_ascii_digit()).count();
    let equals = cells.get(length).is_some_and(|cell| cell.ch == '=');
    (length > 0 && equals).then(|| (&cells[..length], &cells[length + 1..]))
}

/// Returns the rest of `cells` from the next keyword on, empty when it has none.
fn next_keyword(cells: &[Cell]) -> &[Cell] {
    let starts = (0..cells.len()).filter(|&at| cells[at].ch == ',').map(|at| &cells[at + 1..]);
    starts.into_iter().find(|rest| keyword_at(rest).is_some()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::cards::Card;

    fn fields_of(text: &str) -> (Option<String>, Option<String>, bool, usize) {
        let fields = fields(&Columns::of(text, &Card::split(text)[0]));
        let word = |word: Option<Word>| word.map(|word| word.text);
        (word(fields.name), word(fields.operation), fields.operation_in_column_1, fields.operand_column)
    }

    #[test]
    fn name_operation_and_operand_are_told_apart_by_blanks() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(fields_of("CU11A CNTLUNIT A=1"), (some("CU11A"), some("CNTLUNIT"), false, 16));
        assert_eq!(fields_of("  CHPID   A=1"), (None, some("CHPID"), false, 11));
        assert_eq!(fields_of(" RESOURCE"), (None, some("RESOURCE"), false, 72));
    }

    #[test]
    fn an_operation_in_column_1_is_no_name() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(fields_of("CHPID PATH=40"), (None, some("CHPID"), true, 7));
        assert_eq!(fields_of("CHPID CHPID PATH=40"), (some("CHPID"), some("CHPID"), false, 13));
    }

    #[test]
    fn keywords_at_the_head_of_a_comment_are_seen() {
        let cells = |text: &str| text.char_indices().map(|(at, ch)| Cell::new(at, ch)).collect::<Vec<_>>();
        let words = |text: &str| {
            let comment = Comment { cells: cells(text), card: 0, column: 1, on_continuation: false };
            let at_head = hidden(&[comment]).into_iter().filter(|hidden| hidden.at_head);
            at_head.map(|hidden| hidden.word).collect::<Vec<_>>()
        };
        assert_eq!(words("TYPE=CNC"), ["TYPE"]);
        assert_eq!(words(",LINK=(01,02),UNIT=2107 A=1"), ["LINK", "UNIT"]);
        assert!(words("the TYPE=CNC").is_empty());
        let comment = Comment { cells: cells("B,TYPE=CNC"), card: 0, column: 1, on_continuation: false };
        assert_eq!(hidden(&[comment])[0].word, "TYPE");
    }
}
