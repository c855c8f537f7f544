//! How many seeds have been run, on a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on standard error; nothing where that is no terminal.
pub struct SeedsBar {
    began: Instant,
    bar: ProgressBar,
}

impl SeedsBar {
    /// Returns a bar for so many seeds, or for a number that is not fixed.
    pub fn new(seeds: Option<u64>) -> Self {
        let (bar, template) = match seeds {
            Some(seeds) => (ProgressBar::new(seeds), "{wide_bar} {pos} of {len} seeds  {msg}, {eta} left"),
            None => (ProgressBar::no_length(), "{spinner} {pos} seeds  {msg}"),
        };
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        Self { began: Instant::now(), bar: bar.with_style(style) }
    }

    /// Shows how many seeds have been run, and how many of them failed.
    pub fn show(&mut self, seeds: u64, failed: usize) {
        if self.began.elapsed() >= PATIENCE {
            self.bar.set_message(format!("{failed} failed"));
            self.bar.set_position(seeds);
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
