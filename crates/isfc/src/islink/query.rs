//! Reply to QUERY ISLINK, and messages about links.

use super::reply::RealDevices;
use crate::device_number::DeviceNumber;
use crate::end::{DeviceReport, DeviceState, End};
use crate::order::Notice;

/// Replies to QUERY ISLINK of these devices, or of all links when there are none. The layout is ours.
pub fn query(numbers: &[DeviceNumber], links: &[&End], devices: &impl RealDevices) -> Vec<String> {
    let mut lines = Vec::new();
    for link in links {
        let of_link = link.devices().filter(|one| numbers.is_empty() || numbers.contains(&one.number));
        let rows: Vec<String> = of_link.map(|device| row(&device, devices)).collect();
        if rows.is_empty() {
            continue;
        }
        let node = link.node().map_or_else(|| "(none yet)".to_owned(), |node| node.to_string());
        let state = if link.is_up() { "UP" } else { "DOWN" };
        let partner = link.partner().map_or_else(String::new, |partner| {
            format!("  Collection: {}  Level: {}", partner.collection, partner.level.0)
        });
        lines.push(format!(
            "Node: {node}  State: {state}{partner}  Collisions: {}",
            link.counters().collisions
        ));
        lines.push("  Link  Type  State            Writes        Bytes sent    Bytes received".to_owned());
        lines.extend(rows);
    }
    for number in numbers {
        let is_linked = links.iter().any(|link| link.devices().any(|one| one.number == *number));
        if !is_linked {
            lines.push(match devices.device(*number) {
                Some(_) => format!("Link {number} is not active."),
                None => format!("HCP040E Device {number} does not exist"),
            });
        }
    }
    if lines.is_empty() {
        lines.push("There are no links.".to_owned());
    }
    lines
}

fn row(device: &DeviceReport, devices: &impl RealDevices) -> String {
    let device_type = devices.device(device.number).map_or_else(|| "-".to_owned(), |one| one.device_type);
    let state = match device.state {
        DeviceState::NotOperational => "NOT OPERATIONAL",
        DeviceState::Starting => "STARTING",
        DeviceState::NotReady => "NOT READY",
        DeviceState::Active => "ACTIVE",
        DeviceState::Refused => "REFUSED",
    };
    let writes = if device.is_written { "YES" } else { "NO" };
    let counters = &device.counters;
    format!(
        "  {}  {device_type:<4}  {state:<15}  {writes:<6}  {:>16}  {:>16}",
        device.number, counters.write.octets, counters.read.octets
    )
}

/// Returns the message of CP about a notice; none when there is none.
pub fn notice_line(notice: &Notice) -> Option<String> {
    match notice {
        Notice::LinkUp { node } => Some(format!("HCP2702I Link to node {node} came up")),
        Notice::NodeAdded { node, .. } => Some(format!("HCP2704I Node {node} added to collection")),
        // No number of a message was found for these; the words are ours.
        Notice::LinkDown { node } => Some(format!("Link to node {node} went down")),
        Notice::DeviceLost(device) => Some(format!("Link {device} is lost")),
        Notice::Refused { device, reason } => Some(format!("Link {device} is not used: {reason}")),
        _ => None,
    }
}
