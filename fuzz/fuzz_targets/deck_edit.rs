//! A deck with a value set on one statement has the same other statements, and is laid out the same way twice.
#![no_main]

use halftrack_deck::diagnostic::SourceFile;
use halftrack_deck::script::Script;
use halftrack_deck::{Edits, format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (index, text) = input;
    let before = Script::parse(&SourceFile::new("fuzz.iocp", text));
    let once = format(&before);
    let formatted = Script::parse(&SourceFile::new("fuzz.iocp", once.as_str()));
    assert_eq!(format(&formatted), once);
    let index = usize::from(index) % before.statements.len().max(1);
    let Some(statement) = before.statements.get(index).filter(|one| one.well_formed) else { return };
    let mut edits = Edits::new(&before);
    edits.set(index, "PCHID", "1F0");
    let after = Script::parse(&SourceFile::new("fuzz.iocp", edits.finish()));
    assert_eq!(after.statements.len(), before.statements.len());
    let changed = &after.statements[index];
    assert_eq!(changed.kind, statement.kind);
    assert_eq!(changed.value("PCHID").map(ToString::to_string).as_deref(), Some("1F0"));
});
