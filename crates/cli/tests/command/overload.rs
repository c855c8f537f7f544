//! Runs without a steady state report that wherever their numbers are read, and runs that lack credits do before they
//! begin.

use std::fs;

use serde_json::Value;

use crate::support::{Study, code, number, stderr, stdout};

/// Makes the study of online transactions, its old program with ten times the rate that the channels can serve, with
/// automatic warm-up.
fn overloaded() -> Study {
    let study = Study::copy("z16-oltp");
    study.edit("workload.toml", |text| {
        let text = text.replace("rate_per_s = 36000", "rate_per_s = 400000");
        let text = text.replace("warmup_s = 0.1", "warmup_s = \"auto\"");
        text.replace("interval_s = 1.0", "interval_s = 0.05")
    });
    study
}

/// Returns the number of the line of the workload that begins with `words`.
fn text_line(study: &Study, words: &str) -> usize {
    let text = fs::read_to_string(study.path().join("workload.toml")).expect("the workload");
    1 + text.lines().position(|line| line.starts_with(words)).expect("the line")
}

#[test]
fn an_overloaded_run_says_so_in_text_in_json_and_on_the_page() {
    let study = overloaded();
    let page = study.beside("page.html");
    let output = study.halftrack("run", &["--report", page.to_str().expect("a path in UTF-8")]);
    assert_eq!(code(&output), 0, "it did what it was asked");
    let said: Vec<&str> = stderr(&output).lines().collect();
    let line = text_line(&study, "name = \"LEGACY\"");
    assert!(
        said[0].contains(&format!("workload.toml:{line}:8 stream LEGACY offers 400,000 I/Os a second")),
        "{said:?}"
    );
    assert!(said[0].starts_with("HTK968W ") && said[0].contains("processor allows 196,"), "{said:?}");
    assert!(said[1].contains("stream OLTP1 offers 70,000 there too"), "{said:?}");
    assert_eq!(
        said[3..],
        ["  fix: lower the rates to 49 %, or add to what is in the way", "0 errors, 1 warning"]
    );
    let text = stdout(&output);
    let line = text.lines().find(|line| line.starts_with("OVERLOADED: LEGACY served ")).expect("the line");
    assert!(line.ends_with(" I/O/s; its response is no steady state"), "{line}");
    assert_eq!(text.matches("OVERLOADED").count(), 1, "the others got what they asked for");
    assert!(text.contains("NO STEADY STATE found"), "{text}");
    assert!(text.contains("\nbottleneck: channel CSS0."), "{text}");
    let page = fs::read_to_string(page).expect("the page");
    assert!(page.contains(line) && page.contains("NO STEADY STATE found"), "{line}");
    assert!(!page.contains("times this rate"), "nothing is said of head-room");
    let json: Value = serde_json::from_str(stdout(&study.halftrack("run", &["--json"]))).expect("JSON");
    assert_eq!(json["summary"]["notes"][0], line);
    assert_eq!(json["summary"]["offered_too_much"][0]["streams"][0]["stream"], "LEGACY");
    assert_eq!(json["summary"]["head_room"], Value::Null);
    let legacy =
        json["summary"]["streams"].as_array().expect("streams").iter().find(|one| one["name"] == "LEGACY");
    let load = &legacy.expect("the stream")["load"];
    let (offered, served) = (number(load, "/offered_per_s"), number(load, "/served_per_s"));
    assert!(
        load["overloaded"] == true && (offered / 400_000.0 - 1.0).abs() < 0.02 && served < 200_000.0,
        "{load}"
    );
}

#[test]
fn a_run_that_keeps_up_offers_what_it_serves_and_says_no_more() {
    let study = Study::copy("z16-oltp");
    let output = study.halftrack("run", &["--json"]);
    let json: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!((code(&output), stderr(&output), &json["summary"]["notes"]), (0, "", &Value::Null));
    for stream in json["summary"]["streams"].as_array().expect("streams") {
        let is_open = stream["name"] != "BATCH";
        assert_eq!(stream["load"].is_object(), is_open, "{stream}");
        assert_eq!(
            stream["load"]["overloaded"],
            if is_open { Value::Bool(false) } else { Value::Null },
            "{stream}"
        );
    }
}

#[test]
fn a_point_of_a_sweep_that_is_overloaded_has_that_status() {
    let study = overloaded();
    // The study has a string there: a number is a number all the same.
    let sets = [
        "--set",
        "workload.run.warmup_s=0.02",
        "--set",
        "workload.stream.LEGACY.open.rate_per_s=36000,400000",
    ];
    let output = study.halftrack("sweep", &[&sets[..], &["--no-cache", "--json"]].concat());
    assert_eq!(code(&output), 0);
    let json: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!(
        (&json["points"][0]["status"], &json["points"][1]["status"]),
        (&"ok".into(), &"overloaded".into())
    );
    let words = json["points"][1]["overloaded"][0].as_str().expect("words");
    assert!(words.starts_with("OVERLOADED: LEGACY served "), "{words}");
}

#[test]
fn points_that_offer_more_than_there_is_are_warned_of_once_each_and_so_many() {
    let study = Study::short("z16-oltp");
    let sweep = |rates: &str| {
        let rates = format!("workload.stream.LEGACY.open.rate_per_s={rates}");
        study.halftrack("sweep", &["--set", &rates, "--no-cache", "--json"])
    };
    let output = sweep("36000,400000");
    let line = text_line(&study, "name = \"LEGACY\"");
    let said: Vec<&str> = stderr(&output).lines().collect();
    let at = format!(
        "workload.toml [workload.stream.LEGACY.open.rate_per_s=400000]:{line}:8 stream LEGACY offers "
    );
    assert!(said[0].starts_with("HTK968W ") && said[0].contains(&at), "{said:?}");
    assert!(said[0].contains("400,000 I/Os a second, and channel CSS0."), "{said:?}");
    assert_eq!(said.iter().filter(|line| line.starts_with("HTK968W ")).count(), 1, "{said:?}");
    assert_eq!(said.last(), Some(&"0 errors, 1 warning"), "{said:?}");
    let json: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!(json["points"][0]["offered_too_much"], Value::Null);
    let found = &json["points"][1]["offered_too_much"][0];
    assert_eq!(found["streams"][0]["stream"], "LEGACY");
    assert!((number(found, "/streams/0/per_s") / 400_000.0 - 1.0).abs() < 1e-9, "{found}");
    assert!((0.3..0.7).contains(&number(found, "/served")), "{found}");
    let rates: Vec<String> = (40..50).map(|many| format!("{many}0000")).collect();
    let output = sweep(&rates.join(","));
    let said = stderr(&output);
    assert_eq!(said.lines().filter(|line| line.starts_with("HTK968W ")).count(), 8, "{said}");
    assert!(said.contains("; 2 more points offer too much, see `offered_too_much` of --json"), "{said}");
    let run = study.halftrack("run", &["--json"]);
    let json: Value = serde_json::from_str(stdout(&run)).expect("JSON");
    assert_eq!(json["summary"]["offered_too_much"], Value::Null);
}

#[test]
fn credits_that_do_not_cover_the_distance_are_told_before_the_run_and_bind() {
    let study = Study::copy("published/fex32s-100km");
    study.edit("plant.toml", |text| text.replace("credits = 1690", "credits = 500\ngbps = 8"));
    study.edit("workload.toml", |text| text.replace("records = 32", "records = 1"));
    let output = study.halftrack("run", &["--json"]);
    let said = stderr(&output);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with(
            "halftrack: warning: credits: link 12.F0 > 11.F0 has 500 of the 774 that fill 850 MB/s"
        ),
        "{said}"
    );
    let json: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let summary = &json["summary"];
    let shortage = &summary["credit_shortages"][0];
    assert_eq!((&shortage["credits"], &shortage["mean_frame_bytes"]), (&500.into(), &1077.into()));
    assert_eq!(summary["bottleneck"]["name"], "link 12.F0 > 11.F0 credits");
    let rate: f64 =
        [0, 1].map(|stream| number(summary, &format!("/streams/{stream}/rate_per_s/mean"))).iter().sum();
    // Four frames a read, 500 of them in the time that a credit is out.
    let bound = 500.0 / 4.0 / (number(shortage, "/round_trip_ps") / 1e12);
    assert!((rate / bound - 1.0).abs() < 0.02, "{rate} I/Os a second for {bound}");
}

#[test]
fn a_page_that_cannot_be_written_is_told_before_the_run() {
    let study = Study::short("fex32s-zhpf-4k");
    for option in ["--report", "--capture"] {
        let place = study.beside("no/such/x.html");
        let output = study.halftrack("run", &[option, place.to_str().expect("a path in UTF-8")]);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "nothing has been run");
        assert!(stderr(&output).contains("is missing; create it first"), "{}", stderr(&output));
        assert!(!study.beside("no").exists());
    }
}
