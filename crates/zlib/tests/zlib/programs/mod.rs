//! Programs that nobody here wrote run with the library in the place of Debian's, and with cards that are lost.

mod presence;
mod tools;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use presence::{is_there, runs};
use tools::{Place, debian, library, library_in_process, run};

use crate::abi::inflated_elsewhere;
use crate::in_process::NO_CARDS;
use crate::{incompressible, text};

/// Returns the functions that a library defines, without their versions.
fn functions(library: &Path) -> BTreeSet<String> {
    let output = run(Command::new("nm").args(["--dynamic", "--defined-only"]).arg(library));
    let text = String::from_utf8(output.stdout).expect("text");
    let symbols = text.lines().filter_map(|line| line.split_once(" T "));
    symbols.map(|(_, name)| name.split('@').next().unwrap_or(name).to_owned()).collect()
}

/// No function of Debian's library is missing, so that no state of ours comes before it.
#[test]
fn every_function_of_zlib_is_there() {
    if !runs("nm") {
        return;
    }
    let Some(debian) = debian() else { return };
    let needed = functions(debian);
    assert!(needed.len() > 80, "{} functions are read", needed.len());
    for own in [library(), library_in_process()] {
        let missing: Vec<_> = needed.difference(&functions(&own)).cloned().collect();
        assert_eq!(missing, [""; 0], "{}", own.display());
    }
}

/// Symbols of the library have no versions; the dynamic linker binds those of programs to them all the same, whatever version
/// a program needs.
#[test]
fn symbols_with_versions_are_bound_to_the_library() {
    if !runs("git") {
        return;
    }
    let place = Place::new();
    let output =
        run(place.command("git", "").arg("--version").env("LD_DEBUG", "bindings").env("LD_BIND_NOW", "1"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let versioned: Vec<_> = text.lines().filter(|line| line.contains("[ZLIB_1.2")).collect();
    if !is_there("a git that loads libz.so.1", versioned.len() > 3) {
        return;
    }
    let elsewhere: Vec<_> =
        versioned.iter().filter(|line| !line.contains("libz_in_process.so [0]: normal symbol")).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    assert!(!text.contains("no version information"), "the dynamic linker prints no warning");
}

/// The self-test of zlib passes, linked with the library and with it loaded first, with every request lost in turn.
#[test]
fn the_self_test_of_zlib_passes() {
    let place = Place::new();
    let Some(loaded) = place.compiled("example", None) else { return };
    let expected = "uncompress(): hello, hello!\ngzread(): hello, hello!\ngzgets() after gzseek:  hello!\n\
                    inflate(): hello, hello!\nlarge_inflate(): OK\nafter inflateSync(): hello, hello!\n\
                    inflate with dictionary: hello, hello!\n";
    let check = |command: &mut Command| {
        let text = String::from_utf8(run(command).stdout).expect("text");
        assert!(text.ends_with(expected), "{text}");
    };
    check(&mut place.command(&loaded, ""));
    let requests = place.take_requests();
    assert!(requests.len() >= 7, "{requests:?}");
    for request in 1..=requests.len() {
        for faults in [format!("{request}"), format!("{request}+"), format!("!{request}")] {
            check(&mut place.command(&loaded, &faults));
            let lost = place.take_requests();
            assert!(lost.iter().any(|line| !line.ends_with("done")), "{faults}: {lost:?}");
        }
    }
    check(place.command(&loaded, "").env("HALFTRACK_ZEDC", NO_CARDS));
    assert_eq!(place.take_requests(), [""; 0], "no card lets the program in");
    // Software alone: the library that ships, loaded first and linked.
    check(Command::new(&loaded).current_dir(place.path()).env("LD_PRELOAD", library()));
    for own in [library(), library_in_process()] {
        let linked = place.compiled("example", Some(&own)).expect("it was compiled before");
        check(place.command(&linked, "").env_remove("LD_PRELOAD"));
    }
}

#[test]
fn minigzip_writes_and_reads_files() {
    let place = Place::new();
    let Some(program) = place.compiled("minigzip", None) else { return };
    for data in [Vec::new(), text(100), text(3_000_000), incompressible(1_300_000)] {
        for faults in ["", "1", "2", "3", "1+", "2+", "!1", "!2"] {
            let file = place.write("file", &data);
            run(place.command(&program, faults).arg(&file));
            let made = place.take_requests();
            if faults.is_empty() {
                assert_eq!(made.len(), data.len().div_ceil(1 << 20), "{made:?}");
            }
            let packed = fs::read(file.with_extension("gz")).expect("the program has written it");
            assert!(inflated_elsewhere(&packed, 31) == data, "{faults}");
            run(place.command(&program, faults).arg("-d").arg(file.with_extension("gz")));
            assert!(fs::read(&file).expect("the program has written it") == data, "{faults}");
            place.take_requests();
        }
    }
}

/// Returns a place with a program in Python that loads the library, if there is one.
fn python(name: &str, program: &[u8]) -> Option<Place> {
    if !runs("python3") {
        return None;
    }
    let place = Place::new();
    let version = ["-c", "import zlib; print(zlib.ZLIB_RUNTIME_VERSION)"];
    let loaded = run(place.command("python3", "").args(version)).stdout;
    let is_ours = String::from_utf8_lossy(&loaded).contains("zlib-rs");
    if !is_there("a python3 that loads libz.so.1", is_ours) {
        return None;
    }
    place.write(name, program);
    Some(place)
}

/// Objects of Python's module zlib give what they are given: sizes, windows, levels, strategies, flushes, copies, pieces.
#[test]
fn python_gives_back_what_it_was_given() {
    let Some(place) = python("round_trips.py", include_bytes!("round_trips.py")) else { return };
    for (seed, faults) in ["", "1", "2", "7", "40", "1+", "3+", "100+"].iter().enumerate() {
        run(place.command("python3", faults).arg("round_trips.py").arg(seed.to_string()));
        let requests = place.take_requests();
        assert!(requests.len() > 20 || faults.ends_with('+'), "{faults}: {} requests", requests.len());
        let has_lost = requests.iter().any(|line| line.ends_with("lost"));
        assert_eq!(has_lost, !faults.is_empty(), "{faults}");
    }
}

/// Threads have connections of their own, and a child makes its own: the engine refuses to be used by another process.
#[test]
fn threads_and_children_have_their_own_connections() {
    let Some(place) = python("processes.py", include_bytes!("processes.py")) else { return };
    run(place.command("python3", "").arg("processes.py"));
    let requests = place.take_requests();
    let processes: BTreeSet<_> = requests.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(processes.len(), 4, "a parent and three children: {processes:?}");
    assert!(requests.iter().all(|line| line.ends_with("done")), "{requests:?}");
}

/// Git packs and checks a repository; it reads it again without the library.
#[test]
fn git_packs_a_repository_and_checks_it() {
    if !runs("git") {
        return;
    }
    for faults in ["", "1", "5", "20+", "1+"] {
        let place = Place::new();
        let git = |arguments: &[&str]| {
            let mut command = place.command("git", faults);
            command.args(["-c", "user.name=A", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
            run(command.args(arguments).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", place.path()))
        };
        git(&["init", "--quiet", "repository"]);
        for version in 0..4 {
            for (name, bytes) in [("small", 300), ("text", 200_000), ("large", 2_500_000)] {
                let data = [&text(bytes + version)[..], &incompressible(20_000 * version)].concat();
                place.write(&format!("repository/{name}"), &data);
            }
            git(&["-C", "repository", "add", "."]);
            git(&["-C", "repository", "commit", "--quiet", "--message", "a version"]);
        }
        git(&["-C", "repository", "fsck", "--strict"]);
        git(&["-C", "repository", "gc", "--quiet", "--aggressive"]);
        git(&["-C", "repository", "fsck", "--strict"]);
        git(&["clone", "--quiet", "--no-local", "repository", "copy"]);
        let requests = place.take_requests();
        assert!(requests.iter().any(|line| line.contains(" deflate ")), "{faults}: {requests:?}");
        let without = ["fsck", "--strict"];
        run(Command::new("git").arg("-C").arg(place.path().join("copy")).args(without));
        for name in ["small", "text", "large"] {
            let read = |at: &str| fs::read(place.path().join(at).join(name)).expect("the file is there");
            assert!(read("copy") == read("repository"), "{faults} {name}");
        }
    }
}
