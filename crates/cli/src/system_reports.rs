//! Output of `halftrack run --json`: the summary, the laws and the tables of every system.

use std::collections::BTreeMap;

use halftrack_record::{CheckerReport, Run};
use halftrack_report::{
    ChannelPathActivity, DirectAccessDeviceActivity, IoQueuingActivity, MeasureError, RunSummary, Scope,
};
use serde::Serialize;

/// The object that is printed.
#[derive(Debug, Serialize)]
pub struct RunReports<'a> {
    summary: RunSummary,
    laws: &'a [CheckerReport],
    systems: BTreeMap<&'a str, SystemReports>,
}

/// The tables of one system in the last interval.
#[derive(Debug, Serialize)]
struct SystemReports {
    channel_path_activity: ChannelPathActivity,
    io_queuing_activity: IoQueuingActivity,
    direct_access_device_activity: DirectAccessDeviceActivity,
}

impl<'a> RunReports<'a> {
    /// Computes the tables of `system`, else of every system with work.
    ///
    /// # Errors
    /// `UnknownSystem` when the run has no such system, `NoSuchInterval` when it has no interval.
    pub fn compute(run: &'a Run, system: Option<&'a str>) -> Result<Self, MeasureError> {
        let names: Vec<&str> = match system {
            Some(system) => vec![system],
            None => run.header.systems.iter().map(|known| known.name.as_str()).collect(),
        };
        let last = run.intervals.len().saturating_sub(1);
        let systems = names.into_iter().map(|name| {
            let scope = Scope::new(run, name, last)?;
            Ok((name, SystemReports::compute(&scope)))
        });
        let systems = systems.collect::<Result<_, MeasureError>>()?;
        Ok(Self { summary: RunSummary::compute(run), laws: &run.checkers, systems })
    }

    /// Formats them as JSON text, ended by a newline.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("plain records with string keys serialise");
        text + "\n"
    }
}

impl SystemReports {
    fn compute(scope: &Scope<'_>) -> Self {
        Self {
            channel_path_activity: ChannelPathActivity::compute(scope),
            io_queuing_activity: IoQueuingActivity::compute(scope),
            direct_access_device_activity: DirectAccessDeviceActivity::compute(scope),
        }
    }
}
