//! Synchronous writes a second over a control unit, some at a time, beside a bare program that writes as many blocks and
//! makes them safe with one call.

mod bare_groups;
mod site;

use std::path::Path;

use serde::Serialize;

use self::bare_groups::BareGroups;
use self::site::Site;
use crate::bench_error::BenchError;
use crate::calibration::calibration_ns;
use crate::rounds::{Rounds, median};

/// Writes at a time.
pub const DEPTHS: [usize; 3] = [1, 8, 32];
/// Figures that a round has.
pub const FIGURES: usize = 2 * DEPTHS.len();

/// Rounds whose medians can be compared: so long that a journal which grows at first is a small part of them.
pub const FULL: Rounds = Rounds { count: 3, measured_s: 6.0 };

/// Writes a second with so many at a time: medians of the rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct DepthFigures {
    /// Writes at a time.
    pub depth: usize,
    /// Writes a second over the control unit, each ended by its status.
    pub write_4k_per_s: f64,
    /// Writes a second of the bare program, of which so many become safe with one call.
    pub bare_write_4k_per_s: f64,
    /// Median over the rounds of the first by the second.
    pub ratio: f64,
}

/// Figures of the measurement.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figures {
    /// By the writes at a time.
    pub depths: Vec<DepthFigures>,
    /// Rounds.
    pub rounds: usize,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Measures all figures round by round in a directory, by default where the system keeps temporary files. It is to be on a
/// disk. `stage` is called with the name of each stage as it begins.
///
/// # Errors
/// A directory without room, an I/O that failed.
pub fn measure(
    directory: Option<&Path>,
    rounds: Rounds,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Figures, BenchError> {
    stage("calibrating");
    let calibration_ns = calibration_ns();
    stage("making the volume");
    let site = Site::make(directory)?;
    let mut bare = BareGroups::make(site.directory())?;
    let mut found: [[Vec<f64>; 3]; DEPTHS.len()] = Default::default();
    for _ in 0..rounds.count {
        for (depth, found) in DEPTHS.into_iter().zip(&mut found) {
            stage("writes over the control unit");
            let served = site.measure(depth, rounds.measured_s)?;
            stage("writes of the bare program");
            let bare = bare.measure(depth, rounds.measured_s)?;
            for (found, figure) in found.iter_mut().zip([served, bare, served / bare]) {
                found.push(figure);
            }
        }
    }
    let depths = DEPTHS.into_iter().zip(found).map(|(depth, found)| {
        let [write_4k_per_s, bare_write_4k_per_s, ratio] = found.map(median);
        DepthFigures { depth, write_4k_per_s, bare_write_4k_per_s, ratio }
    });
    Ok(Figures { depths: depths.collect(), rounds: rounds.count, calibration_ns })
}
