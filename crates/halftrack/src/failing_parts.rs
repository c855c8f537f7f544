//! Parts that fail in a run, in words.

use halftrack_config::{Configuration, Disturbance, DisturbanceKind, Part};

/// Returns a line for each part that fails, halts or drains slowly in a run: when, until when, and which.
#[must_use]
pub fn failing_parts(configuration: &Configuration) -> Vec<String> {
    let line = |event: &Disturbance| {
        let (part, words) = match event.kind {
            DisturbanceKind::PathLost { channel } => (Part::Channel(channel), "is lost"),
            DisturbanceKind::PartLost { part } => (part, "is lost"),
            DisturbanceKind::Stalled { part } => (part, "halts"),
            DisturbanceKind::SlowDrain { part, .. } => (part, "gives credits back late"),
            DisturbanceKind::KeyServerLost => {
                return Some(format!("{}: the key server is lost", times(event)));
            }
            DisturbanceKind::InterconnectLost { share } => {
                let name = &configuration.shares[share as usize].name;
                return Some(format!("{}: {name} is lost", times(event)));
            }
            DisturbanceKind::ZHyperLinkLost { link } => {
                let name = &configuration.synchronous.links[link as usize].name;
                return Some(format!("{}: zHyperLink {name} is lost", times(event)));
            }
            DisturbanceKind::AdapterPulled { cpc, pchid } => {
                let machine = of(configuration, cpc);
                return Some(format!("{}: adapter {pchid:03X}{machine} is not plugged", times(event)));
            }
            DisturbanceKind::FirmwareUpdate { cpc, group } => {
                return Some(format!(
                    "{}: firmware of {group}{} is updated",
                    times(event),
                    of(configuration, cpc)
                ));
            }
            _ => return None,
        };
        Some(format!("{}: {} {words}", times(event), name(configuration, part)))
    };
    configuration.disturbances.iter().filter_map(line).collect()
}

/// Returns the machine as it stands behind a part of it; nothing where there is one alone.
fn of(configuration: &Configuration, cpc: u8) -> String {
    if configuration.cpcs.len() == 1 {
        return String::new();
    }
    let name = configuration.cpcs.get(usize::from(cpc)).map(|cpc| cpc.name.to_string());
    format!(" of {}", name.unwrap_or_default())
}

fn times(event: &Disturbance) -> String {
    format!("{} s to {} s", event.at.as_s_f64(), (event.at + event.lasts).as_s_f64())
}

fn name(configuration: &Configuration, part: Part) -> String {
    match part {
        Part::Channel(channel) => format!("channel path {}", configuration.channels[channel as usize].name),
        Part::Port(port) => format!("host-adapter port {}", configuration.ports[port as usize].name),
        Part::Isl(port) => format!("inter-switch link {:02X}.{:02X}", port.domain, port.port),
        Part::Director(domain) => format!("director {domain:02X}"),
        Part::ControlUnit(index) => {
            let mut names: Vec<&str> =
                configuration.ports.iter().map(|port| port.control_unit.as_str()).collect();
            names.dedup();
            format!("control unit {}", names.get(index as usize).copied().unwrap_or_default())
        }
        Part::Power => "power of directors and control units".to_owned(),
    }
}
