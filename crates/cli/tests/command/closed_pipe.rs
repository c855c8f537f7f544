//! A reader that closes standard output or standard error early changes neither the work nor the exit code.

use std::fs;
use std::io::{self, PipeWriter};
use std::process::{Command, Output, Stdio};

use crate::support::{Study, binary, code, repository, stderr, stdout};

/// Returns the writing end of a pipe that nothing reads.
fn closed() -> PipeWriter {
    io::pipe().expect("a pipe").1
}

/// Runs the command in the repository with `output` and `error` in place of its own.
fn run(arguments: &[&str], output: impl Into<Stdio>, error: impl Into<Stdio>) -> Output {
    let mut command = Command::new(binary());
    command.current_dir(repository()).args(arguments).stdout(output).stderr(error);
    command.spawn().and_then(|child| child.wait_with_output()).expect("the command")
}

/// Writes a study whose deck has a fault; returns the path of the deck with it.
fn bad_deck() -> (Study, String) {
    let study = Study::copy("z16-oltp");
    study.edit("deck.iocp", |deck| deck.replacen("TYPE=FC", "TYPE=NO", 1));
    let deck = study.path().join("deck.iocp").display().to_string();
    (study, deck)
}

#[test]
fn messages_to_a_closed_pipe_end_quietly_with_the_code_of_the_work() {
    let (study, deck) = bad_deck();
    let directory = study.path().display().to_string();
    for (arguments, expected) in [
        (vec!["check", &directory, "--json"], 2),
        (vec!["check", &directory], 2),
        (vec!["deck", "check", &deck], 1),
        (vec!["deck", "show", &deck], 1),
        (vec!["deck", "draw", "no-such-deck", "-o", "out.svg"], 2),
        (vec!["study", "models"], 0),
    ] {
        let quiet = run(&arguments, closed(), closed());
        assert_eq!(code(&quiet), expected, "{arguments:?}");
        let reported = run(&arguments, closed(), Stdio::piped());
        assert_eq!(code(&reported), expected, "{arguments:?}");
        let words = stderr(&reported);
        assert!(!words.contains("pipe") && !words.contains("panicked"), "{arguments:?}: {words}");
        let printed = run(&arguments, Stdio::piped(), closed());
        assert_eq!(code(&printed), expected, "{arguments:?}: {}", stdout(&printed));
    }
}

#[test]
fn a_run_whose_pipes_are_closed_writes_its_files() {
    let study = Study::short("z16-oltp");
    let out = study.beside("out");
    let (directory, place) = (study.path().display().to_string(), out.display().to_string());
    let done = run(&["run", &directory, "--out", &place], closed(), closed());
    assert_eq!(code(&done), 0);
    assert!(fs::read_dir(&out).is_ok_and(|mut files| files.next().is_some()), "nothing in {place}");
}
