//! A path over two directors that is pulled and stalled while another path goes on: no read sees an older write after a newer
//! one. How many I/Os a run has, and how far it comes, depends on the machine; what it may see does not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use halftrack_engine::RandomStream;
use halftrack_link::plug::TcpPlug;

use crate::driven::site::{Cable, channel, control_unit_toml, make_volumes, run, serve, tcp};
use crate::driven::switched::{direct, listen};

const RUNS: u64 = 12;

fn streams(protocol: &str, program: &str, seed: u64) -> String {
    format!(
        "control_unit_port = \"50:05:07:63:00:00:00:30\"\n\
         [[alias]]\nbase = \"00\"\naddresses = [\"80-87\"]\n\
         [run]\nduration_s = 0.8\nseed = {seed}\n\
         [[stream]]\nname = \"few\"\ndevices = [\"00\"]\ncylinders = \"1\"\nprogram = {{ {program} }}\n\
         protocol = \"{protocol}\"\nread_share = 0.5\nclosed = {{ jobs = 12 }}\n"
    )
}

#[test]
fn a_late_write_of_a_pulled_or_stalled_path_overwrites_nothing() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let [
        (near_port, near_place),
        (unit_port, unit_place),
        (link_port, link_place),
        (other_port, other_place),
    ] = [(); 4].map(|()| listen());
    direct(0x64, 300.0, vec![unit_port, link_port], None, "");
    direct(0x63, 300.0, vec![near_port], Some(&link_place), "");
    let plugs = vec![TcpPlug::connect(&unit_place), TcpPlug::listen(other_port).unwrap()];
    drop(serve(directory.path(), &control_unit_toml(2, ""), plugs));
    let cable = Cable::to(&near_place);
    let mut random = RandomStream::new(19, "fenced");
    for number in 0..RUNS {
        let protocol = ["transport", "command"][(number % 2) as usize];
        let program =
            ["record_bytes = 27998, records = 1", "block = \"4K\"", "record_bytes = 27998, records = 3"]
                [(number % 3) as usize];
        let ungrouped = if number % 4 == 3 { "path_group = false\n" } else { "" };
        let places = [other_place.clone(), cable.place.clone()];
        // The first key is of the last path, which leads to the directors.
        let rest = format!("{ungrouped}---\n{}", streams(protocol, program, number + 1));
        let file = channel(&places, &rest);
        let connectors = tcp(&file);
        let driving = thread::spawn(move || run(file, connectors, true));
        let ended = AtomicBool::new(false);
        let mut wait = || Duration::from_millis(50 + random.below(250));
        let report = thread::scope(|scope| {
            let (ended, cable, waits) = (&ended, &cable, [wait(), wait(), wait(), wait(), wait(), wait()]);
            scope.spawn(move || {
                for (fault, waited) in waits.into_iter().enumerate().cycle() {
                    thread::sleep(waited);
                    if ended.load(Ordering::SeqCst) {
                        break;
                    }
                    if fault % 3 == 2 {
                        cable.stall(true);
                        thread::sleep(waited);
                        cable.pull();
                        cable.stall(false);
                    } else {
                        cable.pull();
                    }
                }
            });
            let report = driving.join().unwrap();
            ended.store(true, Ordering::SeqCst);
            report
        });
        // A machine that has no time for it gives no path; what was run is right.
        let Ok(report) = report else { continue };
        let few = &report.streams[0].statistics;
        assert!(few.first_mismatches.is_empty(), "run {number}: {:?}", few.first_mismatches);
        assert!(report.ledger.is_balanced(), "run {number}: {:?}", report.ledger);
    }
}
