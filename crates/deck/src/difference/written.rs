//! Statements that the definitions of a deck lack, compared as they are written.
//!
//! A statement that was left out (see [`Reading::left_out`]) has no meaning to compare. Layout, comments, names in
//! column 1, the order of operands and, of ID, the keywords that define nothing do not count here either.

use std::collections::BTreeMap;

use crate::reading::Reading;
use crate::syntax::cards::{CardRole, Columns};
use crate::syntax::keyword::{Operation, canonical};
use crate::syntax::operand::Item;
use crate::syntax::script::Script;
use crate::syntax::statement::Statement;

/// Keywords of ID that define nothing.
const FREE: [&str; 3] = ["MSG1", "MSG2", "TOK"];

/// A statement as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenStatement {
    /// Operation and operands, on one line.
    pub text: String,
    /// Number of its first card, from 1.
    pub card: usize,
}

/// The statements that were left out of two decks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AsWritten {
    /// How many were left out of the first deck, and of the second.
    pub left_out: [usize; 2],
    /// Statements that only the first deck has.
    pub deleted: Vec<WrittenStatement>,
    /// Statements that only the second deck has.
    pub added: Vec<WrittenStatement>,
}

impl AsWritten {
    /// Returns true when both decks were understood whole.
    pub fn is_empty(&self) -> bool {
        self.left_out == [0, 0]
    }
}

/// Compares what was left out of `before` and of `after`.
pub fn as_written(before: &Reading, after: &Reading) -> AsWritten {
    let (old, new) = (left_out(before), left_out(after));
    AsWritten {
        left_out: [old.len(), new.len()],
        deleted: without(old.clone(), &new),
        added: without(new, &old),
    }
}

/// Returns `statements` less as many of each as `others` has.
fn without(mut statements: Vec<WrittenStatement>, others: &[WrittenStatement]) -> Vec<WrittenStatement> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    others.iter().for_each(|other| *counts.entry(&other.text).or_default() += 1);
    statements.retain(|one| match counts.get_mut(one.text.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    statements
}

fn left_out(reading: &Reading) -> Vec<WrittenStatement> {
    let script = &reading.script;
    let written = |&index: &usize| {
        let statement = &script.statements[index];
        WrittenStatement { text: written(script, statement), card: statement.cards.start + 1 }
    };
    reading.left_out.iter().map(written).collect()
}

/// Returns the statement on one line: its operands in order where they could be parsed, else the words on its cards.
fn written(script: &Script, statement: &Statement) -> String {
    if statement.items.is_empty() {
        return words(script, statement);
    }
    let counts = |item: &&Item| {
        let word = item.keyword.as_ref().map(|word| word.value.as_str());
        statement.kind != Some(Operation::Id) || !word.is_some_and(|word| FREE.contains(&word))
    };
    let mut operands: Vec<String> = statement.items.iter().filter(counts).map(operand).collect();
    operands.sort();
    format!("{} {}", statement.operation.value, operands.join(",")).trim_end().to_owned()
}

fn operand(item: &Item) -> String {
    match &item.keyword {
        Some(word) => format!("{}={}", canonical(&word.value), item.value),
        None => item.value.to_string(),
    }
}

fn words(script: &Script, statement: &Statement) -> String {
    let cards = script.cards[statement.cards.clone()].iter().filter(|card| card.role == CardRole::Statement);
    let texts: Vec<String> = cards.map(|card| Columns::of(&script.source.text, card).text_from(1)).collect();
    texts.iter().flat_map(|text| text.split_whitespace()).collect::<Vec<_>>().join(" ")
}
