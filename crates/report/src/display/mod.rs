//! Operators' displays: what z/OS would answer to `D M=DEV(..)` and its kin, and z/VM to QUERY ISLINK, from what a study defines and, at a moment
//! of a run, from the state of its paths.
//!
//! ```text
//! command ─ parse ─► Command ─┐
//! Configuration, Site, Moment ┴─ View of one system ─► records ─► text in z/OS's layout, or JSON
//! ```

mod channel;
mod channel_matrix;
mod channel_type;
mod command;
mod control_unit;
mod cursor;
mod device;
mod device_paths;
mod ios;
mod islink;
mod pcie;
mod reading;
mod rows;
mod units;
mod view;
mod zhyperlink;

use halftrack_input::Diagnostic;
use serde::Serialize;
use thiserror::Error;

pub use channel::{ChannelDisplay, ChannelFacts, ControlUnitLine, DeviceLine};
pub use channel_matrix::ChannelMatrix;
pub use command::{Command, DeviceNumber, IosArea, PcieArea, UnitChoice, UnitClass};
pub use control_unit::{ControlUnitDisplay, ControlUnitPath};
pub use device::{DeviceDisplay, DevicePath, DiskFacts};
pub use device_paths::{DevicePathsDisplay, DevicePathsLine};
pub use ios::IosDisplay;
pub use islink::IsLinkDisplay;
pub use pcie::{FunctionLine, PcieDisplay};
pub use reading::parse;
pub use units::{UnitLine, UnitsDisplay};
pub use view::Known;

use crate::virtual_date::VirtualDate;
use view::View;

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Display {
    /// Version of this form: fields are added, never renamed.
    pub display: u32,
    /// The system that answers.
    pub system: String,
    /// Virtual time, `hh.mm.ss`.
    pub time: String,
    /// Number of the message; empty where each line has its own.
    pub message: &'static str,
    /// Title behind the time.
    #[serde(skip)]
    title: &'static str,
    /// Parts of the display.
    pub shown: Vec<Shown>,
}

/// One thing shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shown {
    /// A device.
    Device(DeviceDisplay),
    /// A channel path.
    ChannelPath(Box<ChannelDisplay>),
    /// Every channel path.
    ChannelPaths(ChannelMatrix),
    /// A control unit.
    ControlUnit(ControlUnitDisplay),
    /// Switches of the I/O supervisor.
    Ios(IosDisplay),
    /// PCIe functions.
    Pcie(PcieDisplay),
    /// Devices, a line each.
    Units(UnitsDisplay),
    /// Devices and their paths.
    DevicePaths(DevicePathsDisplay),
    /// Reply of CP about logical links.
    Islink(IsLinkDisplay),
}

/// Why a command has no answer.
#[derive(Debug, Error)]
pub enum DisplayError {
    /// A mistake in the command.
    #[error("{0}")]
    Command(Box<Diagnostic>),
    /// The study has no such system.
    #[error("no system {name}; the systems of this study are {known}")]
    System {
        /// Requested name.
        name: String,
        /// Names of the study, comma-separated.
        known: String,
    },
}

/// Answers `command` as `system` sees the study, else as the first partition with work does.
///
/// # Errors
/// A command that is none, a system that the study does not have.
pub fn display(command: &str, known: Known<'_>, system: Option<&str>) -> Result<Display, DisplayError> {
    let command = parse(command).map_err(DisplayError::Command)?;
    let views = View::all(known);
    let wanted = system.map(str::to_ascii_uppercase);
    let found = views.iter().find(|view| wanted.as_ref().is_none_or(|name| view.system == name));
    let Some(view) = found else {
        let known: Vec<&str> = views.iter().map(|view| view.system).collect();
        return Err(DisplayError::System { name: wanted.unwrap_or_default(), known: known.join(", ") });
    };
    let (message, title, shown) = answer(view, &command);
    Ok(Display { display: 1, system: view.system.to_owned(), time: time(known), message, title, shown })
}

fn answer(view: &View<'_>, command: &Command) -> (&'static str, &'static str, Vec<Shown>) {
    const MATRIX: (&str, &str) = ("IEE174I", "DISPLAY M");
    // CP numbers each line by itself.
    const NO_HEADING: (&str, &str) = ("", "");
    let ((message, title), shown) = match command {
        Command::ChannelPaths => (MATRIX, vec![Shown::ChannelPaths(ChannelMatrix::new(view))]),
        Command::Chpids { chpids, path_info } => {
            let one =
                |chpid: &u8| Shown::ChannelPath(Box::new(ChannelDisplay::new(view, *chpid, *path_info)));
            (MATRIX, chpids.iter().map(one).collect())
        }
        Command::Devices { devices, chpids } => {
            let one =
                |named: &DeviceNumber| Shown::Device(DeviceDisplay::new(view, *named, chpids.as_deref()));
            (MATRIX, devices.iter().map(one).collect())
        }
        Command::ControlUnits(units) => {
            let one = |number: &u16| Shown::ControlUnit(ControlUnitDisplay::new(view, *number));
            (MATRIX, units.iter().map(one).collect())
        }
        Command::Ios(area) => {
            let shown = IosDisplay::new(view, *area);
            (shown.heading, vec![Shown::Ios(shown)])
        }
        Command::Pcie(area) => {
            let shown = PcieDisplay::new(view, *area);
            ((shown.number(), "DISPLAY PCIE"), vec![Shown::Pcie(shown)])
        }
        Command::Units(choice) => {
            (("IEE457I", "UNIT STATUS"), vec![Shown::Units(UnitsDisplay::new(view, choice))])
        }
        Command::Paths { first, count } => {
            let shown = DevicePathsDisplay::new(view, *first, *count);
            (("IEE459I", "DEVSERV PATHS"), vec![Shown::DevicePaths(shown)])
        }
        Command::IsLink(command) => (NO_HEADING, vec![Shown::Islink(IsLinkDisplay::new(view, command))]),
    };
    (message, title, shown)
}

/// Returns the virtual time: measuring begins at the start that the workload names, warm-up is before it.
fn time(known: Known<'_>) -> String {
    let run = &known.configuration.run;
    let since = known.moment.map_or(0, |moment| moment.at_ps.saturating_sub(run.warmup.as_ps()));
    let start = VirtualDate::parse(&run.start).ok();
    start.and_then(|start| start.after_ps(since)).map_or_else(|| "00.00.00".to_owned(), VirtualDate::time)
}

impl Display {
    /// Formats the display as z/OS prints it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        if !self.title.is_empty() {
            let heading = format!("{} {} {}", self.message, self.time, self.title);
            text.push_str(heading.trim_start());
            text.push('\n');
        }
        for shown in &self.shown {
            text.push_str(&shown.text());
        }
        text
    }

    /// Formats the display as JSON text, ended by a newline.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("plain records with string keys serialise");
        text + "\n"
    }
}

impl Shown {
    fn text(&self) -> String {
        match self {
            Self::Device(shown) => shown.text(),
            Self::ChannelPath(shown) => shown.text(),
            Self::ChannelPaths(shown) => shown.text(),
            Self::ControlUnit(shown) => shown.text(),
            Self::Ios(shown) => shown.text(),
            Self::Pcie(shown) => shown.text(),
            Self::Units(shown) => shown.text(),
            Self::DevicePaths(shown) => shown.text(),
            Self::Islink(shown) => shown.text(),
        }
    }
}
