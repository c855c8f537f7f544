//! The words at the head of each file of a study.

use crate::layout::Layout;

/// Columns of a comment line, its mark not counted.
const COLUMNS: usize = 68;

/// Returns lines that begin with `mark`: the program, the command that writes the file again, then `words`.
pub fn header(layout: &Layout<'_>, mark: char, words: &str) -> String {
    let written = format!("Written by `halftrack study new {}`.", layout.request.line());
    // An option stays with its value.
    let options = written.replace(" --", "\n--");
    wrapped(options.split('\n'), mark) + &wrapped(words.split_whitespace(), mark)
}

/// Formats `words` in lines of comments.
fn wrapped<'a>(words: impl Iterator<Item = &'a str>, mark: char) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in words {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push_str(&format!("{mark} {line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push_str(&format!("{mark} {line}\n"));
    }
    lines
}
