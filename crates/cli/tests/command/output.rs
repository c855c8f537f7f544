//! `--out`: whole or not there.

use std::fs;

use crate::support::{self, Study, code, names_in, stderr, stdout};

#[test]
fn everything_is_written_and_printed() {
    let study = Study::short("z16-oltp");
    let out = study.beside("out");
    let output = study.halftrack("run", &["--out", out.to_str().expect("path")]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    assert_eq!(
        names_in(&out),
        ["intervals.json", "report.html", "rmf-PROD1.txt", "rmf-PROD2.txt", "summary.txt"]
    );
    assert_eq!(study.siblings(), ["out", "study"]);
    let read = |name: &str| fs::read_to_string(out.join(name)).expect(name);
    assert_eq!(read("rmf-PROD1.txt").matches("C H A N N E L   P A T H").count(), 2, "both intervals");
    assert!(stdout(&output).ends_with(&read("summary.txt")));
}

#[test]
fn an_earlier_output_is_replaced() {
    let study = Study::short("fex32s-zhpf-4k");
    let out = study.beside("out");
    let run = |seed: &str| study.halftrack("run", &["--seed", seed, "--out", out.to_str().expect("path")]);
    assert_eq!(code(&run("1")), 0);
    let first = fs::read_to_string(out.join("intervals.json")).expect("intervals");
    assert_eq!(code(&run("2")), 0);
    assert_ne!(fs::read_to_string(out.join("intervals.json")).expect("intervals"), first);
    assert_eq!(study.siblings(), ["out", "study"]);
}

#[test]
fn a_foreign_directory_is_refused_before_anything_runs() {
    let study = Study::copy("z16-oltp");
    let out = study.beside("out");
    fs::create_dir(&out).expect("directory");
    fs::write(out.join("thesis.txt"), "years of work").expect("file");
    let refused = study.halftrack("run", &["--out", out.to_str().expect("path")]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    assert!(stderr(&refused).contains("thesis.txt"), "{}", stderr(&refused));
    assert_eq!(names_in(&out), ["thesis.txt"]);
}

#[test]
fn bad_input_leaves_no_directory() {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("plant.toml", |text| text.replace("fex32s", "fex64s"));
    let refused = study.halftrack("run", &["--out", study.beside("out").to_str().expect("path")]);
    assert_eq!(code(&refused), 2);
    assert_eq!(study.siblings(), ["study"]);
}

#[test]
fn output_that_cannot_be_written_is_a_failure_and_the_reports_are_printed() {
    let study = Study::short("fex32s-zhpf-4k");
    // The longest name that a file may have leaves no room for that of the sibling which is written first.
    let out = study.beside(&"o".repeat(255));
    let output = study.halftrack("run", &["--out", out.to_str().expect("path")]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("C H A N N E L   P A T H"));
    assert_eq!(study.siblings(), ["study"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let study = Study::short("z16-oltp");
    let mut run = std::process::Command::new(support::binary())
        .args(["run".as_ref(), study.path().as_os_str()])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(run.stdout.take());
    let output = run.wait_with_output().expect("the command ends");
    assert_eq!((code(&output), stderr(&output)), (0, ""));
}
