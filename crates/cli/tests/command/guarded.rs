//! Keys of a working link in files: what is warned of, what is refused, and what is done with them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::serve::{CONTROL_UNIT, Serving, Site};
use crate::support::{code, halftrack, stderr, stdout};

const BEYOND: &str = "listen_beyond_this_host = true\n";
const HOSTS: &str = "hosts = [{ wwpn = \"50:05:07:64:00:00:00:40\", key = \"prod1.key\" }]\n[[logical";

/// Returns a control unit that other hosts can reach, with or without a key for its host.
fn reachable(has_key: bool) -> Site {
    let text = CONTROL_UNIT.replacen("127.0.0.1:0", "0.0.0.0:0", 1);
    let text = if has_key { text.replacen("[[logical", HOSTS, 1) } else { text };
    Site::new(&format!("{BEYOND}{text}"))
}

fn write_key(site: &Site, octets: &[u8], mode: u32) {
    fs::write(site.path("prod1.key"), octets).expect("the key");
    fs::set_permissions(site.path("prod1.key"), Permissions::from_mode(mode)).expect("its mode");
}

#[test]
fn a_port_that_others_can_reach_without_a_proof_is_warned_of() {
    let (code, _, reported) = Serving::start(&reachable(false), &[]).end();
    assert_eq!(code, 0);
    assert!(reported.contains("HTK878W") && reported.contains("control-unit.toml:5:1"), "{reported}");
    let site = reachable(true);
    write_key(&site, &[7; 32], 0o600);
    let (_, _, reported) = Serving::start(&site, &[]).end();
    assert!(!reported.contains("HTK"), "{reported}");
    write_key(&site, &[7; 32], 0o640);
    let (_, _, reported) = Serving::start(&site, &[]).end();
    assert!(reported.contains("HTK879W") && !reported.contains("HTK878W"), "{reported}");
}

#[test]
fn a_key_that_is_none_is_shown_with_its_place() {
    let site = reachable(true);
    let serve = || halftrack(&["serve", &site.text("control-unit.toml")]);
    let missing = serve();
    write_key(&site, &[7; 31], 0o600);
    for (refused, words) in [(missing, "it cannot be read"), (serve(), "a key of 31 octets")] {
        let reported = stderr(&refused);
        assert_eq!((code(&refused), stdout(&refused)), (2, ""));
        assert!(
            reported.contains("HTK998E ")
                && reported.contains("control-unit.toml:9:10 ")
                && reported.contains(words),
            "{reported}"
        );
    }
}

#[test]
fn a_host_with_the_key_is_served_and_one_without_is_not() {
    let site = reachable(true);
    write_key(&site, b"0f".repeat(32).as_slice(), 0o600);
    let serving = Serving::start(&site, &[]);
    let channel = site.channel(&serving.address().replace("0.0.0.0", "127.0.0.1"));
    let refused = halftrack(&["drive", &channel]);
    assert_eq!(code(&refused), 1, "{}", stderr(&refused));
    let text = fs::read_to_string(&channel).expect("the file").replace("[run]", "key = \"prod1.key\"\n[run]");
    fs::write(&channel, text).expect("the file");
    let driven = halftrack(&["drive", &channel, "--format"]);
    assert_eq!(code(&driven), 0, "{}{}", stdout(&driven), stderr(&driven));
    let (_, _, reported) = serving.end();
    assert!(reported.contains("without the key handshake"), "{reported}");
}
