//! Definitions for displays beside the configuration.

use crate::assemble::channels::Channels;
use crate::assemble::endpoint_security::port_encrypts;
use crate::assemble::fabric::{End, Fabric};
use crate::assemble::inputs::Inputs;
use crate::assemble::logical_control_units::LogicalControlUnits;
use crate::assemble::ports::Ports;
use crate::site::{ChannelSite, MachineSite, Site, StorageSite};

/// Returns the definitions of all decks, with the plant's details of channels, boxes and directors.
pub fn site(
    inputs: &Inputs<'_>,
    channels: &Channels<'_>,
    fabric: &Fabric<'_>,
    ports: &Ports<'_>,
    lcus: &LogicalControlUnits,
) -> Site {
    let machine = |machine: Inputs<'_>| {
        let system = machine.cpc.system.as_ref().map(|system| system.value.clone());
        MachineSite::new(machine.cpc.name, machine.deck.clone(), system)
    };
    let directors = &inputs.plant.directors;
    Site {
        machines: inputs.each().map(machine).collect(),
        channels: (0..channels.len()).map(|index| channel(channels, fabric, index)).collect(),
        boxes: ports.box_names().iter().filter_map(|name| storage(inputs, name)).collect(),
        secure_ports: secure_ports(inputs, ports),
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
    let can_encrypt = card.is_some_and(|(_, kind)| kind.attachment.endpoint_security);
    let wanted = card.and_then(|(card, _)| card.endpoint_security.as_ref());
    ChannelSite { entry, can_encrypt, encrypts: can_encrypt && wanted.is_some_and(|wanted| wanted.value) }
}

fn storage(inputs: &Inputs<'_>, name: &str) -> Option<StorageSite> {
    let found = inputs.plant.control_units.iter().find(|one| one.name.value == name)?;
    Some(StorageSite { name: name.to_owned(), identity: found.identity.clone() })
}

/// Returns for each port whether it encrypts to a channel that encrypts. Its own key decides, else that of its box, and
/// only with a key manager.
fn secure_ports(inputs: &Inputs<'_>, ports: &Ports<'_>) -> Vec<bool> {
    let mut secure = vec![false; ports.len()];
    for control_unit in &inputs.plant.control_units {
        for port in &control_unit.ports {
            if let Some(index) = ports.index(&port.address(control_unit)) {
                let wanted = port.endpoint_security.as_ref().or(control_unit.endpoint_security.as_ref());
                let wanted = wanted.is_some_and(|wanted| wanted.value);
                secure[index as usize] = port_encrypts(inputs, &control_unit.kind.value, wanted);
            }
        }
    }
    secure
}
