//! docs/coverage.md: every state is known, and every test that it names is there and runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Rows of each section; a row that disappears is a promise dropped.
const ROWS: [(&str, usize); 13] = [
    ("1 Channels and protocols", 24),
    ("2 Channel subsystem and SAPs", 20),
    ("3 Fabric and distance", 17),
    ("4 Control units and devices", 8),
    ("5 Native PCIe functions", 33),
    ("6 Configuration (IOCP, HCD, eConfig)", 13),
    ("7 Reports and displays", 25),
    ("8 Security", 7),
    ("9 Planning methods and guidelines", 25),
    ("10 Measurement method, workloads and tools", 16),
    ("11 ISFC", 11),
    ("12 Channel programs and volumes", 16),
    ("13 A working link", 27),
];
/// States of a feature.
const STATES: [&str; 3] = ["working", "partly", "not yet"];

/// One row of the table.
struct Row {
    line: usize,
    section: String,
    feature: String,
    state: String,
    tests: Vec<String>,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(repository().join("docs/coverage.md")).expect("docs/coverage.md")
}

fn rows(page: &str) -> Vec<Row> {
    let mut section = String::new();
    let mut rows = Vec::new();
    for (at, line) in page.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.to_owned();
        }
        let Some(cells) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
        let cells: Vec<&str> = cells.split(" | ").map(str::trim).collect();
        let [feature, state, tests] = cells[..] else {
            panic!("docs/coverage.md:{} has {} cells, not 3", at + 1, cells.len());
        };
        if feature == "Feature" || feature.starts_with("---") {
            continue;
        }
        // Names of tests stand in backquotes, words about them need not.
        let tests = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let (feature, state) = (feature.to_owned(), state.to_owned());
        rows.push(Row { line: at + 1, section: section.clone(), feature, state, tests });
    }
    rows
}

/// Returns the faults of `row`.
fn faults(row: &Row) -> Vec<String> {
    let place = format!("docs/coverage.md:{} {}", row.line, row.feature);
    let mut faults = Vec::new();
    if !STATES.contains(&row.state.as_str()) {
        faults.push(format!("{place}: `{}` is no state", row.state));
    }
    if row.state == "not yet" && !row.tests.is_empty() {
        faults.push(format!("{place}: not yet, but names a test"));
    }
    if ["working", "partly"].contains(&row.state.as_str()) && row.tests.is_empty() {
        faults.push(format!("{place}: {}, but names no test", row.state));
    }
    faults.extend(row.tests.iter().filter_map(|test| missing(test)).map(|why| format!("{place}: {why}")));
    faults
}

/// Returns the reason why `test`, written `path/of/file.rs::name`, does not count.
fn missing(test: &str) -> Option<String> {
    let Some((file, name)) = test.rsplit_once("::") else {
        return Some(format!("{test} is not of the form file.rs::name"));
    };
    let Ok(text) = fs::read_to_string(repository().join(file)) else {
        return Some(format!("there is no file {file}"));
    };
    missing_in(&text, name).map(|why| format!("{test} {why}"))
}

fn missing_in(text: &str, name: &str) -> Option<&'static str> {
    let head = format!("fn {name}(");
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = lines.iter().position(|line| line.trim_start().starts_with(&head)) else {
        return Some("is not there");
    };
    let before = lines[..at].iter().rev().map(|line| line.trim());
    let attributes: Vec<&str> =
        before.take_while(|line| line.starts_with("#[") || line.starts_with("//")).collect();
    if !attributes.contains(&"#[test]") {
        return Some("is no test");
    }
    attributes.iter().any(|line| line.starts_with("#[ignore")).then_some("is ignored")
}

#[test]
fn every_row_has_a_state_and_tests_that_run() {
    let faults: Vec<String> = rows(&page()).iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn no_row_is_dropped_or_named_twice() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::new();
    for row in rows(&page()) {
        *counts.entry(row.section.clone()).or_default() += 1;
        names.push((row.section, row.feature));
    }
    let expected = ROWS.map(|(section, count)| (section.to_owned(), count));
    assert_eq!(counts, BTreeMap::from(expected));
    names.sort();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "a feature stands twice in its section");
}

#[test]
fn the_counts_at_the_head_are_those_of_the_rows() {
    let page = page();
    let rows = rows(&page);
    for state in STATES {
        let count = rows.iter().filter(|row| row.state == state).count();
        assert!(page.contains(&format!("{count} {state}")), "{count} rows are {state}");
    }
}

#[test]
fn an_absent_or_ignored_test_does_not_count() {
    let text = "#[test]\nfn good() {}\n\n#[test]\n#[ignore = \"slow\"]\nfn slow() {}\n\nfn helper() {}\n";
    assert_eq!(missing_in(text, "good"), None);
    assert_eq!(missing_in(text, "slow"), Some("is ignored"));
    assert_eq!(missing_in(text, "helper"), Some("is no test"));
    assert_eq!(missing_in(text, "goo"), Some("is not there"));
    assert!(missing("crates/none/src/lib.rs::good").is_some());
    assert!(missing("good").is_some());
}

#[test]
fn a_row_with_an_unknown_state_or_without_its_test_is_a_fault() {
    let page =
        "## S\n| Feature | State | Test |\n| --- | --- | --- |\n| A | done | - |\n| B | partly | - |\n";
    let rows = rows(page);
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| faults(row).len() == 1 && row.section == "S"));
}
