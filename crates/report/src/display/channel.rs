//! `D M=CHP(cc)`: a channel path and the devices behind it.
//!
//! Source: reference, displays, 6.1. PATHINFO: figure 22 of the z16 paper names what it shows, its picture is lost, so
//! that the layout is our own.

use std::collections::BTreeMap;
use std::fmt::Write;

use halftrack_config::Lcu;
use halftrack_deck::model::ChannelPath;
use halftrack_fabric::endpoint_security::Protection;
use serde::Serialize;

use super::channel_type;
use super::rows::{NOT_AVAILABLE, UNKNOWN, yes};
use super::view::{Found, PathFact, Standing, View, is_alias};

/// A channel path as `D M=CHP(cc)` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelDisplay {
    /// CHPID.
    pub chpid: String,
    /// How it stands to the system.
    pub status: &'static str,
    /// Facts about it when the system may have it.
    pub channel: Option<ChannelFacts>,
    /// Devices behind it, sixteen a row.
    pub devices: Vec<DeviceLine>,
    /// For `,PATHINFO`: its paths to control units.
    pub path_info: Option<Vec<ControlUnitLine>>,
}

/// Facts about a channel path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelFacts {
    /// Type, two hexadecimal digits.
    pub channel_type: String,
    /// Description of the type.
    pub description: &'static str,
    /// Device number of the control port of its director; `None` where the deck has none.
    pub switch_device_number: Option<String>,
    /// Number of the director in the deck.
    pub entry_switch: Option<String>,
    /// Node descriptor of what its fibre leads to.
    pub attached_nd: Option<String>,
    /// PCHID, four hexadecimal digits.
    pub physical_channel_id: Option<String>,
    /// Facilities of the card.
    pub facilities: Vec<&'static str>,
    /// `ENCRYPTION`, `AUTHENTICATION` or `NONE`; `None` where the card is not in the plant.
    pub connection_security_capability: Option<&'static str>,
}

/// Sixteen devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceLine {
    /// Their number without its last digit, the subchannel set in front.
    pub number: String,
    /// One symbol for each.
    pub symbols: Vec<&'static str>,
}

/// One path of the channel to a port of a control unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ControlUnitLine {
    /// Director port of the control unit.
    pub dest_link_address: Option<String>,
    /// Control units of the deck that are reached so.
    pub cu_numbers: Vec<String>,
    /// Host-adapter port.
    pub interface_id: Option<String>,
    /// It is online and works.
    pub path: bool,
    /// `ENCR`, `AUTH` or `NONE`; missing where the other end is not known.
    pub connection_security: Option<&'static str>,
}

/// Symbols and their words. A device that is an alias has no path of its own to be online.
const ONLINE: &str = "+";
const NOT_VALIDATED: &str = "@";
const OFFLINE: &str = "-";
const DOES_NOT_EXIST: &str = ".";
const PHYSICALLY_ONLINE: &str = "*";
const NOT_OPERATIONAL: &str = "$";
const HYPERPAV_ALIAS: &str = "HA";
const ALIAS: &str = "AL";

impl ChannelDisplay {
    pub(super) fn new(view: &View<'_>, chpid: u8, path_info: bool) -> Self {
        let (standing, path) = view.standing(chpid);
        let status = match standing {
            Standing::Online => "ONLINE",
            Standing::Offline => "OFFLINE",
            Standing::Elsewhere => "BELONGS TO ANOTHER CONFIGURATION",
            Standing::Undefined => "DOES NOT EXIST",
        };
        let own = path.filter(|_| matches!(standing, Standing::Online | Standing::Offline));
        Self {
            chpid: format!("{chpid:02X}"),
            status,
            channel: own.map(|path| ChannelFacts::new(view, path)),
            devices: if own.is_some() && !path_info { device_lines(view, chpid) } else { Vec::new() },
            path_info: (path_info && own.is_some()).then(|| control_unit_lines(view, chpid)),
        }
    }

    /// Formats the display as z/OS prints it.
    pub(super) fn text(&self) -> String {
        let chpid = &self.chpid;
        let Some(facts) = &self.channel else { return format!("CHPID {chpid}:  {}\n", self.status) };
        let ChannelFacts { channel_type, description, .. } = facts;
        let mut text = format!("CHPID {chpid}:  TYPE={channel_type}, DESC={description}, {}\n", self.status);
        if let Some(lines) = &self.path_info {
            facts.push_security(&mut text);
            push_path_info(&mut text, lines);
            return text;
        }
        if self.devices.is_empty() {
            text.push_str("NO DEVICES ARE DEFINED ON THE CHANNEL PATH\n");
            return text;
        }
        writeln!(text, "DEVICE STATUS FOR CHANNEL PATH {chpid}").expect("text takes everything");
        facts.push_lines(&mut text);
        text.push_str("     0  1  2  3  4  5  6  7  8  9  A  B  C  D  E  F\n");
        for line in &self.devices {
            let mut shown = format!("{:>4} ", line.number);
            for symbol in &line.symbols {
                write!(shown, "{symbol:<3}").expect("text takes everything");
            }
            text.push_str(shown.trim_end());
            text.push('\n');
        }
        self.push_legend(&mut text);
        text
    }

    fn push_legend(&self, text: &mut String) {
        text.push_str(
            "******************** SYMBOL EXPLANATIONS ********************\n\
             + ONLINE    @ PATH NOT VALIDATED   - OFFLINE    . DOES NOT EXIST\n\
             * PHYSICALLY ONLINE   $ PATH NOT OPERATIONAL\n",
        );
        let has = |symbol: &str| self.devices.iter().any(|line| line.symbols.contains(&symbol));
        for (symbol, words) in [(HYPERPAV_ALIAS, "HYPERPAV ALIAS"), (ALIAS, "ALIAS")] {
            if has(symbol) {
                writeln!(text, "{symbol} {words}").expect("text takes everything");
            }
        }
    }
}

impl ChannelFacts {
    fn new(view: &View<'_>, path: &ChannelPath) -> Self {
        let (number, description, _) = channel_type::of(path);
        let known = view.known;
        let index = view.channel(path.chpid.value);
        let channel = index.map(|at| &known.configuration.channels[at as usize]);
        let switch = path.switch.as_ref().map(|switch| switch.value);
        let zhpf = channel.is_some_and(|channel| channel.hardware.zhpf);
        let capability = |at: u32| match known.site.channels[at as usize].capability {
            Protection::Encrypted => "ENCRYPTION",
            Protection::Authenticated => "AUTHENTICATION",
            Protection::None => "NONE",
        };
        Self {
            channel_type: format!("{number:02X}"),
            description,
            switch_device_number: switch.and_then(|switch| control_port(view, switch)),
            entry_switch: switch.map(|switch| format!("{switch:02X}")),
            attached_nd: attached_nd(view, index),
            physical_channel_id: path.pchid.as_ref().map(|pchid| format!("{:04X}", pchid.value)),
            facilities: if zhpf { vec!["ZHPF"] } else { Vec::new() },
            connection_security_capability: index.map(capability),
        }
    }

    fn push_lines(&self, text: &mut String) {
        let mut line = |words: String| text.push_str(&(words + "\n"));
        line(format!("SWITCH DEVICE NUMBER = {}", self.switch_device_number.as_deref().unwrap_or("NONE")));
        if let Some(switch) = &self.entry_switch {
            line(format!("DEFINED ENTRY SWITCH - LOGICAL SWITCH ID - {switch}"));
        }
        line(format!("ATTACHED ND = {}", self.attached_nd.as_deref().unwrap_or(NOT_AVAILABLE)));
        if let Some(pchid) = &self.physical_channel_id {
            line(format!("PHYSICAL CHANNEL ID = {pchid}"));
        }
        let facilities = self.facilities.join(", ");
        line(format!("FACILITIES SUPPORTED = {}", if facilities.is_empty() { "NONE" } else { &facilities }));
    }

    fn push_security(&self, text: &mut String) {
        let capability = self.connection_security_capability.unwrap_or(NOT_AVAILABLE);
        writeln!(text, "CONNECTION SECURITY CAPABILITY = {capability}").expect("text takes everything");
        let switch = self.entry_switch.as_ref().map(|switch| format!("ENTRY SWITCH {switch}"));
        let pchid = self.physical_channel_id.as_ref().map(|pchid| format!("PHYSICAL CHANNEL ID = {pchid}"));
        let both: Vec<String> = switch.into_iter().chain(pchid).collect();
        if !both.is_empty() {
            writeln!(text, "{}", both.join("   ")).expect("text takes everything");
        }
    }
}

fn push_path_info(text: &mut String, lines: &[ControlUnitLine]) {
    text.push_str("DEST LINK  CU NUMBERS        INTERFACE ID  PATH  CONN SEC\n");
    for line in lines {
        let link = line.dest_link_address.as_deref().unwrap_or(UNKNOWN);
        let interface = line.interface_id.as_deref().unwrap_or(UNKNOWN);
        let (path, security) = (yes(line.path), line.connection_security.unwrap_or(UNKNOWN));
        for (units, is_first) in
            line.cu_numbers.chunks(3).zip(std::iter::once(true).chain(std::iter::repeat(false)))
        {
            let units = units.join(" ");
            let shown = match is_first {
                true => format!("{link:<9}  {units:<16}  {interface:<12}  {path:<4}  {security}"),
                false => format!("{:<9}  {units}", ""),
            };
            text.push_str(&(shown + "\n"));
        }
    }
}

/// Returns the device number of the control port of director `switch`: a 2032 whose path ends at its port FE.
fn control_port(view: &View<'_>, switch: u8) -> Option<String> {
    let leads = |found: &PathFact<'_>| found.destination.as_deref() == Some(&format!("{switch:02X}FE"));
    let one_byte = |found: &PathFact<'_>| {
        let entry = view.machine.channel_path(view.css, found.chpid)?.switch.as_ref()?.value;
        (found.destination.as_deref() == Some("FE") && entry == switch).then_some(())
    };
    let range = view
        .ranges()
        .filter(|range| range.unit.value == "2032")
        .find(|range| view.paths_of(range).iter().any(|path| leads(path) || one_byte(path).is_some()))?;
    Some(format!("{:04X}", range.number.value))
}

/// Returns the node descriptor of the director or box that the fibre leads to, as the plant gives it.
fn attached_nd(view: &View<'_>, channel: Option<u32>) -> Option<String> {
    let (site, channel) = (view.known.site, channel?);
    if let Some(entry) = site.channels[channel as usize].entry {
        return site.directors.get(&entry.director)?.clone();
    }
    let leads = |lcu: &&Lcu| {
        let mut paths = lcu.path_groups.iter().flat_map(|group| &group.paths);
        paths.any(|path| path.channel == channel)
    };
    let lcu = view.known.configuration.lcus.iter().find(leads)?;
    site.boxes.get(lcu.control_unit as usize)?.identity.nd.clone()
}

/// Returns devices behind the channel path, by subchannel set and number.
fn device_lines(view: &View<'_>, chpid: u8) -> Vec<DeviceLine> {
    let mut lines = BTreeMap::<(u8, u16), [&'static str; 16]>::new();
    for range in view.ranges() {
        let facts = view.paths_of(range);
        let Some(fact) = facts.iter().find(|fact| fact.chpid == chpid) else { continue };
        for found in view.of_range(range) {
            let Found { set, number, .. } = found;
            let line = lines.entry((set, number >> 4)).or_insert([DOES_NOT_EXIST; 16]);
            line[usize::from(number & 0xF)] = symbol(view, found, fact);
        }
    }
    let several = view.machine.subchannel_sets(view.css).len() > 1;
    let label = |(set, row): (u8, u16)| match several {
        true => format!("{set:X}{row:03X}"),
        false => format!("{row:03X}"),
    };
    lines
        .into_iter()
        .map(|(at, symbols)| DeviceLine { number: label(at), symbols: symbols.to_vec() })
        .collect()
}

fn symbol(view: &View<'_>, found: Found<'_>, fact: &PathFact<'_>) -> &'static str {
    if is_alias(found.range) {
        let hyperpav = view.lpar().is_some_and(|lpar| lpar.hyperpav);
        return if hyperpav { HYPERPAV_ALIAS } else { ALIAS };
    }
    match (fact.physical, fact.validated, fact.operational, fact.online) {
        (false, ..) => OFFLINE,
        (_, false, ..) => NOT_VALIDATED,
        (_, _, false, _) => NOT_OPERATIONAL,
        (_, _, true, false) => PHYSICALLY_ONLINE,
        (_, _, true, true) => ONLINE,
    }
}

/// Returns paths of the channel, by the port that they end at.
fn control_unit_lines(view: &View<'_>, chpid: u8) -> Vec<ControlUnitLine> {
    let mut lines: Vec<ControlUnitLine> = Vec::new();
    let paths = view.machine.deck.control_units.iter().flat_map(|unit| view.paths_of_unit(unit));
    for fact in paths.filter(|fact| fact.chpid == chpid) {
        let number = format!("{:04X}", fact.unit.number.value);
        let line = ControlUnitLine {
            dest_link_address: fact.destination.clone(),
            cu_numbers: vec![number.clone()],
            interface_id: fact.interface.map(str::to_owned),
            path: fact.online && fact.operational,
            connection_security: fact.protection.map(|protection| match protection {
                Protection::None => "NONE",
                Protection::Authenticated => "AUTH",
                Protection::Encrypted => "ENCR",
            }),
        };
        let same = |one: &&mut ControlUnitLine| {
            (&one.dest_link_address, &one.interface_id, one.path)
                == (&line.dest_link_address, &line.interface_id, line.path)
        };
        match lines.iter_mut().find(same) {
            Some(known) => known.cu_numbers.push(number),
            None => lines.push(line),
        }
    }
    lines.sort_by(|a, b| {
        (&a.dest_link_address, &a.interface_id).cmp(&(&b.dest_link_address, &b.interface_id))
    });
    lines
}
