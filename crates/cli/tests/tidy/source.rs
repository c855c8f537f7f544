//! The files of the repository, and Rust text without its comments and literals.

use std::fs;
use std::path::{Path, PathBuf};

/// Directories that are not sources.
const SKIPPED: [&str; 4] = ["target", ".git", "out", "node_modules"];
/// Endings of the text files that rules about words apply to.
const TEXT_ENDINGS: [&str; 7] = ["rs", "toml", "md", "iocp", "svg", "snap", "yml"];
/// Text files without an ending.
const TEXT_NAMES: [&str; 4] = ["Makefile", "run", "engines", "LICENSE"];

/// A text file of the repository.
pub struct SourceText {
    /// Path from the root, with `/`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl SourceText {
    /// Returns the text with every comment, string and character literal blanked, lines kept.
    pub fn code(&self) -> String {
        code(&self.text)
    }

    /// Returns true when the path begins with one of `prefixes`.
    pub fn is_in(&self, prefixes: &[&str]) -> bool {
        prefixes.iter().any(|prefix| self.name.starts_with(prefix))
    }

    /// Returns true for benchmarks.
    pub fn is_bench(&self) -> bool {
        self.is_in(&["crates/bench/"]) || self.name.split('/').any(|part| part == "benches")
    }

    /// Returns `file:line text` of the lines of `text` (this file, perhaps blanked) that contain `pattern`.
    pub fn lines_with(&self, text: &str, pattern: &str) -> Vec<String> {
        self.matching(text, |line| line.contains(pattern))
    }

    /// Returns the lines with `word` as a whole word.
    pub fn lines_with_word(&self, text: &str, word: &str) -> Vec<String> {
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        self.matching(text, |line| line.split(|char| !is_word(char)).any(|part| part == word))
    }

    fn matching(&self, text: &str, matches: impl Fn(&str) -> bool) -> Vec<String> {
        let lines = text.lines().zip(self.text.lines()).enumerate();
        let hits = lines.filter(|(_, (line, _))| matches(line));
        hits.map(|(at, (_, line))| format!("{}:{} {}", self.name, at + 1, line.trim())).collect()
    }
}

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository is there")
}

/// Reads every Rust source.
pub fn rust_sources() -> Vec<SourceText> {
    let sources: Vec<_> = texts().into_iter().filter(|text| text.name.ends_with(".rs")).collect();
    assert!(sources.len() > 100, "only {} sources were found", sources.len());
    sources
}

/// Reads every text file, but not by way of links, which lead to others of them.
pub fn texts() -> Vec<SourceText> {
    let root = repository();
    let mut found = Vec::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("directory") {
            let entry = entry.expect("entry");
            let (path, name) = (entry.path(), entry.file_name().into_string().expect("a name in UTF-8"));
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                if !SKIPPED.contains(&name.as_str()) {
                    directories.push(path);
                }
                continue;
            }
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            if TEXT_ENDINGS.contains(&ending) || TEXT_NAMES.contains(&name.as_str()) {
                let relative = path.strip_prefix(&root).expect("below the root");
                let text = fs::read_to_string(&path).expect("text in UTF-8");
                found.push(SourceText { name: relative.display().to_string(), text });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Returns `text` with comments and literals replaced by blanks, line by line in place.
pub fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let after_word = code.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let length = literal_or_comment(rest, after_word);
        if length == 0 {
            let first = rest.chars().next().expect("not empty");
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            let blank = |char: char| if char == '\n' { '\n' } else { ' ' };
            code.extend(rest[..length].chars().map(blank));
            rest = &rest[length..];
        }
    }
    code
}

/// Returns the length of the comment or literal that `rest` begins with, in bytes; 0 when it begins with neither.
fn literal_or_comment(rest: &str, after_word: bool) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    if !after_word && let Some(raw) = raw_string(rest) {
        return raw;
    }
    if rest.starts_with('"') {
        return string(rest);
    }
    if rest.starts_with('\'') { character(rest) } else { 0 }
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        match here {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn raw_string(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(rest.len() - body.len() + length)
}

fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, char) in rest.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of a character literal; a lifetime is none.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            chars.next();
            chars.find(|(_, char)| *char == '\'').map_or(0, |(at, _)| at + 1)
        }
        Some(_) => chars.next().filter(|(_, char)| *char == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

#[test]
fn comments_and_literals_are_blanked_and_nothing_else() {
    let pairs = [
        ("a // b\nc", "a     \nc"),
        ("a /* { /* } */\n */ b", "a             \n    b"),
        ("f(\"{\\\"}\", '{')", "f(      ,    )"),
        ("r#\"a\"b\"# + br\"}\"", "         +      "),
        ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        ("'\\'' | '\\u{1F}' | b'{'", "     |          | b   "),
        ("for\"x\"", "for   "),
    ];
    for (text, expected) in pairs {
        assert_eq!(code(text), expected, "{text}");
    }
}

#[test]
fn words_are_found_whole() {
    let source = SourceText { name: "x.rs".to_owned(), text: "Instants\nan Instant;\n".to_owned() };
    assert_eq!(source.lines_with_word(&source.text, "Instant"), ["x.rs:2 an Instant;"]);
}
