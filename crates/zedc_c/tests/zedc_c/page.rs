//! The examples of the page on the services of a card, from its own text.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use flate2::read::DeflateDecoder;

use crate::compiler::{compiled, crate_directory};
use crate::{Machine, example};

/// Returns the one block of the page in a language.
fn block(language: &str) -> String {
    let page = fs::read_to_string(crate_directory().join("../../docs/zedc-interface.md")).expect("the page");
    let begin = format!("```{language}\n");
    let mut blocks = page.split(&begin).skip(1);
    let block = blocks.next().expect("a block").split_once("```\n").expect("its end").0.to_owned();
    assert!(blocks.next().is_none(), "one block in {language}");
    block
}

fn data() -> Vec<u8> {
    (0_u32..)
        .flat_map(|at| format!("record {at} of data set {}\n", at % 37).into_bytes())
        .take(900_000)
        .collect()
}

fn inflated(stream: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    DeflateDecoder::new(stream).read_to_end(&mut data).expect("another library inflates it");
    data
}

#[test]
fn the_program_in_c_deflates() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("deflate.c");
    fs::write(&source, block("c")).expect("the file is written");
    let Some(program) = compiled(&source, "deflate", directory.path()) else { return };
    let machine = Machine::new(1, Duration::ZERO);
    let mut child = Command::new(&program)
        .arg(machine.directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    child.stdin.take().expect("input").write_all(&data()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.starts_with("900000 to "), "{errors}");
    assert!(inflated(&output.stdout) == data());
    let refused = Command::new(&program).arg("/no/such/directory").output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&refused.stderr), "fpz4rzv: 08/0000\n");
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn the_program_in_rust_deflates() {
    assert!(
        include_str!("example.rs").ends_with(&block("rust")),
        "the page has the example that is compiled"
    );
    let machine = Machine::new(1, Duration::ZERO);
    let stream = example::deflate(machine.directory.path(), &data()).expect("the card deflates");
    assert!(inflated(&stream) == data());
}
