//! The device on a volume.

use std::path::Path;

use halftrack_control_unit::{EckdDevice, FbaDevice};
use halftrack_exec::{Ipl, Program, Report, RunOptions, ipl, run};
use halftrack_link::Clock;
use halftrack_program::Device;
use halftrack_volume::layout::LayoutError;
use halftrack_volume::{Opening, Volume};

use crate::exec::timed::Timed;
use crate::failure::Failure;

/// Something to be done on a device, whatever its kind.
trait OnDevice {
    /// Result of the work.
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

/// Outcome of a task, and whether what was written is safe.
type Done<T> = (T, Result<(), Failure>);

/// Runs a program on the volume at `path`.
///
/// # Errors
/// The volume cannot be opened.
pub fn run_on(
    path: &Path,
    opening: Opening,
    program: &Program,
    trace: bool,
) -> Result<Done<Report>, Failure> {
    on_volume(path, opening, Running(program, trace))
}

/// Loads from the volume at `path`.
///
/// # Errors
/// The volume cannot be opened.
pub fn load_from(
    path: &Path,
    opening: Opening,
    program: &Program,
    trace: bool,
) -> Result<Done<Ipl>, Failure> {
    on_volume(path, opening, Loading(program, trace))
}

fn on_volume<T: OnDevice>(path: &Path, opening: Opening, task: T) -> Result<Done<T::Outcome>, Failure> {
    let clock = Clock::start();
    let closed = |result: Result<(), LayoutError>| {
        result.map_err(|error| Failure::output(path.to_owned(), std::io::Error::other(error)))
    };
    match Volume::open(path, opening)? {
        Volume::Ckd(tracks) => {
            let mut device = EckdDevice::new(Timed::new(tracks, clock));
            let outcome = task.on(&mut device, false);
            Ok((outcome, closed(device.into_tracks().into_volume().close())))
        }
        Volume::Fba(blocks) => {
            let mut device = FbaDevice::new(Timed::new(blocks, clock));
            let outcome = task.on(&mut device, true);
            Ok((outcome, closed(device.into_blocks().into_volume().close())))
        }
    }
}
