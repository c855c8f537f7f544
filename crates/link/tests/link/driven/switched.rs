//! A channel and a control unit with two directors and a long inter-switch link between them.

use std::net::TcpListener;
use std::path::Path;
use std::thread;

use halftrack_config::{ChannelFile, read_director};
use halftrack_input::SourceFile;
use halftrack_link::Clock;
use halftrack_link::director::Director;
use halftrack_link::driver::Report;
use halftrack_link::plug::TcpPlug;

use crate::driven::site::{channel, control_unit_toml, make_volumes, run, serve, tcp};

/// Runs a director in a thread for as long as the process lives. `listeners` are for its ports in order, but for the
/// last one when `far` is the address that it connects to.
pub fn direct(domain: u8, km: f64, listeners: Vec<TcpListener>, far: Option<&str>, zones: &str) {
    let ports = "[[port]]\nlink = \"04\"\nlisten = \"0\"\n";
    start(
        domain,
        listeners,
        far,
        &format!("{ports}[[isl]]\nlink = \"E0\"\nlisten = \"0\"\nkm = {km}\n{zones}"),
    );
}

/// Runs a director with these ports alike.
pub fn start(domain: u8, listeners: Vec<TcpListener>, far: Option<&str>, ports: &str) {
    let text = format!(
        "name = \"D\"\nwwn = \"10:00:00:00:00:00:00:{domain:02x}\"\ndomain = \"{domain:02x}\"\n{ports}"
    );
    let mut plugs: Vec<_> =
        listeners.into_iter().map(|listener| TcpPlug::listen(listener).unwrap()).collect();
    plugs.extend(far.map(TcpPlug::connect));
    thread::spawn(move || {
        let file = read_director(&SourceFile::new("director.toml", text)).0.expect("a sound file");
        let clock = Clock::start();
        let mut director: Director<TcpPlug> = Director::new(&file, plugs, clock.host()).expect("few zones");
        director.run(&clock, None, &mut |_| ()).expect("the director works");
    });
}

pub fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    (listener, place)
}

/// Returns a channel at director 61; the control unit with the volumes of `directory` is at director 62, `km` away.
fn site(directory: &Path, km: f64, zones: &str, rest: &str) -> ChannelFile {
    make_volumes(directory, 2);
    let [(channel_port, channel_place), (unit_port, unit_place), (link_port, link_place)] =
        [(); 3].map(|()| listen());
    direct(0x62, km, vec![unit_port, link_port], None, "");
    direct(0x61, km, vec![channel_port], Some(&link_place), zones);
    drop(serve(directory, &control_unit_toml(1, ""), vec![TcpPlug::connect(&unit_place)]));
    let own_port = "control_unit_port = \"50:05:07:63:00:00:00:30\"\n";
    channel(&[channel_place], &format!("---\n{own_port}{rest}"))
}

const ONE_AT_A_TIME: &str = r#"
[run]
ios = 2000
[[stream]]
name = "qd1"
devices = ["00"]
cylinders = "1-2"
program = { block = "4K" }
read_share = 1.0
closed = { jobs = 1 }
"#;

fn driven(km: f64) -> Report {
    let directory = tempfile::tempdir().unwrap();
    let file = site(directory.path(), km, "", ONE_AT_A_TIME);
    let connectors = tcp(&file);
    let report = run(file, connectors, true).unwrap();
    assert!(report.is_right(), "{report:?}");
    report
}

/// No reply is faster than light, whatever else the machine does: a lower bound is all that a clock on the wall can prove.
/// That a frame takes no longer than the distance is a matter of virtual time, in the director's own tests.
#[test]
fn no_read_is_faster_than_the_distance() {
    let (km, least_us) = (10.0, 100.0);
    let response_ns = driven(km).streams[0].statistics.response_ns.min();
    assert!(response_ns as f64 / 1e3 >= least_us, "{response_ns} ns over {km} km and back");
}

/// Directors 61 to 64 in a row, of which those in the middle have only inter-switch links.
#[test]
fn data_are_right_over_four_directors_in_a_row() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let [(channel_port, channel_place), (unit_port, unit_place)] = [(); 2].map(|()| listen());
    let [one, two, three] = [(); 3].map(|()| listen());
    let links = "[[isl]]\nlink = \"E0\"\nlisten = \"0\"\n[[isl]]\nlink = \"E1\"\nlisten = \"0\"\n";
    direct(0x64, 0.0, vec![unit_port, three.0], None, "");
    start(0x63, vec![two.0], Some(&three.1), links);
    start(0x62, vec![one.0], Some(&two.1), links);
    direct(0x61, 0.0, vec![channel_port], Some(&one.1), "");
    drop(serve(directory.path(), &control_unit_toml(1, ""), vec![TcpPlug::connect(&unit_place)]));
    let own_port = "control_unit_port = \"50:05:07:63:00:00:00:30\"\n";
    let work = ONE_AT_A_TIME.replace("read_share = 1.0", "read_share = 0.5");
    let file = channel(&[channel_place], &format!("---\n{own_port}{work}"));
    let connectors = tcp(&file);
    let report = run(file, connectors, true).unwrap();
    assert!(report.is_right(), "{report:?}");
}

#[test]
fn a_zone_that_leaves_the_control_unit_out_keeps_the_path_offline() {
    let directory = tempfile::tempdir().unwrap();
    let zones = "[[zone]]\nname = \"OTHERS\"\nmembers = [\"50:05:07:64:00:00:00:40\"]\n";
    let file = site(directory.path(), 0.0, zones, ONE_AT_A_TIME);
    let connectors = tcp(&file);
    let said = run(file, connectors, false).unwrap_err().to_string();
    assert!(said.contains("no zone has both"), "{said}");
}
