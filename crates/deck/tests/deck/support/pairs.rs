//! Pairs of decks, `bad.iocp` and `good.iocp`, one pair for each row of a table.

use std::fs;
use std::path::{Path, PathBuf};

/// Codes of the messages that a deck gives, and the messages as shown.
pub type Messages = (Vec<String>, String);

/// The pairs of one table.
#[derive(Clone, Copy)]
pub struct Pairs {
    /// Directory below `tests/decks`.
    pub directory: &'static str,
    /// Letter before the number in the name of a pair.
    pub letter: char,
}

impl Pairs {
    fn path(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/decks").join(self.directory)
    }

    fn name(self, number: u16) -> String {
        format!("{}{number:03}", self.letter)
    }

    /// Returns the bad deck of `number`, then the good one.
    fn decks(self, number: u16) -> Result<[String; 2], String> {
        let place = self.path().join(self.name(number));
        let text =
            |file: &str| fs::read_to_string(place.join(file)).map_err(|error| format!("{file}: {error}"));
        Ok([text("bad.iocp")?, text("good.iocp")?])
    }

    /// Asserts that there is a pair for each of `numbers` and no other, and that `check` (number, bad, good) finds
    /// nothing wrong with any.
    pub fn hold(self, numbers: &[u16], check: impl Fn(u16, &str, &str) -> Result<(), String>) {
        let checked = |&number: &u16| {
            let outcome = self.decks(number).and_then(|[bad, good]| check(number, &bad, &good));
            outcome.err().map(|reason| format!("{}: {reason}", self.name(number)))
        };
        let failures: Vec<String> = numbers.iter().filter_map(checked).collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        for entry in fs::read_dir(self.path()).expect("the decks are committed") {
            let found = entry.expect("an entry").file_name();
            assert!(numbers.iter().any(|&number| found.to_str() == Some(&self.name(number))), "{found:?}");
        }
    }
}

/// Checks that the bad deck of a pair gives the messages `expected`, the good one none.
pub fn as_expected(
    (bad, shown): Messages,
    expected: &[String],
    (good, good_shown): Messages,
) -> Result<(), String> {
    if bad != expected {
        return Err(format!("bad gives {bad:?}, not {expected:?}\n{shown}"));
    }
    if good.is_empty() { Ok(()) } else { Err(format!("good gives {good:?}\n{good_shown}")) }
}
