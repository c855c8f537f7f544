//! How far a run has come, on a terminal.

use std::time::{Duration, Instant};

use halftrack_machine::Progress;
use indicatif::ProgressStyle;

/// A run shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Parts of the whole that the bar counts.
const STEPS: u64 = 1000;
const TEMPLATE: &str = "{wide_bar} {percent:>3} %  {msg}, {eta} left";

/// A bar on standard error; nothing where that is no terminal.
#[derive(Debug)]
pub struct ProgressBar {
    began: Instant,
    bar: indicatif::ProgressBar,
}

impl ProgressBar {
    /// Makes a bar that begins now and shows after a second.
    pub fn new() -> Self {
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is well-formed");
        // indicatif draws on standard error, and only where that is a terminal.
        Self { began: Instant::now(), bar: indicatif::ProgressBar::new(STEPS).with_style(style) }
    }

    /// Shows where the run is.
    pub fn show(&self, progress: Progress) {
        if self.began.elapsed() < PATIENCE {
            return;
        }
        let (done, total) = (progress.done.as_ps(), progress.total.as_ps().max(1));
        let steps = u128::from(done) * u128::from(STEPS) / u128::from(total);
        self.bar.set_message(format!(
            "{:.3} of {:.3} s simulated, {} I/Os",
            progress.done.as_s_f64(),
            progress.total.as_s_f64(),
            progress.ios
        ));
        self.bar.set_position(steps.min(u128::from(STEPS)) as u64);
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
