//! The order of the folders of `deck`: code of a folder uses only that folder and those before it.

use crate::source::{SourceText, rust_sources};

/// Sources of the crate.
const SOURCES: &str = "crates/deck/src/";
/// The folders, from the first.
const FOLDERS: [&str; 9] =
    ["syntax", "model", "rules", "reading", "ctc", "advice", "difference", "reports", "formats"];

/// Finds the paths in the code of `source`, its tests excepted, that lead to a folder behind its own or to the root.
fn against_order(source: &SourceText) -> Vec<String> {
    let place = |folder: &str| FOLDERS.iter().position(|one| *one == folder);
    let Some((folder, _)) = source.name.strip_prefix(SOURCES).and_then(|path| path.split_once('/')) else {
        return Vec::new();
    };
    let Some(own) = place(folder) else {
        return vec![format!("{} is in no folder of the order", source.name)];
    };
    let code = source.code();
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = Vec::new();
    for (at, line) in code.lines().enumerate() {
        for path in line.split("crate::").skip(1) {
            let first =
                path.split(|char: char| !(char.is_alphanumeric() || char == '_')).next().unwrap_or_default();
            if place(first).is_none_or(|other| other > own) {
                found.push(format!("{}:{} `{folder}` uses `crate::{first}`", source.name, at + 1));
            }
        }
    }
    found
}

#[test]
fn no_folder_of_the_deck_uses_a_later_one() {
    let sources = rust_sources();
    let outside = |folder: &&&str| {
        let prefix = format!("{SOURCES}{folder}/");
        !sources.iter().any(|source| source.name.starts_with(&prefix))
    };
    let mut found: Vec<String> =
        FOLDERS.iter().filter(outside).map(|folder| format!("{folder} has no source")).collect();
    found.extend(sources.iter().flat_map(against_order));
    crate::assert_none(found);
}

#[test]
fn a_use_of_a_later_folder_is_found() {
    let breaches = |name: &str, text: &str| {
        against_order(&SourceText { name: format!("{SOURCES}{name}"), text: text.to_owned() }).len()
    };
    let plain = "use crate::model::Deck;\n// crate::formats\nfn f() {}\n#[cfg(test)]\nmod tests { use crate::read; }\n";
    assert_eq!(breaches("rules/cards.rs", plain), 0);
    assert_eq!(breaches("syntax/cards.rs", plain), 1);
    assert_eq!(breaches("rules/cards.rs", "use crate::{model, reports};\n"), 1);
    assert_eq!(breaches("rules/cards.rs", "let deck = crate::read(source);\n"), 1);
    assert_eq!(breaches("parlour/cards.rs", "fn f() {}\n"), 1);
    assert_eq!(breaches("lib.rs", "use crate::anything;\n"), 0);
}
