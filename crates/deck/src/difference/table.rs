//! A deck as a table: everything that can change, by key, with its values.

use std::collections::BTreeMap;

use super::Entity;
use super::facts::{Facts, Values};
use crate::model::{Adapter, ChannelPath, ControlUnit, Deck, DeviceRange, Function, LinkAddress};

/// The values of one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    /// The number of its set of values.
    pub(super) facts: usize,
    /// Values that step by one from a device or function to the next: its unit address; its VF and UID.
    pub(super) numbers: [Option<u16>; 2],
}

impl Item {
    /// Returns true when it is `earlier` one number further.
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
    items: BTreeMap<Entity, Vec<Item>>,
}

impl Table {
    /// Builds the table of `deck`; sets of values go into `facts`.
    pub(super) fn of(deck: &Deck, facts: &mut Facts) -> Self {
        let mut table = Self { items: BTreeMap::new() };
        let mut put = |entity: Entity, values: Values, numbers| {
            let item = Item { facts: facts.number(values), numbers };
            table.items.entry(entity).or_default().push(item);
        };
        put(Entity::Machine, machine(deck), [None; 2]);
        for (css, slots) in &deck.device_slots {
            let slots: Vec<String> = slots.iter().map(u32::to_string).collect();
            put(Entity::ChannelSubsystem(*css), one("MAXDEV", slots.join(",")), [None; 2]);
        }
        for partition in &deck.partitions {
            let reserved = format!("*{:X}", partition.mif);
            let name = partition.name.clone().unwrap_or(reserved);
            let mut values = one("MIF", format!("{:X}", partition.mif));
            if deck.uuid.contains(&(partition.css, name.clone())) {
                values.insert("UUID".to_owned(), "Y".to_owned());
            }
            put(Entity::Partition { css: partition.css, name }, values, [None; 2]);
        }
        for path in &deck.channel_paths {
            put(Entity::Channel { chpid: path.chpid.value, css: Vec::new() }, channel(path), [None; 2]);
        }
        for unit in &deck.control_units {
            put(Entity::ControlUnit(unit.number.value), control_unit(unit), [None; 2]);
        }
        for function in &deck.functions {
            let values = self::function(function);
            for step in 0..function.count {
                let stepped = |number: u16| number.checked_add(step);
                let vf = function.vf.as_ref().and_then(|vf| stepped(vf.value));
                let uid = function.uid.as_ref().and_then(|uid| stepped(uid.value));
                put(Entity::Function(function.fid.value.wrapping_add(step)), values.clone(), [vf, uid]);
            }
        }
        table.devices(deck, facts);
        table
    }

    /// Adds devices, apart for each subchannel set that they are in.
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
                    let items = self.items.entry(Entity::Device { set, number }).or_default();
                    items.push(Item { facts, numbers });
                }
            }
        }
    }

    /// Returns all keys.
    pub(super) fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.items.keys()
    }

    /// Returns true when the deck has `entity`.
    pub(super) fn has(&self, entity: &Entity) -> bool {
        self.items.contains_key(entity)
    }

    /// Returns the values of `entity`, in an order that does not depend on that of the statements.
    pub(super) fn items(&self, entity: &Entity, facts: &Facts) -> Vec<Item> {
        let mut items = self.items.get(entity).cloned().unwrap_or_default();
        if items.len() > 1 {
            items.sort_by_cached_key(|item| facts.values(*item, entity));
        }
        items
    }
}

fn one(name: &str, value: String) -> Values {
    Values::from([(name.to_owned(), value)])
}

/// Collects values under their keywords.
#[derive(Debug, Default)]
struct Listed(Values);

impl Listed {
    fn put(&mut self, name: impl Into<String>, value: Option<String>) {
        if let Some(value) = value {
            self.0.insert(name.into(), value);
        }
    }

    /// Adds each partition of a list.
    fn partitions(&mut self, list: &[(u8, String)], value: &str) {
        for (css, name) in list {
            self.put(format!("PART {css}.{name}"), Some(value.to_owned()));
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

/// Returns the values of the machine. The level gives the limits that were checked, and changes nothing.
fn machine(deck: &Deck) -> Values {
    let mut values = Listed::default();
    values.put("SYSTEM", Some(deck.machine().machine_type.to_string()));
    values.put("LSYSTEM", deck.id.lsystem.as_ref().map(|name| name.value.clone()));
    values.0
}

fn channel(path: &ChannelPath) -> Values {
    let mut values = Listed::default();
    let css: Vec<String> = sorted(&path.css).iter().map(u8::to_string).collect();
    values.put("CSS", Some(css.join(" ")));
    values.put("TYPE", Some(path.channel_type.value.clone()));
    values.put("PCHID", path.pchid.as_ref().map(|pchid| format!("{:03X}", pchid.value)));
    values.put("VCHID", path.vchid.as_ref().map(|vchid| format!("{:03X}", vchid.value)));
    values.put("AID", path.aid.as_ref().map(|aid| format!("{:02X}", aid.value)));
    values.put("PORT", path.port.as_ref().map(|port| port.value.to_string()));
    values.put("SWITCH", path.switch.as_ref().map(|switch| hex2(switch.value)));
    // 00 is what every type has without CHPARM.
    values.put("CHPARM", path.chparm.as_ref().filter(|parm| parm.value != 0).map(|parm| hex2(parm.value)));
    values.put("OS", path.os.as_ref().filter(|os| os.value != 0).map(|os| hex2(os.value)));
    values.put("IOCLUSTER", path.iocluster.as_ref().map(|name| name.value.clone()));
    values.put("CPATH", path.cpath.as_ref().map(|cpath| format!("{}.{:02X}", cpath.value.0, cpath.value.1)));
    values.put("CSYSTEM", path.csystem.as_ref().map(|name| name.value.clone()));
    values.put("PNETID", networks(&path.pnetids));
    values.put("MIXTYPE", yes(path.mixtype));
    values.put("ACCESS", Some(path.access_class.name().to_owned()));
    values.partitions(&path.candidates, "C");
    values.partitions(&path.access, "A");
    values.0
}

fn sorted(css: &[u8]) -> Vec<u8> {
    let mut css = css.to_vec();
    css.sort_unstable();
    css
}

/// Formats a link address as the deck has it; `**` for none.
fn link(link: Option<LinkAddress>) -> String {
    match link {
        None => "**".to_owned(),
        Some(LinkAddress { switch: Some(switch), port }) => format!("{switch:02X}{port:02X}"),
        Some(LinkAddress { switch: None, port }) => hex2(port),
    }
}

fn control_unit(unit: &ControlUnit) -> Values {
    let mut values = Listed::default();
    values.put("UNIT", Some(unit.unit.value.clone()));
    values.put("CUADD", unit.cuadd.as_ref().map(|cuadd| hex2(cuadd.value)));
    values.put("UNITADD", Some(unit_addresses(&unit.unit_addresses)));
    for path in &unit.paths {
        values.put(format!("PATH {}.{:02X}", path.css, path.chpid), Some(link(path.link)));
    }
    for (css, count) in &unit.managed_paths {
        values.put(format!("PATH {css}.*"), Some(count.to_string()));
    }
    values.put("SHARED", yes(unit.shared == Some(true)));
    values.put("PROTOCL", unit.protocol.clone());
    values.0
}

/// Formats unit addresses such as `00-1F,40-4F`; ranges that touch are one.
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

/// Returns the values of the devices of `range` in the channel subsystems `css`.
fn device(range: &DeviceRange, css: &[u8]) -> Values {
    let mut values = Listed::default();
    let listed: Vec<String> = css.iter().map(u8::to_string).collect();
    values.put("CSS", Some(listed.join(" ")));
    let mut units: Vec<String> =
        range.control_units.iter().map(|unit| format!("{:04X}", unit.value)).collect();
    units.sort_unstable();
    values.put("CUNUMBR", Some(units.join(" ")));
    values.put("UNIT", Some(range.unit.value.clone()));
    values.put("MODEL", range.model.clone());
    values.put("STADET", yes(range.stadet));
    values.put("TIMEOUT", yes(range.timeout));
    let here: Vec<(u8, String)> =
        range.candidates.iter().filter(|(of, _)| css.contains(of)).cloned().collect();
    values.partitions(&here, "C");
    if here.is_empty() && !range.candidates.is_empty() {
        values.put("PART", Some("nobody".to_owned()));
    }
    for (of, chpid) in range.preferred.iter().filter(|(of, _)| css.contains(of)) {
        values.put(format!("PATH {of}"), Some(hex2(*chpid)));
    }
    values.0
}

fn function(function: &Function) -> Values {
    let mut values = Listed::default();
    values.put("TYPE", function.kind.as_ref().map(|kind| kind.value.clone()));
    match function.adapter.as_ref().map(|adapter| adapter.value) {
        Some(Adapter::Pchid(pchid)) => values.put("PCHID", Some(format!("{pchid:03X}"))),
        Some(Adapter::Vchid(vchid)) => values.put("VCHID", Some(format!("{vchid:03X}"))),
        None => {}
    }
    values.put("PORT", function.port.map(|port| port.to_string()));
    values.put("PF", yes(function.pf));
    values.partitions(&function.candidates, "C");
    if let Some((css, name)) = &function.access {
        values.put(format!("PART {css}.{name}"), Some("A".to_owned()));
    }
    values.put("PNETID", networks(&function.pnetids));
    values.put("FIDPARM", function.fidparm.map(hex2));
    values.0
}
