//! The device on a volume.

use std::path::Path;

use halftrack_control_unit::{EckdDevice, FbaDevice};
use halftrack_exec::{Ipl, Program, Report, RunOptions, ipl, run};
use halftrack_program::Device;
use halftrack_volume::{Mode, Volume};

use crate::failure::Failure;

/// Something to be done on a device, whatever its kind.
trait OnDevice {
    /// What comes of it.
    type Outcome;

    /// Does it on a device of tracks or of fixed blocks.
    fn on<D: Device>(self, device: &mut D, fixed_blocks: bool) -> Self::Outcome;
}

/// The program, and whether it is traced.
struct Running<'a>(&'a Program, bool);

impl OnDevice for Running<'_> {
    type Outcome = Report;

    fn on<D: Device>(self, device: &mut D, fixed_blocks: bool) -> Report {
        run(self.0, device, RunOptions { trace: self.1, fixed_blocks })
    }
}

/// The program of a load, and whether it is traced.
struct Loading<'a>(&'a Program, bool);

impl OnDevice for Loading<'_> {
    type Outcome = Ipl;

    fn on<D: Device>(self, device: &mut D, fixed_blocks: bool) -> Ipl {
        ipl(self.0, device, RunOptions { trace: self.1, fixed_blocks })
    }
}

/// Runs a program on the volume at `path`.
///
/// # Errors
/// The volume cannot be opened, or what was written cannot be made safe.
pub fn run_on(path: &Path, mode: Mode, program: &Program, trace: bool) -> Result<Report, Failure> {
    on_volume(path, mode, Running(program, trace))
}

/// Loads from the volume at `path`.
///
/// # Errors
/// The volume cannot be opened.
pub fn load_from(path: &Path, mode: Mode, program: &Program, trace: bool) -> Result<Ipl, Failure> {
    on_volume(path, mode, Loading(program, trace))
}

fn on_volume<T: OnDevice>(path: &Path, mode: Mode, task: T) -> Result<T::Outcome, Failure> {
    let closed = |error: halftrack_volume::layout::LayoutError| Failure::Output {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    };
    match Volume::open(path, mode)? {
        Volume::Ckd(tracks) => {
            let mut device = EckdDevice::new(tracks);
            let outcome = task.on(&mut device, false);
            device.into_tracks().close().map_err(closed)?;
            Ok(outcome)
        }
        Volume::Fba(blocks) => {
            let mut device = FbaDevice::new(blocks);
            let outcome = task.on(&mut device, true);
            device.into_blocks().close().map_err(closed)?;
            Ok(outcome)
        }
    }
}
