//! A volume with synchronous writes under many jobs: chains wait for barriers together, and every record is right.

use crate::driven::site::{channel, control_unit_toml, make_volumes, run, serve};
use halftrack_link::InProcessTransport;
use halftrack_link::connector::SingleConnector;
use halftrack_link::plug::OneFibre;

const STREAMS: &str = r#"
[[alias]]
base = "00"
addresses = ["80-87"]
[run]
ios = 600
[[stream]]
name = "transport"
devices = ["00"]
cylinders = "1"
program = { block = "4K" }
read_share = 0.3
closed = { jobs = 6 }
[[stream]]
name = "command"
devices = ["00"]
cylinders = "2"
program = { record_bytes = 1000, records = 5 }
read_share = 0.5
protocol = "command"
closed = { jobs = 3 }
"#;

#[test]
fn synchronous_writes_of_both_protocols_are_right_and_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let toml = control_unit_toml(1, "").replace("writeback", "sync");
    for (format, seed) in [(true, 1), (false, 2)] {
        let (near, far) = InProcessTransport::pair().unwrap();
        let serving = serve(directory.path(), &toml, vec![OneFibre(Some(far))]);
        let rest = STREAMS.replace("ios = 600", &format!("ios = 600\nseed = {seed}\ncontents = \"pattern\""));
        let file = channel(&["127.0.0.1:1".to_owned()], &rest);
        let report = run(file, vec![SingleConnector(Some(near))], format).unwrap();
        serving.join().unwrap();
        assert!(report.is_right(), "{report:?}");
        assert_eq!(report.ledger.completed, 600);
        assert!(!directory.path().join("a.ckd.journal").exists(), "it is closed");
    }
}
