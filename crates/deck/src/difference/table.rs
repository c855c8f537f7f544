//! A deck as a table: everything that can change, by key, with what is said of it.

use std::collections::BTreeMap;

use super::Thing;
use super::facts::{Facts, Values};
use crate::model::{Adapter, ChannelPath, ControlUnit, Deck, DeviceRange, Function, LinkAddress};

/// What is said of one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    /// The number of its set of values.
    pub(super) facts: usize,
    /// Values that step by one from a device or function to the next: its unit address; its VF and UID.
    pub(super) numbers: [Option<u16>; 2],
}

impl Item {
    /// True when it is what `earlier` is, one further.
    pub(super) fn follows(&self, earlier: &Item) -> bool {
        let step = |(now, before): (&Option<u16>, &Option<u16>)| {
            *now == before.and_then(|before| before.checked_add(1)) && now.is_some() == before.is_some()
        };
        self.facts == earlier.facts && self.numbers.iter().zip(&earlier.numbers).all(step)
    }
}

/// Everything that a deck defines.
#[derive(Debug)]
pub(super) struct Table {
    items: BTreeMap<Thing, Vec<Item>>,
}

impl Table {
    /// The table of `deck`; sets of values go into `facts`.
    pub(super) fn of(deck: &Deck, facts: &mut Facts) -> Self {
        let mut table = Self { items: BTreeMap::new() };
        let mut put = |thing: Thing, values: Values, numbers| {
            let item = Item { facts: facts.number(values), numbers };
            table.items.entry(thing).or_default().push(item);
        };
        put(Thing::Machine, machine(deck), [None; 2]);
        for (css, slots) in &deck.device_slots {
            let slots: Vec<String> = slots.iter().map(u32::to_string).collect();
            put(Thing::ChannelSubsystem(*css), one("MAXDEV", slots.join(",")), [None; 2]);
        }
        for partition in &deck.partitions {
            let reserved = format!("*{:X}", partition.mif);
            let name = partition.name.clone().unwrap_or(reserved);
            let mut values = one("MIF", format!("{:X}", partition.mif));
            if deck.uuid.contains(&(partition.css, name.clone())) {
                values.insert("UUID".to_owned(), "Y".to_owned());
            }
            put(Thing::Partition { css: partition.css, name }, values, [None; 2]);
        }
        for path in &deck.channel_paths {
            put(Thing::Channel { chpid: path.chpid.value, css: Vec::new() }, channel(path), [None; 2]);
        }
        for unit in &deck.control_units {
            put(Thing::ControlUnit(unit.number.value), control_unit(unit), [None; 2]);
        }
        for function in &deck.functions {
            let values = self::function(function);
            for step in 0..function.count {
                let stepped = |number: u16| number.checked_add(step);
                let vf = function.vf.as_ref().and_then(|vf| stepped(vf.value));
                let uid = function.uid.as_ref().and_then(|uid| stepped(uid.value));
                put(Thing::Function(function.fid.value.wrapping_add(step)), values.clone(), [vf, uid]);
            }
        }
        table.devices(deck, facts);
        table
    }

    /// Devices, apart for each subchannel set that they are in.
    fn devices(&mut self, deck: &Deck, facts: &mut Facts) {
        let units: BTreeMap<u16, &ControlUnit> =
            deck.control_units.iter().map(|unit| (unit.number.value, unit)).collect();
        for range in &deck.devices {
            let mut by_set: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
            let paths = range.control_units.iter().filter_map(|unit| units.get(&unit.value));
            let mut css: Vec<u8> = paths.flat_map(|unit| &unit.paths).map(|path| path.css).collect();
            css.sort_unstable();
            css.dedup();
            if css.is_empty() {
                by_set.insert(range.subchannel_set.all, Vec::new());
            }
            for css in css {
                by_set.entry(range.subchannel_set.of(css)).or_default().push(css);
            }
            for (set, css) in by_set {
                let facts = facts.number(device(range, &css));
                for step in 0..range.count {
                    let number = range.number.value.wrapping_add(step);
                    let numbers = [Some(u16::from(range.unit_address) + step), None];
                    let items = self.items.entry(Thing::Device { set, number }).or_default();
                    items.push(Item { facts, numbers });
                }
            }
        }
    }

    /// All keys.
    pub(super) fn things(&self) -> impl Iterator<Item = &Thing> {
        self.items.keys()
    }

    /// True when the deck has `thing`.
    pub(super) fn has(&self, thing: &Thing) -> bool {
        self.items.contains_key(thing)
    }

    /// What is said of `thing`, in an order that does not depend on that of the statements.
    pub(super) fn items(&self, thing: &Thing, facts: &Facts) -> Vec<Item> {
        let mut items = self.items.get(thing).cloned().unwrap_or_default();
        if items.len() > 1 {
            items.sort_by_cached_key(|item| facts.values(*item, thing));
        }
        items
    }
}

fn one(name: &str, value: String) -> Values {
    Values::from([(name.to_owned(), value)])
}

/// Collects values under their keywords.
#[derive(Debug, Default)]
struct Said(Values);

impl Said {
    fn say(&mut self, name: impl Into<String>, value: Option<String>) {
        if let Some(value) = value {
            self.0.insert(name.into(), value);
        }
    }

    /// Each partition of a list.
    fn partitions(&mut self, list: &[(u8, String)], value: &str) {
        for (css, name) in list {
            self.say(format!("PART {css}.{name}"), Some(value.to_owned()));
        }
    }
}

fn hex2(value: u8) -> String {
    format!("{value:02X}")
}

fn yes(value: bool) -> Option<String> {
    value.then(|| "Y".to_owned())
}

fn networks(pnetids: &[Option<String>]) -> Option<String> {
    let listed: Vec<&str> = pnetids.iter().map(|one| one.as_deref().unwrap_or_default()).collect();
    let used = listed.iter().rposition(|one| !one.is_empty())?;
    Some(listed[..=used].join(","))
}

/// The level says which limits were checked and changes nothing.
fn machine(deck: &Deck) -> Values {
    let mut said = Said::default();
    said.say("SYSTEM", Some(deck.machine().machine_type.to_string()));
    said.say("LSYSTEM", deck.id.lsystem.as_ref().map(|name| name.value.clone()));
    said.0
}

fn channel(path: &ChannelPath) -> Values {
    let mut said = Said::default();
    let css: Vec<String> = sorted(&path.css).iter().map(u8::to_string).collect();
    said.say("CSS", Some(css.join(" ")));
    said.say("TYPE", Some(path.channel_type.value.clone()));
    said.say("PCHID", path.pchid.as_ref().map(|pchid| format!("{:03X}", pchid.value)));
    said.say("VCHID", path.vchid.as_ref().map(|vchid| format!("{:03X}", vchid.value)));
    said.say("AID", path.aid.as_ref().map(|aid| format!("{:02X}", aid.value)));
    said.say("PORT", path.port.as_ref().map(|port| port.value.to_string()));
    said.say("SWITCH", path.switch.as_ref().map(|switch| hex2(switch.value)));
    // 00 is what every type has without CHPARM.
    said.say("CHPARM", path.chparm.as_ref().filter(|parm| parm.value != 0).map(|parm| hex2(parm.value)));
    said.say("OS", path.os.as_ref().filter(|os| os.value != 0).map(|os| hex2(os.value)));
    said.say("IOCLUSTER", path.iocluster.as_ref().map(|name| name.value.clone()));
    said.say("CPATH", path.cpath.as_ref().map(|cpath| format!("{}.{:02X}", cpath.value.0, cpath.value.1)));
    said.say("CSYSTEM", path.csystem.as_ref().map(|name| name.value.clone()));
    said.say("PNETID", networks(&path.pnetids));
    said.say("MIXTYPE", yes(path.mixtype));
    said.say("ACCESS", Some(path.access_class.name().to_owned()));
    said.partitions(&path.candidates, "C");
    said.partitions(&path.access, "A");
    said.0
}

fn sorted(css: &[u8]) -> Vec<u8> {
    let mut css = css.to_vec();
    css.sort_unstable();
    css
}

/// A link address as the deck has it; `**` for none.
fn link(link: Option<LinkAddress>) -> String {
    match link {
        None => "**".to_owned(),
        Some(LinkAddress { switch: Some(switch), port }) => format!("{switch:02X}{port:02X}"),
        Some(LinkAddress { switch: None, port }) => hex2(port),
    }
}

fn control_unit(unit: &ControlUnit) -> Values {
    let mut said = Said::default();
    said.say("UNIT", Some(unit.unit.value.clone()));
    said.say("CUADD", unit.cuadd.as_ref().map(|cuadd| hex2(cuadd.value)));
    said.say("UNITADD", Some(unit_addresses(&unit.unit_addresses)));
    for path in &unit.paths {
        said.say(format!("PATH {}.{:02X}", path.css, path.chpid), Some(link(path.link)));
    }
    for (css, count) in &unit.managed_paths {
        said.say(format!("PATH {css}.*"), Some(count.to_string()));
    }
    said.say("SHARED", yes(unit.shared == Some(true)));
    said.say("PROTOCL", unit.protocol.clone());
    said.0
}

/// `00-1F,40-4F`: ranges that touch are one.
fn unit_addresses(ranges: &[(u8, u16)]) -> String {
    let mut ranges: Vec<(u16, u16)> =
        ranges.iter().map(|&(first, count)| (u16::from(first), u16::from(first) + count)).collect();
    ranges.sort_unstable();
    let mut joined: Vec<(u16, u16)> = Vec::new();
    for (first, end) in ranges {
        match joined.last_mut() {
            Some(last) if last.1 >= first => last.1 = last.1.max(end),
            _ => joined.push((first, end)),
        }
    }
    let words: Vec<String> =
        joined.iter().map(|(first, end)| format!("{first:02X}-{:02X}", end.saturating_sub(1))).collect();
    words.join(",")
}

/// What is said of the devices of `range` in the channel subsystems `css`.
fn device(range: &DeviceRange, css: &[u8]) -> Values {
    let mut said = Said::default();
    let listed: Vec<String> = css.iter().map(u8::to_string).collect();
    said.say("CSS", Some(listed.join(" ")));
    let mut units: Vec<String> =
        range.control_units.iter().map(|unit| format!("{:04X}", unit.value)).collect();
    units.sort_unstable();
    said.say("CUNUMBR", Some(units.join(" ")));
    said.say("UNIT", Some(range.unit.value.clone()));
    said.say("MODEL", range.model.clone());
    said.say("STADET", yes(range.stadet));
    said.say("TIMEOUT", yes(range.timeout));
    let here: Vec<(u8, String)> =
        range.candidates.iter().filter(|(of, _)| css.contains(of)).cloned().collect();
    said.partitions(&here, "C");
    if here.is_empty() && !range.candidates.is_empty() {
        said.say("PART", Some("nobody".to_owned()));
    }
    for (of, chpid) in range.preferred.iter().filter(|(of, _)| css.contains(of)) {
        said.say(format!("PATH {of}"), Some(hex2(*chpid)));
    }
    said.0
}

fn function(function: &Function) -> Values {
    let mut said = Said::default();
    said.say("TYPE", function.kind.as_ref().map(|kind| kind.value.clone()));
    match function.adapter.as_ref().map(|adapter| adapter.value) {
        Some(Adapter::Pchid(pchid)) => said.say("PCHID", Some(format!("{pchid:03X}"))),
        Some(Adapter::Vchid(vchid)) => said.say("VCHID", Some(format!("{vchid:03X}"))),
        None => {}
    }
    said.say("PORT", function.port.map(|port| port.to_string()));
    said.say("PF", yes(function.pf));
    said.partitions(&function.candidates, "C");
    if let Some((css, name)) = &function.access {
        said.say(format!("PART {css}.{name}"), Some("A".to_owned()));
    }
    said.say("PNETID", networks(&function.pnetids));
    said.say("FIDPARM", function.fidparm.map(hex2));
    said.0
}
