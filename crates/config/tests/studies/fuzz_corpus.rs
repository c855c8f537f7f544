//! The committed fuzz corpus of traces holds on every run of the tests, without the fuzzer.

use std::path::Path;

use halftrack_config::read_trace;
use halftrack_input::SourceFile;

#[test]
fn every_seed_is_read_without_panic() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace");
    let mut seeds = 0;
    for entry in std::fs::read_dir(directory).expect("the corpus is committed") {
        let path = entry.expect("a readable directory").path();
        let bytes = std::fs::read(&path).expect("a readable seed");
        let source = SourceFile::new(path.to_string_lossy(), String::from_utf8_lossy(&bytes));
        let (lines, found) = read_trace(&source);
        let inside = |span: &std::ops::Range<usize>| source.text.get(span.clone()).is_some();
        assert!(found.iter().all(|one| inside(&one.at.span)), "{}", path.display());
        assert!(!found.is_empty() || lines.is_sorted_by_key(|line| line.at_ps), "{}", path.display());
        seeds += 1;
    }
    assert!(seeds >= 4, "only {seeds} seeds");
}
