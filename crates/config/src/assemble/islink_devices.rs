//! The channel-to-channel devices that decks define between two systems, and the messages where a link finds none that fit.

use std::collections::BTreeMap;

use halftrack_deck::ctc::{Connections, End, Fault};
use halftrack_deck::model::{Deck, DeviceRange as Devices};
use halftrack_input::messages::study as numbers;

use crate::assemble::channels::{ESCON, ESCON_FUNCTION, FICON};
use crate::assemble::islinks::Sources;
use crate::cpc::{Lpar, Subsystem};
use crate::workload_file;

/// Unit types of channel-to-channel devices: of FICON and of ESCON (IOCP, UNIT=).
const FCTC: &str = "FCTC";
const SCTC: &str = "SCTC";

/// Kind of the channels of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// FICON, at both ends.
    Ficon,
    /// ESCON, of which one has the control-unit function.
    Escon,
}

/// A device that leads from the first system of a link to the second.
pub(super) struct Candidate {
    /// Its numbers at both ends.
    pub numbers: [u16; 2],
    /// Its channels at both ends.
    pub channels: [u32; 2],
    /// Kind of the channels.
    pub kind: Kind,
    /// End at whose channel the adapter's function is.
    pub function_end: u8,
}

/// Returns the kind of a device between these ends and the end of the function; `None` where they do not fit.
fn kind_of(ends: &[&End; 2]) -> Option<(Kind, u8)> {
    match ends.map(|end| (end.unit_type.as_str(), end.channel_type.as_str())) {
        [(FCTC, FICON), (FCTC, FICON)] => Some((Kind::Ficon, 0)),
        [(SCTC, ESCON_FUNCTION), (SCTC, ESCON)] => Some((Kind::Escon, 0)),
        [(SCTC, ESCON), (SCTC, ESCON_FUNCTION)] => Some((Kind::Escon, 1)),
        _ => None,
    }
}

/// Returns the devices that lead from one partition to the other, by their numbers at the first.
pub(super) fn candidates(
    sources: &Sources<'_, '_>,
    decks: &[&Deck],
    found: &Connections,
    lpars: [u32; 2],
) -> Vec<Candidate> {
    let images = lpars.map(|lpar| &sources.lpars[lpar as usize]);
    let mut all = Vec::new();
    for pair in &found.pairs {
        let Some(ends) = between(images, [&found.ends[pair.one], &found.ends[pair.other]]) else { continue };
        let Some((kind, function_end)) = kind_of(&ends) else { continue };
        let channels = ends.map(|end| {
            let subsystem = Subsystem { cpc: end.image.deck as u8, css: end.image.css };
            sources.channels.of_any_type(subsystem, end.chpid)
        });
        let [Some(first), Some(second)] = channels else { continue };
        let [mine, its] = ends.map(|end| devices_of(decks[end.image.deck], end));
        let both = mine.iter().filter_map(|(address, number)| Some([*number, *its.get(address)?]));
        all.extend(both.map(|numbers| Candidate { numbers, channels: [first, second], kind, function_end }));
    }
    all.sort_by_key(|candidate| (candidate.numbers, candidate.channels));
    all
}

/// Returns two ends in the order of the partitions whose they are; `None` where they are others'.
fn between<'e>(lpars: [&Lpar; 2], [one, other]: [&'e End; 2]) -> Option<[&'e End; 2]> {
    let is_of = |end: &End, lpar: &Lpar| {
        let image = &end.image;
        (image.deck, image.css, image.mif) == (usize::from(lpar.cpc), lpar.css, lpar.mif)
    };
    match lpars {
        [first, second] if is_of(one, first) && is_of(other, second) => Some([one, other]),
        [first, second] if is_of(one, second) && is_of(other, first) => Some([other, one]),
        _ => None,
    }
}

/// Returns the device numbers of an end, by unit address.
fn devices_of(deck: &Deck, end: &End) -> BTreeMap<u8, u16> {
    let image = (end.image.css, end.image.name.clone());
    let is_mine = |range: &&Devices| {
        range.control_units.iter().any(|unit| unit.value == end.unit)
            && (range.candidates.is_empty() || range.candidates.contains(&image))
    };
    let ranges = deck.devices.iter().filter(is_mine);
    let each = ranges.flat_map(|range| {
        (0..range.count).map(|nth| (range.unit_address.wrapping_add(nth as u8), range.number.value + nth))
    });
    each.collect()
}

/// Reports that no device leads to the other end of a link, or none of a range of it.
pub(super) fn check_named(
    sources: &Sources<'_, '_>,
    wanted: &workload_file::IsLink,
    lpars: [u32; 2],
    (found, candidates): (&Connections, &[Candidate]),
) {
    let inputs = sources.inputs;
    let [first, second] = &wanted.systems;
    if candidates.is_empty() {
        if !report_channels(sources, wanted, lpars, found) {
            let message = format!(
                "no device with UNIT=FCTC or UNIT=SCTC leads from {} to {}",
                first.value, second.value
            );
            let error = inputs.in_workload(numbers::NO_ISLINK_PAIR, &wanted.name.span, message);
            inputs.report(
                error.fix("each end needs a CNTLUNIT whose CUADD is the other image, on channels that meet"),
            );
        }
        return;
    }
    let machine = inputs.of(sources.lpars[lpars[0] as usize].cpc);
    for range in &wanted.devices {
        if candidates.iter().any(|one| range.value.contains(0, one.numbers[0])) {
            continue;
        }
        let defined = machine.deck.devices.iter().find(|devices| {
            let last = devices.number.value.saturating_add(devices.count.saturating_sub(1));
            devices.number.value <= range.value.last && range.value.first <= last
        });
        let (number, message) = match defined {
            Some(other) if ![FCTC, SCTC].contains(&other.unit.value.as_str()) => (
                numbers::NOT_CHANNEL_TO_CHANNEL,
                format!("device {} has UNIT={}", range.value, other.unit.value),
            ),
            Some(_) => (
                numbers::NO_ISLINK_PAIR,
                format!("device {} of {} does not lead to {}", range.value, first.value, second.value),
            ),
            None => (numbers::NOT_CHANNEL_TO_CHANNEL, format!("no IODEVICE has device {}", range.value)),
        };
        let mut error = inputs.in_workload(number, &range.span, message);
        error.others.extend(defined.map(|devices| machine.deck_label(&devices.span, "defined here")));
        inputs.report(error.fix("name devices with UNIT=FCTC or UNIT=SCTC that lead to the other system"));
    }
}

/// Reports the first two ends of the systems whose channels cannot work together, or are not for their unit types. Returns true when there are such.
fn report_channels(
    sources: &Sources<'_, '_>,
    wanted: &workload_file::IsLink,
    lpars: [u32; 2],
    found: &Connections,
) -> bool {
    let images = lpars.map(|lpar| &sources.lpars[lpar as usize]);
    let ends_of = |one: usize, other: usize| between(images, [&found.ends[one], &found.ends[other]]);
    let misfits = found.misfits.iter().filter(|misfit| misfit.fault != Fault::Image);
    let places = misfits.map(|misfit| (misfit.one, misfit.other));
    let pairs = found.pairs.iter().map(|pair| (pair.one, pair.other));
    let Some([one, other]) = places
        .chain(pairs)
        .find_map(|(one, other)| ends_of(one, other).filter(|ends| kind_of(ends).is_none()))
    else {
        return false;
    };
    let words = |end: &End| {
        format!(
            "CNTLUNIT {:04X} of {} is UNIT={} on channel {:02X}, which is TYPE={}",
            end.unit, end.image.name, end.unit_type, end.chpid, end.channel_type
        )
    };
    let message = format!("{}, and {}", words(one), words(other));
    let inputs = sources.inputs;
    let mut error = inputs.in_workload(numbers::ISLINK_CHANNELS, &wanted.name.span, message);
    for end in [one, other] {
        error.others.push(inputs.of(end.image.deck as u8).deck_label(&end.span, "one of both ends"));
    }
    let fix =
        "give an FCTC channels of TYPE=FC at both ends, and an SCTC one of TYPE=CTC and one of TYPE=CNC";
    inputs.report(error.fix(fix));
    true
}

/// Reports a link some of whose devices are of FICON and some of ESCON.
pub(super) fn check_kinds(sources: &Sources<'_, '_>, wanted: &workload_file::IsLink, devices: &[Candidate]) {
    let first = |kind: Kind| devices.iter().find(|device| device.kind == kind);
    if let (Some(ficon), Some(escon)) = (first(Kind::Ficon), first(Kind::Escon)) {
        let message = format!(
            "islink {} has device {:04X} with UNIT=FCTC and device {:04X} with UNIT=SCTC",
            wanted.name.value, ficon.numbers[0], escon.numbers[0]
        );
        let error = sources.inputs.in_workload(numbers::MIXED_ISLINK, &wanted.name.span, message);
        sources.inputs.report(error.fix("name the devices of one unit type by `devices`"));
    }
}
