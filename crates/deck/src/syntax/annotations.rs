//! HCD's data cards, each with the statement that it is about.
//!
//! Reference: IOCP, rule G21: comment cards that begin `*$HCDC$` or `*$HCD$` hold data of HCD that IOCP does not
//! have, such as descriptions and serial numbers. The statement that a card is about is domain knowledge (M): the
//! last one before it, or the one between whose cards it is, where IOCP accepts no comment (853).

use std::collections::BTreeMap;
use std::ops::Range;

use crate::syntax::cards::{CardRole, LAST_COLUMN};
use crate::syntax::script::Script;

/// How such cards begin, the longer one first.
pub(crate) const PREFIXES: [&str; 2] = ["*$HCDC$", "*$HCD$"];

/// One card of HCD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// Its text, without prefix and without blanks at both ends.
    pub text: String,
    /// The card's bytes, without line end.
    pub span: Range<usize>,
    /// How messages call its statement, such as `CNTLUNIT 1000`; `None` before the first statement.
    pub subject: Option<String>,
    /// Where that statement begins.
    pub statement: Option<usize>,
}

/// All cards of HCD in a deck.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Annotations {
    list: Vec<Annotation>,
    by_statement: BTreeMap<usize, Vec<usize>>,
}

impl Annotations {
    /// Collects the annotations of `script`.
    pub fn of(script: &Script) -> Self {
        let mut all = Self::default();
        let mut statements = script.statements.iter().peekable();
        let mut last = None;
        for (index, card) in script.cards.iter().enumerate() {
            while let Some(statement) = statements.next_if(|statement| statement.cards.start <= index) {
                last = Some(statement);
            }
            if card.role != CardRole::Annotation {
                continue;
            }
            let statement = last.map(|statement| statement.span.start);
            all.by_statement.extend(
                statement
                    .filter(|start| !all.by_statement.contains_key(start))
                    .map(|start| (start, Vec::new())),
            );
            if let Some(of) = statement.and_then(|start| all.by_statement.get_mut(&start)) {
                of.push(all.list.len());
            }
            all.list.push(Annotation {
                text: annotation_text(&script.source.text[card.text.clone()]),
                span: card.text.clone(),
                subject: last.map(crate::syntax::statement::Statement::subject),
                statement,
            });
        }
        all
    }

    /// Returns all, in the order of the cards.
    pub fn all(&self) -> &[Annotation] {
        &self.list
    }

    /// Returns the texts about the statement that begins at the byte `start`, such as the `span.start` of a control
    /// unit.
    pub fn of_statement(&self, start: usize) -> Vec<&str> {
        let of = self.by_statement.get(&start).into_iter().flatten();
        of.map(|&index| self.list[index].text.as_str()).collect()
    }
}

/// Returns the text of a card behind its prefix, up to column 71.
fn annotation_text(card: &str) -> String {
    let end = card.char_indices().nth(LAST_COLUMN).map_or(card.len(), |(at, _)| at);
    let card = &card[..end];
    let text = PREFIXES.iter().find_map(|prefix| card.strip_prefix(prefix));
    text.unwrap_or(card).trim().to_owned()
}
