//! Summary, laws and tables of a run as one object of JSON, and the listing as one text.

use std::collections::BTreeMap;

use halftrack_record::{CheckerReport, Run};
use serde::Serialize;

use crate::channel_path_activity::ChannelPathActivity;
use crate::direct_access_device_activity::DirectAccessDeviceActivity;
use crate::eadm_activity::EadmActivity;
use crate::error::MeasureError;
use crate::io_queuing_activity::IoQueuingActivity;
use crate::islink_activity::IsLinkActivity;
use crate::pcie_activity::PcieActivity;
use crate::postprocessor::postprocessor;
use crate::scope::Scope;
use crate::socket_activity::SocketActivity;
use crate::summary::{RunSummary, summary};
use crate::synchronous_io_device_activity::SynchronousIoDeviceActivity;

/// Summary, laws and tables of every system of a run.
#[derive(Debug, Serialize)]
pub struct RunReports<'a> {
    summary: RunSummary,
    laws: &'a [CheckerReport],
    systems: BTreeMap<&'a str, SystemReports>,
}

/// Tables of one system in the last interval.
#[derive(Debug, Serialize)]
struct SystemReports {
    channel_path_activity: ChannelPathActivity,
    io_queuing_activity: IoQueuingActivity,
    direct_access_device_activity: DirectAccessDeviceActivity,
    /// `None` for a system without synchronous I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    synchronous_io_device_activity: Option<SynchronousIoDeviceActivity>,
    /// `None` for a system without a logical link.
    #[serde(skip_serializing_if = "Option::is_none")]
    islink_activity: Option<IsLinkActivity>,
    /// `None` for a system without compression cards and work for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pcie_activity: Option<PcieActivity>,
    /// `None` for a system without operations on EADM subchannels.
    #[serde(skip_serializing_if = "Option::is_none")]
    eadm_activity: Option<EadmActivity>,
    /// `None` for a system without a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    socket_activity: Option<SocketActivity>,
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

    /// Formats the reports as JSON text, ended by a newline.
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
            synchronous_io_device_activity: SynchronousIoDeviceActivity::compute(scope),
            islink_activity: IsLinkActivity::compute(scope),
            pcie_activity: PcieActivity::compute(scope),
            eadm_activity: EadmActivity::compute(scope),
            socket_activity: SocketActivity::compute(scope),
        }
    }
}

/// Lists the reports of the last interval for `system`, else for the first system, then the summary.
///
/// # Errors
/// As [`postprocessor`].
pub fn listing(run: &Run, system: Option<&str>) -> Result<String, MeasureError> {
    let system = system.or_else(|| run.header.systems.first().map(|first| first.name.as_str()));
    let last = run.intervals.len().checked_sub(1);
    let mut text = match (system, last) {
        (Some(system), Some(last)) => postprocessor(run, system, last)? + "\n",
        _ => String::new(),
    };
    text.push_str(&summary(run));
    Ok(text)
}
