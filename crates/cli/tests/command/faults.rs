//! `halftrack faults`: seeds, scripts, and the page about them.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::book::typed;
use crate::support::{binary, code, halftrack, repository, stderr, stdout};

/// Returns what the command prints as JSON on so many threads, without the time that it took.
fn seeds_on(threads: &str) -> Value {
    let mut command = Command::new(binary());
    command.args(["faults", "--seeds", "6", "--seed", "40", "--json"]).env("RAYON_NUM_THREADS", threads);
    let output = command.output().expect("the command");
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let mut figures: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert!(figures["wall_s"].take().as_f64() > Some(0.0));
    figures
}

#[test]
fn seeds_are_good_and_the_same_on_any_number_of_threads() {
    let figures = seeds_on("1");
    assert_eq!(figures, seeds_on("2"));
    assert_eq!(figures["seeds"], 6);
    assert!(figures["ios"].as_u64() >= Some(6000), "{figures}");
    for law in ["ended_twice", "never_ended", "lost_records", "stale_records", "held"] {
        assert_eq!(figures[law], 0, "{law}");
    }
    assert!(
        figures["kinds"].as_object().is_some_and(|kinds| kinds.contains_key("director-lost")),
        "{figures}"
    );
}

/// Machines with hosts over FCP alone; a word for hosts that there are not is refused.
#[test]
fn seeds_with_hosts_over_fcp_are_counted() {
    let output = halftrack(&["faults", "--seeds", "3", "--hosts", "fcp", "--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let figures: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!((&figures["hosts"]["fcp"], &figures["hosts"]["ficon"]), (&3.into(), &0.into()));
    assert_eq!((&figures["lost_records"], &figures["stale_records"]), (&0.into(), &0.into()));
    assert_eq!(figures["kinds"], figures["fcp_kinds"]);
    assert!(figures["decisions"]["state-requested"].as_u64() > Some(0), "{figures}");
    let refused = halftrack(&["faults", "--hosts", "ctc"]);
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("`ficon`, `fcp` or `both`"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_script_that_is_none_is_refused_with_all_its_mistakes() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("bad.toml");
    let event = |at_s: u32, kind: &str, part: &str| {
        format!("[[event]]\nat_s = {at_s}\nlasts_s = 1\nkind = \"{kind}\"\n{part}\n")
    };
    let late = event(9, "light-lost", "chpid = \"40\"");
    let missing = event(1, "director-lost", "director = \"9F\"");
    fs::write(&path, format!("seed = 0\nduration_s = 4\n{late}{missing}")).expect("a file");
    let output = halftrack(&["faults", "--script", path.to_str().expect("a path in UTF-8")]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    for part in ["bad.toml:4:8", "bad.toml:12:12", "HTK996E", "HTK925E"] {
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
}

/// The commands of the page work by copying, and print what it shows.
#[test]
fn the_page_is_seen_by_copying() {
    let page = fs::read_to_string(repository().join("docs/faults.md")).expect("the page");
    let blocks = |language: &str| -> String {
        let begin = format!("```{language}\n");
        let blocks = page.split(&begin).skip(1).filter_map(|rest| rest.split_once("```\n"));
        blocks.map(|(block, _)| block).collect()
    };
    let directory = tempfile::tempdir().expect("temporary directory");
    let output = typed(&blocks("sh"), directory.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = blocks("text");
    assert!(shown.lines().count() > 3);
    for line in shown.lines() {
        assert!(stdout(&output).lines().any(|printed| printed == line), "{line}\n{}", stdout(&output));
    }
}
