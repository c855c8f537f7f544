//! Any bytes are read as a trace: no panic, every span inside the text, lines in the order of their times where nothing
//! is wrong.
#![no_main]

use halftrack_config::read_trace;
use libfuzzer_sys::fuzz_target;
use halftrack_input::SourceFile;

fuzz_target!(|bytes: &[u8]| {
    let source = SourceFile::new("fuzz.csv", String::from_utf8_lossy(bytes));
    let (lines, found) = read_trace(&source);
    for message in &found {
        assert!(source.text.get(message.at.span.clone()).is_some(), "{message}");
    }
    assert!(!found.is_empty() || lines.is_sorted_by_key(|line| line.at_ps));
});
