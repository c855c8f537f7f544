//! `decode.py` on a capture.

use std::path::Path;
use std::process::Command;

use crate::wireshark::tools::{is_there, repository};

/// Output of the decoder.
pub struct Decoded {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub text: String,
}

impl Decoded {
    /// Decodes `capture`; `None` where Python is missing and need not be there.
    pub fn of(capture: &Path) -> Option<Self> {
        if !is_there("python3") {
            return None;
        }
        let script = repository().join("crates/cli/tests/command/wireshark/decode.py");
        let output = Command::new("python3").arg(script).arg(capture).output().expect("python3 runs");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        Some(Self { code: output.status.code().unwrap_or(-1), text })
    }

    /// Asserts that nothing is violated.
    pub fn assert_sound(&self) {
        assert_eq!(self.code, 0, "{}", self.text);
        assert!(self.text.ends_with("0 violations\n"), "{}", self.text);
    }

    /// Asserts that something is violated, and that the report has these words.
    pub fn assert_found(&self, words: &str) {
        assert_eq!(self.code, 1, "{}", self.text);
        assert!(self.text.contains(words), "{words} is not in:\n{}", self.text);
    }

    /// Returns the count of `name` in the summary.
    pub fn count(&self, name: &str) -> usize {
        let line = self.text.lines().find_map(|line| line.strip_suffix(name));
        line.and_then(|count| count.trim().parse().ok()).unwrap_or_default()
    }
}
