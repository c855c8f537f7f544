//! The committed fuzz corpus holds on every run of the tests, without the fuzzer.

use std::fs;
use std::path::Path;

use halftrack_exec::{Image, assemble, disassemble};
use halftrack_input::SourceFile;

fn no_files(_: &str) -> Result<Vec<u8>, String> {
    Err("no such file".to_owned())
}

#[test]
fn every_seed_is_refused_with_messages_or_comes_back() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/program_text");
    let (mut assembled, mut refused) = (0, 0);
    for entry in fs::read_dir(directory).expect("the corpus is committed") {
        let octets = fs::read(entry.expect("a readable directory").path()).expect("a readable seed");
        let source = SourceFile::new("seed.ccw", String::from_utf8_lossy(&octets));
        match assemble(&source, &no_files) {
            Ok(program) => {
                let image = Image::from(&program);
                let again = SourceFile::new("again.ccw", disassemble(&image));
                let program = assemble(&again, &no_files).unwrap_or_else(|found| panic!("{found:#?}"));
                assert_eq!(Image::from(&program), image, "{}", again.text);
                assembled += 1;
            }
            Err(found) => {
                for message in &found {
                    assert!(source.text.get(message.at.span.clone()).is_some(), "{message}");
                }
                refused += 1;
            }
        }
    }
    assert!(assembled >= 1 && refused >= 3, "{assembled} assembled, {refused} refused");
}
