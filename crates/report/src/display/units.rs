//! `D U`: the status of devices, a line each.
//!
//! Source: reference, displays, 6.2, IEE457I.

use std::fmt::Write;

use serde::Serialize;

use super::command::{UnitChoice, UnitClass};
use super::view::{Found, View, is_alias};

/// Devices as `D U` shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnitsDisplay {
    /// The lines.
    pub units: Vec<UnitLine>,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnitLine {
    /// Device number.
    pub unit: String,
    /// Device type, without model.
    pub device_type: String,
    /// `O` online, `A` allocated, `OFFLINE`.
    pub status: &'static str,
    /// Volume serial of a disk that is online.
    pub volser: Option<String>,
    /// How its volume is mounted, of a disk.
    pub volstate: Option<&'static str>,
    /// Subchannel set.
    pub subchannel_set: u8,
}

/// Unit types of tapes, by the beginning of UNIT=.
const TAPES: [&str; 5] = ["34", "35", "TAPE", "VTAPE", "3592"];
/// Unit types of channel-to-channel connections.
const CONNECTIONS: [&str; 5] = ["CTC", "FCTC", "SCTC", "BCTC", "3088"];
/// Unit types of disks, by the beginning of UNIT=.
const DISKS: [&str; 3] = ["3390", "3380", "9345"];

/// Returns the class that a unit type belongs to; `None` for others.
fn class(unit: &str) -> Option<UnitClass> {
    let begins = |known: &[&str]| known.iter().any(|one| unit.starts_with(one));
    match () {
        () if begins(&DISKS) => Some(UnitClass::Dasd),
        () if CONNECTIONS.contains(&unit) => Some(UnitClass::Ctc),
        () if begins(&TAPES) => Some(UnitClass::Tape),
        () => None,
    }
}

impl UnitsDisplay {
    pub(super) fn new(view: &View<'_>, choice: &UnitChoice) -> Self {
        let mut found: Vec<Found<'_>> = view
            .ranges()
            .filter(|range| !is_alias(range))
            .filter(|range| choice.class.is_none() || class(&range.unit.value) == choice.class)
            .flat_map(|range| view.of_range(range))
            .filter(|found| {
                let first = choice.first.map_or((0, 0), |first| (first.set.unwrap_or(0), first.number));
                (found.set, found.number) >= first
            })
            .collect();
        found.sort_by_key(|found| (found.set, found.number));
        let lines = found.into_iter().map(|found| UnitLine::new(view, found));
        let wanted = lines.filter(|line| choice.online.is_none_or(|online| online == line.is_online()));
        Self { units: wanted.take(choice.lines as usize).collect() }
    }

    /// Formats the display as z/OS prints it.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("UNIT TYPE STATUS        VOLSER     VOLSTATE      SS\n");
        for line in &self.units {
            let UnitLine { unit, device_type, status, volser, volstate, subchannel_set } = line;
            let volser = volser.as_deref().unwrap_or("");
            let volstate = volstate.unwrap_or("");
            writeln!(
                text,
                "{unit} {device_type:<4} {status:<13} {volser:<10} {volstate:<13} {subchannel_set:>2}"
            )
            .expect("text takes everything");
        }
        if self.units.is_empty() {
            text.push_str("NO UNITS MEET THE REQUEST\n");
        }
        text
    }
}

impl UnitLine {
    fn new(view: &View<'_>, found: Found<'_>) -> Self {
        let Found { range, set, number } = found;
        let online = View::is_online(&view.paths_of(range));
        let base = view.base(found).filter(|_| online);
        let is_disk = class(&range.unit.value) == Some(UnitClass::Dasd);
        let device = base.map(|at| &view.known.configuration.devices[at as usize]);
        let status = match (online, base) {
            (true, Some(at)) if view.allocates(at) => "A",
            (true, _) => "O",
            (false, _) => "OFFLINE",
        };
        let device_type = match is_disk {
            true => range.unit.value.chars().take(4).collect(),
            false => range.unit.value.clone(),
        };
        Self {
            unit: format!("{number:04X}"),
            device_type,
            status,
            volser: device.map(|device| device.volser.clone()),
            volstate: is_disk.then_some(if device.is_some() { "PRIV/RSDNT" } else { "/RSDNT" }),
            subchannel_set: set,
        }
    }

    fn is_online(&self) -> bool {
        self.status != "OFFLINE"
    }
}
