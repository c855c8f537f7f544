//! `report.html` in a browser: drawn, used and found without an error, at eight and at two hundred channels.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::browser::{self, browser, open};
use crate::support::{Study, code, stderr, stdout};

/// Bytes that the page of two hundred channels may have.
const BYTES_MAX: usize = 2_000_000;
/// Returns the page of a study, written by `--report`.
fn page(study: &Study) -> String {
    fs::create_dir(study.beside("pages")).expect("a directory");
    let file = study.beside("pages/report.html");
    let output = study.halftrack("run", &["--report", file.to_str().expect("path")]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    assert!(stdout(&output).contains("C H A N N E L   P A T H"), "the reports are printed as well");
    fs::read_to_string(file).expect("page")
}

/// Makes two hundred channels that span two channel subsystems, with a stream that fills the paths of one control
/// unit.
fn large() -> Study {
    let sizes = ["--channels", "200", "--bases", "6656", "--aliases", "6656"];
    let study = Study::new(&[&["--model", "Max82", "--lpars", "12", "--css", "2"], &sizes[..]].concat());
    study.edit("workload.toml", |text| {
        let run = "[run]\nwarmup_s = 0.002\ninterval_s = 0.004\nintervals = 6\n";
        let (before, rest) = text.split_once("[run]").expect("how long to run");
        let seed = rest.find("seed").expect("a seed");
        let script = "[[stream]]\nname = \"<script>document.title='broken'</script>\"\nlpar = \"LP01\"\n\
                      devices = [\"0000-003F\"]\nprogram = { block = \"half-track\", records = 12 }\n\
                      closed = { jobs = 48 }\n";
        format!("{before}{run}{}\n{script}", &rest[seed..])
    });
    study
}

/// Opens the page and uses it; what is sought there is `[CHPID, PCHID, device, LPAR]`.
fn assert_usable(page: &str, sought: [&str; 4]) {
    let [chpid, pchid, device, lpar] = sought;
    browser::assert_usable(
        page,
        &json!({
            "sought": {
                "CHPID": [chpid, "^CHPID "],
                "PCHID": [pchid, "^CHPID .*PCHID "],
                "device": [device, "^LCU "],
                "LPAR": [lpar, "^LPAR "],
            },
            "passed": "Its paths pass .*; Director .*; BOX.*; LCU ",
            "ends": ["LPAR ", "Port ", "LCU "],
        }),
    );
}

#[test]
fn a_small_site_is_drawn_and_can_be_used() {
    let page = page(&Study::short("z16-oltp"));
    assert!(page.contains("0.40 PCHID 100") && page.contains("Over time"));
    assert_usable(&page, ["0.40", "118", "1005", "PROD2"]);
}

#[test]
fn two_hundred_channels_are_drawn_and_can_be_used() {
    let study = large();
    let page = page(&study);
    assert!(page.len() < BYTES_MAX, "{} bytes", page.len());
    assert_eq!(page.matches("aria-label=\"CHPID 0.").count(), 200);
    assert_usable(&page, ["0.C7", "1E5", "0705", "LP12"]);
}

#[test]
fn names_from_the_files_are_shown_and_not_run() {
    let study = Study::short("z16-oltp");
    study.edit("workload.toml", |text| {
        text.replace(
            "name = \"BATCH\"",
            "name = \"<script>document.title='run'</script><img src=x onerror=alert(1)>\"",
        )
    });
    let page = page(&study);
    assert!(page.contains("&lt;script&gt;document.title='run'&lt;/script&gt;&lt;img src=x"), "shown");
    let Some(browser) = browser() else { return };
    let opened = open(browser, &page, "");
    assert!(opened.dom.contains("<title>study - halftrack</title>"), "not run");
    assert!(!opened.dom.contains("<img") && opened.console.is_empty());
}

#[test]
fn an_error_on_the_page_would_be_seen() {
    let Some(browser) = browser() else { return };
    let opened = open(browser, "<!DOCTYPE html><body></body>", "throw new Error('on purpose')");
    assert!(opened.console.iter().any(|line| line.contains("on purpose")), "{:?}", opened.console);
}

#[test]
fn a_place_that_is_a_directory_is_refused_before_anything_runs() {
    let study = Study::short("z16-oltp");
    let output = study.halftrack("run", &["--report", study.path().to_str().expect("path")]);
    assert_eq!((code(&output), stdout(&output)), (2, ""));
    assert!(stderr(&output).contains("it is a directory"), "{}", stderr(&output));
    assert!(Path::new(&study.path()).is_dir());
}
