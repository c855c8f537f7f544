//! Written records are read again, by both protocols, over base and alias addresses; wrong ones are found.

use std::fs;

use halftrack_link::driver::{Mismatch, RecordPlace};
use halftrack_program::RecordAddress;
use halftrack_workload::{Pattern, RecordId, UNWRITTEN};

use crate::driven::site::{make_volumes, run_in_process};

const BOTH_PROTOCOLS: &str = r#"
[run]
ios = 3000
seed = 7
[[stream]]
name = "transport"
devices = ["00-01"]
cylinders = "1-2"
program = { block = "4K" }
read_share = 0.6
closed = { jobs = 4 }
[[stream]]
name = "command"
devices = ["00-01"]
cylinders = "3"
program = { record_bytes = 1000, records = 5 }
read_share = 0.5
protocol = "command"
closed = { jobs = 3 }
[[stream]]
name = "long"
devices = ["01"]
cylinders = "4-5"
program = { record_bytes = 4095, records = 30 }
read_share = 0.5
closed = { jobs = 1 }
"#;

#[test]
fn reads_and_writes_of_both_protocols_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let report = run_in_process(directory.path(), "", BOTH_PROTOCOLS, true).unwrap();
    assert!(report.is_right(), "{report:?}");
    assert_eq!(report.ledger.completed, 3000);
    let [transport, command, long] = &report.streams[..] else { panic!("three streams") };
    for stream in [transport, command, long] {
        let one = &stream.statistics;
        assert!(one.reads > 100 && one.writes > 100, "{}: {} reads", stream.name, one.reads);
        assert_eq!(one.verified_bytes, one.read_bytes, "formatted, so that everything is known");
        assert_eq!(one.learnt_bytes, 0);
    }
    assert_eq!(transport.statistics.by_protocol[0], 0);
    assert_eq!(command.statistics.by_protocol[1], 0);
    // Another channel finds what this one left.
    let again = BOTH_PROTOCOLS.replace("seed = 7", "seed = 8\ncontents = \"pattern\"");
    let report = run_in_process(directory.path(), "", &again, false).unwrap();
    assert!(report.is_right(), "{report:?}");
    let transport = &report.streams[0].statistics;
    assert_eq!((transport.verified_bytes, transport.learnt_bytes), (transport.read_bytes, 0));
}

#[test]
fn aliases_take_what_the_base_has_no_time_for() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let rest = r#"
[[alias]]
base = "00"
addresses = ["80-87"]
[run]
ios = 2000
[[stream]]
name = "pav"
devices = ["00"]
cylinders = "1"
program = { block = "4K" }
read_share = 0.5
closed = { jobs = 9 }
"#;
    let report = run_in_process(directory.path(), "", rest, true).unwrap();
    assert!(report.is_right(), "{report:?}");
    let one = &report.streams[0].statistics;
    assert_eq!((one.ios(), one.busy), (2000, 0));
    assert!(one.queued_ns < one.response_ns.mean() as u64 * 2000 / 2, "nine addresses for nine jobs");
}

const PATTERN: &str = r#"
[run]
ios = 600
contents = "pattern"
contents_seed = 5
[[stream]]
name = "reader"
devices = ["00"]
cylinders = "1"
program = { block = "4K" }
closed = { jobs = 1 }
"#;

#[test]
fn a_record_changed_behind_the_control_units_back_is_found() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    assert!(run_in_process(directory.path(), "", PATTERN, true).unwrap().is_right());
    let path = directory.path().join("a.ckd");
    let mut image = fs::read(&path).unwrap();
    let mut record = Vec::new();
    let id = RecordId { volume: 0, track: 20, record: 9 };
    Pattern::new(5).append(id, UNWRITTEN, 4096, &mut record);
    let at = image.windows(4096).position(|octets| octets == record).unwrap();
    image[at + 1234] ^= 0x40;
    fs::write(&path, image).unwrap();
    let many = PATTERN.replace("ios = 600", "ios = 4000");
    let report = run_in_process(directory.path(), "", &many, false).unwrap();
    assert!(!report.is_right());
    assert!(report.ledger.is_balanced() && report.ledger.failed > 0);
    let place = RecordPlace::Track(RecordAddress { cylinder: 1, head: 5, record: 9 });
    let wrong = &report.streams[0].statistics.first_mismatches;
    assert!(!wrong.is_empty());
    assert!(wrong.iter().all(|one| *one == Mismatch { unit: 0, place, octet: 1234 }), "{wrong:?}");
}

#[test]
fn records_that_nobody_laid_out_are_no_records() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let report = run_in_process(directory.path(), "", &PATTERN.replace("600", "20"), false).unwrap();
    assert!(!report.is_right());
    assert_eq!((report.ledger.completed, report.ledger.failed), (0, 20));
    let errors: Vec<_> = report.streams[0].statistics.errors.keys().map(ToString::to_string).collect();
    assert!(errors[0].starts_with("device status 0E, sense"), "{errors:?}");
}
