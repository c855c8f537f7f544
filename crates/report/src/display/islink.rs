//! ACTIVATE, DEACTIVE and QUERY ISLINK: replies of CP on the logical links of a system.
//!
//! Nothing is changed by a command: each is answered from the study, or from the moment of its run.

use halftrack_isfc::islink::{self, Command, RealDevice, RealDevices};
use halftrack_isfc::{DeviceNumber, End};
use serde::Serialize;

use super::command;
use super::view::{Found, View};

/// User of the console.
const USER: &str = "OPERATOR";
/// Unit type of FICON channel-to-channel devices (IOCP).
const FCTC: &str = "FCTC";

/// Lines of a reply of CP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IsLinkDisplay {
    /// The lines.
    pub lines: Vec<String>,
}

impl IsLinkDisplay {
    pub(super) fn new(view: &View<'_>, command: &Command) -> Self {
        let ends = view.islinks();
        let links: Vec<&End> = ends.iter().collect();
        let lines = match command {
            Command::Activate(activate) => {
                let link = links.iter().find(|link| activate.node.is_some() && link.node() == activate.node);
                islink::activate(activate, USER, &links, link.copied(), view).lines
            }
            Command::Deactivate(numbers) => islink::deactivate(numbers, &links, view).lines,
            Command::Query(numbers) => islink::query(numbers, &links, view),
        };
        Self { lines }
    }

    /// Formats the reply as CP prints it.
    pub(super) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

impl RealDevices for View<'_> {
    fn device(&self, number: DeviceNumber) -> Option<RealDevice> {
        let named = command::DeviceNumber { set: None, number: number.0 };
        let Found { range, .. } = View::device(self, named)?;
        let unit = &range.unit.value;
        let is_dark = |channel: u32| self.known.moment.is_some_and(|moment| moment.dark[channel as usize]);
        let paths = self.paths_of(range);
        let is_ctc = unit == FCTC;
        let is_lit = |chpid| self.channel(chpid).is_some_and(|channel| !is_dark(channel));
        let is_online = match is_ctc {
            true => paths.iter().any(|path| path.physical && is_lit(path.chpid)),
            false => View::is_online(&paths),
        };
        Some(RealDevice { is_ctc, device_type: unit.clone(), is_online, user: None })
    }
}
