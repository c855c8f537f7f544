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
