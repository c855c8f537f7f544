//! A805, A815: numbers that break the pattern of their neighbours.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_input::messages::deck::{NUMBERING, OSAD_ADDRESS};

use super::control_units::{Site, is_disk};
use super::notes::Notes;
use crate::model::{ControlUnit, LinkAddress};

/// Unit address of the OSAD device.
const OSAD: u8 = 0xFE;
/// Of so many control units numbered in one way one is unlike.
const PATTERN: usize = 4;
/// So many control units make a row.
const ROW: usize = 3;

pub(super) fn advise(site: &Site<'_>, notes: &mut Notes) {
    gaps(site, notes);
    unlike(site, notes);
    for device in site.deck.devices.iter().filter(|device| device.unit.value == "OSAD") {
        if device.unit_address != OSAD || device.count != 1 {
            let words = format!(
                "IODEVICE {:04X}: an OSAD device answers at unit address FE only, not at {:02X}",
                device.number.value, device.unit_address
            );
            notes.advise(OSAD_ADDRESS, &device.number.span, words, "code ADDRESS=nnnn,UNITADD=FE");
        }
    }
}

/// Where a box is plugged: directors of the channels, and links.
type Ports = BTreeSet<(Option<u8>, LinkAddress)>;

/// Advises on CUADDs that are missing between those of one box, that is of control units at the same ports.
fn gaps(site: &Site<'_>, notes: &mut Notes) {
    let mut images: BTreeMap<Ports, Vec<(u8, &ControlUnit)>> = BTreeMap::new();
    for unit in site.boxes() {
        let ports: Option<Ports> = unit
            .paths
            .iter()
            .map(|path| {
                let switch = site.channel(path)?.switch.as_ref().map(|switch| switch.value);
                Some((switch, path.link?))
            })
            .collect();
        if let (Some(ports), Some(cuadd)) = (ports, &unit.cuadd) {
            images.entry(ports).or_default().push((cuadd.value, unit));
        }
    }
    for mut box_images in images.into_values() {
        box_images.sort_by_key(|(cuadd, _)| *cuadd);
        // One of a row is forgotten; where several are missing the box is divided in another way.
        let gaps: Vec<&[(u8, &ControlUnit)]> =
            box_images.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 1).collect();
        if let ([pair], true) = (gaps.as_slice(), box_images.len() >= ROW)
            && let [(low, _), (high, unit)] = **pair
            && high - low == 2
        {
            let words = format!(
                "between CUADD {low:02X} and {high:02X} at the same ports {:02X} is missing",
                low + 1
            );
            let fix = "define the control unit between them, or let the CUADDs follow each other";
            notes.together(NUMBERING, &[unit], &words, fix);
        }
    }
}

/// Advises on disk control units whose number is not that of their devices where that of nearly all others is.
fn unlike(site: &Site<'_>, notes: &mut Notes) {
    let first_device = |unit: &ControlUnit| {
        site.devices(unit).iter().filter(|device| is_disk(device)).map(|device| device.number.value).min()
    };
    let numbered: Vec<(&ControlUnit, u16)> =
        site.boxes().filter_map(|unit| Some((unit, first_device(unit)?))).collect();
    let is_like = |unit: &ControlUnit, device: u16| unit.number.value >> 8 == device >> 8;
    let others: Vec<&(&ControlUnit, u16)> =
        numbered.iter().filter(|(unit, device)| !is_like(unit, *device)).collect();
    if others.is_empty() || numbered.len() < others.len() * PATTERN {
        return;
    }
    for (unit, device) in others {
        let words =
            format!("its devices begin at {device:04X}; other control units have the number of theirs");
        notes.together(
            NUMBERING,
            &[*unit],
            &words,
            "number it after its devices, or check CUNUMBR of IODEVICE",
        );
    }
}
