//! The volume of the bench, and a control unit and a channel as two threads of this process.

use std::path::{Path, PathBuf};
use std::thread;

use halftrack_config::{read_channel, read_control_unit};
use halftrack_input::SourceFile;
use halftrack_link::connector::SingleConnector;
use halftrack_link::control_unit::{PortOptions, UnitTable, UnitVolume};
use halftrack_link::driver::{Drive, Report, Surroundings};
use halftrack_link::plug::OneFibre;
use halftrack_link::{Clock, ControlUnit, InProcessTransport};
use halftrack_program::Geometry;
use halftrack_volume::{NewFormat, VolumeDevice, create};
use tempfile::TempDir;

use crate::bench_error::BenchError;

/// Cylinders of the volume: 64 MiB of 4 KiB records behind cylinder 0.
const CYLINDERS: u32 = 92;
/// Aliases of the base: with it as many addresses as writes at a time.
const ALIASES: &str = "01-1F";
/// Shortest run: formatting is all that is wanted of it.
const SHORT_S: f64 = 0.01;

/// Control unit with the volume of the bench, whose writes are safe when they end.
const CONTROL_UNIT: &str = "name = \"BENCH\"\nnode = \"50:05:07:63:00:00:00:01\"\n\
     [[port]]\nid = \"0030\"\nlisten = \"127.0.0.1:0\"\nwwpn = \"50:05:07:63:00:00:00:30\"\n\
     [[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
     file = \"volume.ckd\"\nwrite = \"sync\"\naliases = \"01-1F\"\n";

/// A directory with the volume, removed with it.
#[derive(Debug)]
pub struct Site(TempDir);

impl Site {
    /// Makes the volume and lays it out.
    ///
    /// # Errors
    /// A directory without room.
    pub fn make(directory: Option<&Path>) -> Result<Self, BenchError> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("halftrack-bench-commit-");
        let made = match directory {
            Some(directory) => builder.tempdir_in(directory),
            None => builder.tempdir(),
        };
        let made =
            made.map_err(|error| BenchError::Directory(format!("no directory for the volume: {error}")))?;
        let geometry = Geometry::with_cylinders(CYLINDERS).expect("a volume of some cylinders");
        create(&made.path().join("volume.ckd"), VolumeDevice::Ckd(geometry), NewFormat::OneFile, None)?;
        let site = Self(made);
        site.run(1, SHORT_S, true)?;
        Ok(site)
    }

    /// Returns the directory of all files.
    pub fn directory(&self) -> &Path {
        self.0.path()
    }

    /// Returns the writes a second of `depth` jobs.
    ///
    /// # Errors
    /// An I/O that failed.
    pub fn measure(&self, depth: usize, seconds: f64) -> Result<f64, BenchError> {
        let report = self.run(depth, seconds, false)?;
        let writes = report.streams.first().map_or(0, |stream| stream.statistics.ios());
        Ok(writes as f64 / report.measured.as_s_f64())
    }

    fn run(&self, depth: usize, seconds: f64, format: bool) -> Result<Report, BenchError> {
        let (near, far) = InProcessTransport::pair()?;
        let directory = self.0.path().to_owned();
        let serving = thread::spawn(move || serve(&directory, far));
        let text = channel_toml(depth, seconds);
        let (file, found) = read_channel(&SourceFile::new("channel.toml", text));
        let file = file.ok_or_else(|| failed(found.iter().map(ToString::to_string).collect::<String>()))?;
        let mut around = Surroundings { taps: &mut |_| None, progress: &mut |_| (), stop: None };
        let driven = Drive::new(file, vec![SingleConnector(Some(near))]).run(format, &mut around);
        let served = serving.join().unwrap_or_else(|_| Err("the control unit's thread failed".to_owned()));
        let report = driven.map_err(failed)?;
        served.map_err(failed)?;
        if report.is_right() { Ok(report) } else { Err(failed(format!("{report:?}"))) }
    }
}

fn failed(reason: impl ToString) -> BenchError {
    BenchError::Failed(reason.to_string())
}

/// Returns the file of a channel with `depth` jobs that write records in transport mode.
fn channel_toml(depth: usize, seconds: f64) -> String {
    format!(
        "name = \"BENCH\"\nnode = \"50:05:07:64:00:00:00:01\"\n\
         [[path]]\nchpid = \"40\"\nconnect = \"127.0.0.1:1\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n\
         [[alias]]\nbase = \"00\"\naddresses = [\"{ALIASES}\"]\n\
         [run]\nduration_s = {seconds}\nwarmup_s = {}\ncontents = \"pattern\"\n\
         [[stream]]\nname = \"write\"\ndevices = [\"00\"]\nprotocol = \"transport\"\nread_share = 0\n\
         program = {{ block = \"4K\" }}\nclosed = {{ jobs = {depth} }}\n",
        seconds / 8.0
    )
}

/// Serves the volume through one port until its fibre is gone.
fn serve(directory: &Path, far: InProcessTransport) -> Result<(), String> {
    let (file, _) = read_control_unit(&SourceFile::new("control-unit.toml", CONTROL_UNIT.to_owned()));
    let file = file.ok_or("the control unit's file")?;
    let mut units = UnitTable::default();
    for volume in UnitVolume::of_file(&file, directory) {
        units.open_volume(&volume).map_err(|error| error.to_string())?;
    }
    let plugs = [OneFibre(Some(far))];
    let ports = file.ports.iter().map(|port| PortOptions::of_entry(&file, port)).zip(plugs).collect();
    let mut control_unit: ControlUnit<_> = ControlUnit::new(&file.name, units, ports, Clock::start());
    control_unit.run(None, &mut |_| ()).map_err(|error| error.to_string())?;
    let closed = control_unit.into_parts().0.close();
    closed.map_err(|failed: Vec<(PathBuf, _)>| format!("{failed:?}"))
}
