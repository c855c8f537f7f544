//! Both runs of a cell side by side, and whether they agree.

use halftrack_catalog::Catalog;
use halftrack_machine::Fidelity;
use halftrack_record::Run;
use halftrack_sweep::{Cache, PointOptions, run_points};

use crate::matrix::cell::{Cell, Length, Load};

/// Most that throughputs and mean responses may differ.
const RATE_OFF_MAX: f64 = 0.02;
const RESPONSE_OFF_MAX: f64 = 0.05;

/// Comparison of the two runs of a cell.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Name of the cell.
    pub cell: String,
    /// By default, and frame by frame.
    pub rate_per_s: [f64; 2],
    pub response_us: [f64; 2],
    /// Half-widths of the responses at 95 %, as shares of them.
    pub known_to: [f64; 2],
    /// By default too every frame travelled by itself.
    pub frame_only: bool,
}

impl Verdict {
    /// Returns the throughput by default off that frame by frame, as a share of it.
    pub fn rate_off(&self) -> f64 {
        self.rate_per_s[0] / self.rate_per_s[1] - 1.0
    }

    /// Returns the deviation of the mean response, as a share of it.
    pub fn response_off(&self) -> f64 {
        self.response_us[0] / self.response_us[1] - 1.0
    }

    /// Formats the verdict as a line of a file.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "cell": self.cell,
            "rate_per_s": self.rate_per_s,
            "response_us": self.response_us,
            "known_to": self.known_to,
            "frame_only": self.frame_only,
            "agrees": self.agrees(),
        })
    }

    /// Returns true when they agree.
    pub fn agrees(&self) -> bool {
        self.rate_off().abs() < RATE_OFF_MAX && self.response_off().abs() < RESPONSE_OFF_MAX
    }
}

/// Returns the most that the study of `cell` carries frame by frame, a second.
pub fn most_per_s(cell: Cell, catalog: &Catalog) -> f64 {
    let guess = Length { warmup_us: 20_000, interval_us: 20_000 };
    let rough = run(cell.filled(), catalog, (1.0, guess), Fidelity::Frame).streams[0].rate_per_s.mean;
    let length = Length { warmup_us: 20_000, interval_us: (10_000.0 / rough * 1e6) as u64 };
    run(cell.filled(), catalog, (1.0, length), Fidelity::Frame).streams[0].rate_per_s.mean
}

/// Runs `cell` both ways, for as long as its study needs for `ios` at the `most_per_s` that it carries.
pub fn verdict(cell: Cell, catalog: &Catalog, most_per_s: f64, ios: f64) -> Verdict {
    let interval_us = (ios / most_per_s * 1e6) as u64;
    let warmup_us = match cell.load {
        Load::Open(_) => interval_us / 10,
        Load::Closed(_) => (interval_us / 10).max((1024.0 / most_per_s * 1e6) as u64),
    };
    let length = Length { warmup_us, interval_us };
    let runs =
        [Fidelity::Burst, Fidelity::Frame].map(|fidelity| run(cell, catalog, (most_per_s, length), fidelity));
    let [burst, frame] = &runs;
    let of = |estimate: fn(&Run) -> f64| [estimate(burst), estimate(frame)];
    let mut links = burst.intervals[0].links.iter().filter(|link| link.sent > 0);
    Verdict {
        cell: cell.to_string(),
        rate_per_s: of(|run| run.streams[0].rate_per_s.mean),
        response_us: of(|run| run.streams[0].response_us.mean),
        known_to: of(|run| run.streams[0].response_us.half_width / run.streams[0].response_us.mean),
        frame_only: links.all(|link| link.frames.is_some()),
    }
}

fn run(cell: Cell, catalog: &Catalog, (most_per_s, length): (f64, Length), fidelity: Fidelity) -> Run {
    let (files, catalog) = cell.study(catalog, most_per_s, length);
    let options = PointOptions { seed: None, fidelity, precision: None };
    let mut runs = run_points(&[files], &catalog, &options, &Cache::none(), &|_| ());
    let run = runs.remove(0).unwrap_or_else(|error| panic!("{cell}: {}", error.messages().join("\n")));
    for checker in &run.checkers {
        assert!(checker.violations.is_empty(), "{cell}: {}: {:?}", checker.law, checker.violations);
    }
    run
}
