//! Progress of the bench, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

const TEMPLATE: &str = "{wide_bar} {pos}/{len}  {msg}";

/// A bar on standard error that counts stages; nothing where that is no terminal.
#[derive(Debug)]
pub struct Stages(ProgressBar);

impl Stages {
    /// Makes a bar for so many stages.
    pub fn new(stages: u64) -> Self {
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is well-formed");
        Self(ProgressBar::new(stages).with_style(style))
    }

    /// Begins the next stage, `name`.
    pub fn next(&self, name: &'static str) {
        self.0.set_message(name);
        self.0.inc(1);
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
