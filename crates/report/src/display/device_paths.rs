//! `DS P,dddd,n`: devices and the state of each of their paths.
//!
//! Source: reference, displays, 6.5. A running system shows more of a device than the twin has: unknown values are
//! dots.

use std::fmt::Write;

use serde::Serialize;

use super::command::DeviceNumber;
use super::view::{Found, PathFact, View, is_alias};

/// Devices as `DS P` shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DevicePathsDisplay {
    /// The devices of the command that exist.
    pub devices: Vec<DevicePathsLine>,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DevicePathsLine {
    /// Device number.
    pub unit: String,
    /// Device type with model, as RMF has it.
    pub device_type: String,
    /// `A` allocated, `O` online, `N` offline.
    pub mode: char,
    /// Volume serial.
    pub volser: Option<String>,
    /// CHPID and the symbol of its state.
    pub paths: Vec<(String, char)>,
    /// Type of the control unit.
    pub control_unit: String,
    /// Unit address.
    pub unit_address: String,
    /// Cylinders of a disk of the plant.
    pub cylinders: Option<u32>,
}

impl DevicePathsDisplay {
    pub(super) fn new(view: &View<'_>, first: DeviceNumber, count: u32) -> Self {
        let numbers = (0..count).map_while(|nth| first.number.checked_add(u16::try_from(nth).ok()?));
        let named = numbers.map(|number| DeviceNumber { set: first.set, number });
        let found = named.filter_map(|named| view.device(named)).filter(|found| !is_alias(found.range));
        Self { devices: found.map(|found| DevicePathsLine::new(view, found)).collect() }
    }

    /// Formats the display as z/OS prints it.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(
            "UNIT  DTYPE  M CNT VOLSER  CHPID=PATH STATUS\n      \
             RTYPE  SSID CFW TC   DFW  PIN  DC-STATE CCA  DDC    CYL CU-TYPE\n",
        );
        for line in &self.devices {
            line.push(&mut text);
        }
        if self.devices.is_empty() {
            text.push_str("NO DEVICES ARE DEFINED IN THE RANGE\n");
        }
        text.push_str(
            "************************ SYMBOL DEFINITIONS ************************\n\
             A = ALLOCATED   O = ONLINE   N = OFFLINE\n\
             + = PATH AVAILABLE   * = LOGICALLY OFF, PHYSICALLY ON\n\
             - = LOGICALLY AND PHYSICALLY OFF   < = NOT PHYSICALLY AVAILABLE\n",
        );
        text
    }
}

impl DevicePathsLine {
    fn new(view: &View<'_>, found: Found<'_>) -> Self {
        let Found { range, number, .. } = found;
        let facts = view.paths_of(range);
        let base = view.base(found);
        let device = base.map(|at| &view.known.configuration.devices[at as usize]);
        let mode = match (View::is_online(&facts), base) {
            (true, Some(at)) if view.allocates(at) => 'A',
            (true, _) => 'O',
            (false, _) => 'N',
        };
        let address = range.unit_address.wrapping_add((number - range.number.value) as u8);
        let unit = facts.first().map_or_else(String::new, |fact| fact.unit.unit.value.clone());
        Self {
            unit: format!("{}{number:04X}", found.set),
            device_type: device.map_or_else(|| range.unit.value.clone(), |device| device.device_type.clone()),
            mode,
            volser: device.filter(|_| mode != 'N').map(|device| device.volser.clone()),
            paths: facts.iter().map(|fact| (format!("{:02X}", fact.chpid), symbol(fact))).collect(),
            control_unit: unit,
            unit_address: format!("{address:02X}"),
            cylinders: device.map(|device| device.cylinders),
        }
    }

    fn push(&self, text: &mut String) {
        let Self { unit, device_type, mode, control_unit, unit_address, .. } = self;
        let volser = self.volser.as_deref().unwrap_or("");
        let paths: Vec<String> =
            self.paths.iter().map(|(chpid, symbol)| format!("{chpid}={symbol}")).collect();
        let paths = paths.join(" ");
        let cylinders = self.cylinders.map_or_else(|| "....".to_owned(), |count| count.to_string());
        writeln!(text, "{unit},{device_type:<6},{mode},...,{volser:<6},{paths}")
            .expect("text takes everything");
        let line = format!(
            "      {control_unit:<6} .... ..  .... .... .... ........ {unit_address:<4} {unit_address:<4} \
             {cylinders:>5} {control_unit}"
        );
        writeln!(text, "{}", line.trim_end()).expect("text takes everything");
    }
}

/// Returns the symbol of the state of a path.
fn symbol(fact: &PathFact<'_>) -> char {
    match (fact.physical, fact.operational, fact.online) {
        (false, ..) => '-',
        (true, false, _) => '<',
        (true, true, false) => '*',
        (true, true, true) => '+',
    }
}
