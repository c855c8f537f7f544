//! The steps of installing a card, from the page.

use crate::book::{commands, typed};
use crate::support::{code, stderr, stdout};

/// Service, plugging, the next deck and its activation: the function is used then, and the other one as before.
#[test]
fn a_card_is_installed_by_copying_the_commands_of_the_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = typed(&commands("zedc-install.md"), directory.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let (text, told) = (stdout(&output), stderr(&output));
    let rows = |start: &str| -> Vec<Vec<&str>> {
        let lines = text.lines().filter(|line| line.starts_with(start));
        lines.map(|line| line.split_whitespace().collect()).collect()
    };
    assert!(rows("not yet").len() == 1 && told.contains("HTK821E next.iocp:3:"), "{told}");
    assert_eq!(told.matches("HTK779W").count(), 1, "{told}");
    assert!(told.contains("FUNCTION 0001: stands by until a card with PCHID 108 is plugged"), "{told}");
    assert!(text.contains("  YA9320B41F08\n"), "{text}");
    assert_eq!(rows("add "), [["add", "FUNCTION", "0001", "TYPE=ZEDC,", "PCHID=108"]]);
    assert!(text.contains("activation: 0 modified, 0 deleted, 1 added\n"), "{text}");
    let states: Vec<&str> = rows("0001")
        .iter()
        .map(|row| row[row.iter().position(|word| *word == "LP14").expect("its partition") + 1])
        .collect();
    assert_eq!(states, ["STBY", "ALLC"]);
    let in_software: Vec<bool> = rows("SMF14").iter().map(|row| row[7] != "0").collect();
    assert_eq!(in_software, [true, true, false]);
    for undisturbed in ["0002", "SMF15"] {
        let found = rows(undisturbed);
        assert!(found.len() == 3 && found.iter().all(|row| *row == found[0]), "{found:?}");
    }
}
