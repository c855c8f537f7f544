//! Requests and responses over `halftrack islink`.

use std::thread::sleep;
use std::time::Duration;

use crate::islink::{Site, outcome, start};
use crate::support::{code, halftrack, stdout};

/// Returns the streams of both systems, with these keys of `[[request]]`.
fn requesting(keys: &str) -> [String; 2] {
    [format!("[[request]]\nstream = 4\n{keys}\n"), "[[respond]]\nstream = 4\n".to_owned()]
}

/// Every request has its response, whatever their lengths; response times and rates belong together.
#[test]
fn requests_have_their_responses() {
    for (keys, requests, is_slow) in [
        ("request_bytes = 512\nresponse_bytes = 4096\ndepth = 8\nrequests = 2000", 2000, false),
        ("request_bytes = 1\nresponse_bytes = 1\nthink_us = 2000\nrequests = 50", 50, true),
        ("request_bytes = 3000001\nresponse_bytes = 1500000\ndepth = 2\nrequests = 9", 9, false),
    ] {
        let site = Site::with_decks();
        let files = site.connected_with(requesting(keys));
        let [one, other] = files.map(|file| start(&file, &[])).map(outcome);
        let found = &one["requests"][0];
        assert_eq!((&found["requests"], &found["repeated"]), (&requests.into(), &0.into()), "{one}");
        assert_eq!(other["responses"][0]["responses"], requests);
        let number = |key: &str| found[key].as_f64().expect("a number");
        assert!(number("mean_us") > 0.0 && number("mean_us") <= number("longest_us"), "{found}");
        let rate = f64::from(requests) / number("elapsed_s");
        assert!((number("requests_per_s") / rate - 1.0).abs() < 1e-6, "{found}");
        assert!(!is_slow || rate < 500.0, "the time between requests is kept: {found}");
    }
}

/// A side that is killed and started again loses no request: those without a response are made again.
#[test]
fn a_killed_side_loses_no_request() {
    for killed in [0, 1] {
        let site = Site::with_decks();
        let keys = "request_bytes = 512\nresponse_bytes = 4096\ndepth = 4\nthink_us = 1000\nrequests = 1200";
        let files = site.connected_with(requesting(keys));
        let mut running = files.each_ref().map(|file| Some(start(file, &[])));
        sleep(Duration::from_millis(200));
        let mut child = running[killed].take().expect("a process");
        child.kill().expect("a process");
        child.wait().expect("a process");
        running[killed] = Some(start(&files[killed], &[]));
        let outcomes = running.map(|child| outcome(child.expect("a process")));
        assert_eq!(outcomes[0]["requests"][0]["requests"], 1200, "{outcomes:?}");
    }
}

/// The text has requests, their rate and their response time.
#[test]
fn requests_are_in_the_text() {
    let site = Site::with_decks();
    let files = site.connected_with(requesting("request_bytes = 100\nresponse_bytes = 200\nrequests = 20"));
    let other = start(&files[1], &[]);
    let output = halftrack(&["islink", &files[0]]);
    drop(outcome(other));
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    assert!(text.contains("20 requests of 100 bytes with responses of 200 bytes"), "{text}");
    assert!(text.contains("response time: mean") && text.contains("longest"), "{text}");
}
