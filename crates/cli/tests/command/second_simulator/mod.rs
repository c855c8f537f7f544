//! The twin beside a second simulator that follows `docs/model.md` and `docs/formats` in another language and with
//! its own random numbers, and shares no code, plan or table with it: `tests/second_simulator`.
//!
//! It needs `python3`. Without it this test reports that and checks nothing, unless `HALFTRACK_PYTHON=required` is set, as
//! CI does. Some of the twenty studies are compared in each run of the tests; `make second-simulator` compares all.

mod random_study;

use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use self::random_study::RandomStudy;
use crate::support::{Study, number, reports, repository};

/// Set to `required` where the second simulator must run.
const PYTHON: &str = "HALFTRACK_PYTHON";
/// Set to `all` to compare every study.
const WHICH: &str = "HALFTRACK_SECOND_SIMULATOR";
/// Studies that are compared in each run of the tests: of every kind at least one, and soon precise enough.
const SOME: [u64; 6] = [1, 2, 3, 4, 8, 9];
/// How well rate and response are known in both, and by how much they may differ.
const PRECISION: f64 = 0.005;
const TOLERANCE: f64 = 0.03;

/// Returns true when python3 runs; prints a message where it does not and need not.
fn is_there() -> bool {
    let new_enough = ["-c", "import tomllib"];
    if Command::new("python3").args(new_enough).output().is_ok_and(|output| output.status.success()) {
        return true;
    }
    let required = env::var(PYTHON).is_ok_and(|value| value == "required");
    assert!(!required, "{PYTHON}=required, but python3 (3.11 or newer) does not run");
    // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
    let words = b"NOT CHECKED: the twin beside a second simulator, python3 (3.11 or newer) does not run\n";
    io::stderr().write_all(words).expect("standard error");
    false
}

/// Rate, per second, and response, us, of a stream, each with half the width of its confidence interval.
struct Found {
    rate_per_s: (f64, f64),
    response_us: (f64, f64),
}

fn by_the_twin(study: &Study, streams: usize, seed: &str) -> Vec<Found> {
    let precision = PRECISION.to_string();
    let object = reports(study, &["--precision", &precision, "--at-most", "400", "--seed", seed]);
    let estimate = |stream: usize, what: &str| {
        let member = |member| number(&object, &format!("/summary/streams/{stream}/{what}/{member}"));
        (member("mean"), member("half_width"))
    };
    let found = |stream| Found {
        rate_per_s: estimate(stream, "rate_per_s"),
        response_us: estimate(stream, "response_us"),
    };
    (0..streams).map(found).collect()
}

fn by_the_second(study: &Path, seed: &str) -> Vec<Found> {
    let simulator = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/second_simulator/simulator.py");
    let mut command = Command::new("python3");
    command.arg("-B").arg(simulator).arg(study).arg(repository().join("catalog"));
    command.args(["--precision", &PRECISION.to_string(), "--seed", seed]);
    let output = command.output().expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let streams: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    let found = |stream: &Value| Found {
        rate_per_s: (number(stream, "/rate_per_s"), number(stream, "/rate_half_width")),
        response_us: (number(stream, "/response_us"), number(stream, "/response_half_width")),
    };
    streams.iter().map(found).collect()
}

/// Runs both: a line for each stream, and what is not as it should be.
fn compare(index: u64) -> (String, Vec<String>) {
    let random = RandomStudy::new(index);
    let study = random.write();
    // Of one seed the arrivals of every study would be early or late alike.
    let seed = (index + 1).to_string();
    let twin = by_the_twin(&study, random.streams(), &seed);
    let second = by_the_second(&study.path(), &seed);
    assert_eq!(twin.len(), second.len());
    let (mut lines, mut faults) = (String::new(), Vec::new());
    for (number, (twin, second)) in twin.iter().zip(&second).enumerate() {
        let mut line = format!("{index:2} {} stream {number}:", random.words());
        for (what, twin, second) in
            [("rate", twin.rate_per_s, second.rate_per_s), ("response", twin.response_us, second.response_us)]
        {
            let differs = second.0 / twin.0 - 1.0;
            line += &format!(" {what} {:.1} and {:.1} ({:+.2} %)", twin.0, second.0, 100.0 * differs);
            let known = twin.1 <= PRECISION * twin.0 && second.1 <= PRECISION * second.0;
            if differs.abs() > TOLERANCE || !known {
                faults.push(format!("{line} +- {:.1} and {:.1}", twin.1, second.1));
            }
        }
        lines += &line;
        lines.push('\n');
    }
    (lines, faults)
}

#[test]
fn a_second_simulator_finds_the_same_rates_and_responses() {
    if !is_there() {
        return;
    }
    let all = env::var(WHICH).is_ok_and(|value| value == "all");
    let indices: Vec<u64> = if all { (0..random_study::STUDIES).collect() } else { SOME.to_vec() };
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&index) = indices.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (lines, wrong) = compare(index);
            print!("{lines}");
            faults.lock().expect("nobody panics with it").extend(wrong);
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let faults = faults.into_inner().expect("nobody panics with it");
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Test whether a study is of a kind.
type Is = fn(&RandomStudy) -> bool;

#[test]
fn the_studies_are_of_every_kind() {
    let studies: Vec<_> = (0..random_study::STUDIES).map(RandomStudy::new).collect();
    let count = |is: Is| studies.iter().filter(|study| is(study)).count();
    let kinds: [(&str, Is); 7] = [
        ("command mode", RandomStudy::has_command_mode),
        ("port-bound", |study| study.is_port_bound),
        ("two protocols", |study| study.streams() == 2),
        ("misses", |study| study.hit_ratio < 1.0),
        ("reads and writes", |study| study.read_share < 1.0),
        ("open", |study| study.is_open),
        ("closed", |study| !study.is_open),
    ];
    for (kind, is) in kinds {
        assert!(count(is) >= 5, "{} studies are {kind}", count(is));
    }
}
