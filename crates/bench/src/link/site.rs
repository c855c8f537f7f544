//! The volume of the bench, the control unit that serves it, and the channels that read it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use halftrack_program::Geometry;
use halftrack_volume::{NewFormat, VolumeDevice, create};
use tempfile::TempDir;

use crate::bench_error::BenchError;

/// Cylinders of the volume: 64 MiB of 4 KiB records behind cylinder 0.
const CYLINDERS: u32 = 92;
/// Buffer credits of both ends.
const CREDITS: u16 = 1024;
/// Open exchanges of both ends.
const OPEN_EXCHANGES: u16 = 256;
/// Aliases of the base: with it as many addresses as reads at a time.
const ALIASES: &str = "01-7F";
/// Socket of the adapter for synchronous I/O.
const SOCKET: &str = "zhyperlink";

/// Measured load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// 4 KiB, 128 at a time, in transport mode.
    Transport4K,
    /// 32 records of 4 KiB, 16 at a time, in transport mode.
    Transport128K,
    /// 4 KiB, 128 at a time, in command mode.
    Command4K,
    /// 4 KiB, one at a time, in transport mode.
    OneAtATime,
    /// 4 KiB, one at a time, synchronous first, then in transport mode.
    Synchronous,
}

impl Load {
    const fn keys(self) -> (u32, u16, &'static str) {
        match self {
            Self::Transport4K => (128, 1, "transport"),
            Self::Transport128K => (16, 32, "transport"),
            Self::Command4K => (128, 1, "command"),
            Self::OneAtATime | Self::Synchronous => (1, 1, "transport"),
        }
    }
}

/// A directory with the volume, removed with it.
#[derive(Debug)]
pub struct Site(TempDir);

impl Site {
    /// Makes the volume, not laid out yet.
    ///
    /// # Errors
    /// A directory without room.
    pub fn make() -> Result<Self, BenchError> {
        let made = tempfile::Builder::new().prefix("halftrack-bench-link-").tempdir();
        let directory =
            made.map_err(|error| BenchError::Failed(format!("no temporary directory: {error}")))?;
        let geometry = Geometry::with_cylinders(CYLINDERS).expect("a volume of some cylinders");
        let volume = directory.path().join("volume.ckd");
        create(&volume, VolumeDevice::Ckd(geometry), NewFormat::OneFile, None)?;
        Ok(Self(directory))
    }

    /// Returns the directory of all files.
    pub fn directory(&self) -> &Path {
        self.0.path()
    }

    /// Writes `text` to a file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, BenchError> {
        let path = self.0.path().join(name);
        match fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(source) => Err(BenchError::Output { path, source }),
        }
    }
}

/// Returns the keys of an adapter for synchronous I/O in the control unit's file.
pub fn adapter_toml() -> String {
    format!("[[zhyperlink]]\nid = \"0100\"\nsocket = \"{SOCKET}\"\n")
}

/// Returns the control unit's file: its port at any free TCP port.
pub fn control_unit_toml() -> String {
    format!(
        "name = \"BENCH\"\nnode = \"50:05:07:63:00:00:00:01\"\n\
         [[port]]\nid = \"0030\"\nlisten = \"127.0.0.1:0\"\nwwpn = \"50:05:07:63:00:00:00:30\"\n\
         credits = {CREDITS}\nopen_exchanges = {OPEN_EXCHANGES}\n\
         [[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
         file = \"volume.ckd\"\nwrite = \"writeback\"\naliases = \"{ALIASES}\"\n"
    )
}

/// Returns the file of a channel that reads from the control unit at `place`.
pub fn channel_toml(place: &str, load: Load, seconds: f64) -> String {
    let (jobs, records, protocol) = load.keys();
    let mut text = format!(
        "name = \"BENCH\"\nnode = \"50:05:07:64:00:00:00:01\"\n\
         [[path]]\nchpid = \"40\"\nconnect = \"{place}\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n\
         credits = {CREDITS}\nopen_exchanges = {OPEN_EXCHANGES}\n"
    );
    if jobs > 1 {
        // Writing into a String cannot fail.
        let _ = write!(text, "[[alias]]\nbase = \"00\"\naddresses = [\"{ALIASES}\"]\n");
    }
    let _ = write!(
        text,
        "[run]\nduration_s = {seconds}\nwarmup_s = {}\ncontents = \"pattern\"\n\
         [[stream]]\nname = \"read\"\ndevices = [\"00\"]\nprotocol = \"{protocol}\"\n\
         program = {{ block = \"4K\", records = {records} }}\nclosed = {{ jobs = {jobs} }}\n",
        seconds / 8.0
    );
    if load == Load::Synchronous {
        let _ = write!(text, "synchronous = \"read\"\n[[zhyperlink]]\nsocket = \"{SOCKET}\"\n");
    }
    text
}
