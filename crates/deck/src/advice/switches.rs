//! A803, A804, A814: directors, their control ports, and links that lead elsewhere than they seem.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halftrack_input::messages::deck::{LINK_ELSEWHERE, NO_CONTROL_PORT, TWO_FORMS};

use super::control_units::{Site, is_director};
use super::notes::Notes;
use crate::model::Path;

/// Ports, control units and channels of one director, as far as the deck has them.
#[derive(Default)]
struct Director {
    /// Where it is first named.
    named: Range<usize>,
    /// A control unit leads to its control port.
    has_control_port: bool,
    /// Ports by one-byte and by two-byte links of its own address, with the first place of each.
    one_byte: BTreeMap<u8, Range<usize>>,
    two_byte: BTreeMap<u8, Range<usize>>,
    /// Two-byte links to other addresses, with their first places.
    elsewhere: BTreeMap<u8, Range<usize>>,
}

pub(super) fn advise(site: &Site<'_>, notes: &mut Notes) {
    let mut directors: BTreeMap<u8, Director> = BTreeMap::new();
    for switch in site.deck.channel_paths.iter().filter_map(|path| path.switch.as_ref()) {
        let named = Director { named: switch.span.clone(), ..Director::default() };
        directors.entry(switch.value).or_insert(named);
    }
    let mut controlled = BTreeSet::new();
    for unit in &site.deck.control_units {
        for path in &unit.paths {
            let switch = site.channel(path).and_then(|channel| channel.switch.as_ref());
            let Some((switch, director)) =
                switch.and_then(|switch| Some((switch.value, directors.get_mut(&switch.value)?)))
            else {
                continue;
            };
            let address = path.link.and_then(|link| link.switch);
            if is_director(&unit.unit.value) {
                // Over an inter-switch link the control port of another director is reached.
                director.has_control_port |= address.is_none_or(|address| address == switch);
                controlled.extend(address);
            }
            note_link(director, switch, path);
        }
    }
    control_ports(&directors, &controlled, notes);
    elsewhere(&directors, &controlled, notes);
    two_forms(&directors, notes);
}

fn note_link(director: &mut Director, switch: u8, path: &Path) {
    let Some(link) = path.link else { return };
    let (ports, key) = match link.switch {
        None => (&mut director.one_byte, link.port),
        Some(address) if address == switch => (&mut director.two_byte, link.port),
        Some(address) => (&mut director.elsewhere, address),
    };
    ports.entry(key).or_insert_with(|| path.span.clone());
}

/// Gives A804.
fn control_ports(directors: &BTreeMap<u8, Director>, controlled: &BTreeSet<u8>, notes: &mut Notes) {
    let without: Vec<(&u8, &Director)> = directors
        .iter()
        .filter(|(switch, director)| !director.has_control_port && !controlled.contains(switch))
        .collect();
    let Some((_, first)) = without.first() else { return };
    let names: Vec<String> = without.iter().map(|(switch, _)| format!("{switch:02X}")).collect();
    let noun = if names.len() == 1 { "director" } else { "directors" };
    let words = format!("no control port device (UNIT=2032) for {noun} {}", names.join(", "));
    let fix = "define CNTLUNIT UNIT=2032 with LINK=FE, so that the system sees ports and their errors";
    notes.advise(NO_CONTROL_PORT, &first.named, words, fix);
}

/// Gives A803, unless switch numbers are not used as switch addresses at all.
fn elsewhere(directors: &BTreeMap<u8, Director>, controlled: &BTreeSet<u8>, notes: &mut Notes) {
    for (switch, director) in directors {
        for (address, span) in &director.elsewhere {
            let is_known = directors.contains_key(address) || controlled.contains(address);
            if director.two_byte.is_empty() || is_known {
                continue;
            }
            let words = format!(
                "the link leaves director {switch:02X} for switch {address:02X}, which no SWITCH and no control port names"
            );
            let fix = "check the first two digits of the link; if they are right an inter-switch link must lead there";
            notes.advise(LINK_ELSEWHERE, span, words, fix);
        }
    }
}

/// Gives A814.
fn two_forms(directors: &BTreeMap<u8, Director>, notes: &mut Notes) {
    for (switch, director) in directors {
        let both = director
            .two_byte
            .iter()
            .find_map(|(port, span)| Some((port, span, director.one_byte.get(port)?)));
        let Some((port, span, other)) = both else { continue };
        let words = format!(
            "link {switch:02X}{port:02X} and, on channels of director {switch:02X}, link {port:02X} are one port"
        );
        notes.advise(TWO_FORMS, span, words, "code the links of one director in one form");
        notes.also(other, "the link of one byte");
    }
}
