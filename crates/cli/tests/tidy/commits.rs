//! Subjects of commits: rule 4 of CONTRIBUTING.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Begin of the rule; earlier commits stay as they are.
const SINCE: &str = "2026-11-24T00:00:00+00:00";
/// Most characters of a subject.
const SUBJECT_CHARACTERS_MAX: usize = 72;
/// Areas that are no directories.
const MORE_AREAS: [&str; 4] = ["ci", "make", "readme", "changelog"];
/// Imperatives that end as other forms do.
const IMPERATIVES: &str = "pass bypass process address express compress discuss focus bring need embed feed";

/// Returns the areas of the repository: its directories and its crates.
fn areas(root: &Path) -> BTreeSet<String> {
    let names = |directory: &Path| {
        let entries = fs::read_dir(directory).expect("directory").map(|entry| entry.expect("entry"));
        let directories = entries.filter(|entry| entry.path().is_dir());
        directories.filter_map(|entry| entry.file_name().into_string().ok()).collect::<Vec<_>>()
    };
    let mut areas: BTreeSet<String> = names(root).into_iter().chain(names(&root.join("crates"))).collect();
    areas.extend(MORE_AREAS.map(str::to_owned));
    areas
}

/// Returns the breach of rule 4 in `subject`.
fn breach(subject: &str, areas: &BTreeSet<String>) -> Option<String> {
    if subject.chars().count() > SUBJECT_CHARACTERS_MAX {
        return Some(format!("`{subject}` has more than {SUBJECT_CHARACTERS_MAX} characters"));
    }
    let Some((named, rest)) = subject.split_once(": ") else {
        return Some(format!("`{subject}` has no area: `engine: fix missed wake-ups`"));
    };
    if let Some(unknown) = named.split(", ").find(|area| !areas.contains(*area)) {
        return Some(format!("`{subject}`: there is no area {unknown}"));
    }
    let verb = rest.split(' ').next().unwrap_or_default();
    let is_other_form = ["s", "ed", "ing"].iter().any(|ending| verb.ends_with(ending));
    let is_imperative = verb.starts_with(char::is_lowercase) && !is_other_form;
    let is_known = IMPERATIVES.split(' ').any(|known| known == verb);
    (!is_imperative && !is_known).then(|| format!("`{subject}`: `{verb}` is no imperative in lower case"))
}

/// Returns every breach in the history of `root`; none where there is no history.
pub fn breaches(root: &Path) -> Vec<String> {
    let since = format!("--since={SINCE}");
    let log =
        Command::new("git").current_dir(root).args(["log", "--no-merges", "--format=%s", &since]).output();
    let Ok(log) = log else { return Vec::new() };
    let areas = areas(root);
    String::from_utf8_lossy(&log.stdout).lines().filter_map(|subject| breach(subject, &areas)).collect()
}

#[test]
fn a_subject_has_an_area_an_imperative_and_a_length() {
    let areas = BTreeSet::from(["engine", "docs"].map(str::to_owned));
    for good in ["engine: fix missed wake-ups on weakly ordered CPUs", "docs, engine: pass links"] {
        assert_eq!(breach(good, &areas), None);
    }
    let long = format!("docs: write {}", "x".repeat(72));
    for bad in ["Fix wake-ups", "parlour: fix it", "docs: Fix it", "docs: fixes it", "docs: fixed it", &long]
    {
        assert!(breach(bad, &areas).is_some(), "{bad}");
    }
}
