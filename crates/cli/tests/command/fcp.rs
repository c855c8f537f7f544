//! FCP from the command line: the figures of the paper on FICON Express32S for Linux over one port or two.

use serde_json::Value;

use crate::support::{code, halftrack, number, repository, stderr, stdout};

/// Returns rate a second and response, ms, of 4 KiB over a port of `card`, with more settings.
fn of_port(card: &str, set: &[&str]) -> (f64, f64) {
    let study = repository().join("studies/published/fcp-port");
    let card = format!("plant.card.100.type={card}");
    let mut arguments = vec!["sweep", study.to_str().expect("UTF-8"), "--y", "rate_per_s,response_ms"];
    arguments.extend(["--json", "--no-cache", "--set", &card]);
    set.iter().for_each(|one| arguments.extend(["--set", one]));
    let output = halftrack(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let found: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let values = &found["points"][0]["values"];
    (number(values, "/rate_per_s"), number(values, "/response_ms"))
}

/// Two FEx16SA ports with 200,000 reads a second each are at about 0.65 ms, one FEx32S port with both below 0.70 ms.
#[test]
fn one_newer_port_takes_what_two_older_ones_did() {
    let at = |card, rate_per_s| {
        let open = format!("workload.stream.A.open={{ rate_per_s = {rate_per_s} }}");
        of_port(card, &["workload.stream.A.closed=none", &open])
    };
    let ((older, each_ms), (newer, both_ms)) = (at("fex16sa", 200_000), at("fex32s", 400_000));
    assert!(
        (older / 200_000.0 - 1.0).abs() < 0.05 && (newer / 400_000.0 - 1.0).abs() < 0.05,
        "{older} {newer}"
    );
    assert!((each_ms - 0.65).abs() < 0.01 && both_ms < 0.70, "{each_ms} ms and {both_ms} ms");
}

/// Reads alone: 390,000 a second are as many as 1,600 MB/s carry, 600,000 of the newer port come from its processor.
#[test]
fn the_link_limits_reads_of_an_older_port() {
    let ((older, _), (newer, _)) = (of_port("fex16sa", &[]), of_port("fex32s", &[]));
    assert!((older / 390_000.0 - 1.0).abs() < 0.05, "{older} reads a second");
    assert!((newer / 600_000.0 - 1.0).abs() < 0.01, "{newer} reads a second");
}

/// Both sets go over subchannels of one channel, and each has rows of its own.
#[test]
fn sets_of_logical_units_have_names_in_sweeps() {
    let study = repository().join("studies/published/fcp-port");
    let study = study.to_str().expect("UTF-8");
    let wanted = "conn_ms:LUNs DATA,conn_ms:LUNs MORE,conn_ms:DATA 0000,css_delay_us:MORE";
    let set = "workload.run.interval_s=0.01";
    let output = halftrack(&["sweep", study, "--set", set, "--y", wanted, "--json", "--no-cache"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let found: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let values = found["points"][0]["values"].as_object().expect("values");
    assert!(wanted.split(',').all(|name| values[name].is_number()), "{values:?}");
    let output = halftrack(&["sweep", study, "--set", set, "--y", "conn_ms:LCU 6000", "--no-cache"]);
    let words = "no device, system or logical control unit \"LCU 6000\" for conn_ms; it has LNX1, LUNs DATA, LUNs MORE";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
}
