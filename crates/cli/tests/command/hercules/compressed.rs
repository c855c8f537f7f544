//! Compressed volumes that halftrack makes, fills, copies and compacts pass `cckdcdsk`.

use crate::hercules::tools::Hercules;
use crate::hercules::written::written;

/// Checks an image with `cckdcdsk` as thoroughly as it can, without letting it repair. It ends with 0 whatever it
/// finds; its findings have message numbers.
fn assert_whole(hercules: &Hercules, image: &str) {
    let output = hercules.try_run("cckdcdsk", &["-3", "-ro", image]);
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && !said.contains("HHC"), "{image}: {said}");
}

#[test]
fn volumes_that_were_made_filled_and_compacted_are_whole() {
    let Some(hercules) = Hercules::find() else { return };
    for method in ["zlib", "bzip2"] {
        written(&hercules, &["--compress", method], method);
        assert_whole(&hercules, method);
        let before = hercules.volume(&["read", method, "--tracks", "0/0-9/14"]);
        hercules.volume(&["compact", method]);
        assert_whole(&hercules, method);
        assert!(
            hercules.volume(&["read", method, "--tracks", "0/0-9/14"]) == before,
            "compacting changed a track"
        );
    }
}

#[test]
fn copies_into_every_format_hold_the_same_tracks() {
    let Some(hercules) = Hercules::find() else { return };
    written(&hercules, &[], "plain");
    let before = hercules.volume(&["read", "plain", "--tracks", "0/0-9/14"]);
    let mut from = "plain".to_owned();
    for method in ["zlib", "bzip2", "none"] {
        hercules.volume(&["copy", &from, method, "--compress", method]);
        assert!(hercules.volume(&["read", method, "--tracks", "0/0-9/14"]) == before, "{method}");
        if method != "none" {
            assert_whole(&hercules, method);
        }
        from = method.to_owned();
    }
    assert!(hercules.read("plain") == hercules.read("none"), "there and back is the same file");
}
