//! `halftrack display` of logical links: ACTIVATE, DEACTIVE and QUERY ISLINK as CP replies.

use crate::display::{refused, study};
use crate::support::{Study, code, halftrack, repository, stderr, stdout};

/// Returns the reply of CP on the published logical link.
fn replied(command: &str, more: &[&str]) -> String {
    let study = repository().join("studies/published/isfc");
    let study = study.to_str().expect("UTF-8");
    let output = halftrack(&[&["display", study, command][..], more].concat());
    assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    stdout(&output).to_owned()
}

#[test]
fn a_logical_link_is_shown_as_it_is_at_a_moment() {
    let before = replied("QUERY ISLINK", &[]);
    assert!(before.starts_with("Node: (none yet)  State: DOWN") && before.contains("STARTING"), "{before}");
    let [sends, takes] =
        ["VMA", "VMB"].map(|system| replied("q islink", &["--at", "0.3", "--system", system]));
    assert!(sends.starts_with("Node: VMB  State: UP  Collection: HALFTRAK  Level: 2"), "{sends}");
    assert!(takes.starts_with("Node: VMA  State: UP"), "{takes}");
    // Octets of the first device: what one system has sent, the other has received, but for the block that moves.
    let octets = |text: &str, column: usize| -> f64 {
        let row = text.lines().find(|line| line.trim_start().starts_with("2000")).expect("a row");
        row.split_whitespace().nth(column).and_then(|word| word.parse().ok()).expect("a number")
    };
    let (sent, received) = (octets(&sends, 4), octets(&takes, 5));
    assert!(sent > 10e6 && (sent - received).abs() <= 2.0 * 1_048_576.0, "{sent} {received}");
    assert_eq!(octets(&sends, 5), 0.0);
    let study = Study::copy("published/isfc");
    let lost = "[[event]]\nat_s = 0.1\nlasts_s = 0.05\nkind = 'path-lost'\nchpid = '40'\n";
    study.edit("workload.toml", |text| format!("{text}\n{lost}"));
    let output = study.halftrack("display", &["QUERY ISLINK", "--at", "0.12"]);
    let down = stdout(&output);
    assert!(down.contains("State: DOWN") && down.contains("NOT OPERATIONAL"), "{down}");
}

#[test]
fn cp_replies_to_activate_and_deactive() {
    let linked = replied("QUERY ISLINK 2000", &[]);
    assert!(linked.contains("2000  FCTC  STARTING"), "{linked}");
    assert_eq!(
        replied("ACTIVATE ISLINK 1000 NODE VMB", &[]),
        "HCP2706I Link 1000 activated by OPERATOR\nLink 1000 activated.\n"
    );
    assert_eq!(replied("ACTIVATE ISLINK 2000", &[]), "HCP049E FCTC 2000 in use\n");
    assert_eq!(replied("activate islink 1000 1000", &[]), "HCP2721E Duplicate device address 1000\n");
    assert_eq!(replied("ACTIVATE ISLINK 0123", &[]), "HCP040E Device 0123 does not exist\n");
    assert_eq!(replied("DEACTIVE ISLINK 2000", &[]), "Link 2000 deactivated.\n");
    assert_eq!(replied("DEACTIVE ISLINK 1000", &[]), "Link 1000 is not active.\n");
    assert_eq!(replied("QUERY ISLINK 1000", &[]), "Link 1000 is not active.\n");
    let disks = halftrack(&["display", &study("two-sites"), "ACTIVATE ISLINK 1000"]);
    assert_eq!(stdout(&disks), "HCP006E Invalid device type - 1000\n");
    let bad = refused("ACTIVATE ISLINK 1000 2000X");
    assert!(bad.contains("HCP002E Invalid operand - 2000X") && bad.contains("QUERY ISLINK"), "{bad}");
}
