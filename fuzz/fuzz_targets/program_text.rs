//! Any bytes are read as a program text: no panic, every span inside the text, and what assembles is disassembled to a
//! text that assembles to the same storage and the same functions.
#![no_main]

use halftrack_exec::{Image, assemble, disassemble};
use libfuzzer_sys::fuzz_target;
use halftrack_input::SourceFile;

fuzz_target!(|bytes: &[u8]| {
    let source = SourceFile::new("fuzz.ccw", String::from_utf8_lossy(bytes));
    let files = |name: &str| if name.len() < 9 { Ok(name.into()) } else { Err("no such file".to_owned()) };
    match assemble(&source, &files) {
        Ok(program) => {
            let image = Image::from(&program);
            let again = SourceFile::new("again.ccw", disassemble(&image));
            let program = assemble(&again, &files).unwrap_or_else(|found| panic!("{}\n{found:#?}", again.text));
            assert_eq!(Image::from(&program), image, "{}", again.text);
        }
        Err(found) => {
            assert!(!found.is_empty());
            for message in &found {
                for label in std::iter::once(&message.at).chain(&message.others) {
                    assert!(source.text.get(label.span.clone()).is_some(), "{message}");
                }
            }
        }
    }
});
