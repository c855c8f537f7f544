//! Replies to ACTIVATE and DEACTIVE ISLINK.

use super::command::Activate;
use crate::designation::MAX_DEVICES;
use crate::device_number::DeviceNumber;
use crate::end::End;
use crate::system_name::SystemName;

/// A real device, as a system has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RealDevice {
    /// It is a channel-to-channel device.
    pub is_ctc: bool,
    /// Type, as displays have it.
    pub device_type: String,
    /// It is online.
    pub is_online: bool,
    /// User of the device, other than a logical link.
    pub user: Option<String>,
}

/// Real devices of a system.
pub trait RealDevices {
    /// Returns a device; none when it does not exist.
    fn device(&self, number: DeviceNumber) -> Option<RealDevice>;
}

/// Reply to a command that changes links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Lines at the console.
    pub lines: Vec<String>,
    /// Devices to be activated or deactivated; none when the command is refused.
    pub devices: Vec<DeviceNumber>,
}

/// Replies to ACTIVATE ISLINK of a user, when the system has these links. `link` is the one that the devices are to come into,
/// if it is there already.
///
/// All devices are activated, or none.
pub fn activate(
    command: &Activate,
    user: &str,
    links: &[&End],
    link: Option<&End>,
    devices: &impl RealDevices,
) -> Reply {
    let mut lines: Vec<String> = Vec::new();
    for (at, number) in command.devices.iter().enumerate() {
        if command.devices[..at].contains(number) {
            lines.push(format!("HCP2721E Duplicate device address {number}"));
        } else {
            lines.extend(device_error(*number, links, devices));
        }
    }
    lines.extend(link.and_then(|link| link_error(command, link)));
    if !lines.is_empty() {
        return Reply { lines, devices: Vec::new() };
    }
    if command.has_buffers {
        lines.push("HCP2722I The BUFFERS option is ignored".to_owned());
    }
    for number in &command.devices {
        lines.push(format!("HCP2706I Link {number} activated by {user}"));
    }
    lines.extend(command.devices.iter().map(|number| format!("Link {number} activated.")));
    Reply { lines, devices: command.devices.clone() }
}

/// Returns why a device cannot be activated.
fn device_error(number: DeviceNumber, links: &[&End], devices: &impl RealDevices) -> Option<String> {
    let Some(device) = devices.device(number) else {
        return Some(format!("HCP040E Device {number} does not exist"));
    };
    if !device.is_ctc {
        return Some(format!("HCP006E Invalid device type - {number}"));
    }
    if !device.is_online {
        return Some(format!("HCP046E {} {number} offline", device.device_type));
    }
    let is_linked = links.iter().any(|link| link.devices().any(|one| one.number == number));
    let is_used = is_linked || device.user.is_some();
    is_used.then(|| format!("HCP049E {} {number} in use", device.device_type))
}

/// Returns why devices cannot come into a link. No numbers of messages were found for these.
fn link_error(command: &Activate, link: &End) -> Option<String> {
    let expected = link.node();
    if let (Some(given), Some(expected)) = (command.node, expected.filter(|one| Some(*one) != command.node)) {
        return Some(format!("Link not activated: its node is {expected}, and not {given}"));
    }
    let count = link.devices().count() + command.devices.len();
    (count > MAX_DEVICES).then(|| {
        let node = expected.map_or_else(|| "its node".to_owned(), |node: SystemName| node.to_string());
        format!("Link not activated: the logical link to {node} would have {count} devices, more than {MAX_DEVICES}")
    })
}

/// Replies to DEACTIVE ISLINK, when the system has these links.
pub fn deactivate(numbers: &[DeviceNumber], links: &[&End], devices: &impl RealDevices) -> Reply {
    let mut reply = Reply::default();
    for number in numbers {
        let is_linked = links.iter().any(|link| link.devices().any(|one| one.number == *number));
        if is_linked {
            reply.devices.push(*number);
            reply.lines.push(format!("Link {number} deactivated."));
        } else if devices.device(*number).is_none() {
            reply.lines.push(format!("HCP040E Device {number} does not exist"));
        } else {
            reply.lines.push(format!("Link {number} is not active."));
        }
    }
    reply
}
