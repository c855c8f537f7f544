//! The device on a volume.

use std::path::Path;

use halftrack_control_unit::EckdDevice;
use halftrack_exec::{Ipl, Program, Report, RunOptions, ipl, run};
use halftrack_program::Device;
use halftrack_volume::{Mode, Volume};

use crate::failure::Failure;

/// Something to be done on a device, whatever its kind.
trait OnDevice {
    /// What comes of it.
    type Outcome;

    fn on<D: Device>(self, device: &mut D) -> Self::Outcome;
}

struct Running<'a>(&'a Program, RunOptions);

impl OnDevice for Running<'_> {
    type Outcome = Report;

    fn on<D: Device>(self, device: &mut D) -> Report {
        run(self.0, device, self.1)
    }
}

struct Loading<'a>(&'a Program, RunOptions);

impl OnDevice for Loading<'_> {
    type Outcome = Ipl;

    fn on<D: Device>(self, device: &mut D) -> Ipl {
        ipl(self.0, device, self.1)
    }
}

/// Runs a program on the volume at `path`.
///
/// # Errors
/// The volume cannot be opened, or what was written cannot be made safe.
pub fn run_on(path: &Path, mode: Mode, program: &Program, options: RunOptions) -> Result<Report, Failure> {
    on_volume(path, mode, Running(program, options))
}

/// Loads from the volume at `path`.
///
/// # Errors
/// The volume cannot be opened.
pub fn load_from(path: &Path, mode: Mode, program: &Program, options: RunOptions) -> Result<Ipl, Failure> {
    on_volume(path, mode, Loading(program, options))
}

fn on_volume<T: OnDevice>(path: &Path, mode: Mode, task: T) -> Result<T::Outcome, Failure> {
    let closed = |error: halftrack_volume::layout::LayoutError| Failure::Output {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    };
    match Volume::open(path, mode)? {
        Volume::Ckd(tracks) => {
            let mut device = EckdDevice::new(tracks);
            let outcome = task.on(&mut device);
            device.into_tracks().close().map_err(closed)?;
            Ok(outcome)
        }
        Volume::Fba(_) => {
            let reason = "programs run on count-key-data volumes; this one is of fixed blocks".to_owned();
            Err(Failure::Volume { volume: path.to_owned(), reason })
        }
    }
}
