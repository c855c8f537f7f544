//! The book: links between its pages and its summary.

use std::fs;
use std::path::{Path, PathBuf};

/// Links of the book's pages and of the front pages to files that are not there.
pub fn dead_links(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let fronts = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| root.join(name));
    for page in pages(&root.join("docs")).into_iter().chain(fronts) {
        let text = fs::read_to_string(&page).expect("page");
        let directory = page.parent().expect("a page lies in a directory");
        for target in links(&text) {
            if !directory.join(&target).exists() {
                found.push(format!("{} links to {target}", page.display()));
            }
        }
    }
    found
}

/// Finds pages of the book that its summary does not list.
pub fn unlisted_pages(root: &Path) -> Vec<String> {
    let docs = root.join("docs");
    let summary = docs.join("SUMMARY.md");
    let listed: Vec<PathBuf> = links(&fs::read_to_string(&summary).expect("summary"))
        .into_iter()
        .map(|target| docs.join(target))
        .collect();
    let unlisted = pages(&docs).into_iter().filter(|page| *page != summary && !listed.contains(page));
    unlisted.map(|page| page.display().to_string()).collect()
}

fn pages(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("directory of the book") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found
}

/// Returns the targets of `[words](target)` that are files, without their fragment.
fn links(text: &str) -> Vec<String> {
    let starts = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    let targets = starts.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn only_links_to_files_count() {
    let text = "[a](a.md) [b](b/c.md#d) [e](#f) [g](https://h.i/j) ![k](l.svg)";
    assert_eq!(links(text), ["a.md", "b/c.md", "l.svg"]);
}
