//! A deck in canonical layout.
//!
//! Operation in column 10, operand behind one blank, further cards from column 16 on, `*` in column 72; keywords
//! in the order of the reference (IOCP, section 2); numbers with as many digits as IOCP's reports show. Comment
//! cards, annotations and blank cards stay where they stand, and so does a statement that cannot be read. A
//! comment beside an operand stays beside it where it has room, else it becomes a comment card before it.

use crate::syntax::cards::{CardRole, LAST_COLUMN};
use crate::syntax::edit::head;
use crate::syntax::keyword::{Operation, canonical};
use crate::syntax::layout::lay_out;
use crate::syntax::operand::{Form, Item, Value};
use crate::syntax::script::Script;
use crate::syntax::statement::Statement;

/// Returns the text of `script` in canonical layout. Formatting the result again changes nothing.
pub fn format(script: &Script) -> String {
    let text = &script.source.text;
    let first = script.cards.first();
    let line_end = first.map(|card| &text[card.text.end..card.line.end]).filter(|end| !end.is_empty());
    let line_end = line_end.unwrap_or("\n");
    let mut written =
        first.map_or_else(String::new, |card| text[card.line.start..card.text.start].to_owned());
    let mut at = 0;
    for statement in &script.statements {
        verbatim(script, at..statement.cards.start, line_end, &mut written);
        at = statement.cards.end;
        match statement.kind.filter(|_| statement.well_formed && !statement.items.is_empty()) {
            None => verbatim(script, statement.cards.clone(), line_end, &mut written),
            Some(operation) => {
                for card in laid_out(script, statement, operation) {
                    written.push_str(&card);
                    written.push_str(line_end);
                }
            }
        }
    }
    verbatim(script, at..script.cards.len(), line_end, &mut written);
    written
}

fn verbatim(script: &Script, cards: std::ops::Range<usize>, line_end: &str, written: &mut String) {
    for card in &script.cards[cards] {
        written.push_str(&script.source.text[card.text.clone()]);
        written.push_str(line_end);
    }
}

/// Returns the cards of `statement`: comments that have no room beside it first.
fn laid_out(script: &Script, statement: &Statement, operation: Operation) -> Vec<String> {
    let card_text = |index: usize| script.source.text[script.cards[index].text.clone()].to_owned();
    let inside = statement
        .cards
        .clone()
        .filter(|&index| matches!(script.cards[index].role, CardRole::Comment | CardRole::Annotation));
    let mut cards: Vec<String> = inside.map(card_text).collect();
    let name = statement.name.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
    let mut operands: Vec<(usize, String)> =
        statement.items.iter().map(|item| (rank(operation, item), written(operation, item))).collect();
    operands.sort_by_key(|(rank, _)| *rank);
    let operands: Vec<String> = operands.into_iter().map(|(_, operand)| operand).collect();
    let mut own = lay_out(&head(name, operation), &operands);
    let mut comments: Vec<String> = statement.beside.iter().map(|beside| beside.text.clone()).collect();
    // Cards that a mark behind a complete operand makes comment.
    comments.extend((statement.operand_end..statement.cards.end).map(|index| {
        let card: String = card_text(index).chars().take(LAST_COLUMN).collect();
        card.trim().to_owned()
    }));
    match (comments.as_slice(), own.last_mut()) {
        ([comment], Some(last)) if last.chars().count() + 1 + comment.chars().count() <= LAST_COLUMN => {
            last.push(' ');
            last.push_str(comment);
        }
        _ => cards.extend(comments.iter().filter(|one| !one.is_empty()).map(|one| format!("* {one}"))),
    }
    cards.extend(own);
    cards
}

/// Returns the keywords of each statement in their order.
fn order(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::Id => &["MSG1", "MSG2", "SYSTEM", "LSYSTEM", "TOK"],
        Operation::Resource => &["PART", "MAXDEV"],
        Operation::Uuid => &["PART"],
        Operation::Chpid => &[
            "PATH",
            "SHARED",
            "PART",
            "NOTPART",
            "SWITCH",
            "PCHID",
            "VCHID",
            "AID",
            "PORT",
            "CPATH",
            "CSYSTEM",
            "CHPARM",
            "OS",
            "IOCLUSTER",
            "PNETID",
            "MIXTYPE",
            "TYPE",
        ],
        Operation::Cntlunit => &["CUNUMBR", "PATH", "UNITADD", "LINK", "CUADD", "SHARED", "PROTOCL", "UNIT"],
        Operation::Iodevice => &[
            "ADDRESS", "UNITADD", "CUNUMBR", "STADET", "TIMEOUT", "PART", "NOTPART", "PATH", "SCHSET",
            "UNIT", "MODEL",
        ],
        Operation::Function => {
            &["FID", "PCHID", "VCHID", "PORT", "PF", "VF", "PART", "TYPE", "PNETID", "FIDPARM", "UID"]
        }
    }
}

fn rank(operation: Operation, item: &Item) -> usize {
    let word = item.keyword.as_ref().map(|word| word.value.as_str()).or(item.value.atom());
    let order = order(operation);
    word.and_then(|word| order.iter().position(|one| *one == canonical(word))).unwrap_or(order.len())
}

/// Returns `item` with its numbers as IOCP's reports show them.
fn written(operation: Operation, item: &Item) -> String {
    let Some(keyword) = &item.keyword else { return item.to_string() };
    let value = match (operation, canonical(&keyword.value)) {
        (Operation::Chpid | Operation::Function, "PCHID" | "VCHID") => each(&item.value, 3),
        (Operation::Cntlunit, "CUADD") | (Operation::Iodevice, "UNITADD") => each(&item.value, 2),
        (Operation::Cntlunit, "CUNUMBR") => each(&item.value, 4),
        (Operation::Iodevice, "CUNUMBR") => listed(&item.value),
        (Operation::Iodevice, "ADDRESS") | (Operation::Function, "FID") => counted(&item.value, 4),
        (Operation::Cntlunit, "UNITADD") => ranges(&item.value),
        _ => item.value.to_string(),
    };
    format!("{}={value}", keyword.value)
}

/// Returns `word` with `digits` hexadecimal digits, when it is such a number.
fn hex(word: &str, digits: usize) -> String {
    let number = word.trim_start_matches('0');
    let fits = word.chars().all(|ch| ch.is_ascii_hexdigit()) && number.len() <= digits && !word.is_empty();
    if fits { format!("{number:0>digits$}") } else { word.to_owned() }
}

/// Returns a count with three digits.
fn count(word: &str) -> String {
    let number = word.trim_start_matches('0');
    let fits = word.chars().all(|ch| ch.is_ascii_digit()) && number.len() <= 3 && !word.is_empty();
    if fits { format!("{number:0>3}") } else { word.to_owned() }
}

/// Returns every word of `value` in `digits` hexadecimal digits, the form kept.
fn each(value: &Value, digits: usize) -> String {
    match &value.form {
        Form::Atom(word) => hex(word, digits),
        Form::List(elements) => {
            let elements: Vec<String> = elements.iter().map(|one| each(one, digits)).collect();
            format!("({})", elements.join(","))
        }
        _ => value.to_string(),
    }
}

/// Formats control units of a device, always in parentheses.
fn listed(value: &Value) -> String {
    match &value.form {
        Form::Atom(word) => format!("({})", hex(word, 4)),
        _ => each(value, 4),
    }
}

/// Formats a number with its count: `1000`, `(1000,128)`.
fn counted(value: &Value, digits: usize) -> String {
    match value.elements() {
        [first, number] => format!("({},{})", each(first, digits), counts(number)),
        [_] => each(value, digits),
        _ => value.to_string(),
    }
}

fn counts(value: &Value) -> String {
    value.atom().map_or_else(|| value.to_string(), count)
}

/// Formats unit addresses with their counts: `((00,256))`.
fn ranges(value: &Value) -> String {
    let Form::List(elements) = &value.form else { return each(value, 2) };
    let ranges: Vec<String> = elements.iter().map(|element| counted(element, 2)).collect();
    format!("({})", ranges.join(","))
}
