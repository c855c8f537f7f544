//! The cables of a deck: from a port of a card to a director, to another machine or to a box, and from the director
//! on to the boxes.
//!
//! A deck does not have everything that a cable list has: the port of the director at which a channel enters, the
//! port of the box, lengths. [`FarEnds`] gives them; else those ends are named by switch and control units.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::model::placement::{Place, Placement};
use halftrack_deck::model::{Adapter, ChannelPath, ControlUnit, Deck, Function};

use crate::columns::columns;
use crate::hardware::Hardware;
use crate::names::{channel_name, fids_of};

/// Heads of the columns.
pub const CABLE_HEADS: [&str; 9] = ["from", "type", "PCHID", "frame", "drawer", "slot", "port", "to", "km"];

/// The ends of cables in a plant or a cabling plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FarEnds {
    /// By PCHID.
    pub channels: BTreeMap<u16, FarEnd>,
    /// By switch and port of a director.
    pub director_ports: BTreeMap<(u8, u8), FarEnd>,
}

/// One end.
#[derive(Debug, Clone, PartialEq)]
pub struct FarEnd {
    /// Name of the end, such as `director 11 port 20` or `BOXA 0030`.
    pub name: String,
    /// Length of the cable, km.
    pub km: f64,
}

/// One cable.
#[derive(Debug, Clone, PartialEq)]
pub struct Cable {
    /// Near end: `CHPID 0,1.40`, `FID 0011`, `director 11 port 04`.
    pub from: String,
    /// Value of TYPE=; empty for a cable of a director.
    pub kind: String,
    /// PCHID; `None` while none is assigned, and for a cable of a director.
    pub pchid: Option<u16>,
    /// Where the port is, when the hardware has the PCHID.
    pub place: Option<Place>,
    /// Far end.
    pub to: String,
    /// Length, km; `None` when not known.
    pub km: Option<f64>,
}

/// Returns all cables: those of channel paths, of functions with ports, and of directors, each in ascending order.
pub fn cables(deck: &Deck, hardware: &Hardware, ends: &FarEnds) -> Vec<Cable> {
    let channels = deck.channel_paths.iter().filter(|path| has_cable(path));
    let mut all: Vec<Cable> = channels.map(|path| of_channel(deck, hardware, ends, path)).collect();
    all.extend(of_functions(deck, hardware));
    all.extend(of_directors(deck, ends));
    all
}

impl Cable {
    /// Returns its cells under [`CABLE_HEADS`]; an unknown one is empty.
    pub fn cells(&self) -> [String; 9] {
        let place = self.place.clone().unwrap_or_default();
        let known = |name: Option<String>| name.unwrap_or_default();
        [
            self.from.clone(),
            self.kind.clone(),
            self.pchid.map(|pchid| format!("{pchid:03X}")).unwrap_or_default(),
            known(place.frame),
            known(place.drawer),
            known(place.slot),
            known(place.port),
            self.to.clone(),
            self.km.map(|km| km.to_string()).unwrap_or_default(),
        ]
    }
}

/// Formats cables as a table for people.
pub fn cable_table(cables: &[Cable]) -> String {
    let dash = |cell: String| if cell.is_empty() { "-".to_owned() } else { cell };
    let rows: Vec<[String; 9]> = cables.iter().map(|cable| cable.cells().map(dash)).collect();
    columns(&CABLE_HEADS, &rows)
}

/// Returns true for a channel path with a fibre: not one inside the machine.
fn has_cable(path: &ChannelPath) -> bool {
    path.pchid.is_some()
        || path.aid.is_some()
        || (path.vchid.is_none() && !matches!(path.channel_type.value.as_str(), "IQD" | "ICP"))
}

fn of_channel(deck: &Deck, hardware: &Hardware, ends: &FarEnds, path: &ChannelPath) -> Cable {
    let pchid = path.pchid.as_ref().map(|pchid| pchid.value);
    let kind = path.channel_type.value.clone();
    let mut place = pchid.and_then(|pchid| hardware.place(pchid));
    if let (None, Some(aid), Some(port)) = (pchid, &path.aid, &path.port) {
        let port = format!("AID {:02X} port {}", aid.value, port.value);
        place = Some(Place { port: Some(port), ..Place::default() });
    }
    let end = pchid.and_then(|pchid| ends.channels.get(&pchid));
    Cable {
        from: channel_name(path),
        kind,
        pchid,
        place,
        to: end.map_or_else(|| end_of(deck, path), |end| end.name.clone()),
        km: end.map(|end| end.km),
    }
}

/// Returns the far end of the cable of a channel path.
fn end_of(deck: &Deck, path: &ChannelPath) -> String {
    if let Some(switch) = &path.switch {
        return format!("director {:02X}", switch.value);
    }
    if let Some(system) = &path.csystem {
        let mate = path.cpath.as_ref().map(|mate| format!(" CHPID {}.{:02X}", mate.value.0, mate.value.1));
        return format!("{}{}", system.value, mate.unwrap_or_default());
    }
    let networks: Vec<&str> = path.pnetids.iter().flatten().map(String::as_str).collect();
    if !networks.is_empty() {
        return format!("network {}", networks.join(", "));
    }
    let is_own = |unit: &&ControlUnit| {
        unit.paths.iter().any(|one| one.chpid == path.chpid.value && path.css.contains(&one.css))
    };
    match path.channel_type.value.as_str() {
        "FCP" => "SAN".to_owned(),
        kind if kind.starts_with("OS") => "LAN".to_owned(),
        _ => units(deck.control_units.iter().filter(is_own)),
    }
}

/// Formats `CU 1000, 1100`; empty without a control unit.
fn units<'a>(units: impl Iterator<Item = &'a ControlUnit>) -> String {
    let numbers: BTreeSet<u16> = units.map(|unit| unit.number.value).collect();
    let numbers: Vec<String> = numbers.into_iter().map(|number| format!("{number:04X}")).collect();
    if numbers.is_empty() { String::new() } else { format!("CU {}", numbers.join(", ")) }
}

/// Returns a cable for each port of an adapter that functions are on.
fn of_functions(deck: &Deck, hardware: &Hardware) -> Vec<Cable> {
    let mut ports: BTreeMap<(u16, u8), Vec<&Function>> = BTreeMap::new();
    for function in &deck.functions {
        let Some(Adapter::Pchid(pchid)) = function.adapter.as_ref().map(|adapter| adapter.value) else {
            continue;
        };
        // An adapter whose functions have no PORT has a cable for each network, or none at all.
        for port in cabled_ports(function) {
            ports.entry((pchid, port)).or_default().push(function);
        }
    }
    let cable = |((pchid, port), functions): ((u16, u8), Vec<&Function>)| {
        let fids: Vec<String> = functions.iter().map(|function| fids_of(function)).collect();
        let place = hardware.place(pchid).map(|place| port_of(hardware, pchid, port, place));
        let network = functions.iter().find_map(|function| network_of(function, port));
        let kind = functions.first().and_then(|function| function.kind.as_ref());
        Cable {
            from: format!("FID {}", fids.join(", ")),
            kind: kind.map(|kind| kind.value.clone()).unwrap_or_default(),
            pchid: Some(pchid),
            place,
            to: network.map(|network| format!("network {network}")).unwrap_or_default(),
            km: None,
        }
    };
    ports.into_iter().map(cable).collect()
}

fn cabled_ports(function: &Function) -> Vec<u8> {
    match function.port {
        Some(port) => vec![port],
        None => (1u8..)
            .zip(&function.pnetids)
            .filter(|(_, network)| network.is_some())
            .map(|(port, _)| port)
            .collect(),
    }
}

/// Returns `place` with the one port behind PCHID `pchid` that has the number `port`, from 1.
pub(crate) fn port_of(hardware: &Hardware, pchid: u16, port: u8, place: Place) -> Place {
    let names = hardware.port(pchid).map(|(_, port)| port.names.as_slice()).unwrap_or_default();
    match names.get(usize::from(port).wrapping_sub(1)) {
        Some(name) => Place { port: Some(name.clone()), ..place },
        None => place,
    }
}

/// Returns the network of a port: of the one name that a function with PORT has, or by place in its list.
fn network_of(function: &Function, port: u8) -> Option<&str> {
    let place = if function.port.is_some() { 0 } else { usize::from(port).checked_sub(1)? };
    function.pnetids.get(place)?.as_deref()
}

/// Returns a cable for each port of a director that a control unit is behind.
fn of_directors(deck: &Deck, ends: &FarEnds) -> Vec<Cable> {
    let switches: BTreeMap<(u8, u8), u8> = deck
        .channel_paths
        .iter()
        .flat_map(|path| path.css.iter().map(move |&css| (css, path)))
        .filter_map(|(css, path)| Some(((css, path.chpid.value), path.switch.as_ref()?.value)))
        .collect();
    let mut ports: BTreeMap<(u8, u8), Vec<&ControlUnit>> = BTreeMap::new();
    for unit in &deck.control_units {
        for path in &unit.paths {
            let (Some(link), Some(&entry)) = (path.link, switches.get(&(path.css, path.chpid))) else {
                continue;
            };
            ports.entry((link.switch.unwrap_or(entry), link.port)).or_default().push(unit);
        }
    }
    let cable = |((switch, port), behind): ((u8, u8), Vec<&ControlUnit>)| {
        let end = ends.director_ports.get(&(switch, port));
        let units = units(behind.into_iter());
        // Port FE is the director's own control unit: inside the box, without a cable.
        (port != 0xFE).then(|| Cable {
            from: format!("director {switch:02X} port {port:02X}"),
            kind: String::new(),
            pchid: None,
            place: None,
            to: end.map(|end| format!("{}, {units}", end.name)).unwrap_or(units),
            km: end.map(|end| end.km),
        })
    };
    ports.into_iter().filter_map(cable).collect()
}
