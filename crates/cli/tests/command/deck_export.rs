//! `halftrack deck export`: JSON and tables as a user types them.

use std::fs;

use serde_json::Value;

use crate::deck::Shelf;
use crate::support::{code, halftrack, repository, stderr, stdout};

/// Returns a worked deck: two channel subsystems, eight FICON channels, two directors, two storage boxes, functions.
pub fn example() -> String {
    let path = repository().join("crates/deck/tests/decks/example_a.iocp");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn json_goes_to_standard_output_or_into_a_file_with_the_same_bytes() {
    let shelf = Shelf::new();
    let printed = halftrack(&["deck", "export", &example(), "--json"]);
    assert_eq!((code(&printed), stderr(&printed)), (0, ""));
    let json: Value = serde_json::from_str(stdout(&printed)).expect("JSON");
    assert_eq!(json["id"]["msg1"], "ZIOEXA01");
    assert_eq!(json["channel_paths"][0]["unit_addresses"], 1025);
    let out = shelf.place("out.json");
    let written = halftrack(&["deck", "export", &example(), "--json", "-o", out.to_str().expect("UTF-8")]);
    assert_eq!((code(&written), stdout(&written)), (0, ""));
    assert_eq!(fs::read_to_string(out).expect("written"), stdout(&printed));
}

#[test]
fn a_table_has_the_rows_asked_for() {
    let paths = halftrack(&[
        "deck",
        "export",
        &example(),
        "--csv",
        "path",
        "--cu",
        "1000",
        "--chpid",
        "40-41",
        "--css",
        "0",
    ]);
    assert_eq!(
        stdout(&paths),
        "css,chpid,type,pchid,switch,link,control_unit,unit,cuadd,devices\n\
         0,40,FC,100,11,1104,1000,2107,00,1000-107F 1080-10FF\n\
         0,41,FC,118,11,1105,1000,2107,00,1000-107F 1080-10FF\n"
    );
    let functions =
        halftrack(&["deck", "export", &example(), "--csv", "function", "--type", "hyl", "--pchid", "128"]);
    assert_eq!(
        stdout(&functions),
        "fid,type,pchid,vchid,port,vf,pf,access,candidates,pnetid,fidparm,uid,card\n\
         0011,HYL,128,,1,1,,0.PROD1,0.PROD2,,,,77\n\
         0012,HYL,128,,1,2,,0.PROD1,0.PROD2,,,,77\n"
    );
}

#[test]
fn a_deck_with_errors_is_exported_as_far_as_it_is_understood() {
    let shelf = Shelf::new();
    let text = fs::read_to_string(example()).expect("a deck").replace("TYPE=OSD", "TYPE=OSQ");
    let file = shelf.with("wrong.iocp", text.as_bytes());
    let exported = halftrack(&["deck", "export", &file, "--csv", "cu"]);
    assert_eq!((code(&exported), stdout(&exported).lines().count()), (1, 10));
    assert!(stderr(&exported).ends_with(
        "wrong.iocp: 1 error; what is understood is shown; `halftrack deck check` reports the errors\n"
    ));
}

#[test]
fn what_the_deck_does_not_have_cannot_be_asked_for() {
    for (arguments, words) in [
        (
            ["--lpar", "PROD9"],
            "--lpar PROD9 is not in the deck; it has LNX1, PROD1, PROD2, PROD3, PROD4, TEST1",
        ),
        (["--chpid", "44"], "--chpid 44 is not in the deck; it has 40-43, 50-53, 60, 70, F0"),
        (["--cu", "G"], "\"G\" is not a hexadecimal number up to FFFF"),
        (["--colour", "red"], "unexpected argument '--colour'"),
        (["--css", "one"], "invalid digit"),
    ] {
        let refused = halftrack(&[&["deck", "export", &example(), "--json"], &arguments[..]].concat());
        assert_eq!((code(&refused), stdout(&refused)), (2, ""), "{arguments:?}");
        assert!(stderr(&refused).contains(words), "{arguments:?}: {}", stderr(&refused));
    }
    assert_eq!(code(&halftrack(&["deck", "export", &example()])), 2);
}
