//! Parts whose fibres carry circuits.

use crate::assemble::event_parts::EventParts;
use crate::disturbance::Part;
use crate::logical_control_unit::Path;

/// Returns true when some path of circuits, of ESCON or to a bridge, leads over `part`: a channel, a host-adapter port or
/// an inter-switch link.
pub fn carries_circuits(parts: &EventParts<'_>, part: Part) -> bool {
    let is_circuit = |path: &&Path| {
        let hardware = &parts.channels.channel(path.channel).hardware;
        hardware.circuit.is_some() || hardware.bridge.is_some()
    };
    let groups = parts.lcus.all().iter().flat_map(|lcu| &lcu.path_groups);
    groups.flat_map(|group| &group.paths).filter(is_circuit).any(|path| match part {
        Part::Channel(channel) => path.channel == channel,
        Part::Port(port) => path.port == port,
        Part::Isl(end) => path.ways().any(|way| {
            let mut links = way.outbound.iter().chain(&way.inbound);
            links.any(|link| parts.links.link(*link).switch_ports.contains(&Some(end)))
        }),
        Part::Director(_) | Part::ControlUnit(_) | Part::Power => false,
    })
}
