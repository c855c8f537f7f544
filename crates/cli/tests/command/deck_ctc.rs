//! `halftrack deck ctc`, and advice in `deck check`.

use std::fs;

use crate::support::{code, halftrack, repository, stderr, stdout};

/// Returns the path of a deck of the rules' examples.
fn example(name: &str) -> String {
    let path = repository().join("crates/deck/tests/decks").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn pairs_are_listed_and_a_missing_end_is_written() {
    let good = example("advice/A807/good.iocp");
    let listed = halftrack(&["deck", "ctc", &good]);
    assert_eq!(code(&listed), 0, "{}", stderr(&listed));
    assert!(stdout(&listed).ends_with(
        "pairs: 1, with unlike unit addresses: 0; ends without the other: 0, leading elsewhere: 0\n"
    ));
    assert_eq!(code(&halftrack(&["deck", "ctc", &example("advice/A807/bad.iocp")])), 1);

    // Without the second end, which begins with CNTLUNIT 4010.
    let text = fs::read_to_string(&good).expect("the deck");
    let (half, _) = text.split_once("         CNTLUNIT CUNUMBR=4010").expect("the second end");
    let place = tempfile::tempdir().expect("temporary directory");
    let file = place.path().join("half.iocp");
    fs::write(&file, half).expect("written");
    let file = file.to_str().expect("UTF-8");
    assert!(stdout(&halftrack(&["deck", "ctc", file])).contains("not in this deck"));
    let ports = ["--port", "0.40=1120", "--port", "0.41=1121"];
    assert_eq!(code(&halftrack(&[&["deck", "ctc", file][..], &ports].concat())), 1);
    let made = halftrack(&[&["deck", "ctc", file, "--make", "A"][..], &ports].concat());
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    fs::write(file, half.to_owned() + stdout(&made)).expect("written");
    let listed = halftrack(&["deck", "ctc", file]);
    assert_eq!(code(&listed), 0, "{}", stdout(&listed));
    let refused = halftrack(&["deck", "ctc", file, "--port", "40=1120"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("expected CSS.CHPID=SSPP"), "{}", stderr(&refused));
}

#[test]
fn advice_changes_no_exit_code_and_can_be_left_out() {
    let deck = example("advice/A801/bad.iocp");
    let advised = halftrack(&["deck", "check", &deck, "--brief"]);
    assert_eq!(code(&advised), 0);
    assert!(stderr(&advised).starts_with("HTK801A "), "{}", stderr(&advised));
    assert!(stdout(&advised).contains(": 0 errors, 0 warnings, 1 note; "), "{}", stdout(&advised));
    let silent = halftrack(&["deck", "check", &deck, "--brief", "--no-advice"]);
    assert_eq!((code(&silent), stderr(&silent)), (0, ""));
    let rules = halftrack(&["deck", "check", "--list-rules"]);
    assert!(
        stdout(&rules).contains("HTK801A           advice         all paths of a control unit"),
        "{}",
        stdout(&rules)
    );
}
