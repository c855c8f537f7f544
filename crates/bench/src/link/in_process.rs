//! Channel and control unit as two threads of this process.

use std::path::{Path, PathBuf};
use std::thread;

use halftrack_config::{ChannelFile, read_channel, read_control_unit};
use halftrack_input::SourceFile;
use halftrack_link::connector::SingleConnector;
use halftrack_link::control_unit::{PortOptions, UnitTable, UnitVolume};
use halftrack_link::driver::{Drive, Report, Surroundings};
use halftrack_link::plug::OneFibre;
use halftrack_link::{Clock, ControlUnit, InProcessTransport};

use super::children::failed;
use super::processors::{End, place_this_thread};
use super::site::{Load, Site, channel_toml, control_unit_toml};
use crate::bench_error::BenchError;

/// Shortest run: formatting is all that is wanted of it.
const SHORT_S: f64 = 0.01;
/// Where the channel's link leads to in its file; the link is given to it.
const NOWHERE: &str = "127.0.0.1:1";

/// Lays the volume out.
///
/// # Errors
/// A track that could not be formatted.
pub fn format(site: &Site) -> Result<(), BenchError> {
    run(site, channel(Load::Transport4K, SHORT_S)?, true).map(drop)
}

/// Returns 4 KiB reads a second in transport mode, and the octets that were compared.
///
/// # Errors
/// An I/O that failed, a record that was wrong.
pub fn measure(site: &Site, seconds: f64) -> Result<(f64, u64), BenchError> {
    let report = run(site, channel(Load::Transport4K, seconds)?, false)?;
    let statistics = report.streams.first().map(|stream| &stream.statistics);
    let (ios, bytes) = statistics.map_or((0, 0), |one| (one.ios(), one.verified_bytes));
    Ok((ios as f64 / report.measured.as_s_f64(), bytes))
}

/// Returns median and 99th percentile of the response of reads, us, and the octets that were compared. They are of 4 KiB, in
/// transport mode, one at a time.
///
/// # Errors
/// An I/O that failed, a record that was wrong.
pub fn measure_one_at_a_time(site: &Site, seconds: f64) -> Result<([f64; 2], u64), BenchError> {
    let report = run(site, channel(Load::OneAtATime, seconds)?, false)?;
    let Some(stream) = report.streams.first() else { return Err(failed("within a process", "no stream")) };
    let at = |quantile| stream.statistics.response_ns.value_at_quantile(quantile) as f64 / 1e3;
    Ok(([at(0.5), at(0.99)], stream.statistics.verified_bytes))
}

fn channel(load: Load, seconds: f64) -> Result<ChannelFile, BenchError> {
    let (file, found) = read_channel(&SourceFile::new("channel.toml", channel_toml(NOWHERE, load, seconds)));
    file.ok_or_else(|| {
        failed("the channel's file", found.iter().map(ToString::to_string).collect::<String>())
    })
}

fn run(site: &Site, file: ChannelFile, format: bool) -> Result<Report, BenchError> {
    let (near, far) = InProcessTransport::pair()?;
    let directory = site.directory().to_owned();
    let serving = thread::spawn(move || {
        let _placed = place_this_thread(End::ControlUnit);
        serve(&directory, far)
    });
    let _placed = place_this_thread(End::Channel);
    let mut around = Surroundings { taps: &mut |_| None, progress: &mut |_| (), stop: None };
    let driven = Drive::new(file, vec![SingleConnector(Some(near))]).run(format, &mut around);
    let served = serving.join().unwrap_or_else(|_| Err("the control unit's thread failed".to_owned()));
    let report = driven.map_err(|error| failed("within a process", error))?;
    served.map_err(|error| failed("within a process", error))?;
    if report.is_right() { Ok(report) } else { Err(failed("within a process", format!("{report:?}"))) }
}

/// Serves the volume through one port until its fibre is gone.
fn serve(directory: &Path, far: InProcessTransport) -> Result<(), String> {
    let (file, _) = read_control_unit(&SourceFile::new("control-unit.toml", control_unit_toml()));
    let file = file.ok_or("the control unit's file")?;
    let mut units = UnitTable::default();
    for volume in UnitVolume::of_file(&file, directory) {
        units.open_volume(&volume).map_err(|error| error.to_string())?;
    }
    let plugs = [OneFibre(Some(far)), OneFibre(None)];
    let ports = file.ports.iter().map(|port| PortOptions::of_entry(&file, port)).zip(plugs).collect();
    let mut control_unit: ControlUnit<_> = ControlUnit::new(&file.name, units, ports, Clock::start());
    control_unit.run(None, &mut |_| ()).map_err(|error| error.to_string())?;
    let closed = control_unit.into_parts().0.close();
    closed.map_err(|failed: Vec<(PathBuf, _)>| format!("{failed:?}"))
}
