//! Conditions of devices, which end no I/O in error.

use halftrack_control_unit::DeviceCondition;

use crate::driven::site::{make_volumes, run_in_process};

/// The first I/O to each alias over a path gets a resetting event, in either protocol, and is started again. The host gets
/// the one of the base when it varies the path online.
#[test]
fn the_first_io_to_each_device_is_started_again() {
    for protocol in ["command", "transport"] {
        let directory = tempfile::tempdir().unwrap();
        make_volumes(directory.path(), 2);
        let rest = format!(
            "[[alias]]\nbase = \"00\"\naddresses = [\"80-87\"]\n[run]\nios = 500\n[[stream]]\nname = \"pav\"\n\
             devices = [\"00\"]\ncylinders = \"1\"\nprogram = {{ block = \"4K\" }}\nread_share = 0.5\n\
             protocol = \"{protocol}\"\nclosed = {{ jobs = 9 }}\n"
        );
        let report = run_in_process(directory.path(), "", &rest, true).unwrap();
        assert!(report.is_right() && report.ledger.completed == 500, "{report:?}");
        let one = &report.streams[0].statistics;
        let conditions: Vec<_> = one.conditions.iter().map(|(kind, count)| (*kind, *count)).collect();
        assert_eq!(conditions, [(DeviceCondition::ResettingEvent, 8)], "{protocol}");
        assert!(one.redriven.is_empty() && one.busy == 0, "{protocol}: {:?}", one.redriven);
    }
}
