//! Studies in temporary directories and the command run on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The files that every study has.
pub const FILES: [&str; 3] = ["deck.iocp", "plant.toml", "workload.toml"];

/// A copy of a study of the repository that may be changed.
pub struct Study {
    directory: TempDir,
}

impl Study {
    /// Makes a copy of `studies/NAME`, its traces included.
    pub fn copy(name: &str) -> Self {
        let directory = tempfile::tempdir().expect("temporary directory");
        let copy = Self { directory };
        fs::create_dir(copy.path()).expect("study directory");
        let original = repository().join("studies").join(name);
        for file in names_in(&original) {
            fs::copy(original.join(&file), copy.path().join(&file)).expect("file of the study");
        }
        copy
    }

    /// Makes a copy that measures two intervals of 10 ms after 5 ms, so that it is run in no time.
    pub fn short(name: &str) -> Self {
        let study = Self::copy(name);
        study.edit("workload.toml", |text| {
            let run = "[run]\nwarmup_s = 0.005\ninterval_s = 0.01\nintervals = 2\nseed = 1\n";
            let (before, rest) = text.split_once("[run]").expect("the study says how long to run");
            let after = rest.find("\n[").expect("a table follows");
            format!("{before}{run}{}", &rest[after..])
        });
        study
    }

    /// Makes the study that `halftrack study new ARGUMENTS` writes.
    pub fn new(arguments: &[&str]) -> Self {
        let study = Self { directory: tempfile::tempdir().expect("temporary directory") };
        let path = study.path();
        let path = path.to_str().expect("a path in UTF-8");
        let output = halftrack(&[&["study", "new"], arguments, &[path]].concat());
        assert_eq!((code(&output), stderr(&output)), (0, ""));
        study
    }

    /// Returns its directory. The name is the same for every copy, since reports show it.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("study")
    }

    /// Returns a place for output beside the study.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Names of everything in the directory around the study.
    pub fn siblings(&self) -> Vec<String> {
        names_in(self.directory.path())
    }

    /// Changes the text of one file.
    pub fn edit(&self, file: &str, change: impl FnOnce(&str) -> String) {
        assert!(self.rewrite(file, change), "{file} is unchanged");
    }

    /// Changes the text of one file if `change` does; true when it did.
    pub fn rewrite(&self, file: &str, change: impl FnOnce(&str) -> String) -> bool {
        let path = self.path().join(file);
        let text = fs::read_to_string(&path).expect("file of the study");
        let changed = change(&text);
        fs::write(path, &changed).expect("file of the study");
        changed != text
    }

    /// Runs `halftrack COMMAND STUDY ARGUMENTS`.
    pub fn halftrack(&self, command: &str, arguments: &[&str]) -> Output {
        let study = self.path();
        let study = study.to_str().expect("a path in UTF-8");
        halftrack(&[&[command, study], arguments].concat())
    }
}

/// Returns the object that `halftrack run STUDY --json ARGUMENTS` prints, laws held.
pub fn reports(study: &Study, arguments: &[&str]) -> Value {
    let output = study.halftrack("run", &[&["--json"], arguments].concat());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    serde_json::from_str(stdout(&output)).expect("JSON")
}

/// Returns the number at `pointer` (RFC 6901) of `object`.
pub fn number(object: &Value, pointer: &str) -> f64 {
    let found = object.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("no number at {pointer} in {object:#}"))
}

/// Returns the command under test: the one that was built with the tests, or that of `HALFTRACK_COMMAND`.
pub fn binary() -> PathBuf {
    let built = || PathBuf::from(env!("CARGO_BIN_EXE_halftrack"));
    std::env::var_os("HALFTRACK_COMMAND").map_or_else(built, |named| repository().join(named))
}

/// Returns true when the tests run the command that `HALFTRACK_COMMAND` names, not the one that was built with them.
pub fn is_shipped() -> bool {
    std::env::var_os("HALFTRACK_COMMAND").is_some()
}

/// Runs the command, not on a terminal.
pub fn halftrack(arguments: &[&str]) -> Output {
    Command::new(binary()).args(arguments).output().expect("the command starts")
}

/// Returns the exit code of a command that was not killed.
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("the command ends by itself")
}

/// Returns its standard output.
pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

/// Returns its standard error.
pub fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

/// Names in a directory, ascending.
pub fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("directory");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("entry").file_name();
    let mut names: Vec<_> =
        entries.map(|entry| name(entry).into_string().expect("a name in UTF-8")).collect();
    names.sort();
    names
}

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
