//! Digests of everything that the studies of the repository give: a change that must not change results proves itself by them.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use toml_edit::{DocumentMut, Item};

use crate::scoreboard::scoreboard;
use crate::support::{Study, code, is_shipped, names_in, repository, stderr};

/// Set to write the digests anew, after a change that means to change results.
const UPDATE: &str = "HALFTRACK_UPDATE_DIGESTS";
const FILE: &str = "crates/cli/tests/command/digests.txt";
/// Frames a study that are compared.
const FRAMES: &str = "2000";
/// Each way to run a study. Without the optimisations of the command that ships only the first is tried, as [`crate::same_bytes`] tries
/// the others on some studies.
const WAYS: [&[&str]; 4] = [
    &["--threads", "1"],
    &["--threads", "2!"],
    &["--exchange", "live", "--threads", "1"],
    &["--exchange", "live", "--threads", "2!"],
];

/// Names below `studies` of the directories that hold a deck, sorted.
fn studies() -> Vec<String> {
    let root = repository().join("studies");
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(at) = open.pop() {
        if root.join(&at).join("deck.iocp").exists() {
            found.push(at);
            continue;
        }
        let directories = names_in(&root.join(&at)).into_iter().map(|name| Path::new(&at).join(name));
        let directories = directories.filter(|name| root.join(name).is_dir());
        open.extend(directories.map(|name| name.to_str().expect("a name in UTF-8").to_owned()));
    }
    found.sort();
    found
}

/// Makes a copy that runs for a fiftieth of the time.
fn fiftieth(name: &str) -> Study {
    let study = Study::copy(name);
    study.rewrite("workload.toml", |text| {
        let mut workload: DocumentMut = text.parse().expect("TOML");
        let Some(run) = workload.get_mut("run") else { return text.to_owned() };
        for key in ["warmup_s", "interval_s"] {
            if let Some(time_s) = run.get(key).and_then(Item::as_float) {
                run[key] = toml_edit::value(time_s / 50.0);
            }
        }
        workload.to_string()
    });
    study
}

/// Computes the digest of the files at `paths`, in this order.
fn digest(directory: &Path, names: &[String]) -> String {
    let mut hasher = blake3::Hasher::new();
    for name in names {
        hasher.update(name.as_bytes());
        hasher.update(&fs::read(directory.join(name)).expect("an output"));
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Computes the digests of records, frames and reports of one run.
fn run(study: &Study, way: &[&str]) -> [String; 3] {
    let out = study.beside("out");
    let place = |path: &Path| path.to_str().expect("path").to_owned();
    let (directory, capture) = (place(&out), place(&study.beside("frames.pcapng")));
    let fixed = ["--out", &directory, "--capture", &capture, "--capture-frames", FRAMES];
    let output = study.halftrack("run", &[&fixed, way].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let (records, reports) =
        names_in(&out).into_iter().partition::<Vec<_>, _>(|name| name == "intervals.json");
    assert_eq!(records.len(), 1);
    let frames = study.beside("frames.pcapng").exists().then(|| "frames.pcapng".to_owned());
    let beside = study.beside("");
    [digest(&out, &records), digest(&beside, frames.as_slice()), digest(&out, &reports)]
}

/// Returns the line of `name`, after all ways to run it have given equal digests.
fn line(name: &str) -> String {
    let study = fiftieth(name);
    let [records, frames, reports] = run(&study, WAYS[0]);
    let others = if is_shipped() { &WAYS[1..] } else { &[] };
    for way in others {
        let found = run(&study, way);
        assert_eq!([&records, &frames, &reports], found.each_ref(), "{name} {}", way.join(" "));
    }
    format!("{records} {frames} {reports} {name}\n")
}

/// Computes the lines of `names`, by as many threads as there are processors.
fn lines(names: &[String]) -> String {
    let open = Mutex::new(names.iter());
    let done = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(name) = open.lock().expect("no panic").next() else { break };
                    let made = line(name);
                    done.lock().expect("no panic").push((name, made));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no panic");
    done.sort();
    done.into_iter().map(|(_, line)| line).collect()
}

/// Compares `now` with the lines of the committed file that `are_meant`, or writes those anew.
fn compare(now: &str, are_meant: fn(&str) -> bool) {
    // Two tests write parts of one file.
    static FILE_IN_USE: Mutex<()> = Mutex::new(());
    let _guard = FILE_IN_USE.lock().expect("no panic");
    let path = repository().join(FILE);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let (committed, others): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| are_meant(line));
    if std::env::var_os(UPDATE).is_some() {
        let mut lines: Vec<&str> = now.lines().chain(others).collect();
        lines.sort_by_key(|line| line.rsplit(' ').next());
        fs::write(&path, lines.join("\n") + "\n").expect(FILE);
        return;
    }
    let changed: Vec<&str> = now.lines().filter(|line| !committed.contains(line)).collect();
    assert!(
        changed.is_empty() && now.lines().count() == committed.len(),
        "{FILE} has other digests (records, frames, reports) than these; if results are meant to change, write it anew \
         with {UPDATE}=1:\n{}",
        changed.join("\n")
    );
}

#[test]
fn studies_give_what_was_committed() {
    compare(&lines(&studies()), |line| !line.ends_with(" published"));
}

#[test]
fn the_scoreboard_is_the_one_that_was_committed() {
    let published = scoreboard(&["--json"]);
    let line = format!("{} published\n", &blake3::hash(&published.stdout).to_hex()[..16]);
    compare(&line, |line| line.ends_with(" published"));
}
