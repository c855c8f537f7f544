//! `D M=DEV(dddd)`: a device and its paths.
//!
//! Source: reference, displays, 6.2; the five-digit form and CONNECTION SECURITY of the z16 paper, figure 21.

use std::fmt::Write;

use halftrack_deck::model::machines::Generation;
use halftrack_fabric::endpoint_security::Protection;
use serde::Serialize;

use super::command::DeviceNumber;
use super::rows::{UNKNOWN, row, value, yes};
use super::view::{Found, PathFact, View, is_alias};

/// A device as `D M=DEV` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceDisplay {
    /// Device number as the command has it.
    pub device: String,
    /// `ONLINE`, `OFFLINE`, `ALIAS`; `None` when there is no such device.
    pub status: Option<&'static str>,
    /// Its paths, or those of the command.
    pub paths: Vec<DevicePath>,
    /// Paths that the system may add by itself.
    pub maximum_managed_chpids: u8,
    /// Image of the control unit.
    pub destination_cu_logical_address: Option<String>,
    /// Facts about it when it is a disk of the plant.
    pub disk: Option<DiskFacts>,
}

/// One path of a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DevicePath {
    /// CHPID.
    pub chpid: String,
    /// Director port of the channel.
    pub entry_link_address: Option<String>,
    /// Director port of the control unit.
    pub dest_link_address: Option<String>,
    /// The system uses it.
    pub path_online: bool,
    /// The channel is configured to the system.
    pub chp_physically_online: bool,
    /// It works.
    pub path_operational: bool,
    /// The system has added it by itself.
    pub managed: bool,
    /// Control-unit number.
    pub cu_number: String,
    /// Host-adapter port.
    pub interface_id: Option<String>,
    /// `Encr`, `Auth` or `None`; missing where the other end is not known.
    pub connection_security: Option<&'static str>,
}

/// Identity that a disk and its box report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiskFacts {
    /// Node descriptor of the control unit.
    pub scp_cu_nd: Option<String>,
    /// Node-element descriptor of the image.
    pub scp_token_ned: Option<String>,
    /// Node-element descriptor of the device.
    pub scp_device_ned: Option<String>,
    /// Worldwide node name.
    pub wwnn: Option<String>,
    /// Aliases of the image; `None` where the system does not use them so.
    pub hyperpav_aliases_configured: Option<u32>,
    /// zHyperLinks to the box on which the system has a function.
    pub zhyperlinks_available: usize,
    /// Functions in force.
    pub functions_enabled: Vec<&'static str>,
}

/// Returns the protection of a path as the row of it has that.
const fn security(protection: Protection) -> &'static str {
    match protection {
        Protection::None => "None",
        Protection::Authenticated => "Auth",
        Protection::Encrypted => "Encr",
    }
}

impl DevicePath {
    fn new(fact: &PathFact<'_>) -> Self {
        Self {
            chpid: format!("{:02X}", fact.chpid),
            entry_link_address: fact.entry.clone(),
            dest_link_address: fact.destination.clone(),
            path_online: fact.online,
            chp_physically_online: fact.physical,
            path_operational: fact.operational,
            managed: false,
            cu_number: format!("{:04X}", fact.unit.number.value),
            interface_id: fact.interface.map(str::to_owned),
            connection_security: fact.protection.map(security),
        }
    }
}

impl DeviceDisplay {
    /// Creates the device, with only those of its paths that are over `chpids`, where some are named.
    pub(super) fn new(view: &View<'_>, named: DeviceNumber, chpids: Option<&[u8]>) -> Self {
        let none = Self {
            device: named.words(),
            status: None,
            paths: Vec::new(),
            maximum_managed_chpids: 0,
            destination_cu_logical_address: None,
            disk: None,
        };
        let Some(found) = view.device(named) else { return none };
        let facts = view.paths_of(found.range);
        let status = match (is_alias(found.range), View::is_online(&facts)) {
            (true, _) => "ALIAS",
            (false, true) => "ONLINE",
            (false, false) => "OFFLINE",
        };
        let shown = facts.iter().filter(|fact| chpids.is_none_or(|chpids| chpids.contains(&fact.chpid)));
        let unit = facts.first().map(|fact| fact.unit);
        let managed = unit.and_then(|unit| unit.managed_paths.iter().find(|(css, _)| *css == view.css));
        let image = unit.and_then(|unit| unit.cuadd.as_ref()).map_or(0, |cuadd| cuadd.value);
        Self {
            status: Some(status),
            paths: shown.map(DevicePath::new).collect(),
            maximum_managed_chpids: managed.map_or(0, |(_, most)| *most),
            destination_cu_logical_address: Some(format!("{image:02X}")),
            disk: DiskFacts::new(view, found, &facts),
            ..none
        }
    }

    /// Formats the display as z/OS prints it.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let Some(status) = self.status else {
            return format!("DEVICE {}   DOES NOT EXIST\n", self.device);
        };
        writeln!(text, "DEVICE {}   STATUS={status}", self.device).expect("text takes everything");
        if self.paths.is_empty() {
            text.push_str("NO PATHS ARE DEFINED BETWEEN THE DEVICE AND THESE CHANNELS\n");
            return text;
        }
        self.push_rows(&mut text);
        let most = format!("{:2}", self.maximum_managed_chpids);
        value(&mut text, "MAXIMUM MANAGED CHPID(S) ALLOWED", Some(&most));
        value(&mut text, "DESTINATION CU LOGICAL ADDRESS  ", self.destination_cu_logical_address.as_deref());
        if let Some(disk) = &self.disk {
            disk.push_lines(&mut text);
        }
        text
    }

    fn push_rows(&self, text: &mut String) {
        let paths = &self.paths;
        let each = |cell: fn(&DevicePath) -> &str| paths.iter().map(cell);
        row(text, "CHP", each(|path| &path.chpid));
        row(text, "ENTRY LINK ADDRESS", each(|path| path.entry_link_address.as_deref().unwrap_or(UNKNOWN)));
        row(text, "DEST LINK ADDRESS", each(|path| path.dest_link_address.as_deref().unwrap_or(UNKNOWN)));
        row(text, "PATH ONLINE", each(|path| yes(path.path_online)));
        row(text, "CHP PHYSICALLY ONLINE", each(|path| yes(path.chp_physically_online)));
        row(text, "PATH OPERATIONAL", each(|path| yes(path.path_operational)));
        row(text, "MANAGED", each(|path| yes(path.managed)));
        row(text, "CU NUMBER", each(|path| &path.cu_number));
        row(text, "INTERFACE ID", each(|path| path.interface_id.as_deref().unwrap_or(UNKNOWN)));
        row(text, "CONNECTION SECURITY", each(|path| path.connection_security.unwrap_or(UNKNOWN)));
    }
}

impl DiskFacts {
    /// Creates the facts about a disk of the plant, alias or not.
    fn new(view: &View<'_>, found: Found<'_>, facts: &[PathFact<'_>]) -> Option<Self> {
        let index = facts.iter().find_map(|fact| fact.lcu)?;
        let lcu = &view.known.configuration.lcus[index as usize];
        let storage = view.known.site.boxes.get(lcu.control_unit as usize)?;
        let identity = &storage.identity;
        let interface = facts.iter().find(|fact| fact.operational).and_then(|fact| fact.interface);
        let address = found.range.unit_address.wrapping_add((found.number - found.range.number.value) as u8);
        let ned = |tag: [u8; 2]| Some(format!("{}.{:02X}{:02X}", identity.ned.as_ref()?, tag[0], tag[1]));
        let lpar = view.lpar();
        Some(Self {
            scp_cu_nd: identity.nd.as_ref().zip(interface).map(|(nd, id)| format!("{nd}.{id}")),
            scp_token_ned: ned([lcu.image, 0]),
            scp_device_ned: ned([lcu.image, address]),
            wwnn: identity.wwnn.clone(),
            hyperpav_aliases_configured: lpar.is_some_and(|lpar| lpar.hyperpav).then_some(lcu.aliases),
            zhyperlinks_available: view.zhyperlinks(lcu.control_unit),
            functions_enabled: functions(view, found, facts, lcu.control_unit),
        })
    }

    fn push_lines(&self, text: &mut String) {
        value(text, "SCP CU ND            ", self.scp_cu_nd.as_deref());
        value(text, "SCP TOKEN NED        ", self.scp_token_ned.as_deref());
        value(text, "SCP DEVICE NED       ", self.scp_device_ned.as_deref());
        value(text, "WWNN                 ", self.wwnn.as_deref());
        if let Some(aliases) = self.hyperpav_aliases_configured {
            value(text, "HYPERPAV ALIASES CONFIGURED", Some(&aliases.to_string()));
        }
        value(text, "ZHYPERLINKS AVAILABLE", Some(&self.zhyperlinks_available.to_string()));
        let functions = self.functions_enabled.join(", ");
        let functions = if functions.is_empty() { "NONE" } else { &functions };
        value(text, "FUNCTIONS ENABLED    ", Some(functions));
    }
}

/// Returns true when the machine has MIDAWs, which came with the z9 and are in use unless IECIOSxx turns them off.
pub(super) fn has_midaw(view: &View<'_>) -> bool {
    view.machine.deck.machine().generation >= Generation::Z9
}

fn functions(
    view: &View<'_>,
    found: Found<'_>,
    facts: &[PathFact<'_>],
    control_unit: u32,
) -> Vec<&'static str> {
    let device = view.base(found).map(|at| &view.known.configuration.devices[at as usize]);
    let zhyperlink = device.is_some_and(|device| view.has_zhyperlink(control_unit, device.zhyperlink));
    let zhpf = view.lpar().is_some_and(|lpar| lpar.zhpf)
        && device.is_some_and(|device| device.zhpf)
        && facts.iter().any(|fact| fact.zhpf == (true, true));
    let enabled = [(has_midaw(view), "MIDAW"), (zhpf, "ZHPF"), (zhyperlink, "ZHYPERLINK")];
    enabled.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect()
}
