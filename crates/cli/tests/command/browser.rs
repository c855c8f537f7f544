//! Pages in a browser: opened, and used as by a reader.
//!
//! Chromium is searched for in the PATH. Without it tests of pages report that and check nothing, unless
//! `HALFTRACK_CHROMIUM=required` is set, as CI does once it is installed.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::Command;

use serde_json::Value;

/// Names that distributions give the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Set to `required` where the browser must be there.
const REQUIREMENT: &str = "HALFTRACK_CHROMIUM";
/// Actions of a reader with a picture, and their required results.
const CHECKS: &str = include_str!("picture_checks.js");

/// State of a page in the browser.
pub struct Opened {
    /// The document after its scripts have run.
    pub dom: String,
    /// Its messages on the console.
    pub console: Vec<String>,
}

/// Returns the browser; `None`, with a message, where it is missing and need not be there.
pub fn browser() -> Option<&'static str> {
    let runs =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|done| done.status.success());
    let found = BROWSERS.into_iter().find(runs);
    if found.is_none() {
        let required = env::var(REQUIREMENT).is_ok_and(|value| value == "required");
        assert!(!required, "{REQUIREMENT}=required, but none of {BROWSERS:?} runs");
        // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
        let words = format!("NOT CHECKED: a page in a browser; none of {BROWSERS:?} is installed\n");
        io::stderr().write_all(words.as_bytes()).expect("standard error");
    }
    found
}

/// Opens `page` with `script` at its end, in a window of 1400 by 1000.
pub fn open(browser: &str, page: &str, script: &str) -> Opened {
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

/// Opens `page` and uses its picture; `expected` is what its names must be, as the checks have it.
pub fn assert_usable(page: &str, expected: &Value) {
    let Some(browser) = browser() else { return };
    let opened = open(browser, page, &format!("window.expected = {expected};{CHECKS}"));
    assert_eq!(opened.console, [""; 0]);
    let (_, found) = opened.dom.split_once("<output id=\"checks\">").expect("the checks ran to their end");
    assert_eq!(found.split_once("</output>").expect("output").0, "all held");
}
