//! Broken studies: every error, with file, line, column and fix; exit code 2.

use serde_json::Value;

use crate::support::{Study, code, stderr, stdout};

/// Returns the message lines (`HTKnnnX file:line:column ...`) about `file`.
fn about<'a>(said: &'a str, file: &str) -> Vec<&'a str> {
    let names_file = |line: &&str| {
        line.starts_with("HTK") && line.split(' ').nth(1).is_some_and(|at| at.contains(&format!("{file}:")))
    };
    said.lines().filter(names_file).collect()
}

/// Returns the messages about a study that must be refused.
fn refused(study: &Study) -> String {
    for command in ["run", "bench"] {
        let output = study.halftrack(command, &[]);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{}", stderr(&output));
    }
    stderr(&study.halftrack("run", &[])).to_owned()
}

#[test]
fn errors_in_three_files_are_all_shown() {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("deck.iocp", |text| text.replacen("TYPE=FC", "TYPE=FQ", 1));
    study.edit("plant.toml", |text| text.replacen("cps = 8", "cpus = 8", 1));
    study.edit("workload.toml", |text| text.replacen("hit_ratio = 1.0", "hit_ratio = 1.5", 1));
    let said = refused(&study);
    for (file, broken) in
        [("deck.iocp", "TYPE=FQ"), ("plant.toml", "cpus = 8"), ("workload.toml", "hit_ratio = 1.5")]
    {
        let text = std::fs::read_to_string(study.path().join(file)).expect("file of the study");
        let line = text.lines().position(|line| line.contains(broken)).expect("the broken line") + 1;
        let place = format!("{file}:{line}:");
        assert!(about(&said, file).iter().any(|message| message.contains(&place)), "{place} in:\n{said}");
    }
    assert!(said.contains("\n  fix: "), "{said}");
    let totals = said.lines().find(|line| line.contains(" errors, ")).expect("a line of totals");
    let errors: usize = totals.split(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    let shown = said.lines().filter(|line| line.starts_with("HTK") && line[6..7] == *"E").count();
    assert_eq!(errors, shown, "{said}");
}

#[test]
fn a_pchid_without_a_card_is_named_in_both_files() {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("deck.iocp", |text| text.replace("PCHID=100", "PCHID=1F0"));
    let said = refused(&study);
    let lines = about(&said, "deck.iocp");
    assert!(lines.iter().any(|line| line.contains("1F0") && line.contains("deck.iocp:6:")), "{said}");
    assert!(said.contains("plant.toml:"), "{said}");
}

#[test]
fn a_link_address_that_no_director_owns_is_named_in_both_files() {
    let study = Study::short("z16-oltp");
    study.edit("deck.iocp", |text| text.replacen("(CSS(0),1104,", "(CSS(0),7704,", 1));
    let said = refused(&study);
    assert!(about(&said, "deck.iocp").iter().any(|line| line.contains("77")), "{said}");
    assert!(said.contains("plant.toml:"), "{said}");
}

#[test]
fn a_device_that_no_path_reaches_is_named_in_both_files() {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("workload.toml", |text| text.replacen("1300-133F", "1300-133F\", \"0011", 1));
    let said = refused(&study);
    assert!(about(&said, "workload.toml").iter().any(|line| line.contains("0011")), "{said}");
    assert!(said.contains("deck.iocp:"), "{said}");
}

#[test]
fn missing_files_and_directories_are_said() {
    let study = Study::short("fex32s-zhpf-4k");
    std::fs::remove_file(study.path().join("plant.toml")).expect("file of the study");
    let said = refused(&study);
    assert!(said.contains("plant.toml"), "{said}");
    let nowhere = crate::support::halftrack(&["run", "/nowhere/at-all"]);
    assert_eq!(code(&nowhere), 2);
    assert!(stderr(&nowhere).contains("/nowhere/at-all"), "{}", stderr(&nowhere));
}

#[test]
fn broken_bytes_are_bad_input_never_a_crash() {
    let study = Study::short("fex32s-zhpf-4k");
    for (at, file) in crate::support::FILES.iter().enumerate() {
        let original = std::fs::read(study.path().join(file)).expect("file of the study");
        for cut in [0, 1, original.len() / 3, original.len() / 2, original.len() - 3] {
            let mut broken = original[..cut].to_vec();
            broken.extend([0xC3, 0x28, b'"', b'\n', b'[', 0x00, at as u8]);
            std::fs::write(study.path().join(file), &broken).expect("file of the study");
            let output = study.halftrack("run", &[]);
            assert_eq!(code(&output), 2, "{file} cut at {cut}: {}", stderr(&output));
            assert!(stderr(&output).contains(file), "{file} cut at {cut}: {}", stderr(&output));
        }
        std::fs::write(study.path().join(file), original).expect("file of the study");
    }
}

#[test]
fn messages_of_one_cause_are_one_with_a_count_unless_all_is_asked_for() {
    let study = Study::copy("z900-ficon");
    let deck = study.path().join("deck.iocp");
    let deck = deck.to_str().expect("a path in UTF-8");
    let check = |arguments: &[&str]| {
        let all = [&["deck", "check", deck, "--machine", "2097", "--brief"], arguments].concat();
        stderr(&crate::support::halftrack(&all)).matches("HTK139W").count()
    };
    assert_eq!((check(&[]), check(&["--all"])), (1, 4));
    let study = Study::copy("z16-oltp");
    study.edit("plant.toml", |text| text.replace("\"fex32s\"", "\"fex99\""));
    let said = refused(&study);
    assert_eq!(about(&said, "plant.toml").len(), 1, "{said}");
    assert!(said.contains(" more like it, at lines "), "{said}");
    let each = study.halftrack("run", &["--all"]);
    assert!(about(stderr(&each), "plant.toml").len() > 3, "{}", stderr(&each));
}

#[test]
fn a_missing_bracket_is_one_error() {
    let study = Study::copy("z16-oltp");
    study.edit("plant.toml", |text| {
        let at = text.find("pchids = [").expect("a card");
        let end = at + text[at..].find(']').expect("the end of its ports");
        format!("{}{}", &text[..end], &text[end + 1..])
    });
    let said = refused(&study);
    let about = about(&said, "plant.toml");
    assert_eq!(about.len(), 1, "{said}");
    assert!(about[0].starts_with("HTK891E"), "{said}");
}

#[test]
fn files_that_are_right_are_compared_beside_one_that_is_wrong() {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("deck.iocp", |text| text.replace("PCHID=100", "PCHID=1F0"));
    study.edit("workload.toml", |text| text.replacen("hit_ratio = 1.0", "hit_ratio = 1.5", 1));
    let said = refused(&study);
    assert!(said.contains("HTK903E") && said.contains("HTK894E"), "{said}");
    std::fs::remove_file(study.path().join("workload.toml")).expect("the workload");
    let said = refused(&study);
    assert!(said.contains("HTK903E") && said.contains("HTK900E"), "{said}");
}

#[test]
fn errors_are_json_where_json_is_asked_for() {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("workload.toml", |text| text.replacen("hit_ratio = 1.0", "hit_ratio = 1.5", 1));
    for (command, arguments) in [("run", vec!["--json"]), ("bench", vec!["--json"])] {
        let output = study.halftrack(command, &arguments);
        assert_eq!(code(&output), 2);
        let said: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        let first = &said["messages"][0];
        assert_eq!((&first["code"], &first["severity"]), (&"HTK894E".into(), &"error".into()), "{said}");
        assert_eq!(first["expected"], "a number from 0 to 1", "{said}");
        assert!(first["file"].as_str().is_some_and(|file| file.ends_with("workload.toml")), "{said}");
        for key in ["line", "column"] {
            assert!(first[key].is_number(), "{key} in {said}");
        }
        assert!(first["message"].is_string() && first.get("help").is_some(), "{said}");
    }
}
