//! Changing one operand of a deck, everything but its statement left as written.
//!
//! A value of the same length takes the place of the old one; otherwise the statement is laid out again, and keeps
//! what [`Edits`] can keep of it.

use std::sync::Arc;

use halftrack_deck::Edits;
use halftrack_deck::syntax::keyword::{Operation, canonical};
use halftrack_deck::syntax::operand::{Form, Value};
use halftrack_deck::syntax::script::Script;
use halftrack_deck::syntax::statement::Statement;
use halftrack_input::messages::sweep::{DOES_NOT_SUIT, NAMES_NOTHING, NOT_CHANGEABLE};
use halftrack_input::{Diagnostic, SourceFile};

use crate::change::{Change, NONE};
use crate::key::Part;

/// The part of a key that means every statement of its kind.
const ALL: &str = "*";

/// Returns the text of `file` with `change` made: `deck.IODEVICE.1000.UNIT`, `deck.CHPID.0.40.SWITCH`,
/// `deck.ID.SYSTEM`.
///
/// # Errors
/// The key names no statement or several, the statement is not well-formed, the value is no operand.
pub(crate) fn change_deck(file: &Arc<SourceFile>, change: &Change) -> Result<String, Box<Diagnostic>> {
    let script = Script::parse(file);
    let (kind, identity, keyword) = parts(&script, change)?;
    let mut edits = Edits::new(&script);
    for index in chosen(&script, change, kind, identity)? {
        let statement = &script.statements[index];
        if !statement.well_formed {
            let span = statement.operation.span.clone();
            let message = format!("{} is not well-formed and cannot be changed", statement.subject());
            return Err(Box::new(
                Diagnostic::error(NOT_CHANGEABLE, file, span, message)
                    .fix("fix the deck first; `halftrack run` shows what is wrong with it"),
            ));
        }
        if change.value == NONE {
            edits.remove(index, &keyword);
        } else {
            edits.set(index, &keyword, &change.value);
        }
    }
    verify(edits.finish(), &script, change, kind, &keyword)
}

/// Returns the operation, the parts that name the statement, and the keyword.
fn parts<'a>(
    script: &Script,
    change: &'a Change,
) -> Result<(Operation, &'a [Part], String), Box<Diagnostic>> {
    let parts = change.key.parts();
    let Some(kind) = Operation::from_word(&parts[0].text) else {
        let mut there: Vec<String> =
            script.statements.iter().filter_map(|one| one.kind).map(|kind| kind.word().to_owned()).collect();
        there.dedup();
        there.sort();
        there.dedup();
        return Err(change.names_nothing(0, &there));
    };
    let [_, identity @ .., keyword] = parts else {
        let span = parts[0].span.clone();
        let message = format!("`{}` names whole statements", change.key);
        let fix = format!("name a statement and a keyword: `deck.{}.1000.UNIT`", kind.word());
        return Err(Box::new(change.error(NAMES_NOTHING, span, message).fix(fix)));
    };
    let keyword = keyword.text.to_ascii_uppercase();
    Ok((kind, identity, canonical(&keyword).to_owned()))
}

/// Returns statements of `kind` that `identity` names: all, one by its name, or the only one there is without a name.
fn chosen(
    script: &Script,
    change: &Change,
    kind: Operation,
    identity: &[Part],
) -> Result<Vec<usize>, Box<Diagnostic>> {
    let of_kind: Vec<usize> =
        (0..script.statements.len()).filter(|&index| script.statements[index].kind == Some(kind)).collect();
    let wanted: Vec<String> = identity.iter().map(|part| part.text.to_ascii_uppercase()).collect();
    if wanted == [ALL] && !of_kind.is_empty() {
        return Ok(of_kind);
    }
    let named: Vec<usize> =
        of_kind.iter().copied().filter(|&index| is_named(&script.statements[index], &wanted)).collect();
    // Where a name is missing, the operation itself is what names nothing or several things.
    let at = identity.len();
    match named.as_slice() {
        [_] => Ok(named),
        [] => {
            let there = of_kind.iter().map(|&index| name_of(&script.statements[index]));
            Err(change.names_nothing(at, &there.collect::<Vec<_>>()))
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|&index| name_of(&script.statements[index])).take(8).collect();
            let fix = format!("name one of {}, or `{ALL}` for all of them", names.join(", "));
            Err(change.names_several(at, several.len(), &fix))
        }
    }
}

/// Returns the keyword that names a statement; statements that occur once have none.
fn naming_keyword(kind: Operation) -> Option<&'static str> {
    match kind {
        Operation::Id | Operation::Resource | Operation::Uuid => None,
        Operation::Chpid => Some("PATH"),
        Operation::Cntlunit => Some("CUNUMBR"),
        Operation::Iodevice => Some("ADDRESS"),
        Operation::Function => Some("FID"),
    }
}

/// Returns the first number of the statement's naming operand: `40` of `PATH=(CSS(0),40)`, `1000` of
/// `ADDRESS=(1000,64)`.
fn number_of(statement: &Statement) -> Option<&str> {
    let value = statement.value(naming_keyword(statement.kind?)?)?;
    value.leaves().first()?.text()
}

/// Returns the channel subsystems of a CHPID, subchannel set of an IODEVICE: what may stand before the number.
fn qualifiers(statement: &Statement) -> Vec<String> {
    match statement.kind {
        Some(Operation::Chpid) => statement.value("PATH").map(css_ids).unwrap_or_default(),
        Some(Operation::Iodevice) => {
            let set = statement.value("SCHSET").and_then(|value| value.sole().atom());
            vec![set.unwrap_or("0").to_owned()]
        }
        _ => Vec::new(),
    }
}

fn css_ids(value: &Value) -> Vec<String> {
    match &value.form {
        Form::Css(ids) => ids.iter().filter_map(Value::atom).map(str::to_owned).collect(),
        Form::List(elements) => elements.iter().flat_map(css_ids).collect(),
        _ => Vec::new(),
    }
}

fn is_named(statement: &Statement, wanted: &[String]) -> bool {
    let number = number_of(statement);
    match wanted {
        [] => true,
        [name] => number == Some(name),
        [qualifier, name] => number == Some(name) && qualifiers(statement).contains(qualifier),
        _ => false,
    }
}

fn name_of(statement: &Statement) -> String {
    match (number_of(statement), qualifiers(statement).first()) {
        (Some(number), Some(qualifier)) => format!("{qualifier}.{number}"),
        (Some(number), None) => number.to_owned(),
        (None, _) => statement.operation.value.clone(),
    }
}

/// Parses `text`, when reading it again gives as many statements as before and the value as it was meant.
fn verify(
    text: String,
    before: &Script,
    change: &Change,
    kind: Operation,
    keyword: &str,
) -> Result<String, Box<Diagnostic>> {
    let changed = SourceFile::new("deck", text);
    let after = Script::parse(&changed);
    let whole = after.statements.len() == before.statements.len()
        && before
            .statements
            .iter()
            .zip(&after.statements)
            .all(|(before, after)| before.well_formed <= after.well_formed);
    let means_it = change.value == NONE
        || after.statements.iter().filter(|statement| statement.kind == Some(kind)).any(|statement| {
            statement
                .value(keyword)
                .is_some_and(|value| value.to_string().eq_ignore_ascii_case(&change.value))
        });
    if whole && means_it {
        return Ok(changed.text.clone());
    }
    let message = format!("`{}` is no operand of a statement", change.value);
    Err(Box::new(
        change
            .value_error(DOES_NOT_SUIT, message)
            .fix("write it as on a card: a word, a list in parentheses, or a string between apostrophes"),
    ))
}
