//! Definitions for displays beside the configuration.

use halftrack_fabric::endpoint_security::Protection;
use halftrack_plugging::Hardware;

use crate::assemble::channels::Channels;
use crate::assemble::fabric::{End, Fabric};
use crate::assemble::inputs::Inputs;
use crate::assemble::logical_control_units::LogicalControlUnits;
use crate::assemble::ports::Ports;
use crate::site::{ChannelSite, MachineSite, Site, StorageSite};

/// Returns the definitions of all decks, with the plant's details of channels, boxes and directors.
pub fn site(
    inputs: &Inputs<'_>,
    hardware: &[Option<Hardware>],
    (channels, fabric): (&Channels<'_>, &Fabric<'_>),
    (ports, lcus): (&Ports<'_>, &LogicalControlUnits),
) -> Site {
    let machine = |(machine, hardware): (Inputs<'_>, &Option<Hardware>)| {
        let system = machine.cpc.system.as_ref().map(|system| system.value.clone());
        let plugged = hardware.as_ref().map(|hardware| hardware.pchids().collect());
        MachineSite::new(machine.cpc.name, machine.deck.clone(), system, plugged)
    };
    let directors = &inputs.plant.directors;
    Site {
        machines: inputs.each().zip(hardware).map(machine).collect(),
        channels: (0..channels.len()).map(|index| channel(channels, fabric, index)).collect(),
        boxes: ports.box_names().iter().filter_map(|name| storage(inputs, name)).collect(),
        directors: directors.iter().map(|one| (one.id.value, one.nd.clone())).collect(),
        paths: lcus.places().clone(),
    }
}

fn channel(channels: &Channels<'_>, fabric: &Fabric<'_>, index: u32) -> ChannelSite {
    let plug = channels.plug(index);
    let end = End::Channel(plug);
    let entry = fabric.at(&end).and_then(|fibre| match fabric.fibre(fibre).other(&end) {
        End::Director(port) => Some(*port),
        End::Channel(_) | End::Adapter(_) => None,
    });
    let card = fabric.card(plug);
    let capability = card.map_or(Protection::None, |(_, kind)| kind.attachment.endpoint_security);
    ChannelSite { entry, capability }
}

fn storage(inputs: &Inputs<'_>, name: &str) -> Option<StorageSite> {
    let found = inputs.plant.control_units.iter().find(|one| one.name.value == name)?;
    Some(StorageSite { name: name.to_owned(), identity: found.identity.clone() })
}
