//! Compression cards in a study: reports, quantities, and what is refused.

use serde_json::Value;

use crate::support::{Study, code, number, reports, stderr, stdout};

/// Returns the programs of `system` in a report, by name.
fn programs<'a>(report: &'a Value, system: &str) -> &'a Vec<Value> {
    let found = report.pointer(&format!("/systems/{system}/pcie_activity/programs"));
    found.and_then(Value::as_array).expect("programs")
}

#[test]
fn each_partition_has_its_functions_and_programs() {
    let study = Study::short("zedc-batch");
    let report = reports(&study, &[]);
    let functions = report.pointer("/systems/LP15/pcie_activity/functions").and_then(Value::as_array);
    let pfids: Vec<_> = functions.expect("functions").iter().map(|one| one["pfid"].as_u64()).collect();
    assert_eq!(pfids, [Some(3), Some(4)]);
    assert_eq!(
        (programs(&report, "LP14")[0]["name"].as_str(), programs(&report, "LP15").len()),
        (Some("SMF"), 1)
    );
    let busy = number(&report, "/systems/LP14/pcie_activity/functions/0/figures/busy_percent");
    // 400 MB/s in requests of 64 KiB of 73.5 us, on two cards, are 22.4 %; in 10 ms they are few.
    assert!((10.0..35.0).contains(&busy), "{busy} %");
    let printed = study.halftrack("run", &["--system", "LP15"]);
    assert!(stdout(&printed).contains("P C I E   A C T I V I T Y"), "{}", stdout(&printed));
    study.edit("workload.toml", |text| text.replace("700", "350"));
    let half = number(&reports(&study, &[]), "/systems/LP15/pcie_activity/functions/0/figures/busy_percent");
    let whole = number(&report, "/systems/LP15/pcie_activity/functions/0/figures/busy_percent");
    assert!((0.3..0.75).contains(&(half / whole)), "{half} % of {whole} %");
}

#[test]
fn channels_move_what_data_sets_shrink_to_and_cards_are_the_bottleneck() {
    let study = Study::short("zedc-data-sets");
    let report = reports(&study, &[]);
    let of = |path: &str| number(&report, &format!("/systems/LP14/pcie_activity/{path}"));
    let plain = of("programs/0/figures/plain_mb_per_s");
    let ratio = plain / of("programs/0/figures/compressed_mb_per_s");
    let sample = std::fs::read(study.path().join("customers.data")).expect("a sample");
    let requests = sample.chunks(27_648 * 16).map(|request| {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, request).expect("memory");
        encoder.finish().expect("memory").len()
    });
    let elsewhere = sample.len() as f64 / requests.sum::<usize>() as f64;
    assert!((ratio / elsewhere - 1.0).abs() < 0.1, "{ratio}, by another library {elsewhere}");
    let printed = study.halftrack("run", &["--system", "LP14"]);
    assert!(stdout(&printed).contains("bottleneck: compression card "), "{}", stdout(&printed));
    // Twice the data in an octet of the channel, the same in a request.
    study.edit("workload.toml", |text| text.replace("data = \"customers.data\"", "ratio = 8.0"));
    let shrunk = reports(&study, &[]);
    let written =
        |report: &Value| number(report, "/systems/LP14/pcie_activity/programs/0/figures/compressed_mb_per_s");
    assert!((written(&shrunk) / written(&report) - ratio / 8.0).abs() < 0.1);
    for (from, to, words) in [
        ("ratio = 8.0", "data = \"nothing.data\"", "HTK769E"),
        ("ratio = 8.0", "ratio = 8.0, data = \"customers.data\"", "exactly one of `data` and `ratio`"),
        ("records = 16, grouping", "records = 64, grouping", "HTK753E"),
        ("read_share = 0", "read_share = 0.5", "reads a data set or writes it"),
        ("[compression_software]\nmb_per_s = 85", "", "how fast software is"),
        ("name = \"SMFLOG\"", "name = \"SMFLOG\"\nsynchronous = true", "exclude each other"),
    ] {
        let study = Study::short("zedc-data-sets");
        study.edit("workload.toml", |text| {
            text.replace("data = \"customers.data\"", "ratio = 8.0").replacen(from, to, 1)
        });
        let output = study.halftrack("check", &[]);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{words}");
        assert!(stderr(&output).contains(words), "{words}: {}", stderr(&output));
    }
}

#[test]
fn an_update_in_a_script_leaves_the_rest_to_software() {
    let study = Study::short("zedc-batch");
    let script = study.beside("faults.toml");
    let event = "[[event]]\nkind = \"firmware-update\"\ngroup = \"RG1\"\nat_s = 0.001\nlasts_s = 0.024\n";
    std::fs::write(&script, format!("duration_s = 0.025\n{event}")).expect("a script");
    study.edit("workload.toml", |text| text.replace("mb_per_s = 700", "mb_per_s = 4000"));
    let output = study.halftrack("run", &["--json", "--faults", script.to_str().expect("path")]);
    let told = "halftrack: 0.001 s to 0.025 s: firmware of RG1 is updated\n";
    assert!(code(&output) == 0 && stderr(&output).starts_with(told), "{}", stderr(&output));
    let with: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let state = |report: &Value, at: usize| {
        let path = format!("/systems/LP15/pcie_activity/functions/{at}/state");
        report.pointer(&path).and_then(Value::as_str).expect("a state").to_owned()
    };
    assert_eq!([state(&with, 0), state(&with, 1)], ["UPDT", "ALLC"]);
    let processors = number(&with, "/systems/LP15/pcie_activity/programs/0/figures/software_processors");
    assert!(processors > 10.0, "{processors}");
}

#[test]
fn cards_that_nobody_knows_are_refused_and_software_is_warned_of() {
    let study = Study::short("zedc-batch");
    let refused = |words: &str| {
        let output = study.halftrack("run", &[]);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{words}");
        assert!(stderr(&output).contains(words), "{words}: {}", stderr(&output));
    };
    let named = "hardware = \"hardware.toml\"";
    study.edit("plant.toml", |text| text.replace(named, "hardware = \"hardwear.toml\""));
    refused("HTK790E");
    study.edit("plant.toml", |text| text.replace("hardware = \"hardwear.toml\"", ""));
    refused("HTK791E");
    study.edit("plant.toml", |text| text.replace("model = \"z13\"", &format!("model = \"z13\"\n{named}")));
    study.edit("workload.toml", |text| text.replace("lpar = \"LP15\"", "lpar = \"LP51\""));
    refused("HTK792E");
    study.edit("workload.toml", |text| text.replace("lpar = \"LP51\"", "lpar = \"LP15\""));
    let more = "\n[[event]]\nkind = \"firmware-update\"\ngroup = \"RG2\"\nat_s = 1.3\nlasts_s = 0.1\n";
    study.edit("workload.toml", |text| text.to_owned() + more);
    refused("HTK794E");
    study.edit("workload.toml", |text| text.replace(more, ""));
    study.edit("deck.iocp", |text| text.replace("PART=((LP15))", "PART=((LP14))"));
    let output = study.halftrack("run", &["--system", "LP15"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("HTK793W"), "{}", stderr(&output));
}

#[test]
fn functions_are_shown_as_they_are_at_a_moment() {
    let study = Study::short("zedc-batch");
    let update = "[[event]]\nkind = \"firmware-update\"\ngroup = \"RG1\"\nat_s = 0.01\nlasts_s = 0.01\n";
    study.edit("workload.toml", |text| {
        let (before, _) = text.split_once("[[event]]").expect("the event of the study");
        before.to_owned() + update
    });
    let shown = |at: &[&str]| {
        let output = study.halftrack("display", &[&["D PCIE", "--system", "LP15"], at].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        // Functions of the other partition stand by.
        let is_own = |line: &&str| line.contains("zEDC") && line.ends_with("0002");
        let lines = stdout(&output).lines().filter(is_own);
        let states: Vec<_> = lines.filter_map(|line| line.split_whitespace().nth(3)).collect();
        states.join(" ")
    };
    assert_eq!(shown(&[]), "CNFG CNFG");
    assert_eq!(shown(&["--at", "0.005"]), "ALLC ALLC");
    assert_eq!(shown(&["--at", "0.015"]), "UPDT ALLC");
    assert_eq!(shown(&["--at", "0.022"]), "ALLC ALLC");
}

/// The plant names the cards that are plugged: a function whose card is taken out stands by, before a run and in it.
#[test]
fn a_function_whose_card_is_not_in_the_file_of_the_plant_stands_by() {
    let study = Study::short("zedc-batch");
    study.edit("hardware.toml", |text| {
        let card = "\n[[feature]]\ndrawer = \"Z22B\"\nslot = \"37\"\ncode = \"0420\"\n";
        assert!(text.contains(card), "{text}");
        text.replace(card, "")
    });
    for at in [&[][..], &["--at", "0.005"]] {
        let output = study.halftrack("display", &[&["D PCIE", "--system", "LP15"], at].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let state = |pfid: &str| {
            let line = stdout(&output).lines().find(|line| line.starts_with(pfid)).expect("the function");
            line.split_whitespace().nth(3).expect("a state").to_owned()
        };
        assert_eq!(state("00000004"), "STBY", "{at:?}");
        assert_ne!(state("00000003"), "STBY", "{at:?}");
    }
}
