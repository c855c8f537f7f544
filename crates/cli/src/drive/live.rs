//! How far a run of the driver has come, on a terminal.

use halftrack_link::driver::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// Parts of the whole that the bar counts.
const STEPS: u64 = 1000;
const TEMPLATE: &str = "{wide_bar} {msg}";

/// A bar on standard error; nothing where that is no terminal.
#[derive(Debug)]
pub struct Live(ProgressBar);

impl Live {
    /// Makes a bar that begins now.
    pub fn new() -> Self {
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is well-formed");
        Self(ProgressBar::new(STEPS).with_style(style))
    }

    /// Shows where the run is.
    pub fn show(&self, progress: &Progress) {
        self.0.set_message(message(progress));
        let part = progress.part.unwrap_or(0.0).clamp(0.0, 1.0);
        self.0.set_position((part * STEPS as f64) as u64);
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

fn message(progress: &Progress) -> String {
    let seconds = progress.measured.as_s_f64().max(1e-9);
    let paths = progress.paths;
    match progress.stage {
        Stage::Connecting => format!("{paths} paths online"),
        Stage::Formatting => format!("formatting, {:.0} %", progress.part.unwrap_or(0.0) * 100.0),
        Stage::WarmUp => format!("warming up, {paths} paths"),
        Stage::Running | Stage::Draining => format!(
            "{:.0} IO/s, {:.1} MB/s, {:.1} us, {paths} paths",
            progress.ios as f64 / seconds,
            progress.bytes as f64 / 1e6 / seconds,
            progress.mean_us,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_base::Span;

    #[test]
    fn rates_are_those_of_the_measured_time() {
        let progress = Progress {
            stage: Stage::Running,
            part: Some(0.5),
            ios: 3000,
            bytes: 12_288_000,
            measured: Span::from_ms(1500),
            mean_us: 41.25,
            paths: 2,
        };
        assert_eq!(message(&progress), "2000 IO/s, 8.2 MB/s, 41.2 us, 2 paths");
        assert_eq!(message(&Progress::default()), "0 paths online");
    }
}
