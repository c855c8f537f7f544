//! `halftrack zedc size`: two cards or four.

use std::fs;

use serde_json::Value;

use crate::book::{commands, typed};
use crate::support::{code, halftrack, stderr, stdout};

fn json(arguments: &[&str]) -> (i32, Value) {
    let output = halftrack(&[&["zedc", "size", "--json"], arguments].concat());
    assert_eq!(stderr(&output), "");
    (code(&output), serde_json::from_str(stdout(&output)).expect("JSON"))
}

/// Half of the cards of the answer carry 1,800 MB/s, and one pair fewer does not: of one card 891 MB/s are left of 64 KiB
/// requests with 8 us of set-up, of which 80 % are used.
#[test]
fn cards_left_in_an_update_carry_the_load_and_its_growth() {
    let (code, answer) = json(&["--mb-per-s", "1500", "--growth", "20%", "--ratio", "1.9"]);
    assert_eq!((code, &answer["cards"], &answer["enough"]), (0, &Value::from(6), &Value::from(true)));
    let rate = answer["card"]["mb_per_s_of_load"].as_f64().expect("a rate");
    assert!((rate - 65536.0 / 73.536).abs() < 1e-6, "{rate}");
    assert!(1800.0 <= 3.0 * rate * 0.8 && 2.0 * rate * 0.8 < 1800.0);
    assert_eq!(answer["choices"][3]["verdict"], "enough except in an update");
}

#[test]
fn what_the_cards_leave_costs_processors() {
    let arguments = ["--mb-per-s", "1800", "--software-mb-per-s", "85", "--cards", "4"];
    let (code, answer) = json(&arguments);
    assert_eq!((code, &answer["enough"]), (1, &Value::from(false)));
    let update = &answer["choices"][3]["update"];
    let software = update["software_mb_per_s"].as_f64().expect("a rate");
    assert!((software - (1800.0 - 2.0 * 0.8 * 65536.0 / 73.536)).abs() < 1e-6, "{software}");
    let processors = update["software_processors"].as_f64().expect("a number");
    assert!((processors - software / 85.0).abs() < 1e-9, "{processors}");
}

#[test]
fn one_card_is_warned_of_and_two_are_fewer_than_availability_wants() {
    let text = |cards: &str| {
        let output = halftrack(&["zedc", "size", "--mb-per-s", "100", "--cards", cards]);
        (code(&output), stdout(&output).lines().last().expect("a line").to_owned())
    };
    assert_eq!(text("1"), (1, "warning: at least 2 cards are advised".to_owned()));
    assert_eq!(text("2"), (0, "for availability 4 are advised".to_owned()));
    assert_eq!(text("4"), (0, "4 cards: enough".to_owned()));
    let output = halftrack(&["zedc", "size", "--mb-per-s", "9000"]);
    let none = "no number of cards to 8, the most of a machine, is enough";
    assert_eq!((code(&output), stdout(&output).lines().last()), (1, Some(none)));
}

#[test]
fn sixteen_partitions_take_four_cards() {
    let (_, answer) = json(&["--mb-per-s", "1", "--partitions", "16"]);
    assert_eq!(answer["cards"], 4);
    assert_eq!(answer["choices"][1]["verdict"], "too few functions for the partitions");
}

/// Four cards of the catalog have the published 4 GB/s; another catalog has another rate.
#[test]
fn the_rate_of_a_card_is_the_catalogs() {
    let (_, answer) = json(&["--mb-per-s", "1"]);
    assert_eq!(answer["card"]["mb_per_s"], 1000.0);
    let directory = tempfile::tempdir().expect("a directory");
    let feature = directory.path().join("feature");
    fs::create_dir(&feature).expect("a directory");
    let built_in = include_str!("../../../../catalog/feature/zedc.toml");
    fs::write(feature.join("zedc.toml"), built_in.replace("value = 1000\n", "value = 500\n"))
        .expect("a file");
    let catalog = directory.path().to_str().expect("a path in UTF-8");
    assert_eq!(json(&["--mb-per-s", "1", "--catalog", catalog]).1["card"]["mb_per_s"], 500.0);
    let head = built_in.split_once("[compression").expect("it compresses").0;
    fs::write(feature.join("zedc.toml"), head).expect("a file");
    let output = halftrack(&["zedc", "size", "--mb-per-s", "1", "--catalog", catalog]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("has no [compression]"), "{}", stderr(&output));
}

#[test]
fn bad_input_is_refused_in_words() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("show.json");
    fs::write(&path, "{\"cards\": []}").expect("a file");
    let empty = path.to_str().expect("a path in UTF-8");
    for (arguments, words) in [
        (&[][..], "--mb-per-s"),
        (&["--mb-per-s", "0"], "a number above 0"),
        (&["--mb-per-s", "nan"], "a number above 0"),
        (&["--mb-per-s", "1", "--request-bytes", "2M"], "1 to 1M bytes"),
        (&["--mb-per-s", "1", "--busy-limit", "100%"], "1% to 99%"),
        (&["--mb-per-s", "1", "--cards", "9"], "1..=8"),
        (&["--measured", empty], "no card has done a request"),
        (&["--measured", "/nowhere/show.json"], "/nowhere/show.json"),
    ] {
        let output = halftrack(&[&["zedc", "size"], arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn the_question_is_answered_by_copying_the_commands_of_the_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = typed(&commands("zedc-sizing.md"), directory.path());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let text = stdout(&output);
    let row = |start: &str| {
        let row = text.lines().find(|line| line.starts_with(start));
        row.unwrap_or_else(|| panic!("no {start} in\n{text}")).split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(row("6 cards:"), ["6", "cards:", "enough"]);
    assert_eq!(row("IFPs"), ["IFPs", "1,", "resource", "groups", "2"]);
    assert_eq!(row("update of RG1"), ["update", "of", "RG1", "takes", "1", "of", "2", "zEDC", "Express"]);
    assert_eq!(row("0001")[..6], ["0001", "108", "1", "RG1", "LP14", "ALLC"]);
    // In 0.4 s of one s one card is left for 1,200 MB/s, and nothing waits for it beyond its queues.
    let processors = ["SMF", "BATCH"].map(|stream| row(stream)[8].parse::<f64>().expect("a number"));
    assert!((0.5..2.0).contains(&processors.iter().sum::<f64>()), "{processors:?}");
}

/// Each run is of one thread: its output is the same every time, and JSON has the figures of the text.
#[test]
fn equal_loads_give_equal_output() {
    let directory = tempfile::tempdir().expect("a directory");
    let page = commands("zedc-sizing.md");
    let again = "halftrack zedc simulate prod.iocp load.toml --hardware hardware.toml --json";
    let output = typed(&format!("exec 3>&1 >/dev/null\n{page}\n{again} >&3\n{again} >&3"), directory.path());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let mut both = serde_json::Deserializer::from_str(stdout(&output)).into_iter::<Value>();
    let mut next = || both.next().expect("two objects").expect("JSON");
    let (one, other) = (next(), next());
    assert_eq!(one, other);
    assert_eq!(one["functions"].as_array().map(Vec::len), Some(4));
    assert_eq!(one["streams"][1]["exploiter"], "bsam");
}

/// Six kinds, of which three take time of processors, and a tape drive gets its data plain.
#[test]
fn families_of_compression_are_told_by_who_pays_and_which_data() {
    let told = halftrack(&["zedc", "families", "--json"]);
    let families: serde_json::Value = serde_json::from_str(stdout(&told)).expect("JSON");
    let families = families.as_array().expect("a list");
    let by = |payer: &str| families.iter().filter(|one| one["paid_by"] == payer).count();
    assert_eq!(["processor", "card", "tape drive", "storage system"].map(by), [3, 1, 1, 1]);
    let table = halftrack(&["zedc", "families"]);
    let words = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = stdout(&table).lines().map(words).collect();
    assert!(lines.contains(&"zEDC Express card free".to_owned()), "{lines:?}");
}
