//! Reading a TOML table key by key, collecting every mistake with its place instead of stopping at the first.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, Label};
use crate::expect::{Expect, kind_of};
use crate::located::Located;
use crate::messages::toml_file as numbers;
use crate::nearest::nearest_or_all;
use crate::source_file::SourceFile;
use crate::toml_syntax::syntax_messages;

/// Where the messages of one file go.
struct Sink {
    source: Arc<SourceFile>,
    found: RefCell<Vec<Diagnostic>>,
}

/// One table of a file being read: keys are read one after another, and a key that was never read is unknown.
///
/// A key that is missing or wrong gives `None` and a message; so read every key first and give up after.
pub struct Fields<'a> {
    sink: &'a Sink,
    table: &'a DeTable<'a>,
    span: Range<usize>,
    name: String,
    taken: Vec<&'static str>,
}

/// Reads the file at `path` as a source; the error is the message about a file that cannot be read.
pub fn read_file(path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    Ok(SourceFile::new(path.display().to_string(), text))
}

/// Reads the file at `path` as bytes.
///
/// # Errors
/// The file cannot be read.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    std::fs::read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    let name = path.display().to_string();
    let message = format!("`{name}` cannot be read: {error}");
    Box::new(Diagnostic::error(numbers::UNREADABLE, &SourceFile::new(name, ""), 0..0, message))
}

/// Reads `source` as TOML and hands its top-level table to `read`. The messages are in the order of the text.
/// When the text is not TOML, its syntax errors are reported, those that follow from another one by their number, and `read`
/// is not called.
pub fn read_document<T>(
    source: &Arc<SourceFile>,
    read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
) -> (Option<T>, Vec<Diagnostic>) {
    let (document, errors) = DeTable::parse_recoverable(&source.text);
    if !errors.is_empty() {
        return (None, syntax_messages(source, &errors));
    }
    let sink = Sink { source: Arc::clone(source), found: RefCell::default() };
    let value = Fields::walk(&sink, document.get_ref(), 0..0, "the file".into(), read);
    let mut found = sink.found.into_inner();
    found.sort_by_key(|diagnostic| diagnostic.at.span.start);
    (value, found)
}

impl<'a> Fields<'a> {
    fn walk<'t: 'a, T>(
        sink: &'a Sink,
        table: &'t DeTable<'t>,
        span: Range<usize>,
        name: String,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> T {
        let mut fields = Fields { sink, table, span, name, taken: Vec::new() };
        let value = read(&mut fields);
        fields.report_unknown();
        value
    }

    /// Returns the file being read.
    pub fn source(&self) -> &Arc<SourceFile> {
        &self.sink.source
    }

    /// Returns the place of the table: its header, or its braces.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the name of the table in messages, such as `[[card]]`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds an error at `span`, with words on how to mend it.
    pub fn error(&self, number: u16, span: Range<usize>, message: impl Into<String>, fix: impl Into<String>) {
        self.report(Diagnostic::error(number, &self.sink.source, span, message).fix(fix));
    }

    /// Adds a message.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.sink.found.borrow_mut().push(diagnostic);
    }

    /// Returns true when `key` is there, whatever its value.
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Returns true when the key is there and has an array.
    pub fn is_array(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(|value| matches!(value.get_ref(), DeValue::Array(_)))
    }

    /// Returns the value of a key that may be left out.
    pub fn optional<T>(&mut self, key: &'static str, expect: Expect<'_, T>) -> Option<Located<T>> {
        let value = self.take_key(key)?;
        self.check(&format!("`{key}`"), value, &expect)
    }

    /// Returns the value of a key that must be there.
    pub fn required<T>(&mut self, key: &'static str, expect: Expect<'_, T>) -> Option<Located<T>> {
        if !self.has(key) {
            self.missing(key, expect.words());
        }
        self.optional(key, expect)
    }

    /// Returns the value of a key, or `default` when it is left out (or wrong, which is reported).
    pub fn or<T>(&mut self, key: &'static str, expect: Expect<'_, T>, default: T) -> T {
        self.optional(key, expect).map_or(default, |found| found.value)
    }

    /// Returns the elements of an array that must be there and hold something; a wrong element is reported and left
    /// out.
    pub fn list<T>(&mut self, key: &'static str, expect: Expect<'_, T>) -> Option<Vec<Located<T>>> {
        let words = format!("an array, each element {}", expect.words());
        if !self.has(key) {
            self.missing(key, &words);
        }
        let value = self.take_key(key)?;
        if value.get_ref().as_array().is_some_and(|elements| elements.is_empty()) {
            let message = format!("`{key}` is empty: expected {words}");
            self.error(numbers::UNEXPECTED_VALUE, value.span(), message, "give at least one element");
            return None;
        }
        self.optional_list(key, expect)
    }

    /// Returns the elements of an array that may be left out; a wrong element is reported and left out.
    pub fn optional_list<T>(&mut self, key: &'static str, expect: Expect<'_, T>) -> Option<Vec<Located<T>>> {
        let value = self.take_key(key)?;
        let DeValue::Array(elements) = value.get_ref() else {
            let words = format!("an array, each element {}", expect.words());
            self.unexpected(&format!("`{key}`"), value, &words);
            return None;
        };
        let what = format!("element of `{key}`");
        Some(elements.iter().filter_map(|element| self.check(&what, element, &expect)).collect())
    }

    /// Reads a key that must be there once, or as an array: one element, or several.
    pub fn one_or_list<T>(&mut self, key: &'static str, expect: Expect<'_, T>) -> Option<Vec<Located<T>>> {
        match self.table.get(key).map(Spanned::get_ref) {
            Some(DeValue::Array(_)) => self.list(key, expect),
            _ => self.required(key, expect).map(|one| vec![one]),
        }
    }

    /// Returns the table under a key that may be left out, read by `read`.
    pub fn optional_table<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.take_key(key)?;
        self.enter(key, value, read)
    }

    /// Returns the table under a key that may be left out, read by `read`. `Some(None)` stands for a key that is left
    /// out, `None` for one that is not well-formed.
    pub fn table_if_given<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.has(key) { self.optional_table(key, read).map(Some) } else { Some(None) }
    }

    /// Returns the table under a key that must be there, read by `read`.
    pub fn table<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        if !self.has(key) {
            self.missing(key, "a table");
        }
        self.optional_table(key, read)
    }

    /// Returns every table of an array of tables (`[[key]]`), none when left out; one that `read` gives up is left out.
    pub fn tables<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Fields<'_>) -> Option<T>,
    ) -> Vec<T> {
        let Some(value) = self.take_key(key) else { return Vec::new() };
        let name = format!("[[{key}]]");
        let DeValue::Array(elements) = value.get_ref() else {
            self.unexpected(&format!("`{key}`"), value, &format!("tables, each written {name}"));
            return Vec::new();
        };
        let mut found = Vec::new();
        for element in elements.iter() {
            let DeValue::Table(table) = element.get_ref() else {
                self.unexpected(&format!("element of `{key}`"), element, "a table");
                continue;
            };
            found.extend(Self::walk(self.sink, table, element.span(), name.clone(), &mut read));
        }
        found
    }

    /// Returns the value of a key that must be there: one that `expect` accepts, or a table read by `read`.
    pub fn value_or_table<T>(
        &mut self,
        key: &'static str,
        expect: Expect<'_, T>,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<Located<T>> {
        if !self.has(key) {
            self.missing(key, expect.words());
        }
        let value = self.take_key(key)?;
        if matches!(value.get_ref(), DeValue::Table(_)) {
            return self.enter(key, value, read).map(|found| Located::new(found, value.span()));
        }
        self.check(&format!("`{key}`"), value, &expect)
    }

    /// Reports `at` as the second naming of what was first named at `first`.
    pub fn named_twice(&self, what: &str, at: Range<usize>, first: Range<usize>) {
        let message = format!("{what} is named twice; each name may stand once");
        self.report(
            Diagnostic::error(numbers::NAMED_TWICE, &self.sink.source, at, message)
                .other(Label::new(&self.sink.source, first, "first named here"))
                .fix("give one of them another name, or remove it"),
        );
    }

    pub(crate) fn take_key(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        if !self.taken.contains(&key) {
            self.taken.push(key);
        }
        self.table.get(key)
    }

    fn enter<T>(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let DeValue::Table(table) = value.get_ref() else {
            self.unexpected(&format!("`{key}`"), value, "a table");
            return None;
        };
        Self::walk(self.sink, table, value.span(), format!("`{key}`"), read)
    }

    fn check<T>(
        &self,
        what: &str,
        value: &Spanned<DeValue<'_>>,
        expect: &Expect<'_, T>,
    ) -> Option<Located<T>> {
        let taken = expect.take(value.get_ref());
        if taken.is_none() {
            let diagnostic = self.mismatch(what, value, expect.words());
            self.report(match expect.fix(value.get_ref()) {
                Some(fix) => diagnostic.fix(fix),
                None => diagnostic,
            });
        }
        taken.map(|found| Located::new(found, value.span()))
    }

    fn missing(&mut self, key: &'static str, words: &str) {
        let (at, name) = (self.span(), self.name.clone());
        let message = format!("`{key}` is missing in {name}: expected {words}");
        let error = Diagnostic::error(numbers::MISSING_KEY, &self.sink.source, at, message);
        self.report(error.expected(words).fix(format!("add `{key} = ...` to {name}")));
    }

    pub(crate) fn unexpected(&self, what: &str, value: &Spanned<DeValue<'_>>, words: &str) {
        self.report(self.mismatch(what, value, words));
    }

    fn mismatch(&self, what: &str, value: &Spanned<DeValue<'_>>, words: &str) -> Diagnostic {
        let span = value.span();
        let found = match value.get_ref() {
            DeValue::Array(_) | DeValue::Table(_) => kind_of(value.get_ref()).to_owned(),
            _ => self.source().text.get(span.clone()).unwrap_or_default().to_owned(),
        };
        let message = format!("{what} is {found}: expected {words}");
        Diagnostic::error(numbers::UNEXPECTED_VALUE, self.source(), span, message).expected(words)
    }

    fn report_unknown(&self) {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if self.taken.contains(&name) {
                continue;
            }
            let message = format!("the key `{name}` of {} is unknown", self.name);
            let fix = nearest_or_all(name, self.taken.iter().copied());
            self.error(numbers::UNKNOWN_KEY, key.span(), message, fix);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(diagnostics: &[Diagnostic]) -> Vec<String> {
        diagnostics.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_mistake_of_a_table_is_reported_in_the_order_of_the_text() {
        let source = SourceFile::new("t.toml", "[card]\nkm = 9\ntipe = 1\nports = [1, \"x\", 3]\n");
        let (value, found) = read_document(&source, |fields| {
            fields.table("card", |card| {
                let km = card.required("km", Expect::number(0.0..=5.0));
                let kind = card.required("type", Expect::text());
                let ports = card.list("ports", Expect::<u8>::integer(1..=4));
                assert_eq!(ports.map(|ports| ports.len()), Some(2));
                Some((km?, kind?))
            })
        });
        assert!(value.is_none());
        assert_eq!(
            lines(&found),
            [
                "HTK893E t.toml:1:1 `type` is missing in `card`: expected a string\n  \
                 fix: add `type = ...` to `card`",
                "HTK894E t.toml:2:6 `km` is 9: expected a number from 0 to 5",
                "HTK892E t.toml:3:1 the key `tipe` of `card` is unknown\n  fix: did you mean `type`?",
                "HTK894E t.toml:4:13 element of `ports` is \"x\": expected a whole number from 1 to 4",
            ]
        );
    }

    #[test]
    fn a_text_that_is_not_toml_is_reported_for_what_it_is_and_not_read() {
        let source = SourceFile::new("t.toml", "a = \nb = [1,\n");
        let (value, found) = read_document(&source, |_| -> Option<()> { panic!("read although broken") });
        assert!(value.is_none());
        assert!(found.len() >= 2, "{found:?}");
        assert!(found.iter().all(|one| one.number == numbers::NOT_TOML));
    }

    #[test]
    fn arrays_of_tables_keep_what_is_right() {
        let source = SourceFile::new("t.toml", "[[card]]\nid = 1\n[[card]]\nid = 0\n[[card]]\nid = 3\n");
        let (value, found) = read_document(&source, |fields| {
            Some(fields.tables("card", |card| card.required("id", Expect::<u8>::integer(1..=9))))
        });
        let ids: Vec<_> = value.into_iter().flatten().map(|id| id.value).collect();
        assert_eq!(ids, [1, 3]);
        assert_eq!(lines(&found), ["HTK894E t.toml:4:6 `id` is 0: expected a whole number from 1 to 9"]);
    }
}
