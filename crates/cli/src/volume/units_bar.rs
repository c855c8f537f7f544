//! How far the work on a volume has come, on a terminal.

use std::time::{Duration, Instant};

use indicatif::ProgressStyle;

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const TEMPLATE: &str = "{wide_bar} {pos} of {len} {msg}, {eta} left";

/// A bar on standard error that counts tracks or blocks; nothing where that is no terminal.
#[derive(Debug)]
pub struct UnitsBar {
    began: Instant,
    bar: indicatif::ProgressBar,
}

impl UnitsBar {
    /// Makes a bar that begins now and shows after a second; `unit` is the word for its counts.
    pub fn new(unit: &'static str) -> Self {
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is well-formed");
        // indicatif draws on standard error, and only where that is a terminal.
        Self {
            began: Instant::now(),
            bar: indicatif::ProgressBar::new(1).with_style(style).with_message(unit),
        }
    }

    /// Shows that `done` of `total` are done.
    pub fn show(&self, done: u32, total: u32) {
        if self.began.elapsed() >= PATIENCE {
            self.bar.set_length(total.into());
            self.bar.set_position(done.into());
        }
    }
}

/// Work of unknown progress.
#[derive(Debug)]
pub struct Spinner(indicatif::ProgressBar);

impl Spinner {
    /// Turns from now on; `work` is the word for it.
    pub fn new(work: &'static str) -> Self {
        let bar = indicatif::ProgressBar::new_spinner().with_message(work);
        bar.enable_steady_tick(PATIENCE / 10);
        Self(bar)
    }
}

impl Drop for Spinner {
    /// Takes the spinner off the screen.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for UnitsBar {
    /// Takes the bar off the screen.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
