//! `D M=CU(cccc)`: a control unit and its paths.
//!
//! Source: reference, displays, 6.3.

use serde::Serialize;

use super::rows::{UNKNOWN, row, value, yes};
use super::view::{PathFact, View, is_alias};

/// A control unit as `D M=CU` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ControlUnitDisplay {
    /// Control-unit number.
    pub control_unit: String,
    /// Its paths; `None` when there is no such control unit.
    pub paths: Option<Vec<ControlUnitPath>>,
    /// Paths that the system may add by itself.
    pub maximum_managed_chpids: u8,
    /// Image of the control unit.
    pub destination_cu_logical_address: String,
    /// Node descriptor.
    pub cu_nd: Option<String>,
    /// Node-element descriptor.
    pub cu_ned: Option<String>,
    /// Node-element descriptor of the image.
    pub token_ned: Option<String>,
    /// Functions in force.
    pub functions_enabled: Vec<&'static str>,
    /// Devices, as ranges.
    pub defined_devices: Vec<String>,
    /// Aliases, as ranges.
    pub defined_pav_aliases: Vec<String>,
}

/// One path of a control unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ControlUnitPath {
    /// CHPID.
    pub chpid: String,
    /// Director port of the control unit.
    pub dest_link_address: Option<String>,
    /// Director port of the channel.
    pub entry_link_address: Option<String>,
    /// The channel is configured to the system.
    pub chp_physically_online: bool,
    /// It works.
    pub path_validated: bool,
    /// The system has added it by itself.
    pub managed: bool,
    /// The channel takes transport mode.
    pub zhpf_chpid: bool,
    /// The host adapter takes transport mode.
    pub zhpf_cu_interface: bool,
}

impl ControlUnitPath {
    fn new(fact: &PathFact<'_>) -> Self {
        Self {
            chpid: format!("{:02X}", fact.chpid),
            dest_link_address: fact.destination.clone(),
            entry_link_address: fact.entry.clone(),
            chp_physically_online: fact.physical,
            path_validated: fact.validated && fact.operational,
            managed: false,
            zhpf_chpid: fact.zhpf.0,
            zhpf_cu_interface: fact.zhpf.1,
        }
    }
}

impl ControlUnitDisplay {
    pub(super) fn new(view: &View<'_>, number: u16) -> Self {
        let unit = view.machine.control_unit(number);
        let facts = unit.map_or(Vec::new(), |unit| view.paths_of_unit(unit));
        let lcu = facts.iter().find_map(|fact| fact.lcu);
        let lcu = lcu.map(|index| &view.known.configuration.lcus[index as usize]);
        let storage = lcu.and_then(|lcu| view.known.site.boxes.get(lcu.control_unit as usize));
        let identity = storage.map(|storage| &storage.identity);
        let interface = facts.iter().find(|fact| fact.operational).and_then(|fact| fact.interface);
        let image = unit.and_then(|unit| unit.cuadd.as_ref()).map_or(0, |cuadd| cuadd.value);
        let ned = identity.and_then(|identity| identity.ned.as_ref());
        let managed = unit.and_then(|unit| unit.managed_paths.iter().find(|(css, _)| *css == view.css));
        let zhpf =
            view.lpar().is_some_and(|lpar| lpar.zhpf) && facts.iter().any(|fact| fact.zhpf == (true, true));
        let (defined_devices, defined_pav_aliases) = defined(view, number);
        Self {
            control_unit: format!("{number:04X}"),
            paths: (!facts.is_empty()).then(|| facts.iter().map(ControlUnitPath::new).collect()),
            maximum_managed_chpids: managed.map_or(0, |(_, most)| *most),
            destination_cu_logical_address: format!("{image:02X}"),
            cu_nd: identity
                .and_then(|one| one.nd.as_ref())
                .zip(interface)
                .map(|(nd, id)| format!("{nd}.{id}")),
            cu_ned: ned.map(|ned| format!("{ned}.0000")),
            token_ned: ned.map(|ned| format!("{ned}.{image:02X}00")),
            functions_enabled: if zhpf { vec!["ZHPF"] } else { Vec::new() },
            defined_devices,
            defined_pav_aliases,
        }
    }

    /// Formats the display as z/OS prints it.
    pub(super) fn text(&self) -> String {
        let Some(paths) = &self.paths else {
            return format!("CONTROL UNIT {} DOES NOT EXIST\n", self.control_unit);
        };
        let mut text = format!("CONTROL UNIT {}\n", self.control_unit);
        let each = |cell: fn(&ControlUnitPath) -> &str| paths.iter().map(cell);
        row(&mut text, "CHP", each(|path| &path.chpid));
        row(
            &mut text,
            "DEST LINK ADDRESS",
            each(|path| path.dest_link_address.as_deref().unwrap_or(UNKNOWN)),
        );
        row(
            &mut text,
            "ENTRY LINK ADDRESS",
            each(|path| path.entry_link_address.as_deref().unwrap_or(UNKNOWN)),
        );
        row(&mut text, "CHP PHYSICALLY ONLINE", each(|path| yes(path.chp_physically_online)));
        row(&mut text, "PATH VALIDATED", each(|path| yes(path.path_validated)));
        row(&mut text, "MANAGED", each(|path| yes(path.managed)));
        row(&mut text, "ZHPF-CHPID", each(|path| yes(path.zhpf_chpid)));
        row(&mut text, "ZHPF-CU INTERFACE", each(|path| yes(path.zhpf_cu_interface)));
        let most = self.maximum_managed_chpids.to_string();
        value(&mut text, "MAXIMUM MANAGED CHPID(S) ALLOWED", Some(&most));
        value(&mut text, "DESTINATION CU LOGICAL ADDRESS", Some(&self.destination_cu_logical_address));
        value(&mut text, "CU ND", self.cu_nd.as_deref());
        value(&mut text, "CU NED", self.cu_ned.as_deref());
        value(&mut text, "TOKEN NED", self.token_ned.as_deref());
        let functions = self.functions_enabled.join(", ");
        value(&mut text, "FUNCTIONS ENABLED", Some(if functions.is_empty() { "NONE" } else { &functions }));
        // No channel of the twin is managed, whatever the value of IOCLUSTER=.
        value(&mut text, "DCM INELIGIBILITY REASONS", Some("NO MANAGED CHANNELS"));
        push_ranges(&mut text, "DEFINED DEVICES", &self.defined_devices);
        push_ranges(&mut text, "DEFINED PAV ALIASES", &self.defined_pav_aliases);
        text
    }
}

/// Appends a label and ranges below it, four a line.
fn push_ranges(text: &mut String, label: &str, ranges: &[String]) {
    if ranges.is_empty() {
        return;
    }
    text.push_str(label);
    text.push('\n');
    for line in ranges.chunks(4) {
        text.push_str("  ");
        text.push_str(&line.join(", "));
        text.push('\n');
    }
}

/// Returns devices of control unit `number` and its aliases, as ranges with the subchannel set in front.
fn defined(view: &View<'_>, number: u16) -> (Vec<String>, Vec<String>) {
    let (mut devices, mut aliases) = (Vec::new(), Vec::new());
    let own = view.ranges().filter(|range| range.control_units.iter().any(|unit| unit.value == number));
    for range in own {
        let set = range.subchannel_set.of(view.css);
        let first = range.number.value;
        let last = first.saturating_add(range.count.saturating_sub(1));
        let words = match range.count {
            1 => format!("{set:X}{first:04X}"),
            _ => format!("{set:X}{first:04X}-{set:X}{last:04X}"),
        };
        if is_alias(range) { aliases.push(words) } else { devices.push(words) }
    }
    devices.sort();
    aliases.sort();
    (devices, aliases)
}
