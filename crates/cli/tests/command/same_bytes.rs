//! Same study and seed, same bytes: whatever the order of the statements, the threads, and whether exchanges
//! follow plans or the live machines.

use std::fs;

use crate::shuffle::shuffle;
use crate::support::{Study, code, names_in, stderr};

/// Names and texts of everything that one run writes.
fn output(study: &Study, arguments: &[&str]) -> Vec<(String, String)> {
    let out = study.beside("out");
    let place = ["--out", out.to_str().expect("path")];
    let output = study.halftrack("run", &[&place, arguments].concat());
    assert_eq!((code(&output), stderr(&output)), (0, ""), "{arguments:?}");
    let read = |name: String| {
        let text = fs::read_to_string(out.join(&name)).expect("text");
        (name, text)
    };
    names_in(&out).into_iter().map(read).collect()
}

fn assert_same(expected: &[(String, String)], found: &[(String, String)], what: &str) {
    assert_eq!(expected.len(), found.len(), "{what}: files");
    for ((name, expected), (other, found)) in expected.iter().zip(found) {
        assert_eq!(name, other, "{what}");
        let mut pairs = expected.lines().zip(found.lines()).enumerate();
        if let Some((line, (expected, found))) = pairs.find(|(_, (expected, found))| expected != found) {
            panic!("{what}: {name} line {}:\n{expected}\n{found}", line + 1);
        }
        assert_eq!(expected.len(), found.len(), "{what}: length of {name}");
    }
}

fn same_in_every_way(study: &Study) {
    let expected = output(study, &[]);
    for arguments in [
        &["--threads", "1"] as &[&str],
        &["--threads", "2!"],
        &["--exchange", "live"],
        &["--exchange", "live", "--threads", "2!"],
    ] {
        assert_same(&expected, &output(study, arguments), &arguments.join(" "));
    }
    for seed in [3, 4] {
        shuffle(study, seed);
        assert_same(&expected, &output(study, &["--threads", "2!"]), &format!("order {seed}"));
    }
    assert_same(&expected, &output(study, &["--exchange", "live"]), "shuffled and live");
}

#[test]
fn a_machine_at_work() {
    same_in_every_way(&Study::short("z16-oltp"));
}

#[test]
fn compression_cards_beside_a_channel() {
    same_in_every_way(&Study::short("zedc-batch"));
}

#[test]
fn streams_that_wait_for_compression_cards() {
    same_in_every_way(&Study::short("zedc-data-sets"));
}

#[test]
fn a_channel_at_saturation() {
    same_in_every_way(&Study::short("fex32s-zhpf-4k"));
}

#[test]
fn a_disturbed_machine() {
    let study = Study::short("z16-oltp");
    study.edit("workload.toml", |text| {
        let events = [
            (0.006, "channel-busy", "chpid = \"0.40\""),
            (0.010, "control-unit-busy", "control_unit = \"1000\""),
            (0.014, "path-lost", "chpid = \"0.51\""),
        ];
        let table = |(at_s, kind, what): (f64, &str, &str)| {
            format!("\n[[event]]\nkind = \"{kind}\"\nat_s = {at_s}\nlasts_s = 0.002\n{what}\n")
        };
        text.to_owned() + &events.map(table).concat()
    });
    let undisturbed = output(&Study::short("z16-oltp"), &[]);
    assert_ne!(undisturbed, output(&study, &[]), "the events disturb");
    same_in_every_way(&study);
}
