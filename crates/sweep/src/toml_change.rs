//! Changing one key of a plant or workload file, everything around it left as written.
//!
//! ```text
//! stream . READ4K . closed . jobs
//! table    element  table    key of a value
//! ```

use std::sync::Arc;

use halftrack_config::{plant_messages, workload_messages};
use halftrack_input::messages::sweep::{DOES_NOT_SUIT, NAMES_NOTHING};
use halftrack_input::messages::toml_file::UNEXPECTED_VALUE;
use halftrack_input::{Diagnostic, SourceFile};
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::change::{Change, NONE};
use crate::key::StudyFile;

/// The part of a key that means every element of an array.
const ALL: &str = "*";

/// The tables of a plant and those of a workload (`docs/formats/plant.md`, `docs/formats/workload.md`).
const PLANT_TABLES: [&str; 12] = [
    "cpc",
    "lpar",
    "card",
    "domain",
    "fanout",
    "cable",
    "director",
    "isl",
    "zhyperlink",
    "network",
    "control_unit",
    "key_manager",
];
const WORKLOAD_TABLES: [&str; 8] =
    ["run", "stream", "event", "eadm", "compression", "compression_software", "conversation", "islink"];

/// The keys whose values name an element of the arrays of tables of both files.
const NAMING_KEYS: [(&str, &[&str]); 22] = [
    ("cpc", &["name"]),
    ("lpar", &["name"]),
    ("card", &["pchids", "chpids", "type", "cpc"]),
    ("domain", &["name"]),
    ("fanout", &["name"]),
    ("cable", &["pchid", "chpid", "cpc"]),
    ("director", &["id"]),
    ("isl", &["from", "to"]),
    ("zhyperlink", &["pchid", "box", "cpc"]),
    ("network", &["pnetid"]),
    ("control_unit", &["name"]),
    ("port", &["id"]),
    ("volumes", &["devices"]),
    ("stream", &["name"]),
    ("eadm", &["name"]),
    ("compression", &["name"]),
    ("conversation", &["name"]),
    ("islink", &["name"]),
    ("bulk", &["from"]),
    ("request", &["name"]),
    ("relocate", &["guest"]),
    ("event", &["kind", "chpid", "control_unit", "domain", "zhyperlink", "group"]),
];

/// How the words of a value are taken that are TOML, but no string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As the TOML that they are.
    Toml,
    /// As a string, an array of them as strings: `pchid=100`, where the file has `pchid = "100"`.
    Text,
}

/// Returns the text of `file` with `change` made. A number, a truth value or a date stays one. It becomes a string only
/// where the reader of the file takes the key with these words as a string and not without, whatever the type of the
/// old value.
///
/// # Errors
/// The text is not TOML, the key names nothing or several things, the value cannot stand there.
pub(crate) fn change_toml(file: &Arc<SourceFile>, change: &Change) -> Result<String, Box<Diagnostic>> {
    let text = change_as(Reading::Toml, file, change)?;
    if !has_other_reading(&change.value) {
        return Ok(text);
    }
    let mistakes = |text: &str| {
        let source = SourceFile::new(file.name.clone(), text.to_owned());
        let found = match change.key.file() {
            StudyFile::Workload => workload_messages(&source),
            StudyFile::Plant | StudyFile::Deck => plant_messages(&source),
        };
        found.iter().filter(|one| one.number == UNEXPECTED_VALUE).count()
    };
    let of_toml = mistakes(&text);
    if of_toml == 0 {
        return Ok(text);
    }
    let other = change_as(Reading::Text, file, change)?;
    Ok(if mistakes(&other) < of_toml { other } else { text })
}

/// Returns true for words that are TOML and have something in them that could be a string as well.
fn has_other_reading(words: &str) -> bool {
    fn has_more_than_strings(value: &Value) -> bool {
        match value {
            Value::String(_) | Value::InlineTable(_) => false,
            Value::Array(array) => array.iter().any(has_more_than_strings),
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => true,
        }
    }
    words.parse::<Value>().is_ok_and(|value| has_more_than_strings(&value))
}

fn change_as(reading: Reading, file: &Arc<SourceFile>, change: &Change) -> Result<String, Box<Diagnostic>> {
    let mut document: DocumentMut = file.text.parse().map_err(|error: toml_edit::TomlError| {
        let span = error.span().unwrap_or(0..0);
        let message = format!("not TOML: {}", error.message());
        Box::new(Diagnostic::error(halftrack_input::messages::toml_file::NOT_TOML, file, span, message))
    })?;
    let walk = Walk { change, reading };
    walk.known_table()?;
    walk.table(document.as_table_mut(), 0)?;
    Ok(document.to_string())
}

/// One key on its way through a document; `at` is always the part of the key that comes next.
struct Walk<'a> {
    change: &'a Change,
    reading: Reading,
}

impl Walk<'_> {
    fn part(&self, at: usize) -> &str {
        &self.change.key.parts()[at].text
    }

    fn is_last(&self, at: usize) -> bool {
        at + 1 == self.change.key.parts().len()
    }

    fn removes(&self) -> bool {
        self.change.value == NONE
    }

    /// Checks that the first part names one of the tables that the format has, there or not.
    fn known_table(&self) -> Result<(), Box<Diagnostic>> {
        let known: &[&str] = match self.change.key.file() {
            StudyFile::Workload => &WORKLOAD_TABLES,
            StudyFile::Plant | StudyFile::Deck => &PLANT_TABLES,
        };
        if known.contains(&self.part(0)) {
            return Ok(());
        }
        Err(self.change.names_nothing(0, &known.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()))
    }

    fn table(&self, table: &mut dyn TableLike, at: usize) -> Result<(), Box<Diagnostic>> {
        let name = self.part(at);
        if self.is_last(at) {
            return self.put(table, name);
        }
        if table.get(name).is_none() && (self.removes() || naming_keys(name).is_some()) {
            return Err(self.change.names_nothing(at, &keys_of(table)));
        }
        // A table that the format allows but the file leaves out, such as `[run]`. The readers of the file report a
        // table that the format does not allow, at its place.
        let absent = if at == 0 { Item::Table(Table::new()) } else { InlineTable::new().into() };
        self.item(table.entry(name).or_insert(absent), at + 1)
    }

    fn item(&self, item: &mut Item, at: usize) -> Result<(), Box<Diagnostic>> {
        match item {
            Item::Table(table) => self.table(table, at),
            Item::Value(value) => self.value(value, at),
            Item::ArrayOfTables(tables) => {
                let chosen =
                    self.choose(at, &tables.iter().map(|table| self.names(table, at)).collect::<Vec<_>>())?;
                for index in chosen.into_iter().rev() {
                    if self.is_last(at) && self.removes() {
                        tables.remove(index);
                    } else if let Some(table) = tables.get_mut(index) {
                        self.element(table, at)?;
                    }
                }
                Ok(())
            }
            Item::None => Err(self.change.names_nothing(at, &[])),
        }
    }

    /// Returns an element of an array of tables that part `at` names.
    fn element(&self, table: &mut Table, at: usize) -> Result<(), Box<Diagnostic>> {
        if !self.is_last(at) {
            return self.table(table, at + 1);
        }
        let Ok(Value::InlineTable(new)) = self.change.value.parse() else {
            let message = format!("a table belongs here, not `{}`", self.change.value);
            let fix = "write `{ key = value, ... }`, or name a key of the table";
            return Err(Box::new(self.change.value_error(DOES_NOT_SUIT, message).fix(fix)));
        };
        let position = table.position();
        let decor = table.decor().clone();
        *table = new.into_table();
        table.set_position(position);
        *table.decor_mut() = decor;
        Ok(())
    }

    fn value(&self, value: &mut Value, at: usize) -> Result<(), Box<Diagnostic>> {
        match value {
            Value::InlineTable(table) => self.table(table, at),
            Value::Array(array) => {
                let names: Vec<_> = array
                    .iter()
                    .map(|one| one.as_inline_table().map_or(Vec::new(), |one| self.names(one, at)))
                    .collect();
                for index in self.choose(at, &names)?.into_iter().rev() {
                    if self.is_last(at) && self.removes() {
                        array.remove(index);
                    } else if let Some(element) = array.get_mut(index) {
                        if self.is_last(at) { self.replace(element) } else { self.value(element, at + 1)? }
                    }
                }
                Ok(())
            }
            scalar => {
                let last = self.change.key.parts()[at].span.clone();
                let before = &self.change.key.text()[..last.start - 1];
                let message = format!("`{before}` is {}, which has no keys", shown(scalar));
                Err(Box::new(
                    self.change.error(NAMES_NOTHING, last, message).fix("leave out what follows it"),
                ))
            }
        }
    }

    /// Gives the key `name` of `table` the new value.
    fn put(&self, table: &mut dyn TableLike, name: &str) -> Result<(), Box<Diagnostic>> {
        if self.removes() {
            table.remove(name);
            return Ok(());
        }
        match table.get_mut(name) {
            Some(Item::Value(value)) => self.replace(value),
            Some(item) => *item = Item::Value(self.new_value()),
            None => {
                table.insert(name, Item::Value(self.new_value()));
            }
        }
        Ok(())
    }

    /// Replaces `value`; blanks and comments beside it stay.
    fn replace(&self, value: &mut Value) {
        let mut new = self.new_value();
        *new.decor_mut() = value.decor().clone();
        *value = new;
    }

    /// Returns the new value: TOML where it is TOML, a string where it is not.
    fn new_value(&self) -> Value {
        let text = self.change.value.as_str();
        match (text.parse::<Value>(), self.reading) {
            (Ok(value), Reading::Toml) => value,
            (Ok(value), Reading::Text) => as_text(value),
            (Err(_), _) => Value::from(text),
        }
    }

    /// Returns the elements that part `at` names, given the names of each: all, those with the name, or by number from
    /// 0.
    fn choose(&self, at: usize, names: &[Vec<String>]) -> Result<Vec<usize>, Box<Diagnostic>> {
        let part = self.part(at);
        if part == ALL && !names.is_empty() {
            return Ok((0..names.len()).collect());
        }
        let named: Vec<usize> = (0..names.len())
            .filter(|&index| names[index].iter().any(|name| name.eq_ignore_ascii_case(part)))
            .collect();
        match named.as_slice() {
            [_] => Ok(named),
            [] => match part.parse::<usize>() {
                Ok(number) if number < names.len() => Ok(vec![number]),
                _ => Err(self.change.names_nothing(at, &first_names(names))),
            },
            several => {
                let numbers: Vec<String> = several.iter().map(usize::to_string).collect();
                let fix = format!("choose by number ({}), or `{ALL}` for all", numbers.join(", "));
                Err(self.change.names_several(at, several.len(), &fix))
            }
        }
    }

    /// Returns the names of an element of the array whose name is the part before `at`.
    fn names(&self, table: &dyn TableLike, at: usize) -> Vec<String> {
        let keys = naming_keys(self.part(at - 1)).unwrap_or_default();
        keys.iter().filter_map(|key| table.get(key)?.as_value()).flat_map(words).collect()
    }
}

/// Formats `value` with strings in place of numbers, truth values and dates, as they are written.
fn as_text(value: Value) -> Value {
    match value {
        Value::String(_) | Value::InlineTable(_) => value,
        Value::Array(mut array) => {
            for element in array.iter_mut() {
                let decor = element.decor().clone();
                *element = as_text(element.clone());
                *element.decor_mut() = decor;
            }
            Value::Array(array)
        }
        scalar => Value::from(shown(&scalar).trim()),
    }
}

fn naming_keys(array: &str) -> Option<&'static [&'static str]> {
    NAMING_KEYS.iter().find(|(name, _)| *name == array).map(|(_, keys)| *keys)
}

/// Returns a scalar as a word, an array as the words in it.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.value().clone()],
        Value::Array(array) => array.iter().flat_map(words).collect(),
        Value::InlineTable(_) => Vec::new(),
        other => vec![shown(other)],
    }
}

fn shown(value: &Value) -> String {
    value.clone().decorated("", "").to_string()
}

/// Returns the first name of each element, its number where it has none.
fn first_names(names: &[Vec<String>]) -> Vec<String> {
    names
        .iter()
        .enumerate()
        .map(|(index, names)| names.first().cloned().unwrap_or(index.to_string()))
        .collect()
}

fn keys_of(table: &dyn TableLike) -> Vec<String> {
    table.iter().map(|(key, _)| key.to_owned()).collect()
}
