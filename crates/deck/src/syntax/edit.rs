//! Changing statements of a deck: what is not touched stays byte for byte.
//!
//! A touched statement keeps the head of its first card (name, operation, blanks), its mark, its line ends, the
//! comments beside its operand where they still have room, the columns 73-80 of the cards that stay, and comment
//! cards inside it, which then stand before it; so does a comment that would be taken for
//! operand: on cards behind one that fills its card, or where no operand is left. A statement that cannot be read may be deleted, but not changed:
//! what of it was not understood would be lost.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::syntax::cards::{Card, CardRole, LAST_COLUMN, MARK_COLUMN};
use crate::syntax::keyword::{Operation, canonical};
use crate::syntax::layout::{lay_out, spread};
use crate::syntax::operand::Item;
use crate::syntax::script::Script;
use crate::syntax::statement::Statement;

/// Changes to the statements of one script, made all at once by [`Edits::finish`].
#[derive(Debug)]
pub struct Edits<'a> {
    script: &'a Script,
    changes: BTreeMap<usize, Change>,
    /// Statements to stand behind a statement, as operation and operands.
    insertions: BTreeMap<usize, Vec<(Operation, Vec<String>)>>,
}

/// The change of one statement.
#[derive(Debug, Default)]
struct Change {
    /// New operands.
    operands: Option<Vec<String>>,
    /// While there are none: values in place of others of the same length, each on one card.
    places: Vec<(Range<usize>, String)>,
    deleted: bool,
}

impl<'a> Edits<'a> {
    /// Begins without changes to `script`.
    pub fn new(script: &'a Script) -> Self {
        Self { script, changes: BTreeMap::new(), insertions: BTreeMap::new() }
    }

    /// Sets `keyword` of statement number `index` to `value`, as a card would hold it; adds the keyword when it is
    /// not there. A positional word such as `SHARED` becomes `SHARED=value`.
    pub fn set(&mut self, index: usize, keyword: &str, value: &str) {
        let Some(statement) = self.readable(index) else { return };
        let text = &self.script.source.text;
        let same_length = statement.value(keyword).map(|coded| &coded.span).filter(|span| {
            let coded = statement.value(keyword).map(ToString::to_string);
            coded.as_deref() == text.get((*span).clone()) && span.len() == value.len()
        });
        let change = self.changes.entry(index).or_default();
        if let (Some(span), None) = (same_length, &change.operands) {
            change.places.retain(|(other, _)| other != span);
            change.places.push((span.clone(), value.to_owned()));
            return;
        }
        let operands = self.operands(index);
        match operands.iter_mut().find(|operand| is_named(operand, keyword)) {
            Some(operand) => {
                let word = operand.split('=').next().unwrap_or(keyword).to_owned();
                *operand = format!("{word}={value}");
            }
            None => operands.push(format!("{keyword}={value}")),
        }
    }

    /// Takes `keyword` out of statement number `index`, coded with a value or as a word alone.
    pub fn remove(&mut self, index: usize, keyword: &str) {
        if self.readable(index).is_some() {
            self.operands(index).retain(|operand| !is_named(operand, keyword));
        }
    }

    /// Returns statement number `index`, unless something of it is not understood.
    fn readable(&self, index: usize) -> Option<&'a Statement> {
        self.script.statements.get(index).filter(|statement| statement.well_formed)
    }

    /// Deletes statement number `index` with its cards; comment cards inside it stay.
    pub fn delete(&mut self, index: usize) {
        self.changes.entry(index).or_default().deleted = true;
    }

    /// Puts a statement behind statement number `index`.
    pub fn insert_after(&mut self, index: usize, operation: Operation, operands: &[String]) {
        self.insertions.entry(index).or_default().push((operation, operands.to_vec()));
    }

    /// Returns the operands of a statement as changed so far, to be changed further.
    fn operands(&mut self, index: usize) -> &mut Vec<String> {
        let items = self.script.statements.get(index).map(|one| one.items.as_slice()).unwrap_or_default();
        let Change { operands, places, .. } = self.changes.entry(index).or_default();
        operands.get_or_insert_with(|| {
            let operand = |item: &Item| {
                let place = places.iter().find(|(span, _)| *span == item.value.span);
                match (place, &item.keyword) {
                    (Some((_, value)), Some(word)) => format!("{}={value}", word.value),
                    _ => item.to_string(),
                }
            };
            items.iter().map(operand).collect()
        })
    }

    /// Returns the text with all changes made.
    pub fn finish(self) -> String {
        let text = &self.script.source.text;
        let mut written = String::with_capacity(text.len());
        let mut at = 0;
        for (index, statement) in self.script.statements.iter().enumerate() {
            let (change, new) = (self.changes.get(&index), self.insertions.get(&index));
            if change.is_none() && new.is_none() {
                continue;
            }
            let cards = &self.script.cards[statement.cards.clone()];
            let (Some(first), Some(last)) = (cards.first(), cards.last()) else { continue };
            written.push_str(&text[at..first.line.start]);
            let line_end = line_end(text, first);
            let lines = first.line.start..last.line.end;
            match change {
                None => written.push_str(&text[lines]),
                Some(Change { deleted: true, .. }) => keep_comments(text, first, cards, &mut written),
                Some(Change { operands: Some(operands), .. }) => {
                    rewrite(self.script, statement, operands, &mut written);
                }
                Some(Change { places, .. }) => in_place(text, lines, places, &mut written),
            }
            for (operation, operands) in new.into_iter().flatten() {
                if !written.is_empty() && !written.ends_with(['\n', '\r']) {
                    written.push_str(line_end);
                }
                for card in lay_out(&head("", *operation), operands) {
                    written.push_str(&card);
                    written.push_str(line_end);
                }
            }
            at = last.line.end;
        }
        written.push_str(&text[at..]);
        written
    }
}

/// Returns the first card of a statement up to its operand: operation in column 10, operand after one blank.
pub(crate) fn head(name: &str, operation: Operation) -> String {
    // A name that is too long, which has been reported, stays apart from its operation.
    let blank = if name.chars().count() < 9 { "" } else { " " };
    format!("{name:<9}{blank}{} ", operation.word())
}

fn line_end<'a>(text: &'a str, card: &Card) -> &'a str {
    let end = &text[card.text.end..card.line.end];
    if end.is_empty() { "\n" } else { end }
}

/// Returns true when `operand` is `keyword=value`, or the word `keyword` alone.
fn is_named(operand: &str, keyword: &str) -> bool {
    canonical(operand.split('=').next().unwrap_or_default()) == canonical(keyword)
}

fn in_place(text: &str, lines: Range<usize>, places: &[(Range<usize>, String)], written: &mut String) {
    let mut sorted: Vec<&(Range<usize>, String)> = places.iter().collect();
    sorted.sort_by_key(|(span, _)| span.start);
    let mut at = lines.start;
    for (span, value) in sorted {
        written.push_str(&text[at..span.start]);
        written.push_str(value);
        at = span.end;
    }
    written.push_str(&text[at..lines.end]);
}

/// Keeps comment and annotation cards that are between the cards of a statement.
fn keep_comments(text: &str, first: &Card, cards: &[Card], written: &mut String) {
    // A mark of the first card of the file is no part of the statement.
    written.push_str(&text[first.line.start..first.text.start]);
    for card in cards.iter().filter(|card| matches!(card.role, CardRole::Comment | CardRole::Annotation)) {
        written.push_str(&text[card.text.clone()]);
        written.push_str(line_end(text, first));
    }
}

/// Writes `statement` with `operands` in place of its own.
fn rewrite(script: &Script, statement: &Statement, operands: &[String], written: &mut String) {
    let text = &script.source.text;
    let cards = &script.cards[statement.cards.clone()];
    let (Some(first), Some(last)) = (cards.first(), cards.last()) else { return };
    keep_comments(text, first, cards, written);
    let end = line_end(text, first);
    let operand_start = statement.items.first().map(|item| match &item.keyword {
        Some(word) => word.span.start,
        None => item.value.span.start,
    });
    let on_first_card = operand_start.filter(|start| first.text.contains(start));
    let head = &text[first.text.start..on_first_card.unwrap_or(statement.operation.span.end)];
    // Cards of the operand as they were, comment cards between them left out.
    let own = (statement.cards.start..statement.operand_end)
        .filter(|&index| script.cards[index].role == CardRole::Statement);
    let own: Vec<usize> = own.collect();
    let mark = own.first().and_then(|&index| text[script.cards[index].text.clone()].chars().nth(LAST_COLUMN));
    let mark = mark.filter(|mark| !mark.is_whitespace()).unwrap_or('*');
    let new = spread(head, operands);
    let count = new.len();
    let mut tail = &script.cards[statement.operand_end..statement.cards.end];
    // An operand that runs through column 71 would go on in the cards of a comment, and where there is no operand a
    // comment would be taken for it.
    let has_operand = !operands.is_empty();
    if !has_operand {
        statement.beside.iter().for_each(|beside| comment_card(&beside.text, end, written));
    }
    if !has_operand || new.last().is_some_and(|card| card.chars().count() == LAST_COLUMN) {
        for card in std::mem::take(&mut tail) {
            let comment: String = text[card.text.clone()].chars().take(LAST_COLUMN).collect();
            comment_card(&comment, end, written);
        }
    }
    for (position, mut card) in new.into_iter().enumerate() {
        let beside =
            own.get(position).and_then(|&index| statement.beside.iter().find(|beside| beside.card == index));
        let beside = beside.filter(|_| has_operand);
        let number = own
            .get(position)
            .map(|&index| columns_from(&text[script.cards[index].text.clone()], MARK_COLUMN));
        finish_card(&mut card, beside.map(|beside| (beside.column, beside.text.as_str())));
        let is_marked = position + 1 < count || !tail.is_empty();
        close_card(&mut card, is_marked.then_some(mark), number.unwrap_or_default());
        written.push_str(&card);
        written.push_str(end);
    }
    for card in tail {
        written.push_str(&text[card.line.clone()]);
    }
    // The last card of a deck need not have a line end.
    if last.text.end == last.line.end && written.ends_with(end) {
        written.truncate(written.len() - end.len());
    }
}

/// Writes a comment on a card of its own.
fn comment_card(comment: &str, line_end: &str, written: &mut String) {
    written.push_str("* ");
    written.push_str(comment.trim());
    written.push_str(line_end);
}

/// Returns the columns behind column `column` of a card.
fn columns_from(card: &str, column: usize) -> &str {
    card.char_indices().nth(column).map_or("", |(at, _)| &card[at..])
}

/// Puts a comment behind the operand: where it stood, else behind one blank, else nowhere.
fn finish_card(card: &mut String, beside: Option<(usize, &str)>) {
    let Some((column, comment)) = beside else { return };
    let used = card.chars().count();
    let length = comment.chars().count();
    if used == LAST_COLUMN || used + 1 + length > LAST_COLUMN {
        return;
    }
    let blanks = if column > used + 1 { column - 1 - used } else { 1 };
    card.extend(std::iter::repeat_n(' ', blanks));
    card.push_str(comment);
}

/// Puts the mark into column 72 and what stood in the columns behind it.
fn close_card(card: &mut String, mark: Option<char>, number: &str) {
    if mark.is_none() && number.trim().is_empty() {
        return;
    }
    let used = card.chars().count();
    card.extend(std::iter::repeat_n(' ', LAST_COLUMN.saturating_sub(used)));
    card.push(mark.unwrap_or(' '));
    card.push_str(number.trim_end());
}
