//! How far channels are from their control units, against how far their signal goes.

use std::collections::BTreeSet;

use halftrack_catalog::{ExcessLength, Reach};
use halftrack_input::Severity;
use halftrack_input::messages::study as numbers;

use crate::assemble::bridges;
use crate::assemble::fabric::{End, Fabric, Fibre};
use crate::assemble::inputs::Inputs;
use crate::assemble::links::Direction;
use crate::channel_plug::ChannelPlug;
use crate::plant::Card;

/// Reports the fibres of a way from `channel` along `hops` that is too long, each fibre once.
pub fn check(
    inputs: &Inputs<'_>,
    fabric: &Fabric<'_>,
    channel: ChannelPlug,
    hops: &[Direction],
    reported: &mut BTreeSet<usize>,
) {
    let Some((card, kind)) = fabric.card(channel) else { return };
    // Behind a bridge the signal is another.
    let first = hops.first().map(|(first, _)| fabric.fibre(*first));
    let bridge = first.and_then(|first| bridges::of_channel(inputs, first, &End::Channel(channel)));
    let (before, behind) = hops.split_at(if bridge.is_some() { 1 } else { hops.len() });
    let own = Signal { from: channel.name(), what: &card.kind.value, card };
    let escon = Signal { from: format!("the bridge of {}", channel.name()), what: "ESCON", card };
    let legs = [
        (own, kind.attachment.reach.as_ref(), before),
        (escon, bridge.and_then(|bridge| bridge.reach.as_ref()), behind),
    ];
    for (signal, reach, hops) in legs {
        let Some((reach, fault)) = reach.and_then(|reach| Some((reach, fault(fabric, reach, hops)?))) else {
            continue;
        };
        // The fibres of a bus are one cable, which begins where the first does.
        let cable = fabric.at(&fabric.fibre(fault.fibre).ends[0]);
        if cable.is_some_and(|cable| reported.insert(cable)) {
            report(inputs, fabric, &signal, reach, &fault);
        }
    }
}

/// A signal with limited reach: its origin, its description in words, the card of its port.
struct Signal<'a> {
    from: String,
    what: &'a str,
    card: &'a Card,
}

fn report(inputs: &Inputs<'_>, fabric: &Fabric<'_>, signal: &Signal<'_>, reach: &Reach, fault: &Fault) {
    let (number, severity, words) = match reach.beyond {
        ExcessLength::Impossible => (numbers::TOO_FAR, Severity::Error, "goes no further than"),
        ExcessLength::Unsupported => (numbers::BEYOND_REACH, Severity::Warning, "is not supported beyond"),
    };
    let message = format!(
        "{} is {} km from its control unit{}: {} {words} {} km",
        signal.from,
        to_centimetre(fault.km),
        if fault.direct { " over a fibre without repeaters" } else { "" },
        signal.what,
        to_centimetre(fault.limit_km),
    );
    let fix = match (fault.direct, reach.beyond) {
        (true, _) => "add `repeaters` to the fibre, or shorten it",
        (false, ExcessLength::Impossible) => "shorten the fibres",
        (false, ExcessLength::Unsupported) => {
            "shorten the fibres; what is reported here is what such a distance would give"
        }
    };
    let found = inputs.in_plant(number, &fabric.fibre(fault.fibre).span, message);
    inputs.report(
        found.severity(severity).other(inputs.plant.label(&signal.card.kind.span, "its card")).fix(fix),
    );
}

/// Returns `km` rounded to the centimetre: sums of lengths in decimals are not exact, and 400 feet are 121.92 m.
fn to_centimetre(km: f64) -> f64 {
    (km * 1e5).round() / 1e5
}

/// Factor by which the patch cables at its ends may exceed a supported distance: 100 km between two sites are 100.2
/// from a channel to a control unit.
const PATCH_CABLES: f64 = 1.005;

/// A way that is too long: its longest fibre, or a fibre that is too long by itself.
struct Fault {
    fibre: usize,
    km: f64,
    limit_km: f64,
    direct: bool,
}

fn fault(fabric: &Fabric<'_>, reach: &Reach, hops: &[Direction]) -> Option<Fault> {
    let fibres = || hops.iter().map(|(index, _)| (*index, fabric.fibre(*index)));
    let (fibre, longest) = fibres().max_by(|(_, a), (_, b)| a.km.total_cmp(&b.km))?;
    let km: f64 = fibres().map(|(_, fibre)| fibre.km).sum();
    let most_km = match reach.beyond {
        ExcessLength::Impossible => reach.km.value,
        ExcessLength::Unsupported => reach.km.value * PATCH_CABLES,
    };
    if to_centimetre(km) > most_km {
        return Some(Fault { fibre, km, limit_km: reach.km.value, direct: false });
    }
    let limit_km = reach.direct_km.as_ref()?.value;
    let unaided = |fibre: &Fibre| fibre.repeaters == 0 && fibre.km > limit_km;
    let (fibre, found) =
        if unaided(longest) { (fibre, longest) } else { fibres().find(|(_, one)| unaided(one))? };
    Some(Fault { fibre, km: found.km, limit_km, direct: true })
}
