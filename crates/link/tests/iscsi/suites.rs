//! The suites of iscsi-test-cu (libiscsi 1.19) on each unit: in a few lines at a time, each before a target of its own.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::thread;

use crate::expected::{EXPECTED, Expected, SUITES};
use crate::rig::{LONG_UNIT, READ_ONLY_UNIT, Rig, SHORT_UNIT};
use crate::tools;

/// Lines of suites at a time: the program waits most of the time.
const LINES: usize = 8;

/// Outcome of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All of it was carried out, and held.
    Passed,
    /// A part was not carried out, or nothing; the reason.
    Skipped(String),
    /// The first assertion that failed.
    Failed(String),
}

/// Reads the outcomes of the tests of one suite from what the program prints.
fn outcomes(printed: &str) -> BTreeMap<String, Outcome> {
    let printed = printed.split("Run Summary").next().unwrap_or_default();
    let mut found = BTreeMap::new();
    for part in printed.split("\n  Test: ").skip(1) {
        let Some((name, rest)) = part.split_once(" ...") else { continue };
        let lines = || rest.lines().map(str::trim);
        let failed = lines().find(|line| line.starts_with("1. ") && line.contains(" - "));
        let skipped = lines().find_map(|line| line.strip_prefix("[SKIPPED] "));
        // Words of the end of a test and of the program's own tidying up may share the line.
        let has_passed = lines().any(|line| line.starts_with("passed") || line.ends_with("passed"));
        let outcome = match (failed, skipped) {
            (Some(assertion), _) => Outcome::Failed(assertion.to_owned()),
            (None, _) if !has_passed => Outcome::Failed(format!("no end: {}", rest.trim())),
            (None, Some(reason)) => Outcome::Skipped(reason.to_owned()),
            (None, None) => Outcome::Passed,
        };
        found.insert(name.to_owned(), outcome);
    }
    found
}

/// Reads the tests that the program counts: total, carried out, passed, failed.
fn counts(printed: &str) -> Option<[usize; 4]> {
    let line = printed.lines().find_map(|line| line.trim().strip_prefix("tests "))?;
    let numbers: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.get(..4)?.try_into().ok()
}

/// Runs a suite; returns what is wrong with its run, and adds a line to the table.
fn run(rig: &Rig, unit: u32, suite: &str, tests: usize, table: &mut String) -> Vec<String> {
    let urls = [rig.gateway.url(1, unit), rig.gateway.url(2, unit)];
    let mut arguments = vec!["-d", "-v", "-t", suite, &urls[0]];
    if suite == "SCSI.MultipathIO" {
        arguments.push(&urls[1]);
    }
    let output = tools::run("iscsi-test-cu", &arguments);
    let printed = String::from_utf8_lossy(&output.stdout);
    let found = outcomes(&printed);
    let number = |is_of: fn(&Outcome) -> bool| found.values().filter(|one| is_of(one)).count();
    let passed = number(|one| *one == Outcome::Passed);
    let failed = number(|one| matches!(one, Outcome::Failed(_)));
    let skipped = number(|one| matches!(one, Outcome::Skipped(_)));
    let _ = writeln!(table, "unit {unit} {suite:28} {passed:3} passed {failed:3} failed {skipped:3} skipped");
    let mut wrong = Vec::new();
    // It ends with 0 for a suite that does not exist, too, and dies of answers that it does not expect.
    let counted = counts(&printed);
    if counted != Some([tests, tests, tests - failed, failed]) || found.len() != tests {
        let seen = found.len();
        wrong.push(format!("{suite}: {seen} of {tests} tests seen, {counted:?} counted, {}", output.status));
    }
    for (test, outcome) in found {
        let suite = suite.split_once('.').map_or(suite, |(_, name)| name);
        wrong.extend(deviation(unit, suite, &test, &outcome));
    }
    wrong
}

/// Returns how an outcome differs from the expected one.
fn deviation(unit: u32, suite: &str, test: &str, outcome: &Outcome) -> Option<String> {
    let is_of =
        |one: &&Expected| one.suite == suite && one.tests.contains(&test) && one.units.contains(&unit);
    let expected = EXPECTED.iter().find(is_of);
    let is_expected = match (outcome, expected) {
        (Outcome::Passed, None) => true,
        (Outcome::Skipped(reason), Some(expected)) => !expected.fails && reason == expected.printed,
        (Outcome::Failed(reason), Some(expected)) => expected.fails && reason.contains(expected.printed),
        _ => false,
    };
    (!is_expected).then(|| format!("{suite}.{test}: {outcome:?}, expected {expected:?}"))
}

/// Runs suites one after the other before a target of their own. Returns their lines of the table, and what is wrong.
fn run_line<'a>(unit: u32, suites: impl Iterator<Item = &'a (&'a str, usize)>) -> (String, Vec<String>) {
    let rig = Rig::start();
    let (mut table, mut wrong) = (String::new(), Vec::new());
    for (suite, tests) in suites {
        wrong.extend(run(&rig, unit, suite, *tests, &mut table));
    }
    drop(rig.gateway.stop());
    (table, wrong)
}

fn run_all(unit: u32, suites: &[(&str, usize)]) {
    if !tools::are_there() {
        return;
    }
    let (mut table, mut wrong) = (String::new(), Vec::new());
    let lines: Vec<_> = (0..LINES).map(|line| suites.iter().skip(line).step_by(LINES)).collect();
    thread::scope(|scope| {
        let started: Vec<_> =
            lines.into_iter().map(|line| scope.spawn(move || run_line(unit, line))).collect();
        for line in started {
            let (of_line, mut deviations) = line.join().expect("a line of suites ends");
            table.push_str(&of_line);
            wrong.append(&mut deviations);
        }
    });
    println!("{table}");
    for one in EXPECTED.iter().filter(|one| one.units.contains(&unit)) {
        let suite =
            suites.iter().find(|(name, _)| name.split_once('.').is_some_and(|(_, name)| name == one.suite));
        assert!(suite.is_some(), "no suite {}", one.suite);
    }
    assert!(wrong.is_empty(), "{table}\n{}", wrong.join("\n"));
}

#[test]
fn every_suite_on_512_bytes() {
    run_all(SHORT_UNIT, &SUITES);
}

#[test]
fn every_suite_on_4096_bytes() {
    run_all(LONG_UNIT, &SUITES);
}

#[test]
fn a_unit_that_is_read_only_refuses_every_write() {
    run_all(READ_ONLY_UNIT, &[("SCSI.ReadOnly", 1)]);
}

#[test]
fn the_suites_are_those_of_the_program() {
    if tools::are_there() {
        let listed = tools::succeed("iscsi-test-cu", &["-l"]);
        let of_target = |line: &&str| line.starts_with("SCSI.") || line.starts_with("iSCSI.");
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for line in listed.lines().map(str::trim).filter(of_target) {
            let suite: Vec<&str> = line.splitn(3, '.').collect();
            *found.entry(suite[..2].join(".")).or_default() += usize::from(suite.len() == 3);
        }
        let expected = SUITES.iter().map(|(name, tests)| ((*name).to_owned(), *tests)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_suite_that_does_not_exist_is_an_error() {
    if tools::are_there() {
        let rig = Rig::start();
        let wrong = run(&rig, 0, "SCSI.NoSuchSuite", 1, &mut String::new());
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        drop(rig.gateway.stop());
    }
}

#[test]
fn outcomes_are_read_from_what_is_printed() {
    let printed = "Suite: X\n  Test: A ...passed\n  Test: B ...    [SKIPPED] no b\npassed    [FAILED] PRIN\n  Test: C ...    [OK] x\n\
        FAILED\n    1. c.c:1  - CU_FAIL(\"c\")\n  Test: D ...\n\nRun Summary:\n               tests      4      3\n";
    let found = outcomes(printed);
    let is = |name: &str, outcome: Outcome| assert_eq!(found[name], outcome);
    is("A", Outcome::Passed);
    is("B", Outcome::Skipped("no b".to_owned()));
    is("C", Outcome::Failed("1. c.c:1  - CU_FAIL(\"c\")".to_owned()));
    is("D", Outcome::Failed("no end: ".to_owned()));
    assert_eq!(counts("  tests   10   10   9   1   0"), Some([10, 10, 9, 1]));
    assert_eq!(counts(printed), None);
}

#[test]
fn every_outcome_that_is_not_the_expected_one_is_found() {
    let skipped = Outcome::Skipped("--allow-sanitize flag is not set. Skipping test.".to_owned());
    assert_eq!(deviation(0, "Sanitize", "Reset", &skipped), None);
    for (suite, test, outcome) in [
        ("Sanitize", "Reset", Outcome::Passed),
        ("Sanitize", "Reset", Outcome::Skipped("other".to_owned())),
        ("Read10", "Simple", skipped),
        ("Read10", "Simple", Outcome::Failed(String::new())),
    ] {
        assert!(deviation(0, suite, test, &outcome).is_some(), "{test} {outcome:?}");
    }
}
