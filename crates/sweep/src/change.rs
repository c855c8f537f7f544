//! A study with some of its keys changed.

use std::ops::Range;
use std::sync::Arc;

use halftrack_config::StudyFiles;
use halftrack_input::messages::sweep::{NAMES_NOTHING, NAMES_SEVERAL};
use halftrack_input::{Diagnostic, SourceFile, nearest};

use crate::deck_change::change_deck;
use crate::key::{Key, StudyFile};
use crate::toml_change::change_toml;

/// The value that takes a key out of its file.
pub const NONE: &str = "none";

/// One key and the value that it is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Key that is changed.
    pub key: Key,
    /// To what: a TOML value or, in the deck, an operand; [`NONE`] takes the key out.
    pub value: String,
}

impl Change {
    /// Returns the change as a person writes it: `plant.cable.100.km=10`.
    pub fn text(&self) -> String {
        format!("{}={}", self.key, self.value)
    }

    /// Returns an error at bytes `span` of [`Change::text`].
    pub(crate) fn error(&self, number: u16, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &SourceFile::new("change", self.text()), span, message)
    }

    /// Returns an error at the value.
    pub(crate) fn value_error(&self, number: u16, message: impl Into<String>) -> Diagnostic {
        let text = self.text();
        self.error(number, self.key.text().len() + 1..text.len(), message)
    }

    /// Returns the key up to part `at`, that part included, as written.
    fn up_to(&self, at: usize) -> &str {
        &self.key.text()[..self.key.parts()[at].span.end]
    }

    /// Returns the error of a key whose part `at` names nothing; `there` are the names that would.
    pub(crate) fn names_nothing(&self, at: usize, there: &[String]) -> Box<Diagnostic> {
        let span = self.key.parts()[at].span.clone();
        let message = format!("`{}` names nothing in the study", self.up_to(at));
        let fix = match there {
            [] => "there is nothing to name here".to_owned(),
            names => match nearest(&self.key.parts()[at].text, names.iter().map(String::as_str)) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("there is {}", listed(names)),
            },
        };
        Box::new(self.error(NAMES_NOTHING, span, message).fix(fix))
    }

    /// Returns the error of a key whose part `at` names `count` elements.
    pub(crate) fn names_several(&self, at: usize, count: usize, fix: &str) -> Box<Diagnostic> {
        let span = self.key.parts()[at].span.clone();
        let message = format!("`{}` names {count} things", self.up_to(at));
        Box::new(self.error(NAMES_SEVERAL, span, message).fix(fix))
    }
}

/// Lists at most twenty of `names`, with commas between them.
fn listed(names: &[String]) -> String {
    const SHOWN_MAX: usize = 20;
    let mut text = names.iter().take(SHOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN_MAX {
        text.push_str(&format!(" and {} more", names.len() - SHOWN_MAX));
    }
    text
}

/// Returns the study `files` with `changes` made in their order; the text around them keeps its place. The names of
/// changed files show the changes, so that a message about one of them can be understood.
///
/// # Errors
/// The first change whose key names nothing or several elements, or whose value cannot stand there.
/// [`configure`](halftrack_config::configure) decides whether the result is a study.
pub fn change(files: &StudyFiles, changes: &[Change]) -> Result<StudyFiles, Box<Diagnostic>> {
    let mut changed = files.clone();
    for change in changes {
        let file = match change.key.file() {
            StudyFile::Deck => &mut changed.deck,
            StudyFile::Plant => &mut changed.plant,
            StudyFile::Workload => &mut changed.workload,
        };
        let text = match change.key.file() {
            StudyFile::Deck => change_deck(file, change)?,
            StudyFile::Plant | StudyFile::Workload => change_toml(file, change)?,
        };
        *file = SourceFile::new(file.name.clone(), text);
    }
    for which in [StudyFile::Deck, StudyFile::Plant, StudyFile::Workload] {
        let made: Vec<String> =
            changes.iter().filter(|change| change.key.file() == which).map(Change::text).collect();
        let file = match which {
            StudyFile::Deck => &mut changed.deck,
            StudyFile::Plant => &mut changed.plant,
            StudyFile::Workload => &mut changed.workload,
        };
        if !made.is_empty() {
            *file = renamed(file, &made);
        }
    }
    Ok(changed)
}

/// Renames `file` so that its name shows the changes `made`.
fn renamed(file: &Arc<SourceFile>, made: &[String]) -> Arc<SourceFile> {
    SourceFile::new(format!("{} [{}]", file.name, made.join(", ")), file.text.clone())
}
