//! `report.html` in a browser: drawn, used and found without an error, at eight and at two hundred channels.
//!
//! Chromium is looked for in the PATH. Without it these tests say so and hold nothing, unless
//! `HALFTRACK_CHROMIUM=required` is set, as CI does once it is installed.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use crate::support::{Study, code, stderr, stdout};

/// Names that distributions give the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Set to `required` where the browser must be there.
const REQUIREMENT: &str = "HALFTRACK_CHROMIUM";
/// Bytes that the page of two hundred channels may have.
const BYTES_MAX: usize = 2_000_000;
const CHECKS: &str = include_str!("report_checks.js");

/// What the browser made of a page.
struct Opened {
    /// The document after its scripts have run.
    dom: String,
    /// What it said on its console.
    console: Vec<String>,
}

/// The browser; `None`, said aloud, where it is missing and need not be there.
fn browser() -> Option<&'static str> {
    let runs =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|done| done.status.success());
    let found = BROWSERS.into_iter().find(runs);
    if found.is_none() {
        let required = env::var(REQUIREMENT).is_ok_and(|value| value == "required");
        assert!(!required, "{REQUIREMENT}=required, but none of {BROWSERS:?} runs");
        // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
        let words = format!("NOT CHECKED: report.html in a browser; none of {BROWSERS:?} is installed\n");
        io::stderr().write_all(words.as_bytes()).expect("standard error");
    }
    found
}

/// Opens `page` with `script` at its end, in a window of 1400 by 1000.
fn open(browser: &str, page: &str, script: &str) -> Opened {
    let directory = tempfile::tempdir().expect("temporary directory");
    let file = directory.path().join("page.html");
    let (before, after) = page.rsplit_once("</body>").expect("a page has a body");
    fs::write(&file, format!("{before}<script>{script}</script></body>{after}")).expect("page");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--window-size=1400,1000", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", directory.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stderr);
    let console = said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    Opened { dom: String::from_utf8(output.stdout).expect("text"), console }
}

/// The page of a study, written by `--report`.
fn page(study: &Study) -> String {
    let file = study.beside("pages/report.html");
    let output = study.halftrack("run", &["--report", file.to_str().expect("path")]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    assert!(stdout(&output).contains("C H A N N E L   P A T H"), "the reports are printed as well");
    fs::read_to_string(file).expect("page")
}

/// Two hundred channels that span two channel subsystems, with a stream that fills the paths of one control unit.
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
    let Some(browser) = browser() else { return };
    let [chpid, pchid, device, lpar] = sought;
    let names = format!(
        "window.sought = {{CHPID: {chpid:?}, PCHID: {pchid:?}, device: {device:?}, LPAR: {lpar:?}}};"
    );
    let opened = open(browser, page, &(names + CHECKS));
    assert_eq!(opened.console, [""; 0]);
    let (_, found) = opened.dom.split_once("<output id=\"checks\">").expect("the checks ran to their end");
    assert_eq!(found.split_once("</output>").expect("output").0, "all held");
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
