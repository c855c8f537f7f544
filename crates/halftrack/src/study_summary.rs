//! Counts of a study that can be run, with its content key.

use halftrack_config::Configuration;
use halftrack_sweep::ContentKey;
use serde::Serialize;

use crate::MODEL_VERSION;

/// Summary of a study that can be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StudySummary {
    /// Name of the study.
    pub study: String,
    /// Key that runs with one record have in common.
    pub content_key: String,
    /// Version of the model.
    pub model: &'static str,
    /// CPCs.
    pub machines: usize,
    /// Logical partitions.
    pub partitions: usize,
    /// Simulated channels.
    pub channels: usize,
    /// Host-adapter ports.
    pub control_unit_ports: usize,
    /// Logical control units.
    pub logical_control_units: usize,
    /// Base devices.
    pub devices: usize,
    /// Streams of the workload.
    pub streams: usize,
}

impl StudySummary {
    /// Counts the parts of `configuration`, whose runs have `key`.
    pub fn new(configuration: &Configuration, key: ContentKey) -> Self {
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

    /// Formats the summary as text, one line a subject.
    pub fn to_text(&self) -> String {
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

    /// Formats the summary as JSON text, ended by a newline.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("counts and texts serialise") + "\n"
    }
}
