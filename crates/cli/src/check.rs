//! `halftrack check`: everything that can be found about a study without running it.

use clap::Args;
use halftrack::{Configuration, ContentKey, MODEL_VERSION};
use serde::Serialize;

use crate::arguments::StudyArguments;
use crate::before_run;
use crate::failure::Failure;
use crate::standard_output::print;
use crate::study;

/// Words at the end of `halftrack check --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack check studies/z16-oltp
  halftrack check my-study --set plant.cable.100.km=100 --json | jq -r .content_key

Reads, checks and wires the study as `halftrack run` does, and shows every message and warning.
The content key is a hash of everything that the record of a run depends on: the checked study,
the numbers of the catalog in it, the seed, the options that change results, and the version of
the model. Runs of one key have the same intervals.json; comments, the order of statements and
--threads do not change it.

Exit codes: 0 the study can be run, 2 it cannot.";

/// Arguments of `halftrack check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The study, and how it would be run.
    #[command(flatten)]
    study: StudyArguments,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Summary of a study that can be run.
#[derive(Debug, Serialize)]
struct Checked {
    study: String,
    content_key: String,
    model: &'static str,
    machines: usize,
    partitions: usize,
    channels: usize,
    control_unit_ports: usize,
    logical_control_units: usize,
    devices: usize,
    streams: usize,
}

/// Checks the study; always true.
///
/// # Errors
/// A study that cannot be run; output that cannot be written.
pub fn check(arguments: &CheckArguments) -> Result<bool, Failure> {
    let study = study::load(&arguments.study, arguments.json)?;
    let options = study::options(&arguments.study, &study);
    let simulation = study.simulate(&options)?;
    before_run::warn(&study, &simulation)?;
    let checked = Checked::new(study.configuration(), study.content_key(&options));
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&checked).expect("counts and texts serialise") + "\n",
        false => checked.to_text(),
    };
    print(&text)?;
    Ok(true)
}

impl Checked {
    fn new(configuration: &Configuration, key: ContentKey) -> Self {
        Self {
            study: configuration.study.clone(),
            content_key: key.to_string(),
            model: MODEL_VERSION,
            machines: configuration.cpcs.len(),
            partitions: configuration.lpars.len(),
            channels: configuration.channels.len(),
            control_unit_ports: configuration.ports.len(),
            logical_control_units: configuration.lcus.len(),
            devices: configuration.devices.len(),
            streams: configuration.streams.len(),
        }
    }

    fn to_text(&self) -> String {
        format!(
            "{} can be run\nCPCs {}, partitions {}, channels {}, control-unit ports {}, logical control units {}, devices {}, \
             streams {}\ncontent key {}\nmodel       {}\n",
            self.study,
            self.machines,
            self.partitions,
            self.channels,
            self.control_unit_ports,
            self.logical_control_units,
            self.devices,
            self.streams,
            self.content_key,
            self.model
        )
    }
}
