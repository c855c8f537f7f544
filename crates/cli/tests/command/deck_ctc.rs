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

/// Statements that `deck ctc --islink` prints for each of two decks, put behind these, are the link that it has shown.
#[test]
fn a_logical_link_is_planned_and_its_statements_complete_both_decks() {
    let place = tempfile::tempdir().expect("temporary directory");
    let file = |name: &str| place.path().join(name).to_str().expect("UTF-8").to_owned();
    let deck = |lp: &str| {
        format!(
            "         ID SYSTEM=(3931,1)\n         RESOURCE PART=((CSS(0),({lp},1))),MAXDEV=((CSS(0),9000))\n\
             \x20        CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC\n\
             \x20        CHPID PATH=(CSS(0),41),SHARED,SWITCH=11,PCHID=120,TYPE=FC\n"
        )
    };
    let (one, other) = (file("a.iocp"), file("b.iocp"));
    fs::write(&one, deck("VMA")).expect("written");
    fs::write(&other, deck("VMB")).expect("written");
    let ports = ["0.40=1120", "0.41=1121", "B:0.40=1140", "B:0.41=1141"];
    let ports: Vec<&str> = ports.iter().flat_map(|port| ["--port", port]).collect();
    let planned = |more: &[&str]| {
        halftrack(&[&["deck", "ctc", &one, &other, "--islink", "--over", "40,41"][..], &ports, more].concat())
    };
    let shown = planned(&[]);
    assert_eq!((code(&shown), stderr(&shown)), (0, ""));
    let first = "logical link of VMA (0.VMA) and VMB (0.VMB): 10 FCTC devices D000-D009 on 2 channels\n";
    assert!(stdout(&shown).starts_with(first), "{}", stdout(&shown));
    assert!(stdout(&shown).contains("D000    00       0.40=0.40    VMA\n"), "{}", stdout(&shown));
    let json: serde_json::Value = serde_json::from_str(stdout(&planned(&["--json"]))).expect("JSON");
    assert_eq!(json["devices"].as_array().map(Vec::len), Some(10));
    assert_eq!(json["devices"][9]["written_by"], serde_json::json!(["VMB"]));
    assert_eq!(json["mb_per_s_max"], serde_json::Value::Null);
    for (side, lp) in [("A", "VMA"), ("B", "VMB")] {
        let made = planned(&["--make", side]);
        assert_eq!(json["systems"][usize::from(side == "B")]["statements"], stdout(&made));
        fs::write(file(side), deck(lp) + stdout(&made)).expect("written");
        assert_eq!(code(&halftrack(&["deck", "check", &file(side), "--brief"])), 0, "{side}");
    }
    let listed = halftrack(&["deck", "ctc", &file("A"), &file("B")]);
    assert_eq!(code(&listed), 0, "{}", stdout(&listed));
    let totals = "pairs: 2, with unlike unit addresses: 0; ends without the other: 0, leading elsewhere: 0\n";
    assert!(stdout(&listed).ends_with(totals), "{}", stdout(&listed));
    let wishes = ["--system-config", "B:VMB", "--node", "VMA=SYSA"];
    let config = planned(&wishes);
    let expected = "RDEVICE D000-D009 TYPE CTCA\nACTIVATE ISLINK D000 D001";
    assert!(stdout(&config).contains(expected), "{}", stdout(&config));
    assert!(stdout(&config).ends_with(" NODE SYSA\n"), "{}", stdout(&config));
    let again = halftrack(&[&["deck", "ctc", &file("A"), &file("B")][..], &wishes].concat());
    assert_eq!(stdout(&again), stdout(&config));
}

#[test]
fn a_link_that_cannot_be_planned_and_a_config_with_faults_are_reported() {
    let deck = example("system_config/deck.iocp");
    let refused = |more: &[&str]| {
        let output = halftrack(&[&["deck", "ctc", &deck, "--islink"][..], more].concat());
        assert_eq!(code(&output), 2, "{}", stdout(&output));
        stderr(&output).to_owned()
    };
    let partitions = "name two partitions with --between; the decks have 0.LP1 0.LP2 0.LP3";
    assert!(refused(&["--over", "40"]).contains(partitions));
    assert!(
        refused(&["--over", "50", "--between", "LP1,LP2"]).contains("is TYPE=CTC: an FCTC needs TYPE=FC")
    );
    assert!(refused(&["--over", "40", "--between", "LP1,LP9"]).contains("has no partition LP9"));
    assert!(refused(&["--over", "4G"]).contains("expected a CHPID such as 40"));
    assert!(refused(&[]).contains("give the channels with --over"));
    let place = tempfile::tempdir().expect("temporary directory");
    let without = place.path().join("no-resource.iocp").display().to_string();
    std::fs::write(&without, "         ID SYSTEM=(3931,1)\n").expect("a deck");
    let output = halftrack(&["deck", "ctc", &without, "--islink", "--over", "40"]);
    assert!(stderr(&output).ends_with("name two partitions with --between; the decks have none\n"));
    assert!(refused(&["--rate", "1e9", "--channel-rate", "1"]).contains("no logical link carries"));
    let config = example("system_config/C782/bad.config");
    let checked =
        halftrack(&["deck", "check", &deck, "--system-config", &config, "--lpar", "LP1", "--brief"]);
    assert_eq!(code(&checked), 1, "{}", stderr(&checked));
    assert!(stderr(&checked).contains("HTK782E"), "{}", stderr(&checked));
    assert_eq!(
        code(&halftrack(&["deck", "check", &deck, "--system-config", &config])),
        2,
        "--lpar is missing"
    );
}

/// `--json` without channels is an object too: how many channels and devices carry the rate.
#[test]
fn the_size_of_a_link_is_json_where_that_is_wanted() {
    let deck = example("system_config/deck.iocp");
    let size = |more: &[&str]| {
        let wishes = ["--islink", "--rate", "390", "--channel-rate", "200"];
        let output = halftrack(&[&["deck", "ctc", &deck][..], &wishes, more].concat());
        assert_eq!((code(&output), stderr(&output)), (0, ""));
        stdout(&output).to_owned()
    };
    let words = "390 MB/s at 200 MB/s a channel: 2 channels, 10 devices (4 on each and 2 more); --over gives the statements\n";
    assert_eq!(size(&[]), words);
    let object: serde_json::Value = serde_json::from_str(&size(&["--json"])).expect("JSON");
    assert_eq!((&object["islink"], &object["size"]["channels"]), (&1.into(), &2.into()));
    assert_eq!((&object["size"]["devices"], &object["size"]["devices_one_way"]), (&10.into(), &2.into()));
}
