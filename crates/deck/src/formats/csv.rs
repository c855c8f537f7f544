//! A deck as comma-separated values (RFC 4180), one kind of thing a table.

use crate::model::selection::Selection;
use crate::model::{Adapter, ChannelPath, ControlUnit, Deck, DeviceRange, Function};

/// The rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvTable {
    /// A channel path in a channel subsystem.
    Chpid,
    /// A control unit.
    ControlUnit,
    /// A device.
    Device,
    /// A PCIe function.
    Function,
    /// A path of a control unit.
    Path,
}

/// Returns the table of the entities that `selection` leaves, its first line the names of the columns.
pub fn csv(selection: &Selection<'_>, table: CsvTable) -> String {
    let deck = selection.deck;
    let mut lines = Lines::default();
    match table {
        CsvTable::Chpid => {
            lines.add(CHPID);
            for (channel, css) in selection.channel_paths() {
                css.iter().for_each(|css| lines.add(chpid(selection, channel, *css)));
            }
        }
        CsvTable::ControlUnit => {
            lines.add(CONTROL_UNIT);
            selection.control_units().for_each(|unit| lines.add(control_unit(selection, unit)));
        }
        CsvTable::Device => {
            lines.add(DEVICE);
            selection.devices().flat_map(|range| devices(deck, range)).for_each(|row| lines.add(row));
        }
        CsvTable::Function => {
            lines.add(FUNCTION);
            selection
                .functions()
                .flat_map(|function| functions(deck, function))
                .for_each(|row| lines.add(row));
        }
        CsvTable::Path => {
            lines.add(PATH);
            selection.control_units().flat_map(|unit| paths(selection, unit)).for_each(|row| lines.add(row));
        }
    }
    lines.text
}

const CHPID: [&str; 16] = [
    "css",
    "chpid",
    "type",
    "pchid",
    "vchid",
    "aid",
    "port",
    "switch",
    "chparm",
    "access_class",
    "access",
    "candidates",
    "pnetid",
    "unit_addresses",
    "control_units",
    "card",
];
const CONTROL_UNIT: [&str; 6] = ["number", "unit", "cuadd", "unit_addresses", "paths", "card"];
const DEVICE: [&str; 9] =
    ["number", "unit_address", "set", "control_units", "unit", "model", "candidates", "preferred", "card"];
const FUNCTION: [&str; 13] = [
    "fid",
    "type",
    "pchid",
    "vchid",
    "port",
    "vf",
    "pf",
    "access",
    "candidates",
    "pnetid",
    "fidparm",
    "uid",
    "card",
];
const PATH: [&str; 10] =
    ["css", "chpid", "type", "pchid", "switch", "link", "control_unit", "unit", "cuadd", "devices"];

/// Lines being written.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add<T: AsRef<str>, const N: usize>(&mut self, cells: [T; N]) {
        for (place, cell) in cells.iter().enumerate() {
            if place > 0 {
                self.text.push(',');
            }
            let cell = cell.as_ref();
            if cell.contains([',', '"', '\n', '\r']) {
                self.text += &format!("\"{}\"", cell.replace('"', "\"\""));
            } else {
                self.text += cell;
            }
        }
        self.text.push('\n');
    }
}

fn card(deck: &Deck, place: usize) -> String {
    deck.source.position(place).0.to_string()
}

/// Joins the words of a list in one cell, apart by blanks.
fn cell(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// Formats a partition such as `0.PROD1`.
fn holder((css, name): &(u8, String)) -> String {
    format!("{css}.{name}")
}

/// Names by port, apart by slashes, since an empty one counts.
fn networks(pnetids: &[Option<String>]) -> String {
    pnetids.iter().map(|name| name.as_deref().unwrap_or_default()).collect::<Vec<_>>().join("/")
}

fn optional<T>(value: Option<&halftrack_input::Located<T>>, words: impl Fn(&T) -> String) -> String {
    value.map(|one| words(&one.value)).unwrap_or_default()
}

fn chpid(selection: &Selection<'_>, channel: &ChannelPath, css: u8) -> [String; 16] {
    let deck = selection.deck;
    let here =
        |list: &[(u8, String)]| cell(list.iter().filter(|(of, _)| *of == css).map(|(_, name)| name.clone()));
    let units = selection.paths.units_of(channel);
    let units = units.into_iter().map(|unit| &deck.control_units[unit]);
    let units = units
        .filter(|unit| unit.paths.iter().any(|path| path.css == css && path.chpid == channel.chpid.value));
    [
        css.to_string(),
        format!("{:02X}", channel.chpid.value),
        channel.channel_type.value.clone(),
        optional(channel.pchid.as_ref(), |one| format!("{one:03X}")),
        optional(channel.vchid.as_ref(), |one| format!("{one:03X}")),
        optional(channel.aid.as_ref(), |one| format!("{one:02X}")),
        optional(channel.port.as_ref(), u8::to_string),
        optional(channel.switch.as_ref(), |one| format!("{one:02X}")),
        optional(channel.chparm.as_ref(), |one| format!("{one:02X}")),
        channel.access_class.name().to_owned(),
        here(&channel.access),
        here(&channel.candidates),
        networks(&channel.pnetids),
        selection.paths.unit_addresses_of(deck, channel).to_string(),
        cell(units.map(|unit| format!("{:04X}", unit.number.value))),
        card(deck, channel.span.start),
    ]
}

fn control_unit(selection: &Selection<'_>, unit: &ControlUnit) -> [String; 6] {
    let ranges = unit.unit_addresses.iter().map(|&(first, count)| addresses(first, count));
    let paths = unit.paths.iter().filter(|path| selection.has_path(path));
    [
        format!("{:04X}", unit.number.value),
        unit.unit.value.clone(),
        optional(unit.cuadd.as_ref(), |one| format!("{one:02X}")),
        cell(ranges),
        cell(paths.map(|path| format!("{}.{:02X}.{}", path.css, path.chpid, path.link_words()))),
        card(selection.deck, unit.span.start),
    ]
}

/// Formats unit addresses such as `00-FF`.
fn addresses(first: u8, count: u16) -> String {
    let last = u16::from(first) + count.saturating_sub(1);
    if count == 1 { format!("{first:02X}") } else { format!("{first:02X}-{last:02X}") }
}

fn devices<'a>(deck: &'a Deck, range: &'a DeviceRange) -> impl Iterator<Item = [String; 9]> + 'a {
    let by_css = range.subchannel_set.by_css.iter().map(|(css, set)| format!("{css}:{set}"));
    let set = if range.subchannel_set.by_css.is_empty() {
        range.subchannel_set.all.to_string()
    } else {
        cell(by_css)
    };
    let units = cell(range.control_units.iter().map(|unit| format!("{:04X}", unit.value)));
    let candidates = cell(range.candidates.iter().map(holder));
    let preferred = cell(range.preferred.iter().map(|(css, chpid)| format!("{css}.{chpid:02X}")));
    let card = card(deck, range.span.start);
    (range.number.value..=range.last()).zip(u16::from(range.unit_address)..).map(move |(number, address)| {
        [
            format!("{number:04X}"),
            format!("{address:02X}"),
            set.clone(),
            units.clone(),
            range.unit.value.clone(),
            range.model.clone().unwrap_or_default(),
            candidates.clone(),
            preferred.clone(),
            card.clone(),
        ]
    })
}

fn functions<'a>(deck: &'a Deck, function: &'a Function) -> impl Iterator<Item = [String; 13]> + 'a {
    let adapter = function.adapter.as_ref().map(|adapter| adapter.value);
    let (pchid, vchid) = match adapter {
        Some(Adapter::Pchid(number)) => (format!("{number:03X}"), String::new()),
        Some(Adapter::Vchid(number)) => (String::new(), format!("{number:03X}")),
        None => Default::default(),
    };
    let stepped = |first: Option<&halftrack_input::Located<u16>>, step: u16| {
        first.map(|one| one.value.saturating_add(step))
    };
    let candidates = cell(function.candidates.iter().map(holder));
    (0..function.count).map(move |step| {
        [
            format!("{:04X}", function.fid.value.saturating_add(step)),
            optional(function.kind.as_ref(), String::clone),
            pchid.clone(),
            vchid.clone(),
            function.port.map(|port| port.to_string()).unwrap_or_default(),
            stepped(function.vf.as_ref(), step).map(|vf| vf.to_string()).unwrap_or_default(),
            if function.pf { "Y" } else { "" }.to_owned(),
            function.access.as_ref().map(holder).unwrap_or_default(),
            candidates.clone(),
            networks(&function.pnetids),
            function.fidparm.map(|one| format!("{one:02X}")).unwrap_or_default(),
            stepped(function.uid.as_ref(), step).map(|uid| format!("{uid:04X}")).unwrap_or_default(),
            card(deck, function.span.start),
        ]
    })
}

fn paths<'a>(selection: &'a Selection<'_>, unit: &'a ControlUnit) -> impl Iterator<Item = [String; 10]> + 'a {
    let deck = selection.deck;
    let ranges = selection.paths.devices_of(unit).iter().filter(|device| selection.has_device(**device));
    let ranges = ranges.map(|device| &deck.devices[*device]);
    let devices = cell(ranges.map(|range| match range.count {
        1 => format!("{:04X}", range.number.value),
        _ => format!("{:04X}-{:04X}", range.number.value, range.last()),
    }));
    unit.paths.iter().filter(|path| selection.has_path(path)).map(move |path| {
        let channel = selection.paths.channel(path.css, path.chpid).map(|index| &deck.channel_paths[index]);
        [
            path.css.to_string(),
            format!("{:02X}", path.chpid),
            channel.map(|one| one.channel_type.value.clone()).unwrap_or_default(),
            optional(channel.and_then(|one| one.pchid.as_ref()), |one| format!("{one:03X}")),
            optional(channel.and_then(|one| one.switch.as_ref()), |one| format!("{one:02X}")),
            path.link.map(|link| link.to_string()).unwrap_or_default(),
            format!("{:04X}", unit.number.value),
            unit.unit.value.clone(),
            optional(unit.cuadd.as_ref(), |one| format!("{one:02X}")),
            devices.clone(),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_would_break_the_line_is_quoted() {
        let mut lines = Lines::default();
        lines.add(["a", "b,c", "say \"d\"", ""]);
        assert_eq!(lines.text, "a,\"b,c\",\"say \"\"d\"\"\",\n");
    }
}
