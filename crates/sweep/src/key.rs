//! A key: the name of one thing in the three files of a study.
//!
//! ```text
//! key     = file "." part *( "." part )
//! file    = "deck" | "plant" | "workload"
//! part    = 1*( any character but "." "=" and quotation marks ) | '"' *( any but '"' ) '"'
//! ```
//!
//! `docs/formats/sweep.md` describes the parts in each file.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use halftrack_input::messages::sweep::NOT_A_KEY;
use halftrack_input::{Diagnostic, SourceFile};

/// One of the three files of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StudyFile {
    /// `deck.iocp`.
    Deck,
    /// `plant.toml`.
    Plant,
    /// `workload.toml`.
    Workload,
}

impl StudyFile {
    /// Returns the word that begins a key of this file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Deck => "deck",
            Self::Plant => "plant",
            Self::Workload => "workload",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Self::Deck, Self::Plant, Self::Workload].into_iter().find(|file| file.word() == word)
    }
}

/// One part of a key between its dots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The text, without quotation marks.
    pub(crate) text: String,
    /// Bytes in the key as written.
    pub(crate) span: Range<usize>,
}

/// The name of one thing in the three files, such as `workload.stream.READ4K.closed.jobs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    text: String,
    file: StudyFile,
    parts: Vec<Part>,
}

impl Key {
    /// Returns the file that it leads into.
    pub fn file(&self) -> StudyFile {
        self.file
    }

    /// Returns the parts after the file.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the key as written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Key {
    type Err = Box<Diagnostic>;

    /// Reads a key. Whether it names anything is seen when it is used.
    ///
    /// # Errors
    /// `NOT_A_KEY`: no file at its head, nothing after it, an empty part, an open quotation mark.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let source = SourceFile::new("key", text);
        let mut parts = split(&source)?;
        let head = parts.remove(0);
        let Some(file) = StudyFile::from_word(&head.text) else {
            let message = format!("`{}` is no file of a study", head.text);
            return Err(not_a_key(&source, head.span, message)
                .fix("a key begins with `deck.`, `plant.` or `workload.`")
                .into());
        };
        if parts.is_empty() {
            let message = format!("`{text}` names a whole file");
            return Err(not_a_key(&source, head.span, message).fix(example(file)).into());
        }
        Ok(Self { text: text.to_owned(), file, parts })
    }
}

fn not_a_key(source: &Arc<SourceFile>, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(NOT_A_KEY, source, span, message)
}

fn example(file: StudyFile) -> &'static str {
    match file {
        StudyFile::Deck => "name a statement and a keyword: `deck.IODEVICE.1000.UNIT`",
        StudyFile::Plant => "name a table and a key in it: `plant.cable.100.km`",
        StudyFile::Workload => "name a table and a key in it: `workload.stream.OLTP.read_share`",
    }
}

/// Returns the parts of the text in `source`, at least one.
fn split(source: &Arc<SourceFile>) -> Result<Vec<Part>, Box<Diagnostic>> {
    let text = source.text.as_str();
    let mut parts = Vec::new();
    let mut at = 0;
    loop {
        let part = part(source, at)?;
        at = part.span.end;
        parts.push(part);
        match text[at..].chars().next() {
            None => return Ok(parts),
            Some('.') => at += 1,
            Some(other) => {
                let message = format!("`{other}` stands where a dot or the end of the key belongs");
                return Err(not_a_key(source, at..at + other.len_utf8(), message).into());
            }
        }
    }
}

/// Returns the part that begins at byte `start`.
fn part(source: &Arc<SourceFile>, start: usize) -> Result<Part, Box<Diagnostic>> {
    let rest = &source.text[start..];
    if let Some(quoted) = rest.strip_prefix('"') {
        let Some(length) = quoted.find('"') else {
            return Err(not_a_key(source, start..start + 1, "the quotation mark is not closed").into());
        };
        return Ok(Part { text: quoted[..length].to_owned(), span: start..start + length + 2 });
    }
    let length = rest.find(['.', '=', '"']).unwrap_or(rest.len());
    if rest[..length].trim().is_empty() {
        return Err(not_a_key(source, start..start + length, "a part of the key is empty")
            .fix("names stand between single dots; put a name with a dot in it between quotation marks")
            .into());
    }
    Ok(Part { text: rest[..length].to_owned(), span: start..start + length })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(text: &str) -> Vec<String> {
        let key: Key = text.parse().expect("a key");
        key.parts().iter().map(|part| part.text.clone()).collect()
    }

    fn refusal(text: &str) -> String {
        text.parse::<Key>().expect_err("no key").line()
    }

    #[test]
    fn parts_stand_between_dots_and_may_be_quoted() {
        let key: Key = "workload.stream.READ4K.closed.jobs".parse().expect("a key");
        assert_eq!((key.file(), key.to_string()), (StudyFile::Workload, key.text().to_owned()));
        assert_eq!(parts_of("workload.stream.READ4K.closed.jobs"), ["stream", "READ4K", "closed", "jobs"]);
        assert_eq!(parts_of("plant.isl.\"11.E0\".km"), ["isl", "11.E0", "km"]);
        assert_eq!(parts_of("deck.CHPID.0.40.SWITCH"), ["CHPID", "0", "40", "SWITCH"]);
        let spans: Vec<_> = key.parts().iter().map(|part| &key.text()[part.span.clone()]).collect();
        assert_eq!(spans, ["stream", "READ4K", "closed", "jobs"]);
    }

    #[test]
    fn what_is_no_key_is_shown_where_it_stops_being_one() {
        assert_eq!(refusal("machine.x"), "HTK950E key:1:1 `machine` is no file of a study");
        assert_eq!(refusal("plant"), "HTK950E key:1:1 `plant` names a whole file");
        assert_eq!(refusal("plant..km"), "HTK950E key:1:7 a part of the key is empty");
        assert_eq!(refusal("plant.isl.\"11"), "HTK950E key:1:11 the quotation mark is not closed");
        assert_eq!(
            refusal("plant.isl.\"11\"x"),
            "HTK950E key:1:15 `x` stands where a dot or the end of the key belongs"
        );
        assert_eq!(refusal(""), "HTK950E key:1:1 a part of the key is empty");
    }
}
