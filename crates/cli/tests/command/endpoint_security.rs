//! Endpoint security from the command line: displays at a moment, summaries, captures.

use std::fs;

use crate::support::{Study, code, halftrack, repository, stderr, stdout};

/// Returns a copy of the study of the sample display, whose eight channels encrypt.
fn study() -> Study {
    Study::copy("published/fex32s-display")
}

fn run(study: &Study, more: &[&str]) -> (String, String) {
    let output = study.halftrack("run", more);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    (stdout(&output).to_owned(), stderr(&output).to_owned())
}

/// Returns the row of connection security of device 7800 at a time, s.
fn security(study: &Study, at: &str) -> String {
    let path = study.path();
    let arguments = ["display", path.to_str().expect("UTF-8"), "D M=DEV(7800)", "--at", at];
    let output = halftrack(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    let row = text.lines().find(|line| line.starts_with("CONNECTION SECURITY")).expect("a row");
    row["CONNECTION SECURITY".len()..].trim().to_owned()
}

const LOST: &str = r#"
[[event]]
at_s = 0.01
lasts_s = 0.5
kind = "key-server-lost"

[[event]]
at_s = 0.02
lasts_s = 0.005
kind = "power-lost"
"#;

#[test]
fn displays_and_the_summary_follow_paths_that_come_back_in_clear_text() {
    let study = study();
    study.edit("workload.toml", |text| text.to_owned() + LOST);
    assert_eq!(security(&study, "0.015"), "Encr Encr Encr Encr Encr Encr Encr Encr");
    assert_eq!(security(&study, "0.03"), "None None None None None None None None");
    let (summary, _) = run(&study, &[]);
    assert!(summary.contains("\nconnections: 8 clear\n"), "{summary}");
    assert!(summary.contains("at 0.02 s: CSS0.50 to BOXA 0030 was encrypted and is down"), "{summary}");
}

#[test]
fn paths_that_send_no_clear_text_stay_offline_without_a_key() {
    let study = study();
    study.edit("workload.toml", |text| {
        text.to_owned() + &LOST.replace("power-lost", "light-lost") + "chpid = \"50\"\n"
    });
    study.edit("plant.toml", |text| {
        let enforced = text.replace("endpoint_security = true", "endpoint_security = \"enforced\"");
        enforced.replace("name = \"GKLM1\"", "name = \"GKLM1\"\nkey_lifetime_s = 0.012")
    });
    study.edit("workload.toml", |text| text.replace("lasts_s = 0.005", "lasts_s = 0.1"));
    assert_eq!(security(&study, "0.2"), "None Encr Encr Encr Encr Encr Encr Encr");
    let (summary, _) = run(&study, &[]);
    let changes = "\nat 0.12 s: CSS0.50 to BOXA 0030 was down and is refused\n\
                   at 0.51 s: CSS0.50 to BOXA 0030 was refused and is encrypted\n";
    assert!(summary.contains(changes) && summary.contains("\nconnections: 8 encrypted\n"), "{summary}");
}

#[test]
fn a_capture_of_encrypted_paths_is_noted_to_be_in_clear_text() {
    let study = study();
    let file = study.beside("frames.pcapng");
    let place = file.to_str().expect("UTF-8");
    let words = "frames of encrypted paths are in clear text here";
    let captured = |study: &Study| {
        let (_, notes) = run(study, &["--capture", place, "--capture-frames", "100"]);
        let octets = fs::read(&file).expect("a capture");
        let has_comment = octets.windows(words.len()).any(|window| window == words.as_bytes());
        (notes.contains(words), has_comment)
    };
    assert_eq!(captured(&study), (true, true));
    study.edit("plant.toml", |text| text.replace("endpoint_security = true", "endpoint_security = \"off\""));
    assert_eq!(captured(&study), (false, false));
}

/// Each report shows the state at its time, and not what the plant has: every card has its policy throughout.
#[test]
fn reports_and_path_information_follow_the_state() {
    let study = study();
    let path = study.path();
    let path_info = |at: &[&str]| {
        let arguments = [&["display", path.to_str().expect("UTF-8"), "D M=CHP(50),PATHINFO"], at].concat();
        let output = halftrack(&arguments);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let text = stdout(&output).to_owned();
        assert!(text.contains("CONNECTION SECURITY CAPABILITY = ENCRYPTION"), "{text}");
        text.lines().last().expect("a path").split_whitespace().last().expect("a state").to_owned()
    };
    let rmf = |more: &str| {
        let (text, _) = run(&study, &[]);
        let row = text
            .lines()
            .skip_while(|line| !line.contains("CONNECTION SECURITY"))
            .find(|line| line.starts_with(" 50"));
        let row = row.unwrap_or_else(|| panic!("no row {more}: {text}")).to_owned();
        row.split_whitespace().skip(2).map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(path_info(&[]), "ENCR");
    assert_eq!(rmf("of encrypted paths"), "1 0 0 0 0");
    study.edit("workload.toml", |text| text.to_owned() + LOST);
    assert_eq!([&["--at", "0.015"], &["--at", "0.03"]].map(|at| path_info(at)), ["ENCR", "NONE"]);
    assert_eq!(rmf("of paths in clear text"), "0 0 1 0 0");
}

/// Hardware of a catalog that authenticates alone: `Auth` is no word of the printed displays.
#[test]
fn paths_that_authenticate_alone_are_shown_so() {
    let study = study();
    let built_in = repository().join("catalog/control-unit/ds8950.toml");
    let text = fs::read_to_string(built_in).expect("a box").replace("\"encrypt\"", "\"authenticate\"");
    fs::create_dir_all(study.beside("catalog/control-unit")).expect("a directory");
    fs::write(study.beside("catalog/control-unit/ds8950.toml"), text).expect("a box");
    let (path, catalog) = (study.path(), study.beside("catalog"));
    let shown = |command: &str| {
        let [path, catalog] = [&path, &catalog].map(|path| path.to_str().expect("UTF-8"));
        let output = halftrack(&["display", path, command, "--catalog", catalog]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output).to_owned()
    };
    let device = shown("D M=DEV(7800)");
    assert!(device.contains("CONNECTION SECURITY   Auth Auth Auth Auth Auth Auth Auth Auth"), "{device}");
    let channel = shown("D M=CHP(50),PATHINFO");
    assert!(channel.ends_with(" AUTH\n"), "{channel}");
}
