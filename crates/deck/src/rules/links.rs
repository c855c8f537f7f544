//! Rules between control units that meet on one channel or one destination port.
//!
//! Reference: IOCP, section 4.4; R225, R243, R244, R246, R248, R255. A destination port is known by the entry
//! switch of the channel and the link address as coded; whether two fabrics use one domain number is not in the
//! deck. Two statements for one box that is split over partitions are legal: paths meet only where some
//! partition has access to both.

use halftrack_input::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::model::LinkAddress;
use crate::model::partitions::PartitionSet;
use crate::model::unit::is_channel_to_channel;
use crate::rules::definitions::Unit;
use crate::rules::paths::{Leg, link_fault, shown};
use crate::syntax::findings::Findings;

/// Where control units can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A destination port behind an entry switch.
    Port(u8, LinkAddress),
    /// The far end of a channel without switch.
    Channel(usize),
}

/// One control unit seen at a place.
#[derive(Debug, Clone, Copy)]
struct Guest {
    unit: usize,
    partitions: PartitionSet,
}

/// First control unit with and without CUADD at a place.
#[derive(Debug, Default)]
struct Images {
    with: Option<usize>,
    without: Option<usize>,
}

/// Links and unswitched channels in use.
#[derive(Debug, Default)]
pub(crate) struct LinkUse {
    guests: BTreeMap<(Place, Option<u8>), Vec<Guest>>,
    images: BTreeMap<Place, Images>,
    /// The first control unit of each unswitched channel, and whether it is a channel-to-channel one.
    kinds: BTreeMap<usize, (bool, usize)>,
    /// Form of the links of each channel: two-byte or not, and where first coded.
    forms: BTreeMap<usize, (bool, Range<usize>)>,
    /// Channels whose links have been reported: no further rule applies to them.
    suspended: BTreeSet<usize>,
}

impl LinkUse {
    /// Ends all checks of the links of `channel`. Returns false when they had ended before.
    pub(crate) fn suspend(&mut self, channel: usize) -> bool {
        self.suspended.insert(channel)
    }

    /// Checks the places that `unit` takes, with index `index`, against those of the earlier `units`, and takes
    /// them.
    pub(crate) fn check(
        &mut self,
        unit: &Unit,
        index: usize,
        legs: &[Leg<'_>],
        units: &[Unit],
        findings: &mut Findings,
    ) {
        let mut collision: Option<Diagnostic> = None;
        let linked =
            |leg: &&Leg<'_>| leg.channel.kind.is_some_and(|kind| kind.has_links) && link_fault(leg).is_none();
        for leg in legs.iter().filter(linked) {
            if self.suspended.contains(&leg.index) {
                continue;
            }
            if let Some(message) = self.check_form(leg, findings) {
                findings.report(message);
            }
            let Some(place) = place_of(leg) else { continue };
            let found = self.meet(place, unit, index, leg, units, findings);
            collision = collision.or(found);
        }
        // Control units that share one port usually share all of them: one message is enough.
        if let Some(message) = collision {
            findings.report(message);
        }
    }

    /// Checks R255.
    fn check_form(&mut self, leg: &Leg<'_>, findings: &Findings) -> Option<Diagnostic> {
        let link = leg.path.link?;
        let two_bytes = link.switch.is_some();
        match self.forms.get(&leg.index) {
            None => {
                self.forms.insert(leg.index, (two_bytes, leg.path.span.clone()));
                None
            }
            Some((same, _)) if *same == two_bytes => None,
            Some((_, first)) => {
                let words =
                    format!("channel {:02X} has one-byte and two-byte link addresses", leg.path.chpid);
                let message = findings
                    .error(255, &leg.path.span, words)
                    .other(findings.label(first, "the other form was used first here"))
                    .fix("use one form on the channel");
                self.suspend(leg.index);
                Some(message)
            }
        }
    }

    /// Checks R225, R243, R244, R246, R248 at `place`, which `unit` takes.
    fn meet(
        &mut self,
        place: Place,
        unit: &Unit,
        index: usize,
        leg: &Leg<'_>,
        units: &[Unit],
        findings: &Findings,
    ) -> Option<Diagnostic> {
        let cuadd = unit.definition.cuadd.as_ref().map(|cuadd| cuadd.value);
        let partitions = leg.channel.access.in_css(leg.path.css);
        let images = self.images.entry(place).or_default();
        let other_form = if cuadd.is_some() { images.without } else { images.with };
        let own_form = if cuadd.is_some() { &mut images.with } else { &mut images.without };
        own_form.get_or_insert(index);
        let guests = self.guests.entry((place, cuadd)).or_default();
        let rival = guests
            .iter()
            .find(|guest| guest.unit != index && !(guest.partitions & partitions).is_empty())
            .and_then(|guest| units.get(guest.unit));
        if !partitions.is_empty() {
            guests.push(Guest { unit: index, partitions });
        }
        if matches!(place, Place::Channel(_)) && rival.is_none() {
            let mixed = self
                .kinds
                .entry(leg.index)
                .or_insert((is_channel_to_channel(&unit.definition.unit.value), index));
            let other =
                units.get(mixed.1).filter(|_| mixed.0 != is_channel_to_channel(&unit.definition.unit.value));
            if let Some(other) = other {
                let words = format!(
                    "control unit {:04X} on unswitched channel {:02X} and this one: FCTC stands alone",
                    other.definition.number.value, leg.path.chpid
                );
                let message = findings
                    .error(256, &leg.path.span, words)
                    .other(findings.label(&other.definition.number.span, "the other control unit"))
                    .fix("keep channel-to-channel control units on channels of their own");
                return Some(message);
            }
        }
        if let Some(other) = rival {
            return collision(place, cuadd, unit, other, leg, findings);
        }
        let other = other_form.and_then(|other| units.get(other))?;
        let words = format!(
            "control unit {:04X} at the same {} {} CUADD, this one {}",
            other.definition.number.value,
            place_name(place, leg),
            if cuadd.is_some() { "has no" } else { "has a" },
            if cuadd.is_some() { "has one" } else { "has none" },
        );
        let span = unit.definition.cuadd.as_ref().map_or(&leg.path.span, |cuadd| &cuadd.span);
        let message = findings
            .error(243, span, words)
            .other(findings.label(&other.definition.number.span, "the other control unit"))
            .fix("code CUADD on all of them or on none");
        Some(message)
    }
}

/// Returns the place where the control unit of `leg` can meet others. Parallel channels have none, because unit
/// addresses distinguish the control units there.
fn place_of(leg: &Leg<'_>) -> Option<Place> {
    leg.channel.kind?.cuadd_max?;
    match (&leg.channel.path.switch, leg.path.link) {
        // A link of one byte is a port of the entry switch.
        (Some(switch), Some(link)) => {
            let link = LinkAddress { switch: Some(link.switch.unwrap_or(switch.value)), port: link.port };
            Some(Place::Port(switch.value, link))
        }
        (Some(_), None) => None,
        (None, _) => Some(Place::Channel(leg.index)),
    }
}

fn place_name(place: Place, leg: &Leg<'_>) -> String {
    match place {
        Place::Port(..) => format!("link {}", shown(leg.path)),
        Place::Channel(_) => format!("channel {:02X}", leg.path.chpid),
    }
}

/// Reports two control units with one image at one place.
fn collision(
    place: Place,
    cuadd: Option<u8>,
    unit: &Unit,
    other: &Unit,
    leg: &Leg<'_>,
    findings: &Findings,
) -> Option<Diagnostic> {
    let ctc = |unit: &Unit| is_channel_to_channel(&unit.definition.unit.value);
    let (name, at) = (other.definition.number.value, place_name(place, leg));
    let span = unit.definition.cuadd.as_ref().map_or(&leg.path.span, |cuadd| &cuadd.span);
    let (number, words, fix) = match (place, cuadd) {
        // Many sources lead to one target image: FCTC control units are exempt.
        (Place::Port(..), Some(_)) if ctc(unit) || ctc(other) || leg.channel.kind?.name == "CTC" => {
            return None;
        }
        (Place::Port(..), Some(cuadd)) => {
            (244, format!("CUADD {cuadd:X} at {at} is already used by CU {name:04X}"), "use a free CUADD")
        }
        (Place::Port(..), None) => (
            246,
            format!("{at} is already taken by CU {name:04X}"),
            "use another link, or code CUADD on both",
        ),
        (Place::Channel(_), Some(cuadd)) => {
            (248, format!("CUADD {cuadd:X} on {at} is already used by CU {name:04X}"), "use a free CUADD")
        }
        (Place::Channel(_), None) => (
            225,
            format!("{at} is on no switch and already leads to CU {name:04X}"),
            "give each control unit a CUADD",
        ),
    };
    let message = findings
        .error(number, span, words)
        .other(findings.label(&other.definition.number.span, "the other control unit"))
        .fix(fix);
    Some(message)
}
