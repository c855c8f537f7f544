//! `halftrack deck diff`: two decks compared by meaning.

use std::fs;

use serde_json::Value;

use crate::support::{code, halftrack, repository, stderr, stdout};

#[test]
fn decks_that_mean_the_same_end_with_0_those_that_differ_with_1_and_no_deck_with_2() {
    let place = tempfile::tempdir().expect("temporary directory");
    let study = repository().join("studies/z16-oltp/deck.iocp");
    let study = study.to_str().expect("UTF-8");
    let pretty = place.path().join("pretty.iocp");
    let pretty = pretty.to_str().expect("UTF-8");
    assert_eq!(code(&halftrack(&["deck", "format", study, "-o", pretty])), 0);
    let same = halftrack(&["deck", "diff", study, pretty]);
    assert_eq!((code(&same), stdout(&same)), (0, "both decks mean the same\n"), "{}", stderr(&same));

    let text = fs::read_to_string(study).expect("the deck").replace("PCHID=100", "PCHID=102");
    let other = place.path().join("other.iocp");
    fs::write(&other, text).expect("written");
    let other = other.to_str().expect("UTF-8");
    let differs = halftrack(&["deck", "diff", study, other]);
    assert_eq!(code(&differs), 1);
    assert!(stdout(&differs).contains("  PCHID 100 -> 102\n"), "{}", stdout(&differs));
    assert!(
        stdout(&differs).ends_with("activation: 1 modified, 0 deleted, 0 added\n"),
        "{}",
        stdout(&differs)
    );

    assert_eq!(code(&halftrack(&["deck", "diff", study, "/nowhere/deck.iocp"])), 2);
}

/// Writes a file of one directory; returns its path.
fn written(place: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = place.path().join(name);
    fs::write(&path, text).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn decks_that_were_not_understood_never_mean_the_same() {
    let place = tempfile::tempdir().expect("temporary directory");
    let one = written(&place, "one.iocp", " CHPID PATH=40,TYPE=FC,PCHID=100\n BOGUS X=1,Y=(2)\n FOO A=1\n");
    let two = written(
        &place,
        "two.iocp",
        " CHPID PATH=41,TYPE=OSD,PCHID=200\n BOGUS  Y=(2),X=1 COMMENT\n BAR B=2\n",
    );
    let found = halftrack(&["deck", "diff", &one, &two]);
    assert_eq!(code(&found), 2, "{}", stdout(&found));
    let expected = format!(
        "the understood statements of both decks mean the same\n\
         as written, only in {one}:1  CHPID PATH=40,PCHID=100,TYPE=FC\n\
         as written, only in {one}:3  FOO A=1\n\
         as written, only in {two}:1  CHPID PATH=41,PCHID=200,TYPE=OSD\n\
         as written, only in {two}:3  BAR B=2\n\
         not understood, and compared as written: 3 statements of the first deck, 3 statements of the second; \
         2 only in the first, 2 only in the second\n"
    );
    assert_eq!(stdout(&found), expected);
    let words =
        format!("{one} and {two} could not be understood completely: the decks may or may not mean the same");
    assert!(stderr(&found).contains(&words), "{}", stderr(&found));
    let alike = halftrack(&["deck", "diff", &one, &one]);
    assert_eq!(code(&alike), 2);
    assert!(stdout(&alike).contains("0 only in the first, 0 only in the second\n"), "{}", stdout(&alike));
    let json = halftrack(&["deck", "diff", &one, &two, "--json"]);
    assert_eq!(code(&json), 2);
    let json: Value = serde_json::from_str(stdout(&json)).expect("JSON");
    assert_eq!((&json["same"], &json["understood"]), (&false.into(), &false.into()));
    let added = &json["as_written"]["added"][1];
    assert_eq!(added, &serde_json::json!({ "card": 3, "statement": "BAR B=2" }));
}

#[test]
fn what_one_deck_was_understood_of_is_compared_and_the_rest_as_written() {
    let place = tempfile::tempdir().expect("temporary directory");
    let deck = |second: &str| {
        format!(
            " RESOURCE PART=((LP1,1))\n CHPID PATH=40,SHARED,PCHID=100,TYPE=FC\n CHPID PATH=41,SHARED,{second},TYPE=FC\n"
        )
    };
    let good = written(&place, "good.iocp", &deck("PCHID=104"));
    let bad = written(&place, "bad.iocp", &deck("PCHID=1G4"));
    let found = halftrack(&["deck", "diff", &good, &bad]);
    assert_eq!(code(&found), 2);
    for line in [
        "delete CHPID 0.41            TYPE=FC, PCHID=104\n",
        "bad.iocp:3  CHPID PATH=41,PCHID=1G4,SHARED,TYPE=FC\n",
        "0 statements of the first deck, 1 statement of the second; 0 only in the first, 1 only in the second\n",
    ] {
        assert!(stdout(&found).contains(line), "{line:?} is missing in:\n{}", stdout(&found));
    }
    // A rule between statements that are all understood leaves nothing unknown.
    let clash = " RESOURCE PART=((LP1,1))\n CHPID PATH=40,SHARED,PCHID=100,TYPE=FC\n UUID PART=LP1\n \
                 FUNCTION FID=1,PCHID=104,VF=1,PORT=1,PART=LP1,TYPE=HYL,UID=5\n \
                 FUNCTION FID=2,PCHID=108,VF=1,PORT=1,PART=LP1,TYPE=HYL,UID=5\n";
    let clash = written(&place, "clash.iocp", clash);
    assert_eq!(code(&halftrack(&["deck", "check", &clash])), 1);
    let same = halftrack(&["deck", "diff", &clash, &clash]);
    assert_eq!((code(&same), stdout(&same)), (0, "both decks mean the same\n"), "{}", stderr(&same));
}

#[test]
fn who_loses_paths_is_in_the_json_too() {
    let place = tempfile::tempdir().expect("temporary directory");
    let deck = |count: u32| {
        let path = place.path().join(format!("{count}.iocp"));
        let text = format!(
            " RESOURCE PART=((LP1,1)),MAXDEV=300\n CHPID PATH=40,SHARED,PCHID=100,TYPE=FC\n \
             CNTLUNIT CUNUMBR=530,PATH=40,UNITADD=((00,256)),UNIT=2107\n \
             IODEVICE ADDRESS=(530,{count}),CUNUMBR=530,UNITADD=00,UNIT=3390\n"
        );
        fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let found = halftrack(&["deck", "diff", &deck(64), &deck(60), "--json"]);
    assert_eq!(code(&found), 1, "{}", stderr(&found));
    let json: Value = serde_json::from_str(stdout(&found)).expect("JSON");
    assert_eq!(
        (&json["same"], &json["deleted"], &json["devices_gone"]),
        (&false.into(), &4.into(), &4.into())
    );
    let loss = &json["losses"][0];
    assert_eq!((&loss["lpar"], &loss["number"], &loss["count"]), (&"LP1".into(), &"056C".into(), &4.into()));
    assert_eq!(loss["lost"], serde_json::json!(["40"]));
}
