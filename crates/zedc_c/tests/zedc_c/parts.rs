//! The parts of `services.c`, each before a machine that answers as it expects.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use halftrack_zedc_rings::Place;

use crate::Machine;
use crate::compiler::{compiled, crate_directory};

/// Time that a slice of a slow engine takes.
const SLOW: Duration = Duration::from_millis(25);
/// User who owns no card (Debian: `nobody`).
const STRANGER: u32 = 65534;

/// Returns the compiled program.
fn program(directory: &Path) -> Option<PathBuf> {
    compiled(&crate_directory().join("tests/zedc_c/services.c"), "services", directory)
}

/// Returns the command of a part.
fn command(program: &Path, machine: &Machine, part: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(machine.directory.path()).arg(part);
    command
}

/// Runs a part; returns the answers that it was given.
fn run(mut command: Command) -> BTreeSet<String> {
    let output = command.output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {} {errors}", output.status);
    answers(&text)
}

fn answers(text: &str) -> BTreeSet<String> {
    assert!(text.ends_with("passed\n"), "{text}");
    text.lines().filter(|line| line.contains('/')).map(str::to_owned).collect()
}

/// Has the only card lost under a request; returns the answers.
fn lost(program: &Path) -> BTreeSet<String> {
    let mut machine = Machine::new(1, SLOW);
    let mut command = command(program, &machine, "lost");
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut output = BufReader::new(child.stdout.take().expect("output"));
    let mut text = String::new();
    while !text.contains("begun") {
        assert_ne!(output.read_line(&mut text).expect("text"), 0, "it ends early: {text}");
    }
    std::thread::sleep(4 * SLOW);
    machine.cards.clear();
    output.read_to_string(&mut text).expect("text");
    assert!(child.wait().expect("it ends").success(), "{text}");
    answers(&text)
}

/// Has another user try, where this one may become another; returns the answers.
fn stranger(program: &Path) -> Option<BTreeSet<String>> {
    let machine = Machine::new(1, Duration::ZERO);
    let mut command = command(program, &machine, "stranger");
    for directory in [machine.directory.path(), program.parent().expect("a directory")] {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).expect("it is the test's");
    }
    // Who is not root cannot become another user: that is no lack of the machine.
    let is_root = Command::new("true").uid(STRANGER).status().is_ok();
    is_root.then(|| {
        command.uid(STRANGER);
        run(command)
    })
}

/// Returns the reason codes in the header that a program can get.
fn expected() -> BTreeSet<String> {
    let header = fs::read_to_string(crate_directory().join("include/halftrack_zedc.h")).expect("the header");
    let lines = header.lines().filter(|line| line.starts_with("#define FPZ4_RSN_"));
    let given =
        lines.filter(|line| !line.contains("not given here") && !line.contains("a defect of this library"));
    given.map(|line| line.split("0x").nth(1).expect("a code")[..4].to_owned()).collect()
}

/// Every service is called, and every answer is given that the header promises.
#[test]
fn a_program_goes_through_the_services_and_their_answers() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(program) = program(directory.path()) else { return };
    let mut given = run(command(&program, &Machine::new(2, Duration::ZERO), "whole"));
    given.extend(run(command(&program, &Machine::new(1, SLOW), "ends")));
    given.extend(run(command(&program, &Machine::new(1, SLOW), "full")));
    given.extend(lost(&program));
    let strangers = stranger(&program);
    let has_stranger = strangers.is_some();
    given.extend(strangers.unwrap_or_default());
    let given: BTreeSet<_> = given.iter().map(|codes| codes[3..].to_owned()).collect();
    let mut expected = expected();
    if !has_stranger {
        expected.remove("0207");
    }
    assert_eq!(given, expected);
}

/// A program that ends without its last service leaves nothing behind at the card.
#[test]
fn a_card_lets_programs_go_that_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(program) = program(directory.path()) else { return };
    let machine = Machine::new(1, Duration::ZERO);
    let place = Place::new(machine.directory.path());
    run(command(&program, &machine, "whole"));
    let card = halftrack_zedc::CardId::new(0).expect("a card");
    let is_used = || {
        let show = halftrack_zedc_rings::Command::Show;
        let status = halftrack_zedc_rings::operate(&place, card, show).expect("the card answers");
        status.functions.iter().any(|function| !function.processes.is_empty())
    };
    for _ in 0..1000 {
        if !is_used() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the card keeps programs that have ended");
}
