//! Buses of parallel channels: one cable of bus and tags from the channel to a control unit, and on to the next.
//! Nothing switches it; a control unit is distinguished by its unit addresses.

use halftrack_catalog::CircuitInterface;
use halftrack_deck::model::ControlUnit;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Located};

use crate::assemble::fabric::{End, Fabric};
use crate::assemble::inputs::Inputs;
use crate::assemble::ports::Ports;
use crate::assemble::routes::Fault;
use crate::plant::Cable;
use crate::unit_range::UnitRange;

/// The interface of channels and control units on a bus.
const PARALLEL: Option<CircuitInterface> = Some(CircuitInterface::Parallel);

/// Reports a cable between two ends of which one is of the parallel interface and the other is not.
pub fn report_other_interface(
    inputs: &Inputs<'_>,
    from: &Located<End>,
    to: &Located<End>,
    from_is_parallel: bool,
) {
    let (bus, other) = if from_is_parallel { (from, to) } else { (to, from) };
    let (message, fix) = match &other.value {
        End::Director(_) => (
            format!("{} is of the parallel interface, which no director switches", bus.value),
            "cable channel and control units to each other, 122 m apart at most",
        ),
        _ => (
            format!("{} is of the parallel interface, {} is not", bus.value, other.value),
            "cable it to a port of the same interface, or change the `type` of one of them",
        ),
    };
    let error = inputs.in_plant(numbers::OTHER_INTERFACE, &to.span, message);
    inputs.report(error.other(inputs.plant.label(&from.span, "its other end")).fix(fix));
}

/// Returns true when `cable` may have as many ends as it has; several at a channel that is not parallel are reported.
pub fn may_be_shared(inputs: &Inputs<'_>, fabric: &Fabric<'_>, cable: &Cable) -> bool {
    let (Some(second), Some((card, kind))) = (cable.more.first(), fabric.card(cable.plug())) else {
        return true;
    };
    if kind.circuit().map(|circuit| circuit.interface) == PARALLEL {
        return true;
    }
    let message = format!("the fibre of {} has one other end", cable.plug().name());
    let error = inputs
        .in_plant(numbers::NOT_A_BUS, &second.span, message)
        .other(inputs.plant.label(&card.kind.span, "its card"));
    inputs.report(error.fix("only the bus of a parallel channel leads to several control units"));
    false
}

/// Reports unit addresses of ports that are on no bus: all others are distinguished by their link addresses and images.
pub fn check_unit_addresses(inputs: &Inputs<'_>, ports: &Ports<'_>) {
    for control_unit in &inputs.plant.control_units {
        for port in &control_unit.ports {
            let Some(kind) = ports.kind(&port.address(control_unit)) else { continue };
            let interface = kind.circuit.as_ref().map(|circuit| circuit.interface);
            if let Some(said) = port.unit_addresses.as_ref().filter(|_| interface != PARALLEL) {
                let message = format!("a port of {} is on no bus", control_unit.kind.value);
                let error = inputs
                    .in_plant(numbers::NOT_A_BUS, &said.span, message)
                    .other(inputs.plant.label(&control_unit.kind.span, "its type"));
                inputs.report(error.fix("remove `unit_addresses`: only ports for bus and tags have them"));
            }
        }
    }
}

/// Returns the fibre from `channel` to `control_unit`; `None` when something about it has been reported. That is its
/// only fibre, or the one of a bus to the port that answers to the unit addresses.
pub fn fibre_to(
    inputs: &Inputs<'_>,
    fabric: &Fabric<'_>,
    channel: &End,
    control_unit: &ControlUnit,
    here: impl Fn(u16, String) -> Diagnostic,
    who: &str,
) -> Result<Option<usize>, Fault> {
    let all: Vec<usize> = fabric.cables_of(channel).collect();
    if all.is_empty() {
        return Ok(None);
    }
    let mut answering = all.iter().copied().filter(|index| {
        let own = answers(inputs, fabric.fibre(*index).other(channel));
        // A control unit alone on its bus needs no unit addresses.
        own.map_or(all.len() == 1, |own| is_within(control_unit, own))
    });
    let (found, other) = (answering.next(), answering.next());
    if other.is_none() && found.is_some() {
        return Ok(found);
    }
    let ports: Vec<_> = all.iter().map(|index| fabric.fibre(*index).other(channel).to_string()).collect();
    let how_many = if other.is_some() { "several control units" } else { "no control unit" };
    let message = format!(
        "{how_many} on the bus of {who} answer{} to its unit addresses {}",
        if other.is_some() { "" } else { "s" },
        shown(control_unit)
    );
    let place = inputs.plant.label(&fabric.fibre(all[0]).span, format!("{} are on it", ports.join(", ")));
    let fix = "give each `[[control_unit.port]]` on the bus `unit_addresses` of its own, such as \"00-1F\"";
    let diagnostic = Box::new(here(numbers::NO_UNIT_ON_BUS, message).other(place).fix(fix));
    Err(Fault { root: format!("bus of {who}"), diagnostic })
}

/// Returns the unit addresses that the host-adapter port at `end` answers to, where the plant gives them.
fn answers(inputs: &Inputs<'_>, end: &End) -> Option<UnitRange> {
    let End::Adapter(address) = end else { return None };
    let mut boxes = inputs.plant.control_units.iter();
    let control_unit = boxes.find(|one| one.name.value == address.control_unit)?;
    let port = control_unit.ports.iter().find(|port| port.id.value == address.port)?;
    port.unit_addresses.as_ref().map(|range| range.value)
}

/// Returns true when all unit addresses of `control_unit` are among `range`.
fn is_within(control_unit: &ControlUnit, range: UnitRange) -> bool {
    let within = |(first, count): &(u8, u16)| {
        range.first <= *first && u16::from(*first) + count <= u16::from(range.last) + 1
    };
    control_unit.unit_addresses.iter().all(within)
}

/// Returns the unit addresses of `control_unit` as users write them.
fn shown(control_unit: &ControlUnit) -> String {
    let range = |(first, count): &(u8, u16)| {
        let last = u16::from(*first) + count.saturating_sub(1);
        UnitRange { first: *first, last: last.min(0xFF) as u8 }.to_string()
    };
    control_unit.unit_addresses.iter().map(range).collect::<Vec<_>>().join(", ")
}
