//! Programs that nobody here wrote, and the library that they load.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::presence::{is_there, runs};

/// Programs of zlib that Debian's package zlib1g-dev installs.
const SOURCES: &str = "/usr/share/doc/zlib1g-dev/examples";
/// Places of Debian's own library.
const DEBIAN: [&str; 2] = ["/usr/lib/x86_64-linux-gnu/libz.so.1", "/usr/lib/aarch64-linux-gnu/libz.so.1"];

/// Returns the library of Debian.
pub fn debian() -> Option<&'static Path> {
    let found = DEBIAN.iter().map(Path::new).find(|path| path.exists());
    is_there("Debian's libz.so.1", found.is_some()).then_some(found).flatten()
}

/// Returns the directory of what cargo has built for this test.
fn built() -> PathBuf {
    let own = env::current_exe().expect("a test has a file");
    own.parent().expect("it is in a directory").to_owned()
}

/// Returns the library that ships.
pub fn library() -> PathBuf {
    let path = built().join("libz.so");
    assert!(path.exists(), "{} is built with this test", path.display());
    path
}

/// Returns the library with an engine in the process in the place of a card.
pub fn library_in_process() -> PathBuf {
    let path = built().join("../examples/libz_in_process.so");
    assert!(path.exists(), "{}: build the examples of the crate", path.display());
    path.canonicalize().expect("it is there")
}

/// Directory of a test, which is that of the cards too.
pub struct Place(TempDir);

impl Place {
    /// Makes one.
    pub fn new() -> Self {
        Self(TempDir::new().expect("a directory"))
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file; returns its path.
    pub fn write(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, contents).expect("the file is written");
        path
    }

    /// Compiles a program of zlib with this library or with Debian's; returns its path. None when there is no such program.
    pub fn compiled(&self, program: &str, library: Option<&Path>) -> Option<PathBuf> {
        let source = Path::new(SOURCES).join(program).with_extension("c");
        if !runs("cc") || !is_there("programs of zlib (zlib1g-dev)", source.exists()) {
            return None;
        }
        let path = self.path().join(program);
        let mut compiler = Command::new("cc");
        compiler.args(["-w", "-O1", "-o"]).arg(&path).arg(source);
        match library {
            Some(library) => compiler.arg(library),
            None => compiler.arg("-lz"),
        };
        let output = compiler.output().expect("cc runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(path)
    }

    /// Returns a command in this directory that loads the library with an engine; requests fail as `faults` has it.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>, faults: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path())
            .env("LD_PRELOAD", library_in_process())
            .env("HALFTRACK_ZEDC", self.path())
            .env("HALFTRACK_ZEDC_FAULTS", faults)
            .env("HALFTRACK_ZEDC_DEFMINREQSIZE", "1")
            .env("HALFTRACK_ZEDC_INFMINREQSIZE", "1");
        command
    }

    /// Takes the log of the requests, a line each: process, operation, octets, result.
    pub fn take_requests(&self) -> Vec<String> {
        let path = self.path().join("requests");
        let text = fs::read_to_string(&path).unwrap_or_default();
        // There is none when no request was made.
        let _ = fs::remove_file(path);
        text.lines().map(str::to_owned).collect()
    }
}

/// Runs a command; returns its output.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().expect("the program runs");
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}
