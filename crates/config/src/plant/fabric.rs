//! The fibres of a plant: cables, directors and inter-switch links.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Expect, Fields, Label, Located};

use crate::channel_plug::ChannelPlug;
use crate::cpc_name::CpcName;
use crate::identity::ChannelIdentity;
use crate::place::{DirectorPort, Place, hex};
use crate::plant::box_identity::read_nd;
use crate::plant::boxes::ControlUnit;
use crate::plant::cpcs::{Cpc, known, only, read_named_owner};
use crate::plant::host::{Card, chpid, digits, named_twice, pchid};
use crate::plant::speed_setting::SpeedSetting;
use crate::plant::{Length, bit_error_rate};
use crate::unique::check_unique;

/// One `[[cable]]`: the fibre of a channel, or its bus.
#[derive(Debug, Clone)]
pub struct Cable {
    /// The CPC of the channel.
    pub cpc: CpcName,
    /// The channel's end.
    pub port: Located<ChannelIdentity>,
    /// The other end.
    pub to: Located<Place>,
    /// The control units behind that on a bus, in the order of the chain.
    pub more: Vec<Located<Place>>,
    /// How long it is.
    pub length: Length,
    /// Catalog id of the multiplexers that it goes through; `None` for fibre all the way.
    pub via: Option<Located<String>>,
    /// Share of the bits on it that are wrong, each way.
    pub bit_error_rate: Option<Located<f64>>,
}

impl Cable {
    /// Returns the channel port at which it begins.
    pub fn plug(&self) -> ChannelPlug {
        ChannelPlug { cpc: self.cpc, port: self.port.value }
    }

    /// Returns its far ends: one, or the control units of a bus.
    pub fn ends(&self) -> impl Iterator<Item = &Located<Place>> {
        std::iter::once(&self.to).chain(&self.more)
    }
}

/// One `[[director]]`.
#[derive(Debug, Clone)]
pub struct Director {
    /// Switch number and domain, as the deck writes it.
    pub id: Located<u8>,
    /// Catalog id.
    pub kind: Located<String>,
    /// Its node descriptor without the tag, where the plant gives it; only displays show it.
    pub nd: Option<String>,
    /// Speed of its ports, unless one has a setting of its own.
    pub speed: SpeedSetting,
    /// Ports with settings of their own.
    pub ports: Vec<SwitchPortSetting>,
}

/// One `[[director.port]]`: a port that is set otherwise than the rest.
#[derive(Debug, Clone)]
pub struct SwitchPortSetting {
    /// Port number.
    pub id: Located<u8>,
    /// Speed that it is set to; a key that is left out is the director's.
    pub speed: SpeedSetting,
    /// It is on a bridge card, for a FICON channel before an ESCON director.
    pub is_bridge: bool,
}

impl Director {
    /// Returns true when `port` is on a bridge card.
    #[must_use]
    pub fn is_bridge(&self, port: u8) -> bool {
        self.ports.iter().any(|one| one.id.value == port && one.is_bridge)
    }

    /// Returns the speed setting of `port`.
    #[must_use]
    pub fn setting(&self, port: u8) -> SpeedSetting {
        let own = self.ports.iter().find(|one| one.id.value == port);
        own.map_or_else(|| self.speed.clone(), |own| own.speed.or(&self.speed))
    }
}

/// One `[[isl]]`: a fibre between two directors.
#[derive(Debug, Clone)]
pub struct InterSwitchLink {
    /// One end.
    pub from: Located<DirectorPort>,
    /// The other.
    pub to: Located<DirectorPort>,
    /// How long it is.
    pub length: Length,
    /// Speed that both of its ports are set to.
    pub speed: SpeedSetting,
    /// Receive buffers at each end; `None` takes the directors' own.
    pub credits: Option<u32>,
    /// Catalog id of the multiplexers that it goes through; `None` for fibre all the way.
    pub via: Option<Located<String>>,
    /// Share of the bits on it that are wrong, each way.
    pub bit_error_rate: Option<Located<f64>>,
}

pub(super) fn read_cables(fields: &mut Fields<'_>, cpcs: &[Cpc], cards: &[Card]) -> Vec<Cable> {
    let cables = fields.tables("cable", |cable| {
        let said = read_named_owner(cable, cpcs);
        let port = read_port(cable);
        let ends = cable.one_or_list("to", Expect::parsed(Place::WORDS, Place::parse));
        let mut ends = ends.unwrap_or_default().into_iter();
        let to = ends.next();
        let length = Length::read(cable);
        let via = cable.optional("via", Expect::text());
        let bit_error_rate = cable.optional("bit_error_rate", bit_error_rate());
        let port = port?;
        let cpc = said?.or_else(|| owner_of(cable, cpcs, cards, &port));
        let (to, more, length) = (to?, ends.collect(), length?);
        Some(Cable { cpc: cpc?, port, to, more, length, via, bit_error_rate })
    });
    for (what, is_pchid) in [("the cable of PCHID", true), ("the cable of CHPID", false)] {
        let of_kind = |cable: &&Cable| cable.port.value.pchid().is_some() == is_pchid;
        check_unique(fields, what, cables.iter().filter(of_kind).map(|cable| digits(cable.cpc, &cable.port)));
    }
    cables
}

/// Returns the CPC of a cable that names none: the only one with a card that has the port. A port that no card has is
/// searched in the first CPC, where it will be missed.
fn owner_of(
    cable: &Fields<'_>,
    cpcs: &[Cpc],
    cards: &[Card],
    port: &Located<ChannelIdentity>,
) -> Option<CpcName> {
    let has_it = |card: &&Card| card.ports.iter().any(|one| one.value == port.value);
    let mut owners = cards.iter().filter(has_it).map(|card| card.cpc);
    match (only(cpcs), owners.next(), owners.next()) {
        (Some(only), ..) => Some(only),
        (None, Some(owner), None) => Some(owner),
        (None, None, _) => cpcs.first().map(|cpc| cpc.name),
        (None, Some(_), Some(_)) => {
            let name = port.value.name();
            let message = format!("the cable begins at {name}, but does not name its CPC");
            cable.error(
                numbers::WHICH_CPC,
                port.span.clone(),
                message,
                format!("add `cpc`; {}", known(cpcs)),
            );
            None
        }
    }
}

/// Reads `pchid`, or `chpid` on machines without PCHIDs.
fn read_port(cable: &mut Fields<'_>) -> Option<Located<ChannelIdentity>> {
    let by_chpid = cable.optional("chpid", chpid());
    if !cable.has("chpid") {
        return cable.required("pchid", pchid());
    }
    if let Some(by_pchid) = cable.optional("pchid", pchid()) {
        named_twice(cable, by_pchid.span, "the cable", "chpid", "pchid");
        return None;
    }
    by_chpid
}

pub(super) fn read_directors(fields: &mut Fields<'_>) -> Vec<Director> {
    let mut ids = Vec::new();
    let directors = fields.tables("director", |director| {
        let words = "a switch number of two hexadecimal digits such as \"11\"";
        let id = director.required("id", Expect::parsed(words, two_digits));
        ids.extend(id.as_ref().map(two_digit_name));
        let kind = director.required("type", Expect::text());
        let nd = read_nd(director, "nd");
        let speed = SpeedSetting::read(director, "gbps");
        let ports = read_port_settings(director);
        Some(Director { id: id?, kind: kind?, nd, speed, ports })
    });
    check_unique(fields, "director", ids);
    directors
}

fn read_port_settings(director: &mut Fields<'_>) -> Vec<SwitchPortSetting> {
    let ports = director.tables("port", |port| {
        let words = "a port number of two hexadecimal digits such as \"E0\"";
        let id = port.required("id", Expect::parsed(words, two_digits));
        let speed = SpeedSetting::read(port, "gbps");
        let is_bridge = port.or("bridge", Expect::flag(), false);
        Some(SwitchPortSetting { id: id?, speed, is_bridge })
    });
    check_unique(director, "port", ports.iter().map(|port| two_digit_name(&port.id)));
    ports
}

fn two_digits(text: &str) -> Option<u8> {
    hex(text, 2).map(|number| number as u8)
}

/// Returns a switch or port number as messages show it.
fn two_digit_name(number: &Located<u8>) -> Located<String> {
    Located::new(format!("{:02X}", number.value), number.span.clone())
}

pub(super) fn read_isls(fields: &mut Fields<'_>) -> Vec<InterSwitchLink> {
    fields.tables("isl", |isl| {
        let from = isl.required("from", Expect::parsed(DirectorPort::WORDS, DirectorPort::parse));
        let to = isl.required("to", Expect::parsed(DirectorPort::WORDS, DirectorPort::parse));
        let length = Length::read(isl);
        let speed = SpeedSetting::read(isl, "gbps");
        let credits = isl.optional("credits", Expect::integer(1..=65_535));
        let via = isl.optional("via", Expect::text());
        let bit_error_rate = isl.optional("bit_error_rate", bit_error_rate());
        let (from, to) = (from?, to?);
        if from.value.director == to.value.director {
            let message = format!("both ends are at director {:02X}", to.value.director);
            isl.error(numbers::LOOPED_LINK, to.span.clone(), message, "link two directors");
        }
        Some(InterSwitchLink {
            from,
            to,
            length: length?,
            speed,
            credits: credits.map(|found| found.value),
            via,
            bit_error_rate,
        })
    })
}

/// Reports plugs (director ports and host-adapter ports) that two fibres end at.
pub(super) fn check_plugs(
    fields: &Fields<'_>,
    cables: &[Cable],
    isls: &[InterSwitchLink],
    control_units: &[ControlUnit],
) {
    let mut taken = BTreeMap::<Place, Range<usize>>::new();
    let mut plug = |place: Place, span: &Range<usize>| {
        if let Some(first) = taken.get(&place) {
            let message = format!("{place} is taken by another fibre");
            let error = Diagnostic::error(numbers::PLUG_TAKEN, fields.source(), span.clone(), message)
                .other(Label::new(fields.source(), first.clone(), "plugged here"))
                .fix("plug one of the two fibres into another port");
            fields.report(error);
        } else {
            taken.insert(place, span.clone());
        }
    };
    for end in cables.iter().flat_map(Cable::ends) {
        plug(end.value.clone(), &end.span);
    }
    // Cables that begin at one channel have been reported.
    let mut begins = BTreeSet::new();
    for cable in cables.iter().filter(|cable| begins.insert(cable.plug())) {
        plug(Place::Channel(cable.plug()), &cable.port.span);
    }
    for end in isls.iter().flat_map(|isl| [&isl.from, &isl.to]) {
        plug(Place::Director(end.value), &end.span);
    }
    for control_unit in control_units {
        for port in &control_unit.ports {
            if let Some(to) = &port.to {
                plug(Place::Director(to.value), &to.span);
                plug(Place::ControlUnit(port.address(control_unit)), &port.id.span);
            }
        }
    }
}
