//! `--fail-on`: conditions of a run that scripts learn of by the exit code.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use halftrack_record::Run;
use halftrack_report::{RunSummary, overload_words};

use crate::ending::Ending;

/// A condition of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Condition {
    /// More I/Os arrived in a stream than were served
    Overload,
    /// A channel or the SAPs exceeded the guideline of their utilisation in some interval
    Guideline,
    /// A law checker found a violation
    Law,
}

/// `--fail-on`.
#[derive(Debug, Clone, Default, Args)]
pub struct FailOnArguments {
    /// End with exit code 3 when one of these conditions applies, after everything was printed; repeatable
    #[arg(long, value_enum, value_name = "CONDITION,...", value_delimiter = ',')]
    pub fail_on: Vec<Condition>,
}

impl FailOnArguments {
    /// Says on `stderr` which conditions apply to `run`. A violated law that is none of them is a failure.
    ///
    /// # Errors
    /// When `stderr` cannot be written.
    pub fn ending(&self, run: &Run, laws_held: bool, stderr: &mut dyn Write) -> io::Result<Ending> {
        let summary = RunSummary::compute(run);
        let mut ending = Ending::from(laws_held || self.fail_on.contains(&Condition::Law));
        let overloads = || summary.streams.iter().filter_map(overload_words).collect();
        let guidelines = || summary.warnings.iter().map(ToString::to_string).collect();
        for (condition, words) in [
            (Condition::Overload, &overloads as &dyn Fn() -> Vec<String>),
            (Condition::Guideline, &guidelines),
            (Condition::Law, &|| if laws_held { Vec::new() } else { vec!["a law was violated".to_owned()] }),
        ] {
            for words in
                Some(words).filter(|_| self.fail_on.contains(&condition)).map(|of| of()).into_iter().flatten()
            {
                writeln!(stderr, "halftrack: --fail-on {}: {words}", condition.word())?;
                ending = ending.max(Ending::Condition);
            }
        }
        Ok(ending)
    }
}

impl Condition {
    fn word(self) -> &'static str {
        match self {
            Self::Overload => "overload",
            Self::Guideline => "guideline",
            Self::Law => "law",
        }
    }
}
