//! A path over two directors that is pulled and stalled while another path goes on: no read sees an older write after a newer
//! one. Faults begin when I/O runs over both paths, and a run ends when I/O has come after the last of them: how long that
//! takes depends on the machine, and nothing else does.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use halftrack_config::ChannelFile;
use halftrack_engine::RandomStream;
use halftrack_link::StopSignal;
use halftrack_link::driver::{Drive, DriveError, Progress, Report, Stage, Surroundings};
use halftrack_link::plug::TcpPlug;

use crate::driven::site::{Cable, channel, control_unit_toml, make_volumes, serve, tcp};
use crate::driven::switched::{direct, listen};

const RUNS: u64 = 12;
/// Faults of a run.
const FAULTS: usize = 3;
/// I/Os that end after the last fault before a run does.
const IOS_AFTER: u64 = 100;
/// How often paths may fail to come up on a machine that has no time, before a run counts as failed.
const TRIES: usize = 10;

fn streams(protocol: &str, program: &str, seed: u64) -> String {
    format!(
        "control_unit_port = \"50:05:07:63:00:00:00:30\"\n\
         [[alias]]\nbase = \"00\"\naddresses = [\"80-87\"]\n\
         [run]\nduration_s = 3600\nseed = {seed}\n\
         [[stream]]\nname = \"few\"\ndevices = [\"00\"]\ncylinders = \"1\"\nprogram = {{ {program} }}\n\
         protocol = \"{protocol}\"\nread_share = 0.5\nclosed = {{ jobs = 12 }}\n"
    )
}

/// How far a run is, for who pulls cables.
#[derive(Default)]
struct Observed {
    ios: AtomicU64,
    /// I/O runs, and all paths are online.
    is_ready: AtomicBool,
    has_ended: AtomicBool,
}

impl Observed {
    fn note(&self, progress: &Progress) {
        self.ios.store(progress.ios, Ordering::SeqCst);
        let is_ready = progress.stage == Stage::Running && progress.ios > 0 && progress.paths == 2;
        self.is_ready.fetch_or(is_ready, Ordering::SeqCst);
    }

    /// Waits until something is so; false when the run has ended before.
    fn until(&self, so: impl Fn(&Self) -> bool) -> bool {
        while !so(self) {
            if self.has_ended.load(Ordering::SeqCst) {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }
}

/// The cables of the path over the directors: from the channel, and between the directors.
struct Cables {
    channel: Cable,
    between: Cable,
}

/// Pulls the channel's cable when the run is ready. It does so now and then while the one between the directors stalls,
/// until I/O has come after that; false when the run ended before.
fn disturb(seen: &Observed, cables: &Cables, waits: [Duration; FAULTS]) -> bool {
    if !seen.until(|seen| seen.is_ready.load(Ordering::SeqCst)) {
        return false;
    }
    for (fault, wait) in waits.into_iter().enumerate() {
        thread::sleep(wait);
        let is_late = fault > 0;
        cables.between.stall(is_late);
        thread::sleep(wait / 4);
        cables.channel.pull();
        if is_late {
            thread::sleep(wait / 2);
            cables.between.stall(false);
        }
    }
    let enough = seen.ios.load(Ordering::SeqCst) + IOS_AFTER;
    seen.until(|seen| seen.ios.load(Ordering::SeqCst) >= enough)
}

/// Returns a run that is disturbed until its end.
fn disturbed(file: &ChannelFile, cables: &Cables, waits: [Duration; FAULTS]) -> Result<Report, DriveError> {
    let (mut stop, handle) = StopSignal::by_hand().unwrap();
    let seen = Observed::default();
    thread::scope(|scope| {
        let seen = &seen;
        scope.spawn(move || {
            if disturb(seen, cables, waits) {
                handle.stop();
            }
        });
        let progress = &mut |progress: &Progress| seen.note(progress);
        let mut around = Surroundings { taps: &mut |_| None, progress, stop: Some(&mut stop) };
        let report = Drive::new(file.clone(), tcp(file)).run(true, &mut around);
        seen.has_ended.store(true, Ordering::SeqCst);
        report
    })
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
    let between = Cable::to(&link_place);
    direct(0x63, 300.0, vec![near_port], Some(&between.place), "");
    let plugs = vec![TcpPlug::connect(&unit_place), TcpPlug::listen(other_port).unwrap()];
    drop(serve(directory.path(), &control_unit_toml(2, ""), plugs));
    let cables = Cables { channel: Cable::to(&near_place), between };
    let mut random = RandomStream::new(19, "fenced");
    for number in 0..RUNS {
        let protocol = ["transport", "command"][(number % 2) as usize];
        let program =
            ["record_bytes = 27998, records = 1", "block = \"4K\"", "record_bytes = 27998, records = 3"]
                [(number % 3) as usize];
        let ungrouped = if number % 4 == 3 { "path_group = false\n" } else { "" };
        let places = [other_place.clone(), cables.channel.place.clone()];
        // The first key is of the last path, which leads to the directors.
        let rest = format!("{ungrouped}---\n{}", streams(protocol, program, number + 1));
        let file = channel(&places, &rest);
        let waits = [(); FAULTS].map(|()| Duration::from_millis(50 + random.below(250)));
        // A machine that has no time for it gives no path: then it is tried again.
        let mut runs = (0..TRIES).map(|_| disturbed(&file, &cables, waits));
        let is_no_path =
            |run: &Result<_, _>| matches!(run, Err(DriveError::NoPath(_) | DriveError::PathsLost(_)));
        let report = runs.find(|run| !is_no_path(run)).expect("a path in ten tries").unwrap();
        let few = &report.streams[0].statistics;
        assert!(few.first_mismatches.is_empty(), "run {number}: {:?}", few.first_mismatches);
        assert!(report.ledger.is_balanced(), "run {number}: {:?}", report.ledger);
        // It was a run in which a path was lost under load, and its records were compared.
        assert!(report.paths[1].losses > 0 && few.writes > 0, "run {number}: {report:?}");
        assert!(few.reads > 0 && few.verified_bytes > 0, "run {number}: {few:?}");
    }
}
