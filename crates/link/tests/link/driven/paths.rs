//! Two paths to one control unit: one is pulled, and the I/O goes on over the other until it is back.

use std::thread;
use std::time::Duration;

use crate::driven::site::{Cable, channel, make_volumes, run, serve_tcp, tcp};

const TWO_SECONDS: &str = r#"
[[alias]]
base = "00"
addresses = ["80-87"]
[run]
duration_s = 2
[[stream]]
name = "oltp"
devices = ["00-01"]
cylinders = "1-2"
program = { block = "4K" }
read_share = 0.7
closed = { jobs = 12 }
"#;

#[test]
fn a_pulled_path_costs_no_io_and_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let places = serve_tcp(directory.path(), 2);
    let cable = Cable::to(&places[0]);
    let file = channel(&[cable.place.clone(), places[1].clone()], TWO_SECONDS);
    let connectors = tcp(&file);
    let driving = thread::spawn(move || run(file, connectors, true));
    thread::sleep(Duration::from_millis(1200));
    cable.pull();
    let report = driving.join().unwrap().unwrap();
    assert!(report.is_right(), "{report:?}");
    let one = &report.streams[0].statistics;
    assert!(one.by_path[0] > 0 && one.by_path[1] > one.by_path[0], "{:?}", one.by_path);
    assert_eq!((report.paths[0].losses, report.paths[1].losses), (1, 0));
    assert!(report.paths.iter().all(|path| path.online), "{:?}", report.paths);
}

#[test]
fn without_any_path_the_run_ends_and_says_why() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let file = channel(&["127.0.0.1:1".to_owned()], TWO_SECONDS);
    let connectors = tcp(&file);
    let error = run(file, connectors, false).unwrap_err().to_string();
    assert!(error.starts_with("no channel path came online: path 40: no connection"), "{error}");
}
