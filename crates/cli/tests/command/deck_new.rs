//! `halftrack deck new`: decks from short descriptions.

use std::fs;

use crate::deck::Shelf;
use crate::support::{code, halftrack, repository, stderr, stdout};

#[test]
fn the_description_in_the_book_gives_a_deck_without_a_message() {
    let book = fs::read_to_string(repository().join("docs/formats/deck-new.md")).expect("the page");
    let (_, rest) = book.split_once("```toml\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let place = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| place.path().join(name).to_str().expect("UTF-8").to_owned();
    let (file, deck) = (path("site.toml"), path("site.iocp"));
    fs::write(&file, example).expect("written");
    let written = halftrack(&["deck", "new", &file, "-o", &deck]);
    assert_eq!((code(&written), stderr(&written)), (0, ""));
    let checked = halftrack(&["deck", "check", &deck]);
    assert_eq!((code(&checked), stderr(&checked)), (0, ""));
    assert!(
        stdout(&checked).contains("0 errors, 0 warnings, 0 notes; checked as 3931"),
        "{}",
        stdout(&checked)
    );
    let same = halftrack(&["deck", "new", &file]);
    assert_eq!(stdout(&same), fs::read_to_string(&deck).expect("the deck"));
}

#[test]
fn a_description_that_cannot_be_used_is_refused_and_nothing_is_written() {
    let place = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| place.path().join(name).to_str().expect("UTF-8").to_owned();
    let (file, deck) = (path("site.toml"), path("site.iocp"));
    // A duplicate CHPID: IOCP reports it.
    let channels = "[[channels]]\ntype = \"FC\"\nchpids = \"40\"\n";
    fs::write(&file, format!("machine_type = 3931\ncss = [[\"LP1\"]]\n{channels}{channels}"))
        .expect("written");
    let refused = halftrack(&["deck", "new", &file, "-o", &deck]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("HTK200E"), "{}", stderr(&refused));
    fs::write(&file, "machine_type = 3931\ncss = [[\"LP1\"]]\nchannel = 1\n").expect("written");
    let refused = halftrack(&["deck", "new", &file, "-o", &deck]);
    assert!(
        stderr(&refused).contains("site.toml:3:1 the key `channel` of the file is unknown"),
        "{}",
        stderr(&refused)
    );
    assert!(!fs::exists(&deck).expect("looked"));
}

#[test]
fn a_wrong_type_is_one_mistake() {
    let shelf = Shelf::new();
    let channels = "[[channels]]\ntype = \"FCX\"\nchpids = \"40-43\"\nswitch = \"11\"\n";
    let storage = "[[storage]]\nnumber = \"1000\"\nbases = 8\nlinks = [\"1104-1107\"]\n";
    let text = format!("machine_type = 3931\ncss = [[\"LP1\"]]\n{channels}{storage}");
    let file = shelf.with("site.toml", text.as_bytes());
    let refused = halftrack(&["deck", "new", &file]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    assert_eq!(stderr(&refused).matches("HTK").count(), 1, "{}", stderr(&refused));
    assert!(stderr(&refused).ends_with("site.toml gives no deck\n"), "{}", stderr(&refused));
}
