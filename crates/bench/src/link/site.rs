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
/// Bytes of the logical unit: as many as the volume has in 4 KiB records behind cylinder 0.
const LUN_BYTES: u64 = 64 << 20;
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
    /// 4 KiB, 128 at a time, over FCP.
    Fcp4K,
    /// 128 KiB, 16 at a time, over FCP.
    Fcp128K,
    /// 4 KiB, one at a time, over FCP.
    FcpOneAtATime,
    /// 128 KiB in order, all of them once: the pattern is written.
    FcpFill,
}

impl Load {
    const fn keys(self) -> (u32, u16, &'static str) {
        match self {
            Self::Transport4K => (128, 1, "transport"),
            Self::Transport128K => (16, 32, "transport"),
            Self::Command4K => (128, 1, "command"),
            Self::OneAtATime | Self::Synchronous => (1, 1, "transport"),
            Self::Fcp4K => (128, 1, "fcp"),
            Self::Fcp128K | Self::FcpFill => (16, 32, "fcp"),
            Self::FcpOneAtATime => (1, 1, "fcp"),
        }
    }

    /// Returns whether it goes to the logical unit.
    pub const fn is_fcp(self) -> bool {
        matches!(self, Self::Fcp4K | Self::Fcp128K | Self::FcpOneAtATime | Self::FcpFill)
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
        let lun = directory.path().join("lun.img");
        let made = fs::File::create(&lun).and_then(|file| file.set_len(LUN_BYTES));
        made.map_err(|source| BenchError::Output { path: lun, source })?;
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

/// Returns the control unit's file: its ports at any free TCP ports, the first of FICON, the second of FCP.
pub fn control_unit_toml() -> String {
    let port = |id: &str, protocol: &str| {
        format!(
            "[[port]]\nid = \"00{id}\"\nprotocol = \"{protocol}\"\nlisten = \"127.0.0.1:0\"\n\
             wwpn = \"50:05:07:63:00:00:00:{id}\"\ncredits = {CREDITS}\nopen_exchanges = {OPEN_EXCHANGES}\n"
        )
    };
    format!(
        "name = \"BENCH\"\nnode = \"50:05:07:63:00:00:00:01\"\n{}{}\
         [[lun]]\nnumber = 0\nfile = \"lun.img\"\nwrite = \"writeback\"\nblock_bytes = 4096\n\
         [[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
         file = \"volume.ckd\"\nwrite = \"writeback\"\naliases = \"{ALIASES}\"\n",
        port("30", "ficon"),
        port("31", "fcp"),
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
    if load.is_fcp() {
        return text + &fcp_streams(load, seconds);
    }
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

/// Returns the run and the stream of a load over FCP.
fn fcp_streams(load: Load, seconds: f64) -> String {
    let (jobs, records, _) = load.keys();
    let stream = format!(
        "[[stream]]\nname = \"read\"\nprotocol = \"fcp\"\nluns = [0]\nblock = \"{}K\"\nclosed = {{ jobs = {jobs} }}\n",
        4 * records
    );
    if load == Load::FcpFill {
        let ios = LUN_BYTES / (128 << 10);
        return format!("[run]\nios = {ios}\n{stream}order = \"sequential\"\nread_share = 0.0\n");
    }
    let warmup_s = seconds / 8.0;
    format!("[run]\nduration_s = {seconds}\nwarmup_s = {warmup_s}\ncontents = \"pattern\"\n{stream}")
}
