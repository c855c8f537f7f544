//! Bridge ports of ESCON directors: for FICON channels of type FCV, and for nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halftrack_catalog as catalog;
use halftrack_deck::model::ChannelPath;
use halftrack_input::Severity;
use halftrack_input::messages::study as numbers;

use crate::assemble::channels::{BRIDGED, Channels, plug_of};
use crate::assemble::fabric::{End, Fibre};
use crate::assemble::inputs::Inputs;
use crate::logical_control_unit::Lcu;
use crate::place::{DirectorPort, Place};

/// Returns the bridge card that `port` of the plant's directors is on.
pub fn at<'a>(inputs: &Inputs<'a>, port: DirectorPort) -> Option<&'a catalog::Bridge> {
    let director = inputs.plant.directors.iter().find(|one| one.id.value == port.director)?;
    let kind = inputs.catalog.directors.get(&director.kind.value)?;
    kind.bridge.as_ref().filter(|_| director.is_bridge(port.port))
}

/// Returns the bridge that the `fibre` of the channel at `channel` leads to.
pub fn of_channel<'a>(inputs: &Inputs<'a>, fibre: &Fibre, channel: &End) -> Option<&'a catalog::Bridge> {
    match fibre.other(channel) {
        End::Director(port) => at(inputs, *port),
        End::Channel(_) | End::Adapter(_) => None,
    }
}

/// Reports bridges that are none and cables that do not suit one. Returns the ends of those, about which nothing more
/// is reported.
pub fn check(inputs: &Inputs<'_>) -> BTreeSet<End> {
    check_cards(inputs);
    let mut broken = BTreeSet::new();
    for machine in inputs.each() {
        check_cables(&machine, &mut broken);
    }
    let isls = inputs.plant.isls.iter().flat_map(|isl| [&isl.from, &isl.to]);
    let adapters = inputs.plant.control_units.iter().flat_map(|unit| &unit.ports);
    for to in isls.chain(adapters.filter_map(|port| port.to.as_ref())) {
        if at(inputs, to.value).is_some() && !not_for_bridge(inputs, "what is cabled here", &to.span) {
            broken.insert(End::Director(to.value));
        }
    }
    broken
}

/// Reports the bridges and cables of one machine.
fn check_cables(inputs: &Inputs<'_>, broken: &mut BTreeSet<End>) {
    let channels = &inputs.deck.channel_paths;
    let types: BTreeMap<_, _> =
        channels.iter().filter_map(|path| Some((plug_of(inputs, path)?.value, path))).collect();
    for cable in inputs.plant.cables.iter().filter(|cable| cable.cpc == inputs.cpc.name) {
        let plug = cable.plug();
        let Some(channel) = types.get(&plug) else { continue };
        let bridged = matches!(&cable.to.value, Place::Director(port) if at(inputs, *port).is_some());
        let fits = match channel.channel_type.value == BRIDGED {
            true => bridged || no_bridge(inputs, channel, &cable.to.value, &cable.to.span),
            false => !bridged || not_for_bridge(inputs, &plug.name(), &cable.to.span),
        };
        if !fits {
            broken.extend([End::Channel(plug), End::from(cable.to.value.clone())]);
        }
    }
}

/// Reports ports that are to be a bridge in a director without such a card.
fn check_cards(inputs: &Inputs<'_>) {
    for director in &inputs.plant.directors {
        let Some(kind) = inputs.catalog.directors.get(&director.kind.value) else { continue };
        for port in director.ports.iter().filter(|port| port.is_bridge && kind.bridge.is_none()) {
            let message = format!(
                "port {:02X} cannot be a bridge: a {} has no bridge card",
                port.id.value, director.kind.value
            );
            let error = inputs.in_plant(numbers::NO_BRIDGE, &port.id.span, message);
            let kind = inputs.plant.label(&director.kind.span, "the director's type");
            inputs.report(error.other(kind).fix(format!("drop `bridge`, or take {}", with_bridge(inputs))));
        }
    }
}

/// Reports a channel to a bridge whose cable leads to none.
fn no_bridge(inputs: &Inputs<'_>, channel: &ChannelPath, to: &Place, span: &Range<usize>) -> bool {
    let chpid = channel.chpid.value;
    let fix = match to {
        Place::Director(port) => format!(
            "add `[[director.port]]` with `id = \"{:02X}\"` and `bridge = true` to the director, which must be {}; or write TYPE=FC",
            port.port,
            with_bridge(inputs)
        ),
        Place::ControlUnit(_) | Place::Channel(_) => {
            "cable it to a bridge port of an ESCON director, or write TYPE=FC".to_owned()
        }
    };
    let message = format!("CHPID {chpid:02X} is FICON to a bridge (FCV), but there is none at {to}");
    let error = inputs.in_plant(numbers::NO_BRIDGE, span, message);
    inputs.report(error.other(inputs.deck_label(&channel.channel_type.span, "its type")).fix(fix));
    false
}

/// Returns the directors of the catalog that have a bridge card.
fn with_bridge(inputs: &Inputs<'_>) -> String {
    let directors = &inputs.catalog.directors;
    let has = |id: &&str| directors.get(id).is_some_and(|kind| kind.bridge.is_some());
    directors.ids().filter(has).collect::<Vec<_>>().join(" or ")
}

/// Reports something else at a bridge port.
fn not_for_bridge(inputs: &Inputs<'_>, what: &str, span: &Range<usize>) -> bool {
    let message =
        format!("{what} cannot use a bridge port: behind it is ESCON, and before it a channel of type FCV");
    let fix = "write TYPE=FCV for a FICON channel to ESCON control units, or take a port that is no bridge";
    inputs.report(inputs.in_plant(numbers::NOT_FOR_BRIDGE, span, message).fix(fix));
    false
}

/// Warns of channels whose share of the ESCON ports behind their bridge exceeds the I/Os that are active there. An
/// ESCON port runs one program at a time, so that some of them always idle. A port is shared by all channels to it.
pub fn check_load(inputs: &Inputs<'_>, channels: &Channels<'_>, lcus: &[Lcu]) {
    let paths = lcus.iter().flat_map(|lcu| &lcu.path_groups).flat_map(|group| &group.paths);
    let mut ports_of = BTreeMap::<u32, BTreeSet<u32>>::new();
    let mut channels_to = BTreeMap::<u32, BTreeSet<u32>>::new();
    for path in paths {
        ports_of.entry(path.channel).or_default().insert(path.port);
        channels_to.entry(path.port).or_default().insert(path.channel);
    }
    for (index, ports) in ports_of {
        let channel = channels.channel(index);
        let active = channel.hardware.open_exchanges;
        let share: f64 = ports.iter().map(|port| 1.0 / channels_to[port].len() as f64).sum();
        // Sums of thirds and sevenths are not exact.
        const SLACK: f64 = 1e-9;
        if channel.hardware.bridge.is_none() || share <= f64::from(active) + SLACK {
            continue;
        }
        let plug = channels.plug(index);
        let mut cables = inputs.plant.cables.iter();
        let Some(cable) = cables.find(|cable| cable.plug() == plug) else {
            continue;
        };
        let message = format!(
            "{} ESCON ports are behind the bridge of channel {}, which keeps at most {active} of them busy",
            ports.len(),
            channel.name
        );
        let warning = inputs.in_plant(numbers::BRIDGE_OVERLOADED, &cable.to.span, message);
        let fix = "lead more FCV channels to these ports, or fewer ports to the bridge; what is reported here is what such a plant would give";
        inputs.report(warning.severity(Severity::Warning).fix(fix));
    }
}
