//! A771 to A776, A807: ends of channel-to-channel connections that do not fit together, and ends without an opposite one.
//!
//! IOCP accepts all of them, because each end may lead to another machine: none is an error of the deck.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_input::messages::deck::{
    CTC_CABLE, CTC_CHANNEL_TYPES, CTC_DEVICE_TWICE, CTC_IMAGE, CTC_MIXED, CTC_OTHER_CHANNEL, CTC_PAIR,
};

use crate::ctc::{Connections, End, Fault, Misfit, connections};
use crate::model::Deck;
use crate::model::unit::{is_channel_to_channel, is_ficon_to_ficon};

use super::notes::Notes;

/// Gives the warnings about ends, and A807 about those that none of them is about.
pub(super) fn advise(deck: &Deck, notes: &mut Notes) {
    let found = connections(&[deck], &[]);
    other_channels(deck, &found, notes);
    devices_of_two(deck, notes);
    same_addresses(&found, notes);
    for pair in found.pairs.iter().filter(|pair| pair.other_cable) {
        cable(&found.ends[pair.one], &found.ends[pair.other], notes);
    }
    // Devices alone do not prove that two ends belong together; where each leads to the other's image they nearly do.
    let is_likely = |misfit: &&Misfit| misfit.is_known || misfit.fault != Fault::Image;
    let misfits: Vec<&Misfit> = found.misfits.iter().filter(is_likely).collect();
    for misfit in &misfits {
        self::misfit(misfit, &found, notes);
    }
    let reported: BTreeSet<usize> = misfits.iter().flat_map(|misfit| [misfit.one, misfit.other]).collect();
    pairs(&found, &reported, notes);
}

/// Gives A773.
fn other_channels(deck: &Deck, found: &Connections, notes: &mut Notes) {
    let mut reported = BTreeSet::new();
    for end in &found.ends {
        let unit = &end.unit_type;
        if is_ficon_to_ficon(unit) != (end.channel_type == "FC") && reported.insert(end.unit) {
            let words = format!(
                "CNTLUNIT {:04X}: UNIT={unit} on channel {:02X}, which is TYPE={}",
                end.unit, end.chpid, end.channel_type
            );
            let fix = if is_ficon_to_ficon(unit) {
                "use a channel of TYPE=FC, or code UNIT=SCTC"
            } else {
                "use a channel of TYPE=CTC, CNC or FCV, or code UNIT=FCTC"
            };
            notes.advise(CTC_OTHER_CHANNEL, &end.span, words, fix);
            notes.warn();
            if let Some(channel) = deck.channel_paths.get(end.channel) {
                notes.also(&channel.channel_type.span, "the channel");
            }
        }
    }
}

/// Gives A775 for devices of two control units.
fn devices_of_two(deck: &Deck, notes: &mut Notes) {
    let is_end = |number: u16| {
        let mut units = deck.control_units.iter();
        units.any(|unit| unit.number.value == number && is_channel_to_channel(&unit.unit.value))
    };
    for device in deck.devices.iter().filter(|device| device.control_units.len() > 1) {
        let ends: Vec<_> = device.control_units.iter().filter(|named| is_end(named.value)).collect();
        if let [first, second, ..] = ends[..] {
            let words = format!(
                "IODEVICE {:04X}: control units {:04X} and {:04X} are ends of two connections, and a device is in one",
                device.number.value, first.value, second.value
            );
            notes.advise(CTC_DEVICE_TWICE, &second.span, words, "give each control unit devices of its own");
            notes.warn();
        }
    }
}

/// Gives A775 for control units of one partition that lead to one image at the same unit addresses. Their other ends do
/// so too, and are not reported.
fn same_addresses(found: &Connections, notes: &mut Notes) {
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, end) in found.ends.iter().enumerate().filter(|(_, end)| !end.devices.is_empty()) {
        places.entry((&end.image, end.channel, end.link, end.cuadd)).or_default().push(at);
    }
    let mates = found.pairs.iter().flat_map(|pair| [(pair.one, pair.other), (pair.other, pair.one)]);
    let mates: BTreeMap<usize, usize> = mates.collect();
    let mut others: BTreeSet<usize> = BTreeSet::new();
    let mut reported = BTreeSet::new();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for group in places.into_values() {
        for (place, &at) in group.iter().enumerate() {
            let shares = |earlier: &&usize| share_address(&found.ends[**earlier], &found.ends[at]);
            ends.extend(group[..place].iter().find(shares).map(|&rival| (at, rival)));
        }
    }
    ends.sort_unstable();
    for (at, rival) in ends {
        others.extend(mates.get(&at));
        let (end, rival) = (&found.ends[at], &found.ends[rival]);
        if others.contains(&at) || !reported.insert((rival.unit, end.unit)) {
            continue;
        }
        let words = format!(
            "CNTLUNIT {:04X}: control unit {:04X} leads from {} over channel {:02X} to image {} as well, at unit \
             addresses {}, so that devices of both are one",
            end.unit,
            rival.unit,
            end.image,
            end.chpid,
            end.target(),
            rival.unit_addresses()
        );
        notes.advise(CTC_DEVICE_TWICE, &end.span, words, "give them different unit addresses at both ends");
        notes.warn();
        notes.also(&rival.span, "the other control unit");
    }
}

/// Returns true when a device of each has the same unit address.
fn share_address(one: &End, other: &End) -> bool {
    let addresses = |end: &End| -> BTreeSet<u8> {
        end.devices.iter().flat_map(|run| run.devices()).map(|(_, address)| address).collect()
    };
    !addresses(one).is_disjoint(&addresses(other))
}

/// Gives A776.
fn cable(one: &End, other: &End, notes: &mut Notes) {
    let words = format!(
        "CNTLUNIT {:04X}: by its devices its other end is {:04X} on channel {:02X}, but other control units join channel \
         {:02X} to another channel, and a cable has two ends",
        one.unit, other.unit, other.chpid, one.chpid
    );
    notes.advise(
        CTC_CABLE,
        &one.span,
        words,
        "move one of the two to the channel at the other end of the cable",
    );
    notes.warn();
    notes.also(&other.span, "the other end");
}

/// Gives A771, A772, A774.
fn misfit(misfit: &Misfit, found: &Connections, notes: &mut Notes) {
    let (one, other) = (&found.ends[misfit.one], &found.ends[misfit.other]);
    let basis = if misfit.is_known { "" } else { ", which has the same devices and leads here" };
    let (number, words, fix) = match misfit.fault {
        Fault::Image => {
            let image = other.image.cuadd(other.spanned);
            let words = format!(
                "CUADD={} leads to another image than {}, which is image {image:02X} there and leads here",
                one.target(),
                other.image
            );
            (CTC_IMAGE, words, format!("code CUADD={image:02X}"))
        }
        Fault::ChannelTypes => {
            let words = format!(
                "channel {:02X} is TYPE={}, and channel {:02X} of the other end {:04X}{basis} is TYPE={}",
                one.chpid, one.channel_type, other.chpid, other.unit, other.channel_type
            );
            (CTC_CHANNEL_TYPES, words, "make one of the channels TYPE=CTC and the other TYPE=CNC".to_owned())
        }
        Fault::Mixed => {
            let words = format!(
                "channel {:02X} is TYPE={}, and channel {:02X} of the other end {:04X}{basis} is TYPE={}: FICON and ESCON do \
                 not meet",
                one.chpid, one.channel_type, other.chpid, other.unit, other.channel_type
            );
            (CTC_MIXED, words, "use channels of one kind at both ends".to_owned())
        }
    };
    notes.advise(number, &one.span, format!("CNTLUNIT {:04X}: {words}", one.unit), &fix);
    notes.warn();
    notes.also(&other.span, "the other end");
}

/// Gives A807, but for the ends that are reported. Within one deck that is only a case without another meaning, because
/// ends may lead to another machine.
fn pairs(found: &Connections, elsewhere: &BTreeSet<usize>, notes: &mut Notes) {
    let mut reported = BTreeSet::new();
    for pair in &found.pairs {
        let (one, other) = (&found.ends[pair.one], &found.ends[pair.other]);
        if !pair.same_unit_addresses && reported.insert((one.unit, other.unit)) {
            let words = format!(
                "CNTLUNIT {:04X}: unit addresses {} and those of its other end {:04X}, {}, differ",
                one.unit,
                one.unit_addresses(),
                other.unit,
                other.unit_addresses()
            );
            notes.advise(CTC_PAIR, &one.span, words, "give both ends the same UNITADD");
            notes.also(&other.span, "the other end");
        }
    }
    for &at in found.missing.iter().filter(|at| !elsewhere.contains(at)) {
        let end = &found.ends[at];
        if reported.insert((end.unit, end.unit)) {
            let words = format!(
                "CNTLUNIT {:04X}: no control unit points back from image {} to {}",
                end.unit,
                end.target(),
                end.image
            );
            let fix = "define the other end; `halftrack deck ctc --make` writes it";
            notes.advise(CTC_PAIR, &end.span, words, fix);
        }
    }
}
