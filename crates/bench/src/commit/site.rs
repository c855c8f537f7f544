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
/// Measurements before a disk that ends no write is given up.
const LENGTHENED: i32 = 4;

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

    /// Returns the writes a second of `depth` jobs, measured for longer where the disk ended none.
    ///
    /// # Errors
    /// An I/O that failed; no write that ended however long it was waited.
    pub fn measure(&self, depth: usize, seconds: f64) -> Result<f64, BenchError> {
        until_some_end(seconds, |seconds| {
            let report = self.run(depth, seconds, false)?;
            let writes = report.streams.first().map_or(0, |stream| stream.statistics.ios());
            Ok(writes as f64 / report.measured.as_s_f64())
        })
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

/// Returns the first rate above 0 of measurements, each four times as long as the one before it. A disk that others keep busy
/// may end nothing for a second.
fn until_some_end(seconds: f64, measure: impl Fn(f64) -> Result<f64, BenchError>) -> Result<f64, BenchError> {
    for lengthened in 0..LENGTHENED {
        let rate = measure(seconds * 4_f64.powi(lengthened))?;
        if rate > 0.0 {
            return Ok(rate);
        }
    }
    Err(failed(format!("no write ended in {} s", seconds * 4_f64.powi(LENGTHENED - 1))))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_stalls_is_measured_for_longer() {
        let stalled_s = 3.0;
        let writes = |seconds: f64| Ok(if seconds > stalled_s { 1.0 / seconds } else { 0.0 });
        assert_eq!(until_some_end(0.5, writes).expect("a rate"), 1.0 / 8.0);
        let found = until_some_end(0.5, |_| Ok(0.0)).map_err(|error| error.to_string());
        assert_eq!(found, Err("the bench failed: no write ended in 32 s".to_owned()));
    }
}
