//! How far a sweep has come, on a terminal.

use indicatif::ProgressStyle;

const TEMPLATE: &str = "{wide_bar} {pos} of {len} points, {eta} left";

/// A bar on standard error that counts points; nothing where that is no terminal.
#[derive(Debug)]
pub struct PointsBar(indicatif::ProgressBar);

impl PointsBar {
    /// Makes a bar for `points` points.
    pub fn new(points: usize) -> Self {
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is well-formed");
        Self(indicatif::ProgressBar::new(points as u64).with_style(style))
    }

    /// Begins anew, with `points` points to come.
    pub fn begin(&self, points: usize) {
        self.0.set_length(points as u64);
        self.0.set_position(0);
        self.0.reset_eta();
    }

    /// Shows that `done` points are done.
    pub fn show(&self, done: usize) {
        // Threads come here in any order.
        self.0.set_position(self.0.position().max(done as u64));
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
