//! The utilities, a directory to run them in, and halftrack.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support;

/// Set to `required` where the utilities must be there.
const REQUIREMENT: &str = "HALFTRACK_HERCULES";
/// The utilities that are used here; they come in one package.
const UTILITIES: [&str; 8] =
    ["hercules", "dasdinit", "dasdload", "dasdls", "dasdcat", "dasdpdsu", "dasdseq", "cckdcdsk"];

/// How often a utility that dies of a signal is run again.
const RUN_AGAIN: usize = 2;

/// A file system in memory, on Linux.
const MEMORY: &str = "/dev/shm";

/// A directory with the utilities at hand.
pub struct Hercules {
    directory: TempDir,
}

impl Hercules {
    /// Finds the utilities and makes an empty directory; `None`, with a message, where they are missing and need not
    /// be there.
    pub fn find() -> Option<Self> {
        // None of them has an option for its version only; started without arguments they end at once.
        let missing = UTILITIES.into_iter().find(|name| Command::new(name).output().is_err());
        if let Some(missing) = missing {
            let required = env::var(REQUIREMENT).is_ok_and(|value| value == "required");
            assert!(!required, "{REQUIREMENT}=required, but {missing} does not run");
            // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
            let words =
                format!("NOT CHECKED: volumes beside Hercules' utilities; {missing} is not installed\n");
            io::stderr().write_all(words.as_bytes()).expect("standard error");
            return None;
        }
        Some(Self { directory: tempfile::tempdir().expect("temporary directory") })
    }

    /// Finds them for a volume of many tracks, in memory where there is room. On a file system that discards removed
    /// blocks, a file of fifty thousand pieces takes minutes to remove.
    pub fn find_for_large() -> Option<Self> {
        const NEEDED_BYTES: u64 = 1 << 30;
        let mut found = Self::find()?;
        let free = rustix::fs::statvfs(MEMORY).map_or(0, |stat| stat.f_bavail * stat.f_frsize);
        if free >= NEEDED_BYTES
            && let Ok(directory) = tempfile::tempdir_in(MEMORY)
        {
            found.directory = directory;
        }
        Some(found)
    }

    /// Returns a path in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file into the directory.
    pub fn write(&self, name: &str, octets: impl AsRef<[u8]>) {
        fs::write(self.path(name), octets).expect("file");
    }

    /// Reads the octets of a file in the directory.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Names in the directory, ascending.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).expect("directory");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("entry").file_name();
        let mut names: Vec<_> = entries.map(|entry| name(entry).into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    /// Runs a utility in the directory, where it has to succeed; what it printed.
    ///
    /// `dasdload` of Hercules 3.13 has been seen to die of signal 11 behind its last message, with an input with which it
    /// had not before. A utility that dies of a signal is run again; what it has left behind is taken away first.
    pub fn run(&self, utility: &str, arguments: &[&str]) -> Vec<u8> {
        let before = self.names();
        let mut output = self.try_run(utility, arguments);
        for _ in 0..RUN_AGAIN {
            if output.status.signal().is_none() {
                break;
            }
            for left in self.names().iter().filter(|name| !before.contains(name)) {
                fs::remove_file(self.path(left)).expect("file");
            }
            output = self.try_run(utility, arguments);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{utility} {arguments:?}: {:?}\n{said}", output.status);
        output.stdout
    }

    /// Returns the output of `dasdcat` about members, `?` their names. It ends with 1 whether it found them or not.
    pub fn members(&self, image: &str, what: &str) -> Vec<u8> {
        self.try_run("dasdcat", &["-i", image, what]).stdout
    }

    /// Returns that output as text.
    pub fn members_text(&self, image: &str, what: &str) -> String {
        String::from_utf8(self.members(image, what)).expect("text")
    }

    /// Runs a utility in the directory.
    pub fn try_run(&self, utility: &str, arguments: &[&str]) -> Output {
        let output = Command::new(utility).args(arguments).current_dir(self.directory.path()).output();
        output.unwrap_or_else(|error| panic!("{utility}: {error}"))
    }

    /// Runs halftrack in the directory.
    pub fn halftrack(&self, arguments: &[&str]) -> Output {
        let output =
            Command::new(support::binary()).args(arguments).current_dir(self.directory.path()).output();
        output.expect("the command starts")
    }

    /// Returns the output of `halftrack volume ARGUMENTS`, with nothing on standard error.
    pub fn volume(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.halftrack(&[&["volume"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*said), (Some(0), ""), "volume {arguments:?}");
        output.stdout
    }

    /// Returns the object that `halftrack volume ARGUMENTS --json` prints.
    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_slice(&self.volume(&[arguments, &["--json"]].concat())).expect("JSON")
    }
}
