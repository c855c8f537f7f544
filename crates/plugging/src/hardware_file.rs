//! Hardware files: drawers and the features in their slots, in TOML.
//!
//! The format is described in docs/formats/hardware.md.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use halftrack_catalog::{Catalog, IoDrawer};
use halftrack_deck::model::machines::Machine;
use halftrack_input::messages::deck::TOO_MANY_ADAPTERS;
use halftrack_input::messages::plugging::{PCHIDS, SLOT};
use halftrack_input::messages::toml_file::{MISSING_KEY, UNEXPECTED_VALUE};
use halftrack_input::{
    Diagnostic, Expect, Fields, Located, Severity, SourceFile, has_errors, nearest_or_all, read_document,
};

use crate::adapter_limits;
use crate::ao_report::{domain_of, is_ao_report, read_ao_report};
use crate::hardware::{Address, Card, Hardware, Port, feature_of, frame_of};
use crate::resource_groups;
use crate::taken::Taken;

/// Reads a hardware file. With everything that is wrong with it; there is hardware only when nothing is.
pub fn read_hardware_file(
    source: &Arc<SourceFile>,
    catalog: &Catalog,
) -> (Option<Hardware>, Vec<Diagnostic>) {
    let mut more = Vec::new();
    let mut of_machine = None;
    let (cards, mut found) = read_document(source, |fields| {
        let words = "a machine type such as 3931";
        let machine =
            fields.optional("machine_type", Expect::new(words, |value| machine(value.as_integer()?)));
        let groups = fields
            .optional("resource_groups", Expect::<u8>::integer(1..=resource_groups::RESOURCE_GROUP_MAX));
        let groups = groups.map(|groups| groups.value);
        of_machine = machine.map(|machine| machine.value);
        let groups =
            groups.or_else(|| of_machine.and_then(|machine| resource_groups::count(machine, catalog)));
        let drawers = read_drawers(fields, catalog);
        let place = Places { drawers: &drawers, catalog, groups: groups.unwrap_or_default() };
        let cards = fields.tables("feature", |feature| {
            let span = feature.span();
            place.card(feature).map(|card| (card, span))
        });
        let mut taken = Taken::default();
        for (card, span) in &cards {
            taken.take(card, span.clone(), source, &mut more);
        }
        twice_numbered(&cards, fields);
        more.extend(crowded(source, of_machine, &cards));
        Some(cards.into_iter().map(|(card, _)| card).collect::<Vec<Card>>())
    });
    found.extend(more);
    found.sort_by_key(|message| message.at.span.start);
    let hardware = cards.filter(|_| !has_errors(&found)).map(Hardware::new);
    (hardware.map(|hardware| hardware.of_machine(of_machine)), found)
}

/// Reports two cards with one serial number.
fn twice_numbered(cards: &[(Card, Range<usize>)], fields: &Fields<'_>) {
    let mut spans: BTreeMap<&str, &Range<usize>> = BTreeMap::new();
    for (card, span) in cards {
        let Some(serial) = &card.serial else { continue };
        match spans.get(serial.as_str()) {
            Some(first) => fields.named_twice(&format!("card {serial}"), span.clone(), (*first).clone()),
            None => drop(spans.insert(serial, span)),
        }
    }
}

/// Reports adapters past the limits of the machine, each kind once. They are plugged all the same: a warning.
fn crowded(
    source: &Arc<SourceFile>,
    machine: Option<&'static Machine>,
    cards: &[(Card, Range<usize>)],
) -> Vec<Diagnostic> {
    let excesses =
        machine.map(|machine| adapter_limits::excesses(cards.iter().map(|(card, _)| card), machine));
    let message = |excess: adapter_limits::Excess| {
        let message =
            Diagnostic::error(TOO_MANY_ADAPTERS, source, cards[excess.card].1.clone(), excess.words);
        message.severity(Severity::Warning).fix("take cards out, or check `machine_type`")
    };
    excesses.into_iter().flatten().map(message).collect()
}

fn machine(number: &toml::de::DeInteger<'_>) -> Option<&'static Machine> {
    Machine::of(number.as_str().parse().ok()?)
}

/// One `[[drawer]]`.
struct Drawer<'a> {
    name: String,
    frame: String,
    kind: Option<&'a IoDrawer>,
    first_pchid: Option<u16>,
    /// Of its domains, in their order.
    links: Vec<String>,
    /// Domains of the drawers before it.
    domains_before: usize,
}

fn read_drawers<'a>(fields: &mut Fields<'_>, catalog: &'a Catalog) -> Vec<Drawer<'a>> {
    let mut domains = 0;
    let mut names: Vec<Located<String>> = Vec::new();
    let read = fields.tables("drawer", |drawer| {
        let name = drawer.required("name", Expect::text());
        let frame = drawer.optional("frame", Expect::text());
        let kind = drawer.optional("kind", Expect::text());
        let first_pchid = drawer.optional("first_pchid", pchid());
        let links = drawer.optional_list("links", Expect::text()).unwrap_or_default();
        let shelf = kind.as_ref().and_then(|kind| catalog.drawers.get(&kind.value));
        if let (Some(kind), None) = (&kind, shelf) {
            let message = format!("drawer `{}` is unknown", kind.value);
            drawer.error(
                UNEXPECTED_VALUE,
                kind.span.clone(),
                message,
                nearest_or_all(&kind.value, catalog.drawers.ids()),
            );
            return None;
        }
        if shelf.is_some() != first_pchid.is_some() {
            let message = "`kind` and `first_pchid` go together";
            drawer.error(MISSING_KEY, drawer.span(), message, "give both, or the PCHIDs of each feature");
            return None;
        }
        let name = name?;
        let before = domains;
        domains += shelf.map_or(0, |shelf| shelf.domains.len());
        names.push(name.clone());
        Some(Drawer {
            frame: frame.map_or_else(|| frame_of(&name.value), |frame| frame.value),
            name: name.value,
            kind: shelf,
            first_pchid: first_pchid.map(|first| first.value),
            links: links.into_iter().map(|link| link.value).collect(),
            domains_before: before,
        })
    });
    for (index, name) in names.iter().enumerate() {
        if let Some(first) = names[..index].iter().find(|other| other.value == name.value) {
            fields.named_twice(&format!("drawer {}", name.value), name.span.clone(), first.span.clone());
        }
    }
    read
}

/// Highest PCHID: three hexadecimal digits.
const PCHID_MAX: u16 = 0xFFF;

/// Expects a PCHID of three hexadecimal digits.
fn pchid() -> Expect<'static, u16> {
    Expect::parsed("a PCHID of three hexadecimal digits such as \"100\"", |text| {
        let is_hex = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(text, 16).ok()).flatten()
    })
}

/// The slots of the machine.
struct Places<'a> {
    drawers: &'a [Drawer<'a>],
    catalog: &'a Catalog,
    /// Resource groups of the machine; 0 when not known.
    groups: u8,
}

impl Places<'_> {
    /// Reads one `[[feature]]`.
    fn card(&self, fields: &mut Fields<'_>) -> Option<Card> {
        let drawer = fields.required("drawer", Expect::text());
        let slot = fields.required("slot", Expect::text());
        let code = fields.required("code", Expect::text());
        let pchids = fields.optional_list("pchids", pchid());
        let ports = fields.optional_list("ports", Expect::text());
        let aids = fields.optional_list("aids", aid());
        let link = fields.optional("link", Expect::text()).map(|link| link.value);
        let domain = fields.optional("domain", Expect::text()).map(|domain| domain.value);
        let group = fields
            .optional("resource_group", Expect::<u8>::integer(1..=resource_groups::RESOURCE_GROUP_MAX))
            .map(|group| group.value);
        let part = fields.optional("part", product_number("a part number", "00LY123"));
        let serial = fields.optional("serial", product_number("a serial number", "YA9320B41F07"));
        let comment = fields.optional("comment", Expect::text()).map(|comment| comment.value);
        let (drawer, slot, code) = (drawer?, slot?, code?);
        let shelf = self.drawers.iter().find(|known| known.name == drawer.value);
        let Some(shelf) = shelf else {
            let message = format!("drawer {} is not defined", drawer.value);
            let names = self.drawers.iter().map(|known| known.name.as_str());
            fields.error(SLOT, drawer.span, message, nearest_or_all(&drawer.value, names));
            return None;
        };
        let seat = self.seat(shelf, &slot, fields)?;
        let feature = feature_of(self.catalog, &code.value);
        let mut card = Card {
            frame: shelf.frame.clone(),
            drawer: drawer.value,
            slot: slot.value,
            code: code.value,
            ports: Vec::new(),
            link: link.or_else(|| seat.as_ref().and_then(|seat| seat.link.clone())),
            domain: None,
            resource_group: group,
            comment: comment.unwrap_or_default(),
            part: part.map(|part| part.value),
            serial: serial.map(|serial| serial.value),
            feature,
        };
        let derived = card.link.as_ref().map(|link| domain_of(&card.drawer, link));
        card.domain = domain.or_else(|| seat.as_ref().map(|seat| seat.domain.clone())).or(derived);
        if card.is_native() && group.is_none() {
            card.resource_group =
                seat.as_ref().and_then(|seat| resource_groups::of_domain(seat.number, self.groups));
        }
        let coded = Coded { pchids, aids, ports, span: code.span };
        card.ports = coded.ports_of(&card, seat.as_ref(), fields)?;
        Some(card)
    }

    /// Returns the properties of a slot of a drawer of known kind; `Some(None)` when the kind is unknown.
    fn seat(&self, drawer: &Drawer<'_>, slot: &Located<String>, fields: &Fields<'_>) -> Option<Option<Seat>> {
        let (Some(kind), Some(first)) = (drawer.kind, drawer.first_pchid) else { return Some(None) };
        let number = slot.value.trim_start_matches("LG").parse().ok();
        let found = number.and_then(|number| Some((kind.domain_of(number)?, kind.pchid_offset(number)?)));
        let Some((domain, offset)) = found else {
            let message = format!("drawer {} has no slot {} for a card", drawer.name, slot.value);
            let slots: Vec<String> = kind.slots().iter().map(|slot| format!("{slot:02}")).collect();
            fields.error(SLOT, slot.span.clone(), message, format!("slots are {}", slots.join(" ")));
            return None;
        };
        let pchid_count = kind.pchids_per_slot.value;
        let first_pchid = first.saturating_add(offset);
        if first_pchid.saturating_add(pchid_count) > PCHID_MAX + 1 {
            let message = format!("the PCHIDs of slot {} run past {PCHID_MAX:03X}", slot.value);
            let fix = format!("drawer {} begins at PCHID {first:03X}: correct `first_pchid`", drawer.name);
            fields.error(PCHIDS, slot.span.clone(), message, fix);
            return None;
        }
        Some(Some(Seat {
            first_pchid,
            pchid_count,
            link: drawer.links.get(domain).cloned(),
            domain: format!("{} domain {domain}", drawer.name),
            number: drawer.domains_before + domain,
        }))
    }
}

/// The properties of a card that its slot in a known drawer gives.
struct Seat {
    first_pchid: u16,
    pchid_count: u16,
    link: Option<String>,
    domain: String,
    /// The domain among those of the machine.
    number: usize,
}

/// Expects an adapter id of two hexadecimal digits.
fn aid() -> Expect<'static, u8> {
    Expect::parsed("an adapter id of two hexadecimal digits such as \"1C\"", |text| {
        (text.len() == 2).then(|| u8::from_str_radix(text, 16).ok()).flatten()
    })
}

/// Expects a number of vital product data, which is `what`: letters and digits, with hyphens between.
fn product_number(what: &str, example: &str) -> Expect<'static, String> {
    let words = format!("{what} of 1 to 24 letters, digits and hyphens such as \"{example}\"");
    Expect::parsed(words, |text| {
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        ((1..=24).contains(&text.len()) && text.bytes().all(is_fine)).then(|| text.to_owned())
    })
}

/// The keys of a `[[feature]]` about its ports.
struct Coded {
    pchids: Option<Vec<Located<u16>>>,
    aids: Option<Vec<Located<u8>>>,
    ports: Option<Vec<Located<String>>>,
    /// Of the feature code.
    span: Range<usize>,
}

impl Coded {
    fn ports_of(self, card: &Card, seat: Option<&Seat>, fields: &Fields<'_>) -> Option<Vec<Port>> {
        let addresses: Vec<Address> = match (&self.pchids, &self.aids) {
            (Some(pchids), _) => {
                self.check_seat(pchids, seat, fields)?;
                pchids.iter().map(|pchid| Address::Pchid(pchid.value)).collect()
            }
            (None, Some(aids)) => aids.iter().map(|aid| Address::Aid(aid.value)).collect(),
            (None, None) => {
                let count = card.feature.as_ref().map(|feature| feature.pchids.value);
                let (Some(seat), Some(count)) = (seat, count) else {
                    let message = format!("the PCHIDs of feature {} are unknown", card.code);
                    let fix = "add `pchids = [\"100\"]`, or give the drawer `kind` and `first_pchid`";
                    fields.error(PCHIDS, self.span, message, fix);
                    return None;
                };
                (0..count).map(|step| Address::Pchid(seat.first_pchid + step)).collect()
            }
        };
        let names: Vec<String> = match self.ports {
            Some(coded) => coded.into_iter().map(|name| name.value).collect(),
            None => card.feature.as_ref().map(|feature| feature.ports.value.clone()).unwrap_or_default(),
        };
        if addresses.is_empty() || !names.len().is_multiple_of(addresses.len()) {
            let message =
                format!("{} ports cannot be shared out over {} PCHIDs", names.len(), addresses.len());
            fields.error(PCHIDS, self.span, message, "name as many ports for each PCHID");
            return None;
        }
        let each = names.len() / addresses.len();
        let port =
            |(index, address)| Port { address, names: names[index * each..(index + 1) * each].to_vec() };
        Some(addresses.into_iter().enumerate().map(port).collect())
    }

    /// Checks that coded PCHIDs are those of the slot.
    fn check_seat(&self, pchids: &[Located<u16>], seat: Option<&Seat>, fields: &Fields<'_>) -> Option<()> {
        let Some(seat) = seat else { return Some(()) };
        let last = seat.first_pchid + seat.pchid_count - 1;
        let Some(stray) = pchids.iter().find(|pchid| !(seat.first_pchid..=last).contains(&pchid.value))
        else {
            return Some(());
        };
        let message = format!("PCHID {:03X} is not one of its slot", stray.value);
        let fix =
            format!("the slot has {:03X}-{last:03X}; correct them, or leave `pchids` out", seat.first_pchid);
        fields.error(PCHIDS, stray.span.clone(), message, fix);
        None
    }
}

/// Reads a hardware file or a configuration report with an AO Data table, whichever `source` is. With everything that
/// is wrong with it.
pub fn read_hardware(source: &Arc<SourceFile>, catalog: &Catalog) -> (Option<Hardware>, Vec<Diagnostic>) {
    if is_ao_report(&source.text) {
        return read_ao_report(source, catalog);
    }
    read_hardware_file(source, catalog)
}
