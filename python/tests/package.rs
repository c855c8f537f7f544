//! The package in an interpreter: its tests, and the types of a sample, with the library as it was built for the tests of Rust.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Names an interpreter that has the libraries of the package's extra `test`; `.ci/python environment` makes one.
const INTERPRETER: &str = "HALFTRACK_PACKAGE_PYTHON";
/// The library, as cargo names it.
const LIBRARY: &str = "lib_native.so";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the library, which stands beside this test or one directory above.
fn library() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let places = test.ancestors().skip(1).take(2).map(|place| place.join(LIBRARY));
    places.into_iter().find(|place| place.is_file()).expect("cargo builds the library before its tests")
}

/// Lays the package out in `place`, with the library in it.
fn lay_out(place: &Path) {
    // What an earlier test left there.
    let _ = fs::remove_dir_all(place);
    let package = place.join("halftrack");
    fs::create_dir_all(&package).expect("a directory for the package");
    for entry in fs::read_dir(root().join("python/halftrack")).expect("the package is there") {
        let entry = entry.expect("an entry of the package");
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            fs::copy(entry.path(), package.join(entry.file_name())).expect("a file of the package is copied");
        }
    }
    fs::copy(library(), package.join("_native.abi3.so")).expect("the library is copied");
}

/// Returns the command: the one that is named, else the one that cargo built with the library. An older one has another model.
fn command() -> Option<PathBuf> {
    let built = || {
        library()
            .ancestors()
            .skip(1)
            .take(2)
            .map(|place| place.join("halftrack"))
            .find(|place| place.is_file())
    };
    env::var_os("HALFTRACK_COMMAND").map(PathBuf::from).or_else(built)
}

#[test]
fn tests_and_types_of_the_package_hold() {
    let Some(interpreter) = env::var_os(INTERPRETER) else {
        println!("NOT CHECKED: the Python package; {INTERPRETER} names no interpreter with its libraries");
        return;
    };
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("package");
    lay_out(&place);
    let checks: [&[&str]; 2] = [
        &["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-m", "not slow", "python/tests"],
        &["-m", "mypy", "--strict", "--cache-dir=/dev/null", "python/tests/sample.py"],
    ];
    for arguments in checks {
        let ended = Command::new(&interpreter)
            .envs(command().map(|command| ("HALFTRACK_COMMAND", command)))
            .args(arguments)
            .current_dir(root())
            .env("PYTHONPATH", &place)
            .env("MYPYPATH", &place)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .status();
        let ended = ended.expect("the interpreter is started");
        assert!(ended.success(), "{arguments:?}: {ended}");
    }
}
