//! `halftrack deck show`: reports as a user types them.

use std::fs;

use serde_json::Value;

use crate::deck::Shelf;
use crate::deck_export::example;
use crate::support::{code, halftrack, stderr, stdout};

/// Returns the lines of `halftrack deck show EXAMPLE ARGUMENTS` behind the heading.
fn rows(arguments: &[&str]) -> Vec<String> {
    let shown = halftrack(&[&["deck", "show", &example()], arguments].concat());
    assert_eq!((code(&shown), stderr(&shown)), (0, ""));
    stdout(&shown).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn every_report_has_its_heading_and_all_has_all() {
    let heading = "SOURCE";
    let shown = halftrack(&["deck", "show", &example()]);
    let titles: Vec<&str> =
        stdout(&shown).lines().filter_map(|line| Some(line.split_once(heading)?.0.trim())).collect();
    let expected = [
        "PCHID REPORT",
        "CHPID REPORT",
        "CHANNEL PATH REPORT",
        "CONTROL UNIT REPORT",
        "DEVICE REPORT",
        "FID REPORT",
    ];
    assert_eq!(titles, expected);
    for (report, title) in ["pchid", "chpid", "path", "cu", "device", "function"].into_iter().zip(expected) {
        let shown = halftrack(&["deck", "show", &example(), report]);
        assert!(stdout(&shown).starts_with(title), "{report}: {}", stdout(&shown));
    }
}

#[test]
fn who_reaches_a_device_is_asked_like_this() {
    assert_eq!(
        rows(&["path", "--device", "1005", "--lpar", "PROD1", "--chpid", "40"]),
        [
            "",
            "CHPID 40   CSS 0   PCHID 100   TYPE FC",
            "CU   TYPE CUADD UA RANGE CSS LINK DEVICE RANGE UA RANGE TYPE  MODEL",
            "1000 2107 00    00-FF    0   1104 1000-107F(0) 00-7F    3390B",
        ]
    );
}

#[test]
fn physical_channels_of_a_type_or_on_a_switch() {
    let pchids = |arguments: &[&str]| {
        let rows = rows(&[&["pchid"], arguments].concat());
        rows.iter().skip(1).map(|row| row[..3].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(pchids(&["--switch", "12"]), ["108", "120", "14C", "164"]);
    assert_eq!(pchids(&["--type", "OSD,iqd"]), ["114", "7E0"]);
    assert_eq!(pchids(&["--pchid", "100-10F", "--css", "0"]), ["100", "108"]);
    assert_eq!(pchids(&["--unit", "3390A"]).len(), 8);
    assert_eq!(pchids(&["--grep", "pnetid=prodnet"]), ["114"]);
}

/// The two channels of the deck of the study are traditional, its two compression cards are native.
#[test]
fn the_parts_of_physical_channels_are_shown() {
    let deck = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/zedc-batch/deck.iocp");
    let shown = halftrack(&["deck", "show", deck, "structure"]);
    assert_eq!((code(&shown), stderr(&shown)), (0, ""));
    let lines: Vec<String> = stdout(&shown)
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        lines,
        [
            "108 ZEDC FUNCTION 0001 0003 0 zIOC IFP compression accelerator",
            "110 FC CHPID 0.40 1 SAP, ASIC channel -",
            "111 FC CHPID 0.41 1 SAP, ASIC channel -",
            "178 ZEDC FUNCTION 0002 0004 0 zIOC IFP compression accelerator",
            "IFPs 1, resource groups 2",
        ]
    );
    let shown = halftrack(&["deck", "show", deck, "structure", "--type", "ZEDC", "--json"]);
    let json: Value = serde_json::from_str(stdout(&shown)).expect("JSON");
    assert_eq!((&json["machine_type"], &json["ifps"]), (&Value::from(2964), &Value::from(1)));
    let channels = json["physical_channels"].as_array().expect("a list");
    assert_eq!(channels.len(), 2);
    assert_eq!((&channels[1]["zioc"], &channels[1]["sap"]), (&Value::from(true), &Value::from(false)));
    assert_eq!(channels[1]["functions"], serde_json::json!(["0002", "0004"]));
    assert_eq!(channels[1]["card"], Value::Null);
}

/// The inventory of a machine has the vital product data of RoCE cards as of any other, in both reports.
#[test]
fn vital_product_data_are_shown_with_the_hardware() {
    let study = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/smcr-distance/");
    let shelf = Shelf::new();
    let text = fs::read_to_string(format!("{study}hardware.toml")).expect("a hardware file");
    let text = text.replace("slot = \"06\"", "slot = \"06\"\npart = \"00LY411\"\nserial = \"YA93-06\"");
    let hardware = shelf.with("hardware.toml", text.as_bytes());
    let json = |arguments: &[&str]| -> Value {
        let shown = halftrack(arguments);
        assert_eq!((code(&shown), stderr(&shown)), (0, ""));
        serde_json::from_str(stdout(&shown)).expect("JSON")
    };
    let inventory = json(&["deck", "hardware", &hardware, "--json"]);
    let card = &inventory["cards"][0];
    let of = |key: &str| card[key].as_str();
    assert_eq!(
        (of("feature_code"), of("resource_group"), of("slot")),
        (Some("0411"), Some("RG1"), Some("06"))
    );
    assert_eq!((of("part"), of("serial")), (Some("00LY411"), Some("YA93-06")));
    assert_eq!(card["ports"], serde_json::json!([{ "address": "110", "ports": ["D1", "D2"] }]));
    assert_eq!(inventory["cards"][1]["serial"], Value::Null);
    let deck = format!("{study}deck.iocp");
    let channels = json(&["deck", "show", &deck, "structure", "--hardware", &hardware, "--json"]);
    let cards: Vec<&Value> =
        channels["physical_channels"].as_array().expect("a list").iter().map(|one| &one["card"]).collect();
    let [of_110, of_170, osd, other_osd] = cards[..] else { panic!("{channels}") };
    assert_eq!((of_110, of_170), (card, &inventory["cards"][1]));
    assert_eq!((osd, other_osd), (&Value::Null, &Value::Null), "no OSA is plugged");
    let shown = halftrack(&["deck", "show", &deck, "structure", "--hardware", &hardware]);
    assert!(
        stdout(&shown).contains("110    Z22B slot 06  0411  D1D2   RG1  00LY411  YA93-06\n"),
        "{}",
        stdout(&shown)
    );
}

#[test]
fn json_has_what_the_filters_leave() {
    let shown = halftrack(&["deck", "show", &example(), "function", "--fid", "11", "--json"]);
    let json: Value = serde_json::from_str(stdout(&shown)).expect("JSON");
    assert_eq!(json["functions"].as_array().expect("a list").len(), 1);
    assert_eq!(json["channel_paths"], Value::Array(Vec::new()));
}

#[test]
fn what_fits_nothing_is_said_and_a_wrong_deck_is_shown() {
    let nothing = halftrack(&["deck", "show", &example(), "cu", "--type", "FCP", "--switch", "11"]);
    assert_eq!((code(&nothing), stdout(&nothing).lines().count()), (0, 1));
    assert!(stderr(&nothing).ends_with("no statement of the deck passes all filters\n"));
    let shelf = Shelf::new();
    let text = fs::read_to_string(example()).expect("a deck").replace("CUADD=1,", "CUADD=0,");
    let file = shelf.with("wrong.iocp", text.as_bytes());
    let shown = halftrack(&["deck", "show", &file, "cu", "--cu", "1000"]);
    assert_eq!((code(&shown), stdout(&shown).lines().count()), (1, 4), "{}", stdout(&shown));
    assert!(stderr(&shown).contains("2 errors; what is understood is shown"), "{}", stderr(&shown));
    for wrong in [&["deck", "show", &example(), "channels"][..], &["deck", "show", &example(), "--fid", "99"]]
    {
        assert_eq!(code(&halftrack(wrong)), 2, "{wrong:?}");
    }
}

#[test]
fn cards_of_hcd_are_shown_with_their_statements() {
    let shelf = Shelf::new();
    let text = fs::read_to_string(example()).expect("a deck");
    let text = text.replacen("* FCP FOR LINUX", "*$HCDC$ DESC='SPARE PORT'\n* FCP FOR LINUX", 1);
    let file = shelf.with("hcd.iocp", text.as_bytes());
    let shown = halftrack(&["deck", "show", &file, "hcd"]);
    let rows: Vec<&str> = stdout(&shown).lines().skip(1).collect();
    assert_eq!(rows, ["CARD STATEMENT TEXT", "17   CHPID 53  DESC='SPARE PORT'"]);
    assert!(stdout(&halftrack(&["deck", "show", &file])).contains("\nHCD ANNOTATIONS "), "all has them too");
    let found = halftrack(&["deck", "show", &file, "pchid", "--grep", "spare"]);
    assert_eq!(stdout(&found).lines().last().map(|row| &row[..3]), Some("164"), "{}", stdout(&found));
}
