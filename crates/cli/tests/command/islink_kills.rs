//! Processes of `halftrack islink` that are killed at seeded moments: files and guests are equal in the end.

use std::env;
use std::fs;
use std::process::{Child, ExitStatus};
use std::thread::{scope, sleep};
use std::time::Duration;

use halftrack_engine::RandomStream;
use serde_json::Value;

use crate::islink::{Site, start};

/// Number of seeds, where it is not that of every run.
const SEEDS: &str = "HALFTRACK_ISLINK_KILLS";
const SEEDS_DEFAULT: u64 = 10;
/// Seeds at a time: processes wait for each other most of the time.
const AT_A_TIME: u64 = 5;
const FILE_BYTES: u64 = 12 << 20;
const MEMORY_BYTES: u64 = 8 << 20;

fn made_up(bytes: u64, seed: u64) -> Vec<u8> {
    let mut random = RandomStream::new(seed, "contents");
    (0..bytes / 8).flat_map(|_| random.next_u64().to_be_bytes()).collect()
}

/// Makes the files of a file, a pattern, a guest that writes and requests between two systems.
fn systems(site: &Site, seed: u64) -> [String; 2] {
    fs::write(site.path("disk.img"), made_up(FILE_BYTES, seed)).expect("a file");
    fs::write(site.path("linux01.mem"), made_up(MEMORY_BYTES, seed + 1)).expect("a file");
    let one = "[[send]]\nstream = 1\nfile = \"disk.img\"\n[[receive]]\nstream = 2\npattern = \"12M\"\n\
               [[relocate]]\nguest = \"LINUX01\"\nstream = 3\nmemory = \"linux01.mem\"\ndirty_pages_per_s = 50000\n\
               working_set_pages = 300\nquiesce_ms = 0\npasses = 40\nimmediate = true\n\
               [[request]]\nstream = 4\nrequest_bytes = 100\nresponse_bytes = 9000\ndepth = 3\nrequests = 200\n";
    let other = "[[receive]]\nstream = 1\nfile = \"copy.img\"\n[[send]]\nstream = 2\npattern = \"12M\"\n\
                 [[host]]\nguest = \"LINUX01\"\nstream = 3\nmemory = \"moved.mem\"\n[[respond]]\nstream = 4\n";
    let files = site.connected_with([one, other].map(str::to_owned));
    for file in &files {
        let text = fs::read_to_string(file).expect("a file").replace("patience_s = 60", "patience_s = 8");
        fs::write(file, text).expect("a file");
    }
    files
}

fn has_ended(child: &mut Child) -> Option<ExitStatus> {
    child.try_wait().expect("a process")
}

/// Kills processes at the moments of a seed, starts them again, and waits for the end.
fn run(seed: u64) {
    let site = Site::with_decks();
    let files = systems(&site, seed);
    let mut random = RandomStream::new(seed, "kills");
    let mut running = files.each_ref().map(|file| start(file, &[]));
    let mut kills = 0;
    for _ in 0..1 + random.below(3) {
        // They need a second to find each other.
        sleep(Duration::from_millis(if random.below(4) == 0 { 0 } else { 900 } + random.below(700)));
        let killed = random.below(2) as usize;
        if running.iter_mut().any(|child| has_ended(child).is_some()) {
            break;
        }
        running[killed].kill().expect("a process");
        running[killed].wait().expect("a process");
        running[killed] = start(&files[killed], &[]);
        kills += 1;
    }
    let endings = running.map(|child| {
        let output = child.wait_with_output().expect("an output");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (output.status.success(), found)
    });
    // A system that was killed when both had everything finds nobody any more.
    let is_alone = |found: &Value| found["error"].as_str().is_some_and(|error| error.contains("no progress"));
    assert!(endings.iter().any(|(is_right, _)| *is_right), "seed {seed}: {endings:?}");
    assert!(endings.iter().all(|(is_right, found)| *is_right || is_alone(found)), "seed {seed}: {endings:?}");
    for (one, other) in [("disk.img", "copy.img"), ("linux01.mem", "moved.mem")] {
        let [one, other] = [one, other].map(|name| fs::read(site.path(name)).ok());
        assert!(one.is_some() && one == other, "seed {seed}, {kills} kills: {endings:?}");
    }
    let is_gone = |name: &str| !site.path(name).exists();
    assert!(is_gone("linux01.mem.part") && is_gone("moved.mem.part"), "seed {seed}");
}

/// Two processes move a file, made-up octets, a guest that writes and requests, and are killed at any moment: both files and both
/// memories are equal in the end, and no part of a guest is left.
#[test]
fn killed_systems_end_with_equal_files() {
    let seeds = env::var(SEEDS).ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(SEEDS_DEFAULT);
    scope(|scope| {
        let lanes: Vec<_> = (0..AT_A_TIME)
            .map(|lane| scope.spawn(move || (lane..seeds).step_by(AT_A_TIME as usize).for_each(run)))
            .collect();
        lanes.into_iter().for_each(|lane| lane.join().expect("every seed ends with equal files"));
    });
}
