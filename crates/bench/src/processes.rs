//! Time of each process of a run alone, which bounds what more threads could bring.

use std::time::Instant;

use halftrack::{Progress, Simulation, Threads};
use halftrack_base::Span;
use serde::Serialize;

use crate::calibration::calibration_ns;

/// A machine at the start of its run, and how long it is measured.
#[derive(Debug)]
pub struct Timing {
    /// The machine.
    pub simulation: Simulation,
    /// Virtual time before the measurement.
    pub warmup: Span,
    /// Virtual time of the measurement.
    pub length: Span,
}

/// Times of the processes of a run, each alone on one thread: wall-clock time without warm-up, and without the delivery of messages.
#[derive(Debug, Clone, Serialize)]
pub struct ProcessTimes {
    /// I/Os ended in the time measured.
    pub ios: u64,
    /// Virtual time measured, s.
    pub simulated_s: f64,
    /// Channels, ns an I/O, without the images where those can be a process.
    pub channels_ns_per_io: f64,
    /// CPs, unit control blocks and streams, ns an I/O. `null` where they are always one with SAPs and channels.
    pub images_ns_per_io: Option<f64>,
    /// Directors, ports, cache and ranks, ns an I/O.
    pub storage_ns_per_io: f64,
    /// Part of which SAPs are: `images` where two threads deal the work so, else `channels`.
    pub saps_with: &'static str,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Slices of a run, between which progress is shown.
const SLICES: u64 = 20;

/// Measures what `set_up` makes for a number of threads: first as it is cut for one thread, then as for two.
///
/// # Errors
/// Errors of `set_up`.
pub fn measure<E>(
    set_up: impl Fn(Threads) -> Result<Timing, E>,
    progress: &mut dyn FnMut(Progress),
) -> Result<ProcessTimes, E> {
    let calibration_ns = calibration_ns();
    let together = set_up(Threads::Exactly(1))?;
    let apart = set_up(Threads::Exactly(2))?;
    let simulated_s = together.length.as_s_f64();
    let has_saps = apart.simulation.has_images_with_saps();
    let has_both = has_saps || apart.simulation.has_images_with_storage();
    let mut shown = Shown { progress, done: Span::ZERO, runs: if has_both { 2 } else { 1 } };
    let apart = has_both.then(|| apart.run(&mut shown));
    let together = together.run(&mut shown);
    let (channels_ns_per_io, images_ns_per_io) = match apart {
        None => (together.host_ns, None),
        // Channels and storage are the first process, images and SAPs the other.
        Some(apart) if has_saps => (apart.host_ns - together.other_ns, Some(apart.other_ns)),
        Some(apart) => (apart.host_ns, Some(together.host_ns - apart.host_ns)),
    };
    Ok(ProcessTimes {
        ios: together.ios,
        simulated_s,
        channels_ns_per_io,
        images_ns_per_io,
        storage_ns_per_io: together.other_ns,
        saps_with: if has_saps { "images" } else { "channels" },
        calibration_ns,
    })
}

/// Times of the two processes of a run, ns an I/O.
#[derive(Debug)]
struct Measured {
    ios: u64,
    host_ns: f64,
    other_ns: f64,
}

/// Progress of all runs together.
struct Shown<'a> {
    progress: &'a mut dyn FnMut(Progress),
    done: Span,
    runs: u64,
}

impl Shown<'_> {
    /// Shows that a run, of a `total` of virtual time and with so many `ios` so far, has gone on by `slice`.
    fn add(&mut self, slice: Span, total: Span, ios: u64) {
        self.done += slice;
        (self.progress)(Progress { done: self.done, total: total * self.runs, ios });
    }
}

impl Timing {
    /// Runs it.
    fn run(self, shown: &mut Shown<'_>) -> Measured {
        let Self { mut simulation, warmup, length } = self;
        simulation.advance(warmup);
        let before = simulation.counters().ios;
        let began = Instant::now();
        let clock = move || u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        shown.add(warmup, warmup + length, before);
        let mut spent = [0; 2];
        let slice = Span::from_ps(length.as_ps() / SLICES);
        for number in 1..=SLICES {
            let span = if number < SLICES { slice } else { length - slice * (SLICES - 1) };
            let more = simulation.advance_timed(span, clock);
            spent = [spent[0] + more[0], spent[1] + more[1]];
            shown.add(span, warmup + length, simulation.counters().ios);
        }
        let ios = simulation.counters().ios - before;
        let [host_ns, other_ns] = spent.map(|spent| spent as f64 / ios.max(1) as f64);
        Measured { ios, host_ns, other_ns }
    }
}
