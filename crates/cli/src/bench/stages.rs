//! How far the bench has come, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

const TEMPLATE: &str = "{wide_bar} {pos}/{len}  {msg}";

/// A bar on standard error that counts stages; nothing where that is no terminal.
#[derive(Debug)]
pub struct Stages(ProgressBar);

impl Stages {
    /// A bar for so many stages.
    pub fn new(stages: u64) -> Self {
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is well-formed");
        Self(ProgressBar::new(stages).with_style(style))
    }

    /// The next stage begins.
    pub fn next(&self, what: &'static str) {
        self.0.set_message(what);
        self.0.inc(1);
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
